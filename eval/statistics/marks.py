"""Marks behind means: which runs are significantly better or worse than a baseline."""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.errors import MeasureError
from eval.statistics.compare import LEVEL, describe
from eval.statistics.correction import Correction, adjusted
from eval.statistics.series import Series, series_of
from eval.statistics.significance import STANDARD, Resampling, Test, significance
from eval.table import Row, Table, options_text

BETTER, WORSE = "↑", "↓"


@dataclass(frozen=True)
class Marks:
    """The marks of a table; ``note`` says what they mean."""

    baseline: str
    note: str
    marks: Mapping[tuple[str, str, str, str], str]

    def of(self, row: Row) -> str:
        """Return the mark of a row, empty for the baseline and where nothing is significant."""
        return self.marks.get((row.run, row.family, row.measure, options_text(row.options)), "")


def significance_marks(
    table: Table,
    *,
    baseline: str | None = None,
    test: Test = "t",
    correct: Correction = "none",
    level: float = LEVEL,
    resampling: Resampling = STANDARD,
) -> Marks:
    """Return the marks of all runs against a baseline, the first run unless another is named.

    Each measure is tested by itself; a correction counts the runs beside the baseline. Where a run and the baseline
    share no topic with a value there is no mark.
    """
    runs = list(dict.fromkeys(row.run for row in table.rows))
    against = baseline or (runs[0] if runs else "")
    if runs and against not in runs:
        raise MeasureError(f"there is no run {against!r} to compare with; the runs are: {', '.join(runs)}.")
    marks: dict[tuple[str, str, str, str], str] = {}
    for series in series_of(Table(tuple(row for row in table.rows if not row.is_detail))):
        for run, mark in _marks(series, against, test, correct, level, resampling).items():
            marks[run, series.family, series.measure, options_text(series.options)] = mark
    note = (
        f"{BETTER} {WORSE} significantly better, worse than {against}: {describe(test, correct)}, p < {level:g}"
        if len(runs) > 1
        else ""
    )
    return Marks(against, note, marks)


def _marks(
    series: Series, baseline: str, test: Test, correction: Correction, level: float, resampling: Resampling
) -> dict[str, str]:
    if baseline not in series.runs:
        return {}
    p_values, signs = {}, {}
    for run in series.runs:
        if run != baseline:
            differences = series.differences(run, baseline)
            is_better = bool(differences.sum() > 0)
            p_values[run] = significance(differences if is_better else -differences, test, resampling).p
            signs[run] = BETTER if is_better else WORSE
    corrected = dict(zip(p_values, adjusted(list(p_values.values()), correction), strict=True))
    return {run: signs[run] for run, p in corrected.items() if p is not None and p < level}
