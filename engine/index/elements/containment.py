"""Containment between sets of elements.

A set is an ascending array of rows. The subtree of an element is the interval from its row to its end. Two subtrees are
disjoint or nested, so every relation is computed by bisection or by merging two sets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from engine.arrays import Mask, Rows, distinct, places_of
from engine.errors import INDEX_AGAIN, IndexFormatError
from engine.index.elements.element_store import Elements
from engine.kernels.table import compiled, native
from engine.records import NamedTuple


def contains_any(elements: Elements, rows: Rows, inner: Rows, *, properly: bool = False) -> Mask:
    """Return for each row whether it is or contains an inner element; with `properly`, whether it contains one.

    Rows and inner elements are ascending. True if the first inner element at or after the row comes before the end of
    the row.
    """
    if not inner.size:
        return np.zeros(len(rows), np.bool_)
    first = insertion_places(inner, rows, side="right" if properly else "left")
    return np.asarray((inner.take(first, mode="clip") < elements.end(rows)) & (first < len(inner)))


def is_inside(elements: Elements, rows: Rows, outer: Rows, *, properly: bool = False) -> Mask:
    """Return for each row whether it is, or is inside, an outer element; with `properly`, the latter only."""
    if not outer.size:
        return np.zeros(len(rows), np.bool_)
    reach = np.maximum.accumulate(elements.end(outer))
    before = insertion_places(outer, rows, side="left" if properly else "right")
    return np.asarray((before > 0) & (reach[before - 1] > rows))


def insertion_places(others: Rows, rows: Rows, side: Literal["left", "right"]) -> Rows:
    """Return the insertion index of each row of a set into another set, left or right of an equal row.

    A larger set of rows is merged with the other one, which is faster than a search for each row.
    """
    if len(rows) < len(others):
        return others.searchsorted(rows, side)
    order = np.concatenate([rows, others] if side == "left" else [others, rows]).argsort(kind="stable")
    is_row = order < len(rows) if side == "left" else order >= len(others)
    return places_of(is_row) - np.arange(len(rows))


def parents(elements: Elements, rows: Rows) -> Rows:
    """Return the distinct parents of rows, ascending; roots have none."""
    above = elements.parent(rows)
    return distinct(above.compress(above != rows))


def ancestors_or_self(elements: Elements, rows: Rows) -> Rows:
    """Return rows and their ancestors, ascending."""
    return chains(elements, rows).rows


class WithAncestors(NamedTuple):
    """Elements with all of their ancestors, ascending, and the place of the parent of each; a root is its own."""

    rows: Rows
    parents: Rows


def with_ancestors(parent: Callable[[Rows], Rows], rows: Rows) -> WithAncestors:
    """Return rows (distinct, ascending) and their ancestors.

    From each row, one climbs to the ancestors that do not contain the row before it, as the others have been found from
    there. So each is found once, from the first of the rows in it, and has its place between these two.

    Args:
        parent: returns the parent of each element, given by row or by another number in the same order; that of a
            root is the root itself.
    """
    before = np.append(-1, rows[:-1]) if len(rows) else rows
    climbing, level = np.arange(len(rows)), rows
    found: list[tuple[Rows, Rows]] = []
    n_found, above_found = np.zeros(len(rows), np.int64), np.empty(len(rows), np.int64)
    while level.size:
        found.append((climbing, level))
        n_found[climbing] = len(found)
        above = parent(level)
        above_found[climbing] = above
        is_new = (above > before.take(climbing)) & (above < level)
        climbing, level = climbing.compress(is_new), above.compress(is_new)
    lowest = n_found.cumsum() - 1  # the place of each of the rows; the ancestors found from it are directly before it
    everything = np.empty(int(n_found.sum()), np.int64)
    for n_above, (climbed, of_level) in enumerate(found):
        everything[lowest.take(climbed) - n_above] = of_level
    parents = np.arange(-1, len(everything) - 1)
    parents[lowest - n_found + 1] = everything.searchsorted(above_found)
    return WithAncestors(everything, parents)


def _chains_in_numpy(elements: Elements, rows: Rows) -> WithAncestors:
    return with_ancestors(elements.parent, distinct(rows))


@compiled(_chains_in_numpy)
def chains(elements: Elements, rows: Rows) -> WithAncestors:
    """Return rows, in any order, and their ancestors."""
    distances = elements.parent_distances
    if distances is None:
        return _chains_in_numpy(elements, rows)
    found = native.ancestors_or_self(*distances, distinct(rows))
    return WithAncestors(*(np.frombuffer(column, np.int64) for column in found))


def adjacent_siblings(rows: Rows, ends: Rows, parents: Rows, can_be: Mask) -> tuple[Rows, Rows]:
    """Return the places of elements and of those directly after them, under the same parent, shape (n_pairs,).

    Args:
        rows, ends: elements, ascending, and one past the last row of each subtree. parents: places.
        can_be: which elements have neighbours and are some.
    """
    has_siblings = np.bincount(parents.compress(can_be), minlength=len(rows)) > 1
    left = places_of(can_be & (parents != np.arange(len(rows))) & has_siblings.take(parents))
    behind = ends.take(left)
    right = left + 1  # the place of the first element after each one, if it contains none
    is_inner = places_of(rows.take(right, mode="clip") < behind)
    right[is_inner] = rows.searchsorted(behind.take(is_inner))
    beside = (rows.take(right, mode="clip") == behind) & (parents.take(right, mode="clip") == parents.take(left))
    beside &= can_be.take(right, mode="clip")
    return left.compress(beside), right.compress(beside)


def enclosing_elements(elements: Elements, leaves: Rows) -> Rows:
    """Return the leaves (ascending) and all elements that contain them, without inline ones, ascending."""
    rows = ancestors_or_self(elements, leaves)
    found: Rows = rows[elements.nearest_non_inline(rows) == rows]
    return found


def lowest_common_ancestors(elements: Elements, low: Rows, high: Rows) -> Rows:
    """Return the lowest common ancestor of each pair of rows of one document, with low <= high.

    It is the first ancestor of the higher row that does not come after the lower row.
    Raises: IndexFormatError for an element that has no parent and is not a root.
    """
    common = high.copy()
    climbing = places_of(common > low)
    while climbing.size:
        above = elements.parent(common[climbing])
        if np.any(above == common[climbing]):
            raise IndexFormatError(f"parent.npy: an element inside a document has no parent: {INDEX_AGAIN}.")
        common[climbing] = above
        climbing = climbing[common[climbing] > low[climbing]]
    return common
