"""The counts of one shard from which totals over all shards are added up: whole numbers, and sets of names.

("languages",)         languages of the documents
("frequencies", ...)   document frequencies of the terms that follow
("term", t)            document, collection, leaf and opening frequency of a term
("term by tag", t)     elements of each tag that contain a term
("collection",)        leaves, words, and sums of each tag (`tag_sums`)
("units",)             elements of each tag, and the words in all elements
("images",)            images of the documents
("distinct", unit)     distinct terms of all units; ("pairs", unit) pairs of a term and a unit
("weights", bits)      W_d of all documents with short mantissas, as floats whose exact sum it is
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from engine.index.reader import IndexReader
from engine.index.shard_exchange import Key


def count(reader: IndexReader, key: Key) -> Any:
    """Return the counts of one shard for a total."""
    return _COUNTS[key[0]](reader, *key[1:])


def _frequencies(reader: IndexReader, *terms: str) -> Any:
    return reader.document_frequencies(terms)


def _term(reader: IndexReader, name: str) -> Any:
    term = reader.statistics.term(name)
    in_documents = term.document_frequency, term.collection_frequency
    return np.array([*in_documents, term.leaf_frequency, term.opening_frequency], np.int64)


def _term_by_tag(reader: IndexReader, name: str) -> Any:
    found = reader.statistics.term(name).element_frequency_by_tag.tolist()
    return {tag: number for tag, number in zip(reader.elements.tags, found, strict=True) if number}


def _collection(reader: IndexReader) -> Any:
    statistics = reader.statistics
    whole = np.array([statistics.n_leaves, statistics.n_words], object)
    by_tag = zip(reader.elements.tags, statistics.tag_sums.T, strict=True)
    return {"whole": whole, "tags": dict(by_tag)}


def _units(reader: IndexReader) -> Any:
    units = reader.statistics.units
    numbers = zip(reader.elements.tags, units.n_elements_of_tag.tolist(), strict=True)
    return {"words": units.words_of_all_elements, "tags": {tag: number for tag, number in numbers if number}}


_COUNTS: Mapping[str, Callable[..., Any]] = {
    "languages": lambda reader: frozenset(reader.languages),
    "frequencies": _frequencies,
    "term": _term,
    "term by tag": _term_by_tag,
    "collection": _collection,
    "units": _units,
    "images": lambda reader: reader.images.n_images,
    "distinct": lambda reader, unit: float(reader.statistics.vectors.distinct(unit).sum()),
    "pairs": lambda reader, unit: reader.statistics.vectors.n_pairs(unit),
    "weights": lambda reader, bits: tuple(exact_parts(reader.statistics.live_weights(bits))),
}


def exact_parts(values: Sequence[float]) -> list[float]:
    """Return few floats with exactly the same sum as many."""
    parts: list[float] = []
    while part := math.fsum([*values, *(-each for each in parts)]):
        parts.append(part)
    return parts


def add(values: Sequence[Any]) -> Any:
    """Return the total of the counts of all shards."""
    first = values[0]
    if isinstance(first, frozenset):
        return first.union(*values)
    if isinstance(first, tuple):
        return sum(values, ())
    if isinstance(first, dict):
        names = dict.fromkeys(name for each in values for name in each)
        return {name: add([each[name] for each in values if name in each]) for name in names}
    return reduce(lambda total, each: total + each, values)
