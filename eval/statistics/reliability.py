"""Reliability of measures: whether differences that are significant on some topics are found on others.

Source: Pehcevski, thesis, 5.3.2, after Sanderson & Zobel, SIGIR 2005. Topics are divided into four random subsets. A
significant difference between two runs on the first subset is an error if the two runs have the opposite order on any
of the other three; the error rate is errors / significant differences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import MeasureError
from engine.notices import Message
from engine.runs import Run
from eval.numbers import ratio
from eval.output.tables import Column, PrintableResult, PrintedTable, rounded
from eval.scoring.request import ScoringRequest
from eval.statistics.score_series import ScoreSeries, score_series
from eval.statistics.testing_options import DEFAULT_TESTING, SignificanceTesting

SUBSETS = 4


@dataclass(frozen=True)
class MeasureReliability:
    """One measure: its significant differences, the errors among them, and the error rate (None without any)."""

    measure: str
    significant: int
    errors: int
    error_rate: float | None


@dataclass(frozen=True, repr=False)
class Reliability(PrintableResult):
    """The reliability of several measures over the same subsets of topics."""

    subsets: tuple[tuple[str, ...], ...]
    n_comparisons: int
    testing: SignificanceTesting
    measures: tuple[MeasureReliability, ...]
    notices: tuple[Message, ...] = ()

    def __repr__(self) -> str:
        n_topics = sum(map(len, self.subsets))
        return f"Reliability(measures={len(self.measures)}, topics={n_topics}, comparisons={self.n_comparisons})"

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"subsets", "comparisons", "test", "level", "measures": [...]}``."""
        return {
            "subsets": [list(subset) for subset in self.subsets],
            "comparisons": self.n_comparisons,
            "test": self.testing.test,
            "level": self.testing.level,
            "measures": [
                {"measure": m.measure, "significant": m.significant, "errors": m.errors, "rate": rounded(m.error_rate)}
                for m in self.measures
            ],
        }

    def tables(self) -> tuple[PrintedTable, ...]:
        """Return a row for each measure, as in tables 5.10 to 5.12 of the thesis."""
        sizes = ", ".join(str(len(subset)) for subset in self.subsets)
        return (
            PrintedTable.of(
                "Reliability",
                ["measure", Column("significant differences", 0), Column("errors", 0), Column("error rate", 4)],
                [[m.measure, m.significant, m.errors, m.error_rate] for m in self.measures],
                notes=[f"{self.n_comparisons} comparisons of pairs of runs on subsets of {sizes} topics"],
            ),
        )


def reliability(
    request: ScoringRequest, runs: Sequence[Run | str | Path], testing: SignificanceTesting = DEFAULT_TESTING
) -> Reliability:
    """Return the error rate of each measure over four random subsets of the topics, the same for all measures."""
    series, notices = score_series(request, runs)
    return reliability_of_series(series, testing, notices)


def reliability_of_series(
    series: Sequence[ScoreSeries], testing: SignificanceTesting = DEFAULT_TESTING, notices: tuple[Message, ...] = ()
) -> Reliability:
    """Return the reliability of the measure of each series, over random subsets of the topics.

    Raises: MeasureError for fewer than eight topics: a test needs two topics in each subset.
    """
    topics = sorted({topic for one in series for topic in one.topics})
    if len(topics) < 2 * SUBSETS:
        raise MeasureError(
            f"reliability divides the topics into {SUBSETS} subsets: expected {2 * SUBSETS} or more, found "
            f"{len(topics)}."
        )
    subsets = topic_subsets(topics, testing.resampling.seed)
    n_runs = len(series[0].runs)
    found = tuple(_measure_reliability(one, subsets, testing) for one in series)
    return Reliability(subsets, n_runs * (n_runs - 1) // 2 * SUBSETS, testing, found, notices)


def topic_subsets(topics: Sequence[str], seed: int) -> tuple[tuple[str, ...], ...]:
    """Return the topics in four random subsets of equal size, or the first ones larger by one."""
    order = np.random.default_rng(seed).permutation(len(topics))
    return tuple(tuple(topics[i] for i in part.tolist()) for part in np.array_split(order, SUBSETS))


def _measure_reliability(
    series: ScoreSeries, subsets: Sequence[Sequence[str]], testing: SignificanceTesting
) -> MeasureReliability:
    first, *others = [series.of_topics(subset) for subset in subsets]
    n_significant = n_errors = 0
    for pair in combinations(series.runs, 2):
        better, worse, differences = first.ordered_differences(*pair)
        if testing.is_significant(testing.result(differences).p):
            n_significant += 1
            n_errors += any(other.differences(better, worse).sum() < 0 for other in others)
    return MeasureReliability(series.label, n_significant, n_errors, ratio(n_errors, n_significant))
