"""The order of answers inside an article: three keys, named by three letters, compared from left to right.

    M m  matches in or below the element        T  distinct query terms in or below it
    P p  length of its path                     F  occurrences of query terms in or below it
    B E  its ordinals from the root, tag names ignored

A capital M, P, T or F puts the larger first, a small letter the smaller; B puts the element nearer the beginning of the
article first, E the one nearer its end. What is still tied stays in document order.
Source: thesis 3.2.2 (the sixteen of M, P, B and E) and 6.1.2 (TPF, PTF).
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from engine.cre import Candidates
from engine.index.elements import Elements

Keys = list[NDArray[np.int64]]

SIXTEEN = tuple(
    "".join(letters) for first, second in (("Mm", "Pp"), ("Pp", "Mm")) for letters in product(first, second, "BE")
)
NAMES = (*SIXTEEN, "TPF", "PTF", "document")


def order(elements: Elements, candidates: Candidates, article: NDArray[np.int64], heuristic: str) -> NDArray[np.int64]:
    """Return the places of the candidates in the order of their articles, and inside each by the heuristic.

    Elements that hold no term of the query, as only structure can ask for, come after those that do; in document order
    they do not. Where no candidate of an article holds a term there is nothing to order by: document order.

    Args:
        article: place of each candidate's article in the ranking.
    """
    keys: Keys = [article]
    if heuristic != "document" and not candidates.n_terms.all():
        keys.append(candidates.n_terms == 0)
    for letter in "" if heuristic == "document" else heuristic:
        keys += _keys(letter, elements, candidates)
    if heuristic != "document" and not candidates.n_terms.all():
        is_ordered = np.bincount(article, candidates.n_terms)[article] > 0
        keys = [article, *(key * is_ordered for key in keys[1:])]
    return np.lexsort((candidates.rows, *reversed(keys)))


def _keys(letter: str, elements: Elements, candidates: Candidates) -> Keys:
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
    """Return columns that compare as the tuples of ordinals from the root do: as few as hold them, 62 bits each."""
    columns = ordinals(elements, rows)
    keys: Keys = []
    room = 0
    for column in columns.T:
        width = int(column.max(initial=0)).bit_length()
        if width > room:
            keys.append(np.zeros(len(rows), np.int64))
            room = 62
        keys[-1] = (keys[-1] << width) | column
        room -= width
    return keys


def ordinals(elements: Elements, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the ordinals of every path from the root on, shape (n, deepest), 0 past the end of a path."""
    depth = elements.depth(rows)
    table = np.zeros((len(rows), int(depth.max(initial=0))), np.int64)
    table[:, :1] = 1  # a root has no siblings
    current = rows.copy()
    for level in range(table.shape[1], 1, -1):
        reaches = np.flatnonzero(depth >= level)
        table[reaches, level - 1] = elements.ordinal(current[reaches])
        current[reaches] = elements.parent(current[reaches])
    return table
