"""inex_eval with fractions, rank by rank."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil


def precall(
    ranks: Sequence[Sequence[Fraction]],
    n: Fraction,
    esl: str,
    nonrel: str,
    rest: tuple[Fraction, int, int] | None = None,
) -> list[Fraction]:
    """Return P(rel|ret) at 0.01 ... 1.00; ``rest`` is relevance, relevant and all elements that were not retrieved."""
    counted = [(sum(rank, Fraction(0)), _others(rank, nonrel)) for rank in ranks]
    if rest is not None:
        relevance, relevant, elements = rest
        counted.append((relevance, Fraction(elements - relevant) if nonrel == "zero" else elements - relevance))
    points = []
    for percent in range(1, 101):
        needed = percent * n / 100
        aimed = Fraction(ceil(needed)) if esl == "raghavan" else needed
        points.append(_point(counted, needed, aimed, esl))
    return points


def _others(rank: Sequence[Fraction], nonrel: str) -> Fraction:
    return Fraction(sum(value == 0 for value in rank)) if nonrel == "zero" else sum((1 - v for v in rank), Fraction(0))


def _point(counted: list[tuple[Fraction, Fraction]], needed: Fraction, aimed: Fraction, esl: str) -> Fraction:
    so_far, before = Fraction(0), Fraction(0)
    for number, (relevance, others) in enumerate(counted, 1):
        if so_far + relevance >= aimed:
            length = before + (aimed - so_far) * others / (number if esl == "thesis" else relevance + 1)
            return needed / (needed + length)
        so_far += relevance
        before += others
    return Fraction(0)
