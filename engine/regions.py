"""Relations between sets of elements.

A set is an ascending array of rows. The subtree of an element is the interval from its row to its end; any two of these
are disjoint or one holds the other, so every relation is found by bisection, or by merging two sets.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.distinct import distinct
from engine.index.elements import Elements

Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]


def holds(elements: Elements, rows: Rows, inner: Rows, *, properly: bool = False) -> Mask:
    """Return, a row, whether one of the inner elements is it or lies below it; properly: lies below it.

    That is so if the first inner element from the row on comes before the row's end.
    """
    if not inner.size:
        return np.zeros(len(rows), np.bool_)
    first = places_among(inner, rows, side="right" if properly else "left")
    return np.asarray((inner.take(first, mode="clip") < elements.end(rows)) & (first < len(inner)))


def lies_in(elements: Elements, rows: Rows, outer: Rows, *, properly: bool = False) -> Mask:
    """Return, a row, whether it is one of the outer elements or lies below one; properly: lies below one."""
    if not outer.size:
        return np.zeros(len(rows), np.bool_)
    reach = np.maximum.accumulate(elements.end(outer))
    before = places_among(outer, rows, side="left" if properly else "right")
    return np.asarray((before > 0) & (reach[before - 1] > rows))


def places_among(others: Rows, rows: Rows, side: Literal["left", "right"]) -> Rows:
    """Return where each of the rows, a set, would stand among the others, left or right of an equal one.

    Where the rows are more, the two sets are merged, which takes less than to search for each.
    """
    if len(rows) < len(others):
        return others.searchsorted(rows, side)
    order = np.concatenate([rows, others] if side == "left" else [others, rows]).argsort(kind="stable")
    is_row = order < len(rows) if side == "left" else order >= len(others)
    return np.flatnonzero(is_row) - np.arange(len(rows))


def parents(elements: Elements, rows: Rows) -> Rows:
    """Return the distinct parents of the rows that have one, ascending."""
    above = elements.parent(rows)
    return distinct(above.compress(above != rows))


def ancestors(elements: Elements, rows: Rows, *, with_roots: bool = True) -> Rows:
    """Return all elements above the rows, ascending; without roots: but for the roots."""
    found, level = [np.empty(0, np.int64)], parents(elements, rows)
    while level.size:
        above = elements.parent(level)
        is_lower = above != level
        found.append(level if with_roots else level.compress(is_lower))
        level = distinct(above.compress(is_lower))
    return distinct(np.concatenate(found))


def ancestors_or_self(elements: Elements, rows: Rows) -> Rows:
    """Return the rows and all elements above them, ascending."""
    return distinct(np.concatenate([rows, ancestors(elements, rows)]))


def is_member(rows: Rows, members: Rows) -> Mask:
    """Return, a row, whether it is one of the members, which are ascending."""
    if not members.size:
        return np.zeros(len(rows), np.bool_)
    return np.asarray(members.take(members.searchsorted(rows), mode="clip") == rows)
