"""Whether what a measure calls significant on some topics holds on others.

Source: Pehcevski, thesis, 5.3.2, after Sanderson & Zobel, SIGIR 2005: topics are cut into four random subsets. Where
a test calls the difference of two runs on the first subset significant, and the two runs stand in the opposite order
on any of the other three, that is an error; the error rate is errors / significant differences.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import MeasureError
from engine.runs import Run
from eval.assessments import Assessments
from eval.geometry import Geometry
from eval.measures import Settings
from eval.scoring import Missing
from eval.sheets import Column, Result, Sheet, rounded
from eval.statistics.compare import LEVEL
from eval.statistics.series import Series, score_series
from eval.statistics.significance import RESAMPLES, SEED, STANDARD, Resampling, Test, significance

SUBSETS = 4


@dataclass(frozen=True)
class MeasureReliability:
    """One measure: significant differences found, those contradicted, and their share (None where none was found)."""

    measure: str
    significant: int
    errors: int
    error_rate: float | None


@dataclass(frozen=True)
class Reliability(Result):
    """Several measures over the same subsets of topics."""

    subsets: tuple[tuple[str, ...], ...]
    n_comparisons: int
    test: Test
    level: float
    measures: tuple[MeasureReliability, ...]
    notices: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"subsets", "comparisons", "test", "level", "measures": [...]}``."""
        return {
            "subsets": [list(subset) for subset in self.subsets],
            "comparisons": self.n_comparisons,
            "test": self.test,
            "level": self.level,
            "measures": [
                {"measure": m.measure, "significant": m.significant, "errors": m.errors, "rate": rounded(m.error_rate)}
                for m in self.measures
            ],
        }

    def sheets(self) -> tuple[Sheet, ...]:
        """Return the measures, as in tables 5.10 to 5.12 of the thesis."""
        sizes = ", ".join(str(len(subset)) for subset in self.subsets)
        return (
            Sheet.of(
                "Reliability",
                ["measure", Column("significant differences", 0), Column("errors", 0), Column("error rate", 4)],
                [[m.measure, m.significant, m.errors, m.error_rate] for m in self.measures],
                notes=[f"{self.n_comparisons} comparisons of pairs of runs on subsets of {sizes} topics"],
            ),
        )


def reliability(
    assessments: Assessments | str | Path,
    runs: Sequence[Run | str | Path],
    *,
    measures: Sequence[str],
    test: Test = "t",
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    settings: Settings | None = None,
    geometry: Geometry | None = None,
    missing: Missing = "zero",
    topics: Sequence[str] | None = None,
) -> Reliability:
    """Return the reliability of measures over four random subsets of the topics, the same for all measures."""
    series, notices = score_series(
        assessments, runs, measures, settings, geometry=geometry, missing=missing, topics=topics
    )
    return reliability_of_series(series, test, level, Resampling(resamples, seed), notices)


def reliability_of_series(
    series: Sequence[Series],
    test: Test = "t",
    level: float = LEVEL,
    resampling: Resampling = STANDARD,
    notices: tuple[str, ...] = (),
) -> Reliability:
    """Return the reliability of the measures.

    Raises: MeasureError for fewer than eight topics: each subset needs two to be tested.
    """
    topics = sorted({topic for one in series for topic in one.topics})
    if len(topics) < 2 * SUBSETS:
        raise MeasureError(
            f"reliability cuts the topics into {SUBSETS} subsets: expected 8 or more, found {len(topics)}."
        )
    subsets = topic_subsets(topics, resampling.seed)
    n_runs = len(series[0].runs)
    found = tuple(_one(one, subsets, test, level, resampling) for one in series)
    return Reliability(subsets, n_runs * (n_runs - 1) // 2 * SUBSETS, test, level, found, notices)


def topic_subsets(topics: Sequence[str], seed: int) -> tuple[tuple[str, ...], ...]:
    """Return the topics in four random subsets; where they do not divide evenly the first ones have one more."""
    order = np.random.default_rng(seed).permutation(len(topics))
    return tuple(tuple(topics[i] for i in part.tolist()) for part in np.array_split(order, SUBSETS))


def _one(
    series: Series, subsets: Sequence[Sequence[str]], test: Test, level: float, resampling: Resampling
) -> MeasureReliability:
    first, *others = [series.of_topics(subset) for subset in subsets]
    n_significant = n_errors = 0
    for a, b in combinations(series.runs, 2):
        differences = first.differences(a, b)
        if differences.sum() < 0:
            a, b, differences = b, a, -differences  # noqa: PLW2901 - the better one first
        outcome = significance(differences, test, resampling)
        if outcome.p is not None and outcome.p < level:
            n_significant += 1
            n_errors += any(other.differences(a, b).sum() < 0 for other in others)
    return MeasureReliability(
        series.label, n_significant, n_errors, n_errors / n_significant if n_significant else None
    )
