"""Judged collections as datasets of ir_datasets.

>>> import ir_datasets                                                                              # doctest: +SKIP
>>> from foxir.adapters.datasets import register                                                    # doctest: +SKIP
>>> register("trials", "trials.foxir", "topics.xml", "qrels.txt")                                   # doctest: +SKIP
>>> ir_datasets.load("foxir/trials").qrels_iter()                                                   # doctest: +SKIP

Importing this module registers the sample collection, `foxir/sample`. Qrels are highlighted passages, with the doc_id
`document#offset:length` and relevance 1; a document judged and without relevance has its id and relevance 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from foxir.adapters.hosts import require

require("ir-datasets")

import ir_datasets
from ir_datasets.formats import BaseDocs, BaseQrels, BaseQueries, GenericDoc, GenericQuery

from engine.errors import ArgumentError
from engine.topics import TopicFile
from foxir import arguments
from foxir.adapters.judged_collection import JudgedCollection, sample_collection
from foxir.evaluation.inputs import AssessmentsInput
from foxir.searching.opened_index import Index

RELEVANCE = {1: "a highlighted passage", 0: "a document that was judged and has no highlighted passage"}

Source = Callable[[], JudgedCollection]


class PassageQrel(NamedTuple):
    """A highlighted passage (relevance 1), or a judged document without relevance (0)."""

    query_id: str
    doc_id: str
    relevance: int
    size: int


def register(
    name: str, index: Index | str | Path, topics: TopicFile | str | Path, assessments: AssessmentsInput
) -> ir_datasets.Dataset:
    """Register a judged collection as `foxir/NAME`, and return it.

    Raises: ArgumentError for a name that is taken; IndexFormatError, TopicError, AssessmentError.
    """
    collection = JudgedCollection.of(index, topics, assessments)
    return _register(arguments.text("name", name), lambda: collection)


def _register(name: str, source: Source) -> ir_datasets.Dataset:
    dataset_id = f"foxir/{name}"
    if dataset_id in ir_datasets.registry:
        raise ArgumentError(f"name: there is a dataset {dataset_id!r} already: choose another name.")
    dataset = ir_datasets.Dataset(_Docs(source, dataset_id), _Queries(source, dataset_id), _Qrels(source))
    ir_datasets.registry.register(dataset_id, dataset)
    return dataset


class _DocStore:
    def __init__(self, collection: JudgedCollection) -> None:
        self._collection = collection

    def get(self, doc_id: str, field: str | None = None) -> object:
        """Return a document, or one of its fields; raises KeyError for an unknown id."""
        if doc_id not in self._collection.index:
            raise KeyError(f"doc_id={doc_id} not found")
        found = GenericDoc(doc_id, self._collection.index.text(doc_id))
        return found if field is None else getattr(found, field)

    def get_many(self, doc_ids: Iterable[str], field: str | None = None) -> dict[str, object]:
        """Return the documents that there are, by id."""
        return {each: self.get(each, field) for each in doc_ids if each in self._collection.index}

    def get_many_iter(self, doc_ids: Iterable[str]) -> Iterator[object]:
        """Yield the documents that there are."""
        yield from self.get_many(doc_ids).values()


class _Docs(BaseDocs):
    def __init__(self, source: Source, dataset_id: str) -> None:
        self._source = source
        self._dataset_id = dataset_id

    def docs_iter(self) -> Iterator[GenericDoc]:
        return (GenericDoc(document, text) for document, text in self._source().documents())

    def docs_count(self) -> int:
        return len(self._source().index)

    def docs_store(self) -> _DocStore:
        return _DocStore(self._source())

    def docs_cls(self) -> type[object]:
        cls: type[object] = GenericDoc
        return cls

    def docs_namespace(self) -> str:
        return self._dataset_id

    def docs_lang(self) -> str | None:
        return None


class _Queries(BaseQueries):
    def __init__(self, source: Source, dataset_id: str) -> None:
        self._source = source
        self._dataset_id = dataset_id

    def queries_iter(self) -> Iterator[GenericQuery]:
        return (GenericQuery(*query) for query in self._source().queries())

    def queries_cls(self) -> type[object]:
        cls: type[object] = GenericQuery
        return cls

    def queries_namespace(self) -> str:
        return self._dataset_id

    def queries_lang(self) -> str | None:
        return None


class _Qrels(BaseQrels):
    def __init__(self, source: Source) -> None:
        self._source = source

    def qrels_iter(self) -> Iterator[PassageQrel]:
        for row in self._source().judgements:
            yield PassageQrel(row.query_id, row.doc_id, int(row.relevance), row.size)

    def qrels_defs(self) -> dict[int, str]:
        return RELEVANCE

    def qrels_cls(self) -> type[PassageQrel]:
        return PassageQrel


if "foxir/sample" not in ir_datasets.registry:
    _register("sample", sample_collection)
