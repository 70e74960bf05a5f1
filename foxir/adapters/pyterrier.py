"""foxir in PyTerrier: a retriever for pipelines and experiments, an index as an artifact, the sample as a dataset.

>>> import pyterrier as pt                                                               # doctest: +SKIP
>>> from foxir.adapters.pyterrier import Retriever                                       # doctest: +SKIP
>>> from foxir.adapters.measures import HiXF, iP, use_index                              # doctest: +SKIP
>>> use_index("demo.foxir")                                                              # doctest: +SKIP
>>> sample = pt.get_dataset("foxir:sample")                                              # doctest: +SKIP
>>> pt.Experiment([Retriever("demo.foxir")], *sample.get_topicsqrels(), [HiXF @ 10])      # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, Literal, get_args

from foxir.adapters.hosts import require

require("pyterrier")

import pandas as pd
import pyterrier as pt

from engine.errors import QueryError
from engine.index.file_names import MANIFEST, SEGMENTS
from engine.index.generation import DESCRIPTION
from engine.runs.run import passage_id
from foxir import arguments
from foxir.adapters.element_retriever import IndexArgument, SettingsArgument, checked_settings
from foxir.adapters.judged_collection import JudgedCollection, sample_collection
from foxir.results.answers import Answer, Answers
from foxir.searching.opened_index import Index, open_index

Units = Literal["elements", "articles"]

# Default number of results of a query, that of PyTerrier's own retrievers.
DEFAULT_RESULTS = 1000


class Retriever(pt.Transformer):
    """Retrieves elements or passages, or whole articles by their best element.

    The frame has qid, query, docno (`document#offset:length`; of articles, the document), score, rank (from 0),
    document, path, start, length and, if asked for, text.
    """

    def __init__(
        self,
        index: IndexArgument,
        settings: SettingsArgument = None,
        *,
        units: Units = "elements",
        num_results: int = DEFAULT_RESULTS,
        text: bool = False,
    ) -> None:
        """Open the index and check the settings.

        Args:
            settings: foxir.Settings, or settings by name; {"unit": "sentence"} for passages.
            units: whether a result is an element (or passage), or an article, ranked by its best element.
            num_results: results of a query.
            text: whether results have their text.
        """
        self.index = index if isinstance(index, Index) else open_index(index)
        self.units = arguments.choice("units", units, get_args(Units))
        self.num_results = arguments.count("num_results", num_results)
        self.text = arguments.flag("text", text)
        self._settings = checked_settings(settings)
        self._of_search: dict[str, Any] = {"max_answers": self.num_results}
        if self.units == "articles":
            self._of_search["max_per_article"] = 1

    def transform(self, queries: pd.DataFrame) -> pd.DataFrame:
        """Return the results of all queries, which are in the columns qid and query.

        Raises: QueryError, with the qid, for a query that is missing, empty or cannot be read; ClosedIndexError.
        """
        pt.validate.query_frame(queries, extra_columns=["query"])
        asked = [column for column in queries.columns if column not in self._columns]
        rows: dict[str, list[Any]] = {name: [] for name in (*asked, *self._columns)}
        for query in queries.to_dict("records"):
            answers = self._answers(query)
            for name in asked:
                rows[name] += [query[name]] * len(answers)
            for name, values in self._results(answers):
                rows[name] += values
        return pd.DataFrame(rows)

    def _answers(self, query: Mapping[Hashable, Any]) -> Answers:
        asked = query["query"]
        try:
            return self.index.search("" if pd.isna(asked) else str(asked), self._settings, **self._of_search)
        except QueryError as error:
            raise QueryError(f"qid {query.get('qid', '(none)')}: {error}") from None

    @property
    def _columns(self) -> tuple[str, ...]:
        names = ("docno", "score", "rank", "document", "path", "start", "length")
        return (*names, "text") if self.text else names

    def _results(self, answers: Answers) -> Iterator[tuple[str, Iterable[Any]]]:
        starts, ends = answers.spans[:, 0], answers.spans[:, 1]
        places = zip(starts.tolist(), (ends - starts).tolist(), strict=True)
        if self.units == "articles":
            yield "docno", answers.documents
        else:
            yield (
                "docno",
                [passage_id(document, None, *place) for document, place in zip(answers.documents, places, strict=True)],
            )
        is_falling = bool((answers.scores[:-1] >= answers.scores[1:]).all())  # not where answers are grouped
        yield "score", (answers.scores if is_falling else answers.rsv).tolist()
        yield "rank", range(len(answers))
        yield "document", answers.documents
        yield "path", answers.paths
        yield "start", starts.tolist()
        yield "length", (ends - starts).tolist()
        if self.text:
            yield "text", map(_text, answers)

    def __repr__(self) -> str:
        return f"Retriever({str(self.index.folder)!r}, units={self.units!r})"

    # Read by PyTerrier, which downloads its own table of classes for a page where none is named.
    schematic = {"label": "foxir", "help_url": None}  # noqa: RUF012


def _text(answer: Answer) -> str:
    return answer.readable_text


class FoxirIndex(pt.Artifact):
    """An index of foxir as an artifact of PyTerrier: `pt.Artifact.load("demo.foxir").retriever(unit="sentence")`."""

    ARTIFACT_TYPE = "sparse_index"
    ARTIFACT_FORMAT = "foxir"

    def retriever(self, **settings: Any) -> Retriever:
        """Return a retriever; units, num_results and text are its own, other keywords are settings."""
        own = {name: settings.pop(name) for name in ("units", "num_results", "text") if name in settings}
        return Retriever(self.path, settings, **own)


def artifact_metadata(path: str, names: list[str]) -> dict[str, str] | None:
    """Return the metadata that PyTerrier needs of an artifact in a folder; None for a folder without an index."""
    if {MANIFEST, SEGMENTS} <= set(names) or DESCRIPTION in names:
        return {"type": "sparse_index", "format": "foxir", "package_hint": "foxir[pyterrier]"}
    return None


class FoxirDataset(pt.datasets.Dataset):
    """A judged collection as a dataset of PyTerrier; qrels are highlighted passages, `document#offset:length`."""

    def __init__(self, name: str, collection: JudgedCollection) -> None:
        self._name = name
        self.collection = collection

    def get_corpus_iter(self, *, verbose: bool = True) -> Iterator[dict[str, str]]:
        """Yield docno and text of every document."""
        for document, text in self.collection.documents():
            yield {"docno": document, "text": text}

    def get_index(self, variant: str | None = None, **options: Any) -> FoxirIndex:
        """Return the index of the collection."""
        return FoxirIndex(self.collection.index.folder)

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """Return the topics: qid, query."""
        return pd.DataFrame(list(self.collection.queries()), columns=["qid", "query"])

    def get_qrels(self, variant: str | None = None) -> pd.DataFrame:
        """Return the judgements: qid, docno, label, and the size of the document."""
        rows = [(row.query_id, row.doc_id, int(row.relevance), row.size) for row in self.collection.judgements]
        return pd.DataFrame(rows, columns=["qid", "docno", "label", "size"])

    def _describe_component(self, component: str) -> bool | None:
        return True if component in ("corpus", "topics", "qrels", "index") else None

    def __repr__(self) -> str:
        return f"FoxirDataset({self._name!r})"


class FoxirDatasets(pt.datasets.DatasetProvider):
    """The datasets of `pt.get_dataset("foxir:...")`."""

    def get_dataset(self, name: str) -> FoxirDataset:
        """Return the dataset of a name; raises KeyError for an unknown one."""
        if name != "sample":
            raise KeyError(name)
        return FoxirDataset("foxir:sample", sample_collection())

    def list_dataset_names(self) -> Iterable[str]:
        """Return the names of all datasets."""
        return ["sample"]
