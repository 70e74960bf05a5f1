"""The word of a query that fewest documents contain, and the answers without it."""

from __future__ import annotations

import re

import numpy as np

from engine.arrays import Mask, distinct
from engine.index.reader import IndexReader
from engine.query.query import Query
from engine.text.alternative_terms import ANY_END, EITHER
from foxir.results.answers import Answers
from foxir.searching.query_spelling import typed_words

# Words of a query, at least: an answer with the only one of them says so itself.
FEWEST_WORDS = 2


def rarest_word(reader: IndexReader, query: Query) -> str:
    """Return the word that fewest documents contain, "" for a query with a path, or with fewer than two known words."""
    if query.path is not None or any(word.endswith(ANY_END) for word in query.word_counts):
        return ""
    counts = {word: len(reader.postings(word).documents) for word in query.word_counts}
    known = {word: count for word, count in counts.items() if count}
    return min(known, key=lambda word: (known[word], word)) if len(known) >= FEWEST_WORDS else ""


def without_rarest(answers: Answers) -> list[str | None]:
    """Return of each answer the rarest word of the query, as it was typed, if the element is without it; else None."""
    reader, query = answers.reader, answers.plan.query
    word = rarest_word(reader, query)
    if not word or not len(answers):
        return [None] * len(answers)
    lacks = ~_have(reader, answers, word)
    shown = typed_words(reader.analyser, query.text).get(word.split(EITHER)[0], word.split(EITHER)[0])
    return [shown if each else None for each in lacks.tolist()]


def _have(reader: IndexReader, answers: Answers, word: str) -> Mask:
    """Return which elements of the answers contain a word."""
    elements = np.array([answer.element.row for answer in answers], np.int64)
    documents = distinct(reader.elements.document(elements))
    rows = [each.rows for each in reader.elements.occurrences_of_each(word.split(EITHER), documents)]
    leaves = np.sort(np.concatenate(rows))
    found: Mask = leaves.searchsorted(reader.elements.end(elements)) > leaves.searchsorted(elements)
    return found


def requiring(query: str, word: str) -> str:
    """Return a query that requires one of its words.

    >>> requiring("weight loss of metformin", "metformin")
    'weight loss of +metformin'
    """
    place = re.search(rf"(?<![\w+\"-]){re.escape(word)}(?!\w)", query)
    return f"{query} +{word}" if place is None else f"{query[: place.start()]}+{query[place.start() :]}"
