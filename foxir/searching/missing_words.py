"""The words of a query that answers lack, where one of them is the one that fewest documents contain."""

from __future__ import annotations

import re

import numpy as np

from engine.arrays import Mask, Rows, distinct, is_among
from engine.index.elements.header_rows import MOST_GROUPS
from engine.index.reader import IndexReader
from engine.query.query import Query
from engine.text.alternative_terms import ANY_END, EITHER
from foxir.results.answers import Answers
from foxir.searching.query_spelling import typed_words

# Words of a query, at least: an answer with the only one of them says so itself. Missing words that are named.
FEWEST_WORDS, MOST_NAMED = 2, 3


def _by_rarity(reader: IndexReader, query: Query) -> list[str]:
    """Return the known words of a query, that of fewest documents first; none with a path, or of fewer than two.

    A word that counts beside its spellings or synonyms is not among them: a text with one of these lacks nothing.
    """
    if query.path is not None or any(word.endswith(ANY_END) for word in query.word_counts):
        return []
    beside = {word for term in query.terms if term.is_within for word in term.words}
    counts = {word: len(reader.postings(word).documents) for word in query.word_counts.keys() - beside}
    known = sorted((word for word in counts if counts[word]), key=lambda word: (counts[word], word))
    return known if len(known) >= FEWEST_WORDS else []


def missing_words(answers: Answers) -> list[list[str]]:
    """Return of each answer that lacks the rarest word of the query up to three words that it lacks, the rarest first.

    They are as they were typed; none for other answers.
    """
    reader, query = answers.reader, answers.plan.query
    found: list[list[str]] = [[] for _ in answers]
    typed = typed_words(reader.analyser, query.text)
    places = np.arange(len(answers))
    for number, word in enumerate(_by_rarity(reader, query)):
        if not len(places):
            break
        lack = places.compress(~_have(reader, answers.at(places), word))
        places = places if number else lack
        stem = word.split(EITHER)[0]
        for place in lack.tolist():
            if len(found[place]) < MOST_NAMED:
                found[place].append(typed.get(stem, stem))
    return found


def _have(reader: IndexReader, answers: Answers, word: str) -> Mask:
    """Return which elements of the answers contain a word, or are rows of a table whose header contains it."""
    elements = np.array([answer.element.row for answer in answers], np.int64)
    documents = distinct(reader.elements.document(elements))
    rows = [each.rows for each in reader.elements.occurrences_of_each(word.split(EITHER), documents)]
    leaves = np.sort(np.concatenate(rows))
    found: Mask = leaves.searchsorted(reader.elements.end(elements)) > leaves.searchsorted(elements)
    return found | _are_below_headers(reader, elements, documents, leaves)


def _are_below_headers(reader: IndexReader, rows: Rows, documents: Rows, leaves: Rows) -> Mask:
    """Return which elements are rows of a table of which a header row contains a leaf."""
    elements, headers = reader.elements, reader.header_rows.of(documents)
    say = leaves.searchsorted(headers.ends) > leaves.searchsorted(headers.rows)
    tables, around = distinct(headers.tables.compress(say)), rows
    found = np.zeros(len(rows), np.bool_)
    for _ in range(1 + MOST_GROUPS):
        around = elements.parent(around)
        found |= is_among(around, tables)
    return found & elements.is_tag(reader.profile.row_tags).take(elements.tag(rows))


def requiring(query: str, word: str) -> str:
    """Return a query that requires one of its words.

    >>> requiring("weight loss of metformin", "metformin")
    'weight loss of +metformin'
    """
    place = re.search(rf"(?<![\w+\"-]){re.escape(word)}(?!\w)", query)
    return f"{query} +{word}" if place is None else f"{query[: place.start()]}+{query[place.start() :]}"
