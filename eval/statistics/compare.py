"""Compares runs pair by pair: which differences between their means are significant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from engine.errors import MeasureError
from engine.runs import Run
from eval.assessments import Assessments
from eval.geometry import Geometry
from eval.measure_names import mean_name
from eval.measures import Settings, Value
from eval.scoring import Missing
from eval.sheets import Cell, Column, Result, Sheet, rounded
from eval.statistics.correction import Correction, adjusted
from eval.statistics.series import Series, only_series, score_series
from eval.statistics.significance import RESAMPLES, SEED, STANDARD, Resampling, Test, significance

LEVEL = 0.05


@dataclass(frozen=True)
class Pair:
    """Two runs, the one with the higher mean over their common topics first.

    ``p`` is what the test says, ``p_adjusted`` the same corrected for the number of pairs; None where the test cannot
    say anything.
    """

    better: str
    worse: str
    difference: float
    n_topics: int
    statistic: float | None
    p: float | None
    p_adjusted: float | None
    is_significant: bool


@dataclass(frozen=True)
class Comparison(Result):
    """All pairs of runs under one measure."""

    measure: str
    options: Mapping[str, Value]
    test: Test
    correction: Correction
    level: float
    means: Mapping[str, float | None]
    pairs: tuple[Pair, ...]
    notices: tuple[str, ...] = ()

    @property
    def significant(self) -> frozenset[tuple[str, str]]:
        """The pairs (better, worse) whose difference is significant."""
        return frozenset((pair.better, pair.worse) for pair in self.pairs if pair.is_significant)

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"measure", "options", "test", "correct", "level", "means", "pairs": [...]}``."""
        return {
            "measure": self.measure,
            "options": dict(self.options),
            "test": self.test,
            "correct": self.correction,
            "level": self.level,
            "means": {run: rounded(mean) for run, mean in self.means.items()},
            "pairs": [
                {
                    "better": pair.better,
                    "worse": pair.worse,
                    "difference": rounded(pair.difference),
                    "topics": pair.n_topics,
                    "statistic": rounded(pair.statistic),
                    "p": rounded(pair.p),
                    "p_adjusted": rounded(pair.p_adjusted),
                    "significant": pair.is_significant,
                }
                for pair in self.pairs
            ],
        }

    def sheets(self) -> tuple[Sheet, ...]:
        """Return the means, best first, and the pairs, the most certain first."""
        best = max((mean for mean in self.means.values() if mean is not None), default=None)
        order = sorted(self.means.items(), key=lambda item: -1.0 if item[1] is None else -item[1])
        means = Sheet.of(
            f"{self.measure}: means",
            ["run", Column(mean_name(self.measure), 4), Column("better than", 0), Column("worse than", 0)],
            [
                [
                    run,
                    Cell(mean, is_best=mean is not None and mean == best and len(order) > 1),
                    sum(better == run for better, _ in self.significant),
                    sum(worse == run for _, worse in self.significant),
                ]
                for run, mean in order
            ],
        )
        pairs = Sheet.of(
            f"{self.measure}: {describe(self.test, self.correction)}",
            [
                "better",
                "worse",
                *(Column(name, 4) for name in ("difference", "statistic")),
                *(Column(name, 4, is_p=True) for name in ("p", "p adjusted")),
                "verdict",
            ],
            [
                [
                    pair.better,
                    pair.worse,
                    pair.difference,
                    pair.statistic,
                    pair.p,
                    pair.p_adjusted,
                    "significant" if pair.is_significant else "not significant",
                ]
                for pair in sorted(self.pairs, key=lambda pair: 2.0 if pair.p is None else pair.p)
            ],
            notes=[f"significant: p adjusted < {self.level:g}; {len(self.significant)} of {len(self.pairs)} pairs"],
            n_heads=2,
        )
        return means, pairs


def compare(
    assessments: Assessments | str | Path,
    runs: Sequence[Run | str | Path],
    *,
    measure: str,
    test: Test = "t",
    correct: Correction = "none",
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    settings: Settings | None = None,
    geometry: Geometry | None = None,
    missing: Missing = "zero",
    topics: Sequence[str] | None = None,
) -> Comparison:
    """Return which runs differ significantly under a measure, every pair tested.

    Raises: MeasureError for fewer than two runs, an unknown measure, test or correction, or a measure that the options
        make several of.
    """
    if len(runs) < 2:
        raise MeasureError(f"{len(runs)} run given: expected two or more to compare.")
    series, notices = score_series(
        assessments, runs, [measure], settings, geometry=geometry, missing=missing, topics=topics
    )
    return compare_series(only_series(series), test, correct, level, Resampling(resamples, seed), notices)


def compare_series(
    series: Series,
    test: Test = "t",
    correction: Correction = "none",
    level: float = LEVEL,
    resampling: Resampling = STANDARD,
    notices: tuple[str, ...] = (),
) -> Comparison:
    """Return the comparison of all pairs of runs of a series.

    A pair is tested over the topics that both runs have a value for; the better run comes first, so the one-tailed
    bootstrap asks whether it is really better.
    """
    if not 0 < level < 1:
        raise MeasureError(f"level={level:g}: expected a number between 0 and 1, e.g. 0.05.")
    tested = []
    for a, b in combinations(series.runs, 2):
        differences = series.differences(a, b)
        if differences.sum() < 0:
            a, b, differences = b, a, -differences  # noqa: PLW2901 - the better one first
        mean = float(differences.mean()) if len(differences) else 0.0
        tested.append((a, b, mean, len(differences), significance(differences, test, resampling)))
    corrected = adjusted([outcome.p for *_, outcome in tested], correction)
    pairs = tuple(
        Pair(a, b, mean, n, outcome.statistic, outcome.p, p, p is not None and p < level)
        for (a, b, mean, n, outcome), p in zip(tested, corrected, strict=True)
    )
    return Comparison(series.label, series.options, test, correction, level, series.means, pairs, notices)


def describe(test: Test, correction: Correction) -> str:
    """Return the test and the correction in words."""
    tests = {
        "t": "paired t test",
        "wilcoxon": "Wilcoxon signed rank test",
        "sign": "sign test",
        "bootstrap": "bootstrap, one-tailed",
        "randomisation": "randomisation test",
    }
    corrections = {
        "none": "no correction",
        "bonferroni": "Bonferroni correction",
        "holm": "Holm correction",
        "by": "Benjamini-Yekutieli correction",
    }
    return f"{tests[test]}, {corrections[correction]}"
