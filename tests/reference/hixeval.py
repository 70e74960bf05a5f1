"""HiXEval with sets of characters and fractions: one character, one member of a set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Place = tuple[str, int, int]


@dataclass
class Expected:
    rval: list[Fraction]
    precision: list[Fraction]
    recall: list[Fraction]
    ap: Fraction
    iap: Fraction
    rp: Fraction


def characters(document: str, start: int, end: int) -> set[tuple[str, int]]:
    return {(document, at) for at in range(start, end)}


def expected(
    results: Sequence[Place], relevant: set[tuple[str, int]], trel: int, alpha: Fraction, kind: str = "elements"
) -> Expected:
    """Score results given as (document, start, end) against relevant characters; ``trel`` above 0."""
    seen: set[tuple[str, int]] = set()
    rval, sizes, holds = [], [], []
    for document, start, end in results:
        text = characters(document, start, end)
        rval.append(len(text & relevant) - alpha * len(text & relevant & seen))
        sizes.append(len(text))
        holds.append(bool(text & relevant))
        seen |= text
    n = len(results)
    shares = [Fraction(value, 1) / size if size else Fraction(0) for value, size in zip(rval, sizes, strict=True)]
    if kind == "elements":
        precision = [sum(shares[:r], Fraction(0)) / r for r in range(1, n + 1)]
    else:
        precision = [
            sum(rval[:r]) / Fraction(sum(sizes[:r])) if sum(sizes[:r]) else Fraction(0) for r in range(1, n + 1)
        ]
    recall = [Fraction(sum(rval[:r])) / trel for r in range(1, n + 1)]
    at_relevant = [p for p, hold in zip(precision, holds, strict=True) if hold]
    ap = sum(at_relevant, Fraction(0)) / len(at_relevant) * recall[-1] if at_relevant else Fraction(0)
    best = [
        max((p for p, r in zip(precision, recall, strict=True) if r >= Fraction(x, 10)), default=Fraction(0))
        for x in range(11)
    ]
    enough = [r for r in range(1, n + 1) if sum(sizes[:r]) >= trel]
    missing = sum(sizes) / Fraction(trel)
    rp = precision[enough[0] - 1] if enough else (precision[-1] * missing if n else Fraction(0))
    return Expected(rval, precision, recall, ap, sum(best, Fraction(0)) / 11, rp)
