"""Removing overlap from a ranked list: an element goes when it lies in, or holds, one that stands before it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]

GONE = np.iinfo(np.int64).max  # the place of an element that is decided


def without_overlap(rows: Rows, ends: Rows) -> Rows:
    """Return the places of the elements that stay, in order.

    Source: list filtering, thesis 3.3.1. An element that stands before all it overlaps with stays, and what it overlaps
    with goes; then the same again among the rest. Each pass looks at all elements at once.

    Args:
        rows, ends: first row and one past the last row of each element's subtree, in the order of the list.
    """
    by_row = np.argsort(rows, kind="stable")
    levels, above = _nest(rows[by_row], ends[by_row])
    place = by_row.astype(np.int64)
    open_place = place.copy()
    stays = np.zeros(len(rows), np.bool_)
    while (undecided := open_place < GONE).any():
        first = _least_above(levels, above, _least_below(levels, above, open_place), open_place)
        winners = undecided & (place == first)
        stays |= winners
        loser = np.where(winners, place, GONE)
        overlaps = np.minimum(_least_below(levels, above, loser), _least_above(levels, above, loser, loser)) < GONE
        open_place[overlaps] = GONE
    return np.sort(place[stays])


def _nest(rows: Rows, ends: Rows) -> tuple[list[Rows], Rows]:
    """Return the elements of every level of nesting, and the nearest element that holds each (itself on the top)."""
    number = np.arange(len(rows))
    level = number - np.searchsorted(np.sort(ends), rows, side="right")
    levels = [np.flatnonzero(level == each) for each in range(int(level.max(initial=-1)) + 1)]
    above = number.copy()
    for upper, lower in pairwise(levels):
        above[lower] = upper[np.searchsorted(upper, lower) - 1]
    return levels, above


def _least_below(levels: list[Rows], above: Rows, values: Rows) -> Rows:
    """Return the least value of each element and of all it holds."""
    least = values.copy()
    for lower in reversed(levels[1:]):
        np.minimum.at(least, above[lower], least[lower])
    return least


def _least_above(levels: list[Rows], above: Rows, own: Rows, values: Rows) -> Rows:
    """Return the least of each element's own value and the values of all that hold it."""
    least = own.copy()
    highest = values.copy()
    for lower in levels[1:]:
        highest[lower] = np.minimum(highest[lower], highest[above[lower]])
        least[lower] = np.minimum(least[lower], highest[lower])
    return least
