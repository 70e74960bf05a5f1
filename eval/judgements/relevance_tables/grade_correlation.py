"""Correlation of the two dimensions of relevance.

Source: Pehcevski, thesis, table 4.2 (correlation of grades, 2003-2004) and table 4.16 (exhaustivity within the
relevance scale, 2005).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eval.judgements.judgements import Judgements
from eval.judgements.relevance_scale import exhaustivity_grades, specificity_grades
from eval.judgements.relevance_tables.distribution import ElementKinds
from eval.numbers import mean, ratio
from eval.output.tables import Cell, Column, PrintedTable, rounded


@dataclass(frozen=True)
class GradeCorrelation:
    """Counts of relevant elements by pair of grades, over all topics."""

    title: str
    exhaustivity: tuple[str, ...]
    specificity: tuple[str, ...]
    counts: Mapping[tuple[str, str], int]

    def given_exhaustivity(self, e: str, s: str) -> float | None:
        """Return S|E: the part of the elements of grade e that have grade s; None if there is none of grade e."""
        return ratio(self.counts[e, s], sum(self.counts[e, other] for other in self.specificity))

    def given_specificity(self, e: str, s: str) -> float | None:
        """Return E|S: the part of the elements of grade s that have grade e; None if there is none of grade s."""
        return ratio(self.counts[e, s], sum(self.counts[other, s] for other in self.exhaustivity))

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"title", "pairs": [{"e", "s", "count", "s_given_e", "e_given_s"}]}``."""
        return {
            "title": self.title,
            "pairs": [
                {
                    "e": e,
                    "s": s,
                    "count": count,
                    "s_given_e": rounded(self.given_exhaustivity(e, s)),
                    "e_given_s": rounded(self.given_specificity(e, s)),
                }
                for (e, s), count in self.counts.items()
            ],
        }

    def table(self) -> PrintedTable:
        """Return the table with the highest grade first; the best of each grade is bold."""
        es, ss = self.exhaustivity[::-1], self.specificity[::-1]
        best_s = {e: max((self.given_exhaustivity(e, s) or 0.0 for s in ss), default=0.0) for e in es}
        best_e = {s: max((self.given_specificity(e, s) or 0.0 for e in es), default=0.0) for s in ss}
        rows: list[list[Cell | str]] = []
        for s in ss:
            row: list[Cell | str] = [s]
            for e in es:
                by_e, by_s = self.given_exhaustivity(e, s), self.given_specificity(e, s)
                row += [
                    Cell(by_e, is_best=bool(by_e) and by_e == best_s[e]),
                    Cell(by_s, is_best=bool(by_s) and by_s == best_e[s]),
                ]
            rows.append(row)
        columns = [Column(name, 2) for e in es for name in (f"S|{e}", f"{e}|S")]
        return PrintedTable.of(
            self.title, ["specificity", *columns], rows, notes=["S|E: share of the elements of that grade"]
        )


@dataclass(frozen=True)
class Composition:
    """For each kind of element: its mean number and the mean share of each grade of exhaustivity.

    Means are over topics with relevant elements.
    """

    title: str
    kinds: Mapping[str, tuple[float, Mapping[str, float | None]]]

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"title", "kinds": [{"name", "mean", "shares": {...}}]}``."""
        return {
            "title": self.title,
            "kinds": [
                {
                    "name": name,
                    "mean": rounded(average),
                    "shares": {grade: rounded(share) for grade, share in shares.items()},
                }
                for name, (average, shares) in self.kinds.items()
            ],
        }

    def table(self) -> PrintedTable:
        """Return the table with the highest grade first, the largest share of each kind bold."""
        grades = list(dict.fromkeys(grade for _, shares in self.kinds.values() for grade in shares))[::-1]
        rows: list[list[Cell | str | float]] = []
        for name, (average, shares) in self.kinds.items():
            largest = max((share for share in shares.values() if share is not None), default=None)
            cells = [Cell(shares.get(g), is_best=largest is not None and shares.get(g) == largest) for g in grades]
            rows.append([name, average, *cells])
        return PrintedTable.of(self.title, ["kind", Column("mean", 1), *(Column(grade, 2) for grade in grades)], rows)


def grade_correlation(title: str, topics: Sequence[Judgements]) -> GradeCorrelation:
    """Return the joint frequencies of the grades of exhaustivity and specificity."""
    counts: dict[tuple[str, str], int] = {}
    for judgements in topics:
        specificity = specificity_grades(judgements)
        for e, with_e in exhaustivity_grades(judgements).items():
            for s, with_s in specificity.items():
                counts[e, s] = counts.get((e, s), 0) + int(np.count_nonzero(with_e & with_s))
    return GradeCorrelation(
        title, tuple(dict.fromkeys(e for e, _ in counts)), tuple(dict.fromkeys(s for _, s in counts)), counts
    )


def composition(
    title: str, topics: Sequence[Judgements], kinds_of: Callable[[Judgements], ElementKinds]
) -> Composition:
    """Return the share of each grade of exhaustivity within each kind, per topic and then averaged over topics."""
    relevant = [judgements for judgements in topics if judgements.elements.relevant.any()]
    counts: dict[str, list[int]] = {}
    shares: dict[str, dict[str, list[float]]] = {}
    for judgements in relevant:
        grades = exhaustivity_grades(judgements)
        for name, mask in kinds_of(judgements).items():
            total = int(mask.sum())
            counts.setdefault(name, []).append(total)
            for grade, with_grade in grades.items():
                found = shares.setdefault(name, {}).setdefault(grade, [])
                if total:
                    found.append(int((mask & with_grade).sum()) / total)
    return Composition(
        title,
        {
            name: (sum(found) / len(relevant), {grade: mean(values) for grade, values in shares.get(name, {}).items()})
            for name, found in counts.items()
        },
    )
