"""Score series: the scores by topic of several runs under one measure and one set of options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from engine.errors import MeasureError
from engine.notices import Message
from engine.runs import Run
from eval.measures import OptionValue
from eval.measures.measure_names import measure_name
from eval.numbers import FloatArray, mean
from eval.scoring.request import ScoringRequest
from eval.scoring.score import score_runs
from eval.scoring.score_table import ScoreRow, ScoreTable, options_text


@dataclass(frozen=True)
class ScoreSeries:
    """Scores by topic for each run; None where the measure is not defined for a topic."""

    label: str
    family: str
    measure: str
    options: Mapping[str, OptionValue]
    runs: Mapping[str, Mapping[str, float | None]]

    @property
    def means(self) -> Mapping[str, float | None]:
        """Mean of each run over the topics that have a value."""
        return {run: mean(topics.values()) for run, topics in self.runs.items()}

    @property
    def topics(self) -> tuple[str, ...]:
        """Topics with a value of at least one run."""
        return tuple(
            dict.fromkeys(t for topics in self.runs.values() for t, value in topics.items() if value is not None)
        )

    def differences(self, a: str, b: str) -> FloatArray:
        """Return the score of a minus that of b for each topic where both are defined, in the topic order of a."""
        other = self.runs[b]
        pairs = [(value, other.get(topic)) for topic, value in self.runs[a].items()]
        return np.array([x - y for x, y in pairs if x is not None and y is not None], dtype=np.float64)

    def ordered_differences(self, a: str, b: str) -> tuple[str, str, FloatArray]:
        """Return two runs, the better one first, and the differences of their scores by topic."""
        differences = self.differences(a, b)
        return (b, a, -differences) if differences.sum() < 0 else (a, b, differences)

    def of_topics(self, wanted: Sequence[str]) -> Self:
        """Return the series restricted to the given topics."""
        kept = {run: {t: topics[t] for t in wanted if t in topics} for run, topics in self.runs.items()}
        return type(self)(self.label, self.family, self.measure, self.options, kept)


def series_of(table: ScoreTable) -> tuple[ScoreSeries, ...]:
    """Return every measure of a table as a series, in order, with the shortest labels that are unique."""
    groups: dict[tuple[str, str, str], list[ScoreRow]] = {}
    for row in table.rows:
        groups.setdefault((row.family, row.measure, options_text(row.options)), []).append(row)
    labels = _labels([rows[0] for rows in groups.values()])
    return tuple(
        ScoreSeries(label, rows[0].family, rows[0].measure, rows[0].options, {row.run: row.topics for row in rows})
        for label, rows in zip(labels, groups.values(), strict=True)
    )


def score_series(
    request: ScoringRequest, runs: Sequence[Run | str | Path]
) -> tuple[tuple[ScoreSeries, ...], tuple[Message, ...]]:
    """Return a series for each requested measure and combination of option values, and the notices of scoring.

    Raises: MeasureError if a whole family is requested instead of a measure.
    """
    names = [(name.family.name, name.measure) for name in map(measure_name, request.measures)]
    whole = next((family for family, measure in names if measure is None), None)
    if whole is not None:
        raise MeasureError(f"{whole} is a family of measures; name one of its measures, e.g. {whole}:AP.")
    table = score_runs(request, runs)
    families = list(dict.fromkeys(family for family, _ in names))
    names.sort(key=lambda name: families.index(name[0]))
    rows = sorted(table.rows, key=lambda row: names.index((row.family, row.measure)))
    return series_of(ScoreTable(tuple(rows))), table.notices


def only_series(series: Sequence[ScoreSeries]) -> ScoreSeries:
    """Return the only series; MeasureError if there are several."""
    if len(series) > 1:
        raise MeasureError(
            f"one measure is compared at a time, but {len(series)} are requested: "
            f"{', '.join(s.label for s in series)}. Give one measure, and one value for each option."
        )
    return series[0]


def _labels(rows: Sequence[ScoreRow]) -> list[str]:
    """Return a label for each series: the measure, its family if that is ambiguous, and the options that differ."""
    homes = {row.measure: {other.family for other in rows if other.measure == row.measure} for row in rows}
    named = [f"{row.family}:{row.measure}" if len(homes[row.measure]) > 1 else row.measure for row in rows]
    labels = []
    for name, row in zip(named, rows, strict=True):
        rivals = [other.options for other_name, other in zip(named, rows, strict=True) if other_name == name]
        differing = {o: v for o, v in row.options.items() if len({str(rival.get(o)) for rival in rivals}) > 1}
        labels.append(f"{name} {options_text(differing)}".rstrip())
    return labels
