"""Pairwise comparison of runs: differences between their means, with their significance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar

from engine.errors import MeasureError
from engine.notices import Message
from engine.runs import Run
from engine.wording import shown
from eval.measures import OptionValue
from eval.measures.measure_names import mean_name
from eval.output.tables import Cell, Column, PrintableResult, PrintedTable, rounded
from eval.scoring.request import ScoringRequest
from eval.statistics.multiple_comparisons import adjusted_p_values
from eval.statistics.score_series import ScoreSeries, only_series, score_series
from eval.statistics.testing_options import DEFAULT_TESTING, SignificanceTesting, few_topics_notices


@dataclass(frozen=True)
class Pair:
    """Two runs, the one with the higher mean over their common topics first.

    ``p`` is the p-value of the test, ``p_adjusted`` the same corrected for multiple comparisons; None where the test is
    not defined.
    """

    better: str
    worse: str
    difference: float
    n_topics: int
    statistic: float | None
    p: float | None
    p_adjusted: float | None
    is_significant: bool


@dataclass(frozen=True, repr=False)
class RunComparison(PrintableResult):
    """The tests of all pairs of runs under one measure."""

    measure: str
    options: Mapping[str, OptionValue]
    testing: SignificanceTesting
    means: Mapping[str, float | None]
    pairs: tuple[Pair, ...]
    notices: tuple[Message, ...] = ()

    # The means are a dictionary.
    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        n_significant = sum(pair.is_significant for pair in self.pairs)
        counts = f"runs={len(self.means)}, pairs={len(self.pairs)}, significant={n_significant}"
        return f"RunComparison({shown(self.measure)}, {counts})"

    @property
    def significant(self) -> frozenset[tuple[str, str]]:
        """The pairs (better, worse) whose difference is significant."""
        return frozenset((pair.better, pair.worse) for pair in self.pairs if pair.is_significant)

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"measure", "options", "test", "correct", "level", "means", "pairs": [...]}``."""
        return {
            "measure": self.measure,
            "options": dict(self.options),
            "test": self.testing.test,
            "correct": self.testing.correction,
            "level": self.testing.level,
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

    def tables(self) -> tuple[PrintedTable, ...]:
        """Return the means, best first, and the pairs by increasing p-value."""
        best = max((mean for mean in self.means.values() if mean is not None), default=None)
        order = sorted(self.means.items(), key=lambda item: -1.0 if item[1] is None else -item[1])
        means = PrintedTable.of(
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
        pairs = PrintedTable.of(
            f"{self.measure}: {self.testing}",
            [
                "better",
                "worse",
                *(Column(name, 4) for name in ("difference", "statistic")),
                *(Column(name, 4, is_p=True) for name in ("p", "p adjusted")),
                "result",
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
            notes=[
                f"significant: p adjusted < {self.testing.level:g}; {len(self.significant)} of {len(self.pairs)} pairs",
                *self.testing.caveats,
            ],
            n_heads=2,
        )
        return means, pairs


def compare(
    request: ScoringRequest, runs: Sequence[Run | str | Path], testing: SignificanceTesting = DEFAULT_TESTING
) -> RunComparison:
    """Return which runs differ significantly under the measure of a request, every pair tested.

    Raises: MeasureError for fewer than two runs, and if the request is for several measures.
    """
    if len(runs) < 2:
        raise MeasureError(f"{len(runs)} run given: expected two or more to compare.")
    series, notices = score_series(request, runs)
    return compare_series(only_series(series), testing, notices)


def compare_series(
    series: ScoreSeries, testing: SignificanceTesting = DEFAULT_TESTING, notices: tuple[Message, ...] = ()
) -> RunComparison:
    """Return the comparison of all pairs of runs of a series.

    A pair is tested over the topics for which both runs have a value. The better run comes first, so the alternative
    hypothesis of the one-tailed bootstrap is that it is better.
    """
    tested = []
    for pair in combinations(series.runs, 2):
        better, worse, differences = series.ordered_differences(*pair)
        mean = float(differences.mean()) if len(differences) else 0.0
        tested.append((better, worse, mean, len(differences), testing.result(differences)))
    corrected = adjusted_p_values([result.p for *_, result in tested], testing.correction)
    pairs = tuple(
        Pair(better, worse, mean, n, result.statistic, result.p, p, testing.is_significant(p))
        for (better, worse, mean, n, result), p in zip(tested, corrected, strict=True)
    )
    doubts = few_topics_notices([pair.n_topics for pair in pairs])
    return RunComparison(series.label, series.options, testing, series.means, pairs, (*notices, *doubts))
