"""One measure under one set of options, over several runs: what statistics compare."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from engine.errors import MeasureError
from engine.runs import Run
from eval.assessments import Assessments
from eval.geometry import FloatArray, Geometry
from eval.measure_names import MeasureName, measure_name
from eval.measures import Settings, Value
from eval.scoring import Missing, score
from eval.table import Row, Table, options_text


@dataclass(frozen=True)
class Series:
    """The scores of runs by topic; a topic without a value under the measure is None."""

    label: str
    family: str
    measure: str
    options: Mapping[str, Value]
    runs: Mapping[str, Mapping[str, float | None]]

    @property
    def means(self) -> Mapping[str, float | None]:
        """The mean of each run over the topics that have a value."""
        return {run: _mean(topics.values()) for run, topics in self.runs.items()}

    @property
    def topics(self) -> tuple[str, ...]:
        """All topics that some run has a value for."""
        return tuple(
            dict.fromkeys(t for topics in self.runs.values() for t, value in topics.items() if value is not None)
        )

    def differences(self, a: str, b: str) -> FloatArray:
        """Return score of a - score of b for every topic that both have a value for, in the order of a's topics."""
        other = self.runs[b]
        pairs = [(value, other.get(topic)) for topic, value in self.runs[a].items()]
        return np.array([x - y for x, y in pairs if x is not None and y is not None], dtype=np.float64)

    def of_topics(self, wanted: Sequence[str]) -> Self:
        """Return the scores of some topics alone."""
        kept = {run: {t: topics[t] for t in wanted if t in topics} for run, topics in self.runs.items()}
        return type(self)(self.label, self.family, self.measure, self.options, kept)


def series_of(table: Table) -> tuple[Series, ...]:
    """Return every measure of a table as a series, in order, each with the shortest label that tells it apart."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in table.rows:
        groups.setdefault((row.family, row.measure, options_text(row.options)), []).append(row)
    labels = _labels([rows[0] for rows in groups.values()])
    return tuple(
        Series(label, rows[0].family, rows[0].measure, rows[0].options, {row.run: row.topics for row in rows})
        for label, rows in zip(labels, groups.values(), strict=True)
    )


def score_series(
    assessments: Assessments | str | Path,
    runs: Sequence[Run | str | Path],
    measures: Sequence[str],
    settings: Settings | None = None,
    *,
    geometry: Geometry | None = None,
    missing: Missing = "zero",
    topics: Sequence[str] | None = None,
) -> tuple[tuple[Series, ...], tuple[str, ...]]:
    """Return a series for each measure named (and each set of options asked for), and what is to be told once.

    Measures are named as :func:`eval.measure_names.measure_name` reads them; the rank in a name, as in ``P@7``, is
    scored without being asked for.

    Raises: MeasureError, also where the family has no such measure.
    """
    names = [measure_name(text) for text in dict.fromkeys(measures)]
    if not names:
        raise MeasureError("no measure is named; expected for example AP or nxCG@10.")
    _refuse_unknown(settings or {}, names)
    rows: list[Row] = []
    notices: dict[str, None] = {}
    for home in dict.fromkeys(name.family.name for name in names):
        mine = [name for name in names if name.family.name == home]
        known = {option.name for option in mine[0].family.options}
        asked = {option: value for option, value in (settings or {}).items() if option in known}
        for option in {name.rank_option for name in mine} - {None}:
            asked[str(option)] = tuple(sorted({name.rank for name in mine if name.rank is not None}))
        table = score(assessments, runs, [home], asked, geometry=geometry, missing=missing, topics=topics)
        notices.update(dict.fromkeys(table.notices))
        for name in mine:
            found = table.select(measure=name.measure).rows
            if not found:
                there = ", ".join(dict.fromkeys(row.measure for row in table.rows if not row.is_detail))
                raise MeasureError(f"{home} has no measure {name.measure!r}; it has: {there}.")
            rows += found
    return series_of(Table(tuple(rows))), tuple(notices)


def only_series(series: Sequence[Series]) -> Series:
    """Return the one series; MeasureError if options ask for several."""
    if len(series) > 1:
        raise MeasureError(
            f"one measure is compared at a time, but these are {len(series)}: {', '.join(s.label for s in series)}. "
            f"Give one value for each option."
        )
    return series[0]


def _refuse_unknown(settings: Settings, names: Sequence[MeasureName]) -> None:
    known = {option.name for name in names for option in name.family.options}
    unknown = sorted(set(settings) - known)
    if unknown:
        raise MeasureError(f"no measure asked for has an option {unknown[0]!r}; they have: {', '.join(sorted(known))}.")


def _labels(rows: Sequence[Row]) -> list[str]:
    """Return a label for each series: the measure, its family where another has the name too, options that differ."""
    homes = {row.measure: {other.family for other in rows if other.measure == row.measure} for row in rows}
    named = [f"{row.family}:{row.measure}" if len(homes[row.measure]) > 1 else row.measure for row in rows]
    labels = []
    for name, row in zip(named, rows, strict=True):
        rivals = [other.options for other_name, other in zip(named, rows, strict=True) if other_name == name]
        differing = {o: v for o, v in row.options.items() if len({str(rival.get(o)) for rival in rivals}) > 1}
        labels.append(f"{name} {options_text(differing)}".rstrip())
    return labels


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None
