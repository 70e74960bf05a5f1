"""The words of a query in texts: where each is, and the term that it is found for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.arrays import ranges
from engine.kernels.table import compiled
from engine.query.query import Query
from engine.records import NamedTuple
from engine.text.alternative_terms import ANY_END, EITHER, FORM, composed, simple_terms, term_matches
from engine.text.analyser import Analyser
from engine.text.known_surfaces import WordsFound
from engine.text.utf8 import characters_before, encode
from engine.text.words import Words

# No date, as 24.12.1998, and no number of a section, as 1.2.3.
_DECIMAL = re.compile(r"(?<![\d.·])(\d+)[.·](\d+)(?![.·]?\d)")
# Start and end of a word in a text, and its term.
Span = tuple[int, int, str]


class SearchedText(NamedTuple):
    """A text in which the words of a query are searched.

    borders: offsets at which words end even without a blank, ascending. continues: whether the answer that it is part
    of has more text before and after it. apart: offsets between elements that a snippet shows apart, ascending.
    """

    text: str
    borders: Sequence[int] = ()
    continues: tuple[bool, bool] = (False, False)
    apart: Sequence[int] = ()


def words_found(texts: Sequence[SearchedText], query: Query, analyser: Analyser) -> WordsFound | None:
    """Return the words of a query in texts, in C alone; None where that leaves them to `spans_by_words`."""
    if not analyser.has_plain_words or _needs_words(query):
        return None
    return analyser.known_surfaces.find_in(texts, _terms_of(query))


def spans_by_words(texts: Sequence[SearchedText], query: Query, analyser: Analyser) -> list[list[Span]]:
    """Return the spans and terms of the query's words in each text.

    It is the slow form of `term_spans`, for words of all kinds.

    The words of all texts are found in one pass, over the texts one after the other with a blank at each border.
    """
    parted = [
        " ".join(text[start:end] for start, end in pairwise([0, *borders, len(text)])) if borders else text
        for text, borders, _, _ in texts
    ]
    begins = np.cumsum([0, *(len(text) + 1 for text in parted)])
    joined = encode("\n".join(parted))
    words = analyser.words(joined)
    places, terms = _query_words(words, query, analyser)
    edges = np.concatenate([words.starts.take(places), words.reaches.take(places)])
    starts, ends = characters_before(joined, edges).reshape(2, -1)
    of_text = begins.searchsorted(starts, "right") - 1
    n_borders = np.array([len(borders) for _, borders, _, _ in texts], np.int64)
    blanks = np.array([border for _, borders, _, _ in texts for border in borders], np.int64)
    blanks += begins[:-1].repeat(n_borders) + ranges(np.zeros_like(n_borders), n_borders)
    inserted = blanks.searchsorted(starts) - blanks.searchsorted(begins).take(of_text) + begins.take(of_text)
    spans: list[list[Span]] = [[] for _ in texts]
    columns = of_text.tolist(), terms, (starts - inserted).tolist(), (ends - inserted).tolist()
    for text, term, start, end in zip(*columns, strict=True):
        before = spans[text]
        after = max(start, before[-1][1]) if before else start  # words of scripts without spaces overlap
        if after < end:
            before.append((after, end, term))
    return [_whole_numbers(text, of_text) for (text, *_), of_text in zip(texts, spans, strict=True)]


@compiled(spans_by_words)
def term_spans(texts: Sequence[SearchedText], query: Query, analyser: Analyser) -> list[list[Span]]:
    """Return the spans and terms of query words in each text; words end at borders.

    One side of a decimal number is no word, unless both are of the query.
    """
    found = words_found(texts, query, analyser)
    if found is None:
        return spans_by_words(texts, query, analyser)
    spans: list[list[Span]] = [[] for _ in texts]
    for text, start, end, number in zip(*(column.tolist() for column in found[:4]), strict=True):
        spans[text].append((start, end, found.values[number]))
    return [_whole_numbers(text, of_text) for (text, *_), of_text in zip(texts, spans, strict=True)]


def _whole_numbers(text: str, spans: list[Span]) -> list[Span]:
    """Return spans without those of one side of a decimal number, the 24 of 0.24, whose other side is none."""
    places = {(start, end) for start, end, _ in spans if text[start].isdigit()}
    if not places:
        return spans
    sides = ((decimal.span(1), decimal.span(2)) for decimal in _DECIMAL.finditer(text))
    left_out = {side for both in sides if not places.issuperset(both) for side in both}
    return [span for span in spans if span[:2] not in left_out]


def _query_words(words: Words, query: Query, analyser: Analyser) -> tuple[NDArray[np.int64], list[str]]:
    """Return the places of the words that a query looks for, ascending, and the term of each."""
    found = _matching_words(set(words.surfaces), query, analyser)
    surfaces = [(place, surface) for place, surface in enumerate(words.surfaces) if surface in found]
    return np.array([place for place, _ in surfaces], np.int64), [found[surface] for _, surface in surfaces]


def _needs_words(query: Query) -> bool:
    """Return whether a query has words that match all words with their beginning, or words in certain forms."""
    return any(word.endswith(ANY_END) or FORM in word for word in query.word_counts)


def _terms_of(query: Query) -> dict[str, str]:
    """Return the terms of a query, and the words that they are of."""
    return {term: word for word in query.word_counts for term in simple_terms(word)}


def _matching_words(surfaces: set[str], query: Query, analyser: Analyser) -> dict[str, str]:
    """Return the query term that each surface form matches, of those that match any."""
    words_of: dict[str, list[str]] = {}
    for word in query.word_counts:
        for term in simple_terms(word):
            words_of.setdefault(term, []).append(word)
    open_ended = [word for word in query.word_counts if word.endswith(ANY_END)]
    found = {}
    for surface, terms in analyser.known_words.with_terms(surfaces, words_of).items():
        words = (word for term in terms for word in words_of.get(term, ()))
        if matching := [word for word in words if _may_match(word, terms, surface, analyser)]:
            found[surface] = matching[0]
    others = analyser.known_words.terms(surfaces - found.keys()) if open_ended else {}
    for word in reversed(open_ended):
        found |= {surface: word for surface, terms in others.items() if term_matches(word, terms)}
    return found


def _may_match(word: str, terms: Sequence[str], surface: str, analyser: Analyser) -> bool:
    """Return whether a word of a text, or a phrase that it is of, matches a word of a query."""
    if FORM not in word:
        return True
    (form,) = analyser.folded_words([surface])
    parts = (
        made_of.words if (made_of := composed(part)) and made_of.form is None else (part,)
        for part in word.split(EITHER)
    )
    return any(term_matches(part, terms, form) for of_part in parts for part in of_part)
