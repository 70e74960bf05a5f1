"""XCG as the equations read: relevant paths one by one, rv by recursion, vectors in fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

Place = tuple[str, str]
ZERO = Fraction(0)


def above(place: Place) -> list[Place]:
    """Return the ancestors, the root first."""
    document, path = place
    steps = path.strip("/").split("/")
    return [(document, "/" + "/".join(steps[:n])) for n in range(1, len(steps))]


def ideal(values: Mapping[Place, Fraction], tie: str) -> set[Place]:
    """Return the best element of each relevant path, then only the topmost of those that overlap."""
    relevant = {place for place, value in values.items() if value > 0}
    leaves = [place for place in relevant if not any(place in above(other) for other in relevant)]
    best = set()
    for leaf in leaves:
        path = [place for place in [*above(leaf), leaf] if place in relevant]
        highest = max(values[place] for place in path)
        candidates = [place for place in path if values[place] == highest]
        best.add(candidates[0] if tie == "higher" else candidates[-1])
    return {place for place in best if not best & set(above(place))}


def gains(
    results: Sequence[Place],
    values: Mapping[Place, Fraction],
    sizes: Mapping[Place, int],
    ideals: set[Place],
    alpha: Fraction,
) -> list[Fraction]:
    """Return rv_norm (8) of each result; ``sizes`` holds every element of the documents."""
    given: list[Place] = []
    credited: list[tuple[Place, Fraction]] = []

    def rv(place: Place) -> Fraction:
        quant = values.get(place, ZERO)
        if place in given or set(above(place)) & set(given):
            return (1 - alpha) * quant
        if any(place in above(other) for other in given):
            children = [child for child in sizes if above(child)[-1:] == [place]]
            inside = sum((rv(child) * sizes[child] for child in children), ZERO)
            return alpha * (inside / sizes[place] if sizes[place] else ZERO) + (1 - alpha) * quant
        return quant

    found = []
    for place in results:
        gain = rv(place) if place in values else ZERO
        for tree in ideals & {place, *above(place)}:
            used = sum((value for other, value in credited if other == tree or tree in above(other)), ZERO)
            gain = max(min(gain, values[tree] - used), ZERO)
        credited.append((place, gain))
        given.append(place)
        found.append(gain)
    return found


class Vectors:
    def __init__(self, gains: Sequence[Fraction], ideal: Sequence[Fraction], n_missing: int):
        self.gains, self.ideal, self.n_missing = list(gains), sorted(ideal, reverse=True), n_missing
        self.total = sum(self.ideal, ZERO)

    def xcg(self, rank: int) -> Fraction:
        return sum(self.gains[:rank], ZERO)

    def xci(self, rank: int) -> Fraction:
        return sum(self.ideal[:rank], ZERO)

    def nxcg(self, rank: int) -> Fraction:
        return self.xcg(rank) / self.xci(rank)

    def rank_of(self, gain: Fraction, vector: Sequence[Fraction]) -> Fraction | None:
        """Return where a cumulated vector first reaches a gain, between two ranks on a straight line."""
        before = ZERO
        for rank, value in enumerate(vector):
            if value and before < gain <= before + value:
                return rank + (gain - before) / value
            before += value
        return None

    def natural(self) -> list[tuple[Fraction, Fraction]]:
        """Return gain and effort-precision at each natural rank."""
        points = []
        for rank, value in enumerate(self.gains, 1):
            if value > 0:
                gain = min(self.xcg(rank), self.total)
                reached = self.rank_of(gain, self.ideal)
                assert reached is not None
                points.append((gain, reached / rank))
        return points

    def maep(self) -> Fraction:
        points = self.natural()
        asked = len(points) + self.n_missing
        return sum((ep for _, ep in points), ZERO) / asked if asked else ZERO

    def imaep(self, how: str) -> Fraction:
        return sum((self.ep_at(Fraction(x, 100) * self.total, how) for x in range(1, 101)), ZERO) / 100

    def ep_at(self, gain: Fraction, how: str) -> Fraction:
        rank = self.rank_of(gain, self.gains)
        if rank is None:
            return ZERO
        if how == "ranks":
            reached = self.rank_of(gain, self.ideal)
            assert reached is not None
            return reached / rank
        points = self.natural()
        if gain <= points[0][0]:
            return points[0][1]
        for (low, first), (high, second) in pairwise(points):
            if low < gain <= high:
                return first + (second - first) * (gain - low) / (high - low)
        raise AssertionError("the gain is reached between natural points")

    def q(self) -> Fraction:
        shares = [self.cbg(rank) / (self.xci(rank) + rank) for rank, value in enumerate(self.gains, 1) if value > 0]
        return sum(shares, ZERO) / len(self.ideal)

    def r(self) -> Fraction:
        return self.cbg(len(self.ideal)) / (self.xci(len(self.ideal)) + len(self.ideal))

    def cbg(self, rank: int) -> Fraction:
        return sum((value + 1 for value in self.gains[:rank] if value > 0), ZERO)
