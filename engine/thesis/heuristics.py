"""The order of answers inside an article: three keys, named by three letters, compared from left to right.

    M m  matches in or below the element        T  distinct query terms in or below it
    P p  length of its path                     F  occurrences of query terms in or below it
    B E  its ordinals from the root, tag names ignored

M, P, T and F sort in descending order, m and p in ascending order; B puts the element nearer the beginning of the
article first, E the one nearer its end. Ties are in document order.
Source: thesis 3.2.2 (the sixteen of M, P, B and E) and 6.1.2 (TPF, PTF).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Rows, places_of
from engine.index.elements.containment import is_inside
from engine.index.elements.element_store import Elements
from engine.planning.plan import AnswerRule
from engine.query_limits import check_time, reserve
from engine.ranking.matches import Matches
from engine.ranking.trace import Reason, current_trace
from engine.records import NamedTuple
from engine.thesis.coherent_elements import original_cres


class CountedElements(NamedTuple):
    """Elements that can be answers, ascending by row, with the counts that heuristics compare; shape (n,)."""

    rows: Rows
    documents: Rows
    n_matches: NDArray[np.int64]  # M: matches in or below
    n_terms: NDArray[np.int64]  # T: distinct query terms in or below
    n_occurrences: NDArray[np.int64]  # F: occurrences of query terms in or below


def count_elements(elements: Elements, matches: Matches, rule: AnswerRule) -> CountedElements:
    """Return the elements that can be answers (matching elements, oCREs, nCREs or targets), with their counts.

    With a strict target, they are targets or inside one.
    """
    targets = matches.targets
    if rule.is_target and targets is not None:
        rows = targets
    else:
        build = rule.from_matches or original_cres
        rows = build(elements, matches.rows, elements.document(matches.rows))
        rows = rows if targets is None else rows[is_inside(elements, rows, targets)]
        current_trace().keep("candidates", Reason.OF_ANOTHER_KIND, rows)
    ends = elements.end(rows)
    n_terms = np.zeros(len(rows), np.int64)
    n_occurrences = np.zeros(len(rows), np.int64)
    for found in matches.occurrences:
        check_time()
        total = np.concatenate([[0], np.cumsum(found.tf)])
        first, last = np.searchsorted(found.rows, rows), np.searchsorted(found.rows, ends)
        n_terms += last > first
        n_occurrences += total[last] - total[first]
    n_matches = np.searchsorted(matches.rows, ends) - np.searchsorted(matches.rows, rows)
    return CountedElements(rows, elements.document(rows), n_matches, n_terms, n_occurrences)


Keys = list[NDArray[np.int64]]


def order(
    elements: Elements, candidates: CountedElements, article: NDArray[np.int64], letters: str
) -> NDArray[np.int64]:
    """Return the indices of the candidates, sorted by article, inside each by a heuristic.

    Elements without a query term, which only structure selects, come after those with one, except in document order.
    If no candidate of an article contains a term, its candidates are in document order.

    Args:
        article: position of each candidate's article in the ranking.
        letters: the three keys, "" for document order.
    """
    keys: Keys = [article]
    if letters and not candidates.n_terms.all():
        keys.append(candidates.n_terms == 0)
    for letter in letters:
        keys += _keys(letter, elements, candidates)
    if letters and not candidates.n_terms.all():
        is_ordered = np.bincount(article, candidates.n_terms)[article] > 0
        keys = [article, *(key * is_ordered for key in keys[1:])]
    return np.lexsort((candidates.rows, *reversed(keys)))


def _keys(letter: str, elements: Elements, candidates: CountedElements) -> Keys:
    """Return the columns that a letter compares, smaller first."""
    match letter:
        case "M" | "m":
            values = [candidates.n_matches]
        case "P" | "p":
            values = [elements.depth(candidates.rows)]
        case "T":
            values = [candidates.n_terms]
        case "F":
            values = [candidates.n_occurrences]
        case _:
            values = ordinal_keys(elements, candidates.rows)
    return values if letter in "mpB" else [-value for value in values]


def ordinal_keys(elements: Elements, rows: NDArray[np.int64]) -> Keys:
    """Return columns that compare like the tuples of ordinals from the root, packed into as few as possible."""
    columns = ordinals(elements, rows)
    keys: Keys = []
    free_bits = 0
    for column in columns.T:
        check_time()
        width = int(column.max(initial=0)).bit_length()
        if width > free_bits:
            keys.append(np.zeros(len(rows), np.int64))
            free_bits = 62
        keys[-1] = (keys[-1] << width) | column
        free_bits -= width
    return keys


def ordinals(elements: Elements, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the ordinals of every path from the root, shape (n, largest depth), 0 after the end of a path."""
    depth = elements.depth(rows)
    n_levels = int(depth.max(initial=0))
    reserve(2 * len(rows) * n_levels)  # with the keys that they are packed into
    table = np.zeros((len(rows), n_levels), np.int64)
    table[:, :1] = 1  # a root has no siblings
    current = rows.copy()
    for level in range(table.shape[1], 1, -1):
        reaches = places_of(depth >= level)
        table[reaches, level - 1] = elements.ordinal(current[reaches])
        current[reaches] = elements.parent(current[reaches])
    return table
