"""Comparison of runs: differences between means with their significance, of all pairs, and from a baseline as marks."""

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
from eval.scoring.score_table import ScoreRow, ScoreTable, options_text
from eval.statistics.score_series import ScoreSeries, only_series, score_series, series_of
from eval.statistics.testing_options import DEFAULT_TESTING, SignificanceTesting, adjusted_p_values, few_topics_notices


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


BETTER, WORSE = "↑", "↓"


@dataclass(frozen=True)
class SignificanceMarks:
    """The marks of a score table; ``note`` explains them, ``notices`` say where they are doubtful."""

    baseline: str
    note: str
    marks: Mapping[tuple[str, str, str, str], str]
    notices: tuple[Message, ...] = ()

    def of(self, row: ScoreRow) -> str:
        """Return the mark of a row, empty for the baseline and where nothing is significant."""
        return self.marks.get((row.run, row.family, row.measure, options_text(row.options)), "")


def significance_marks(
    table: ScoreTable, testing: SignificanceTesting = DEFAULT_TESTING, *, baseline: str | None = None
) -> SignificanceMarks:
    """Return the marks of all runs against a baseline, the first run if none is named.

    Each measure is tested separately; the correction is for the number of runs other than the baseline. A run that
    shares no topic with the baseline gets no mark.

    Raises: MeasureError for a baseline that is not in the table.
    """
    runs = list(dict.fromkeys(row.run for row in table.rows))
    against = (runs[0] if runs else "") if baseline is None else baseline
    if runs and against not in runs:
        raise MeasureError(f"there is no run {shown(against)} to compare with; the runs are: {', '.join(runs)}.")
    marks: dict[tuple[str, str, str, str], str] = {}
    n_topics: list[int] = []
    for series in series_of(ScoreTable(tuple(row for row in table.rows if not row.is_detail))):
        if against in series.runs:
            n_topics += [len(series.differences(run, against)) for run in series.runs if run != against]
        for run, mark in _marks(series, against, testing).items():
            marks[run, series.family, series.measure, options_text(series.options)] = mark
    tested = f"{BETTER} {WORSE} significantly better, worse than {against}: {testing}, p < {testing.level:g}"
    note = "; ".join([tested, *testing.caveats])
    return SignificanceMarks(against, note if len(runs) > 1 else "", marks, few_topics_notices(n_topics))


def _marks(series: ScoreSeries, baseline: str, testing: SignificanceTesting) -> dict[str, str]:
    if baseline not in series.runs:
        return {}
    p_values, signs = {}, {}
    for run in series.runs:
        if run != baseline:
            differences = series.differences(run, baseline)
            is_better = bool(differences.sum() > 0)
            p_values[run] = testing.result(differences if is_better else -differences).p
            signs[run] = BETTER if is_better else WORSE
    corrected = dict(zip(p_values, adjusted_p_values(list(p_values.values()), testing.correction), strict=True))
    return {run: signs[run] for run, p in corrected.items() if testing.is_significant(p)}
