"""Marks of means that are significantly better or worse than those of a baseline run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.errors import MeasureError
from engine.notices import Message
from engine.wording import shown
from eval.scoring.score_table import ScoreRow, ScoreTable, options_text
from eval.statistics.multiple_comparisons import adjusted_p_values
from eval.statistics.score_series import ScoreSeries, series_of
from eval.statistics.testing_options import DEFAULT_TESTING, SignificanceTesting, few_topics_notices

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
