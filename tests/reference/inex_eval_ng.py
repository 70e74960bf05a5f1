"""inex_eval_ng with sets of characters and fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from tests.reference.hixeval import characters
from tests.reference.xcg import Place, above


def curves(
    results: Sequence[Place],
    spans: Mapping[Place, tuple[int, int]],
    grades: Mapping[Place, tuple[int, int]],
    strict: bool,
) -> list[tuple[Fraction, Fraction, Fraction, Fraction]]:
    """Return at each rank the relevance found and the precision of (s), then both of (o)."""

    def f(grade: int) -> Fraction:
        return Fraction(grade == 3) if strict else Fraction(grade, 3)

    seen: set[tuple[str, int]] = set()
    sums = [Fraction(0)] * 6
    ranks = []
    for place in results:
        e, s = (f(grade) for grade in grades.get(place, (0, 0)))
        text = characters(place[0], *spans[place])
        new = len(text - seen)
        seen |= text
        parts = (e, s * len(text), len(text), e * Fraction(new, len(text)) if text else 0, s * new, new)
        sums = [total + part for total, part in zip(sums, parts, strict=True)]
        found_s, good_s, text_s, found_o, good_o, text_o = sums
        ranks.append(
            (found_s, good_s / text_s if text_s else Fraction(0), found_o, good_o / text_o if text_o else Fraction(0))
        )
    return ranks


def relevant_sum(values: Mapping[Place, Fraction], rel: str) -> Fraction:
    """Return Rel, for ``antichain`` by trying every set of relevant elements."""
    relevant = [place for place, value in values.items() if value > 0]
    if rel == "all":
        return sum(values.values(), Fraction(0))
    if rel == "leaves":
        return sum((values[p] for p in relevant if not any(p in above(other) for other in relevant)), Fraction(0))
    sets = (chosen for n in range(len(relevant) + 1) for chosen in combinations(relevant, n))
    apart = (chosen for chosen in sets if not any(p in above(other) for p in chosen for other in chosen))
    return max(sum((values[place] for place in chosen), Fraction(0)) for chosen in apart)


def average(recall: Sequence[Fraction], precision: Sequence[Fraction]) -> Fraction:
    pairs = list(zip(recall, precision, strict=True))
    best = [max((p for r, p in pairs if r >= Fraction(x, 100)), default=Fraction(0)) for x in range(1, 101)]
    return sum(best, Fraction(0)) / 100
