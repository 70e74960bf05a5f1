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

from engine.arrays import places_of
from engine.index.elements.element_store import Elements
from engine.thesis.structural_counts import CountedElements

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
    table = np.zeros((len(rows), int(depth.max(initial=0))), np.int64)
    table[:, :1] = 1  # a root has no siblings
    current = rows.copy()
    for level in range(table.shape[1], 1, -1):
        reaches = places_of(depth >= level)
        table[reaches, level - 1] = elements.ordinal(current[reaches])
        current[reaches] = elements.parent(current[reaches])
    return table
