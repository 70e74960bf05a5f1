"""The words of a query that answers lack, where one of them is the one that fewest documents contain."""

from __future__ import annotations

import re

import numpy as np

from engine.arrays import Mask, Rows, distinct, is_among, ranges
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

    They are as they were typed; none for other answers. A row of a table lacks no word of its table's header rows, what
    follows a heading with a rank none of this.
    """
    reader, query = answers.reader, answers.plan.query
    found: list[list[str]] = [[] for _ in answers]
    words = _by_rarity(reader, query) if found else []
    if not words:
        return found
    typed = typed_words(reader.analyser, query.text)
    rows, ends = answers.row_bounds.T
    places, documents = np.arange(len(rows)), distinct(reader.elements.document(rows))
    tables, headers = _tables_around(reader, rows), reader.header_rows.of(documents)
    headings, ends_of_headings, firsts, lasts = _headings_with_scopes(reader, documents)
    for number, word in enumerate(words):
        leaves = _leaves_with(reader, word, documents)
        has_word = _contain(leaves, rows, ends)
        of_header = distinct(headers.tables.compress(_contain(leaves, headers.rows, headers.ends)))
        has_word |= is_among(tables, of_header).any(axis=1)
        have_word = _contain(leaves, headings, ends_of_headings)
        has_word |= _lie_in_one(rows, firsts.compress(have_word), lasts.compress(have_word))
        lack = places.compress(~has_word.take(places))
        places = places if number else lack
        stem = word.split(EITHER)[0]
        for place in lack.tolist():
            if len(found[place]) < MOST_NAMED:
                found[place].append(typed.get(stem, stem))
        if not len(places):
            break
    return found


def _headings_with_scopes(reader: IndexReader, documents: Rows) -> tuple[Rows, Rows, Rows, Rows]:
    """Return the headings with a rank in documents (ascending), their ends, and where what follows begins and ends."""
    scopes = reader.following_scopes(documents)
    first, end = reader.elements.root(documents), reader.elements.document_end(documents)
    begin, stop = scopes.headings.searchsorted(first), scopes.headings.searchsorted(end)
    here = ranges(begin, stop - begin)
    headings = scopes.headings.take(here)
    return headings, reader.elements.end(headings), scopes.first.take(here), scopes.end.take(here)


def _leaves_with(reader: IndexReader, word: str, documents: Rows) -> Rows:
    """Return the leaves with a word in documents, ascending."""
    rows = [each.rows for each in reader.elements.occurrences_of_each(word.split(EITHER), documents)]
    return np.sort(np.concatenate(rows))


def _contain(leaves: Rows, rows: Rows, ends: Rows) -> Mask:
    """Return which elements, given by their rows and ends, contain a leaf."""
    return np.asarray(leaves.searchsorted(ends) > leaves.searchsorted(rows))


def _lie_in_one(rows: Rows, firsts: Rows, ends: Rows) -> Mask:
    """Return which rows lie in an interval, of which some may lie in others."""
    order = firsts.argsort()
    furthest = np.append(0, np.maximum.accumulate(ends.take(order)))
    return np.asarray(rows < furthest.take(firsts.take(order).searchsorted(rows, side="right")))


def _tables_around(reader: IndexReader, rows: Rows) -> Rows:
    """Return the elements that may be the table of each row of one, shape (n, 1 + MOST_GROUPS); -1 for others."""
    around = [reader.elements.parent(rows)]
    for _ in range(MOST_GROUPS):
        around.append(reader.elements.parent(around[-1]))
    is_row = reader.elements.is_tag(reader.profile.row_tags).take(reader.elements.tag(rows))
    return np.where(is_row[:, np.newaxis], np.column_stack(around), -1)


def requiring(query: str, word: str) -> str:
    """Return a query that requires one of its words.

    >>> requiring("weight loss of metformin", "metformin")
    'weight loss of +metformin'
    """
    place = re.search(rf"(?<![\w+\"-]){re.escape(word)}(?!\w)", query)
    return f"{query} +{word}" if place is None else f"{query[: place.start()]}+{query[place.start() :]}"
