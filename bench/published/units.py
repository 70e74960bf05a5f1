"""Measures of whole units, such as turns or numbered passages: which of them the first results contain."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bench.published.conversion import Place
from foxir import Ranking

# Of each result in order, the units that no earlier one contains; then the number of units.
Found = tuple[Sequence[int], int]


def units_found(ranking: Ranking | None, units: Sequence[Place]) -> Found:
    """Return how many units each result is the first to contain, best first, and how many there are."""
    left, counts = set(units), []
    if ranking is not None:
        places = zip(ranking.documents, ranking.starts.tolist(), ranking.lengths.tolist(), strict=True)
        for document, start, length in places:
            inside = {unit for unit in left if unit[0] == document and start <= unit[1] and unit[2] <= start + length}
            left -= inside
            counts.append(len(inside))
    return counts, len(set(units))


def any_at(rank: int) -> Callable[[Found], float]:
    """Return the measure of whether one of the units is found."""
    return lambda found: float(sum(found[0][:rank]) > 0)


def all_at(rank: int) -> Callable[[Found], float]:
    """Return the measure of whether all units are found."""
    return lambda found: float(sum(found[0][:rank]) == found[1])


def recall_at(rank: int) -> Callable[[Found], float]:
    """Return the share of the units that are found."""
    return lambda found: sum(found[0][:rank]) / found[1]


def average_precision_at(rank: int) -> Callable[[Found], float]:
    """Return AP of the first results, over all units: trec_eval's map_cut."""

    def average_precision(found: Found) -> float:
        gained, total = 0, 0.0
        for place, count in enumerate(found[0][:rank], 1):
            gained += count
            total += count * gained / place
        return total / found[1]

    return average_precision
