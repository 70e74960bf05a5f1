"""Sets of characters as ascending intervals (start, end), end exclusive, that neither overlap nor touch."""

from __future__ import annotations

from collections.abc import Iterable

Intervals = tuple[tuple[int, int], ...]


def united(intervals: Iterable[tuple[int, int]]) -> Intervals:
    """Return the union of intervals; empty ones are dropped."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(each for each in intervals if each[0] < each[1]):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return tuple(found)


def without(intervals: Intervals, start: int, end: int) -> Intervals:
    """Return the intervals without the characters from `start` to `end`."""
    pieces = ((first, min(last, start)) for first, last in intervals)
    others = ((max(first, end), last) for first, last in intervals)
    return united([*pieces, *others]) if start < end else intervals


def size(intervals: Intervals) -> int:
    """Return the number of characters."""
    return sum(end - start for start, end in intervals)


def intersection(one: Intervals, other: Intervals) -> Intervals:
    """Return the characters in both."""
    rest = one
    for start, end in other:
        rest = without(rest, start, end)
    common = one
    for start, end in rest:
        common = without(common, start, end)
    return common


def compared(one: Intervals, other: Intervals) -> list[tuple[int, int, str]]:
    """Return the spans of two sets of characters with a class: `both`, `first` or `second`; ascending."""
    common = intersection(one, other)
    found = [(start, end, "both") for start, end in common]
    for name, marks in (("first", one), ("second", other)):
        rest = marks
        for start, end in common:
            rest = without(rest, start, end)
        found += [(start, end, name) for start, end in rest]
    return sorted(found)
