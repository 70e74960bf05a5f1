"""Curves in a score table: measures with a number in their name, ``iP[0.00]`` ..., ``nxCG@1`` ..."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from eval.measures import OptionValue
from eval.scoring.score_table import ScoreRow, ScoreTable, options_text

NAME = re.compile(r"(?P<curve>\w+)(?:@(?P<rank>\d+)|\[(?P<number>\d+(?:\.\d+)?)\])")

TITLES = {
    "P": "Precision",
    "iP": "Interpolated precision",
    "R": "Recall",
    "F": "F: harmonic mean of precision and recall",
    "nxCG": "nxCG: gain against the ideal ranking",
    "MAnxCG": "MAnxCG: mean nxCG up to a rank",
    "ep": "Effort-precision",
    "gP": "Generalised precision",
    "gR": "Generalised recall",
}


@dataclass(frozen=True)
class MeasureCurve:
    """One curve of several runs: the mean over topics at each point, in the order of the points."""

    name: str
    family: str
    options: Mapping[str, OptionValue]
    x_label: str
    points: tuple[float, ...]
    runs: Mapping[str, tuple[float | None, ...]]

    @property
    def title(self) -> str:
        """The quantity of the curve, and in a second line its family and options."""
        return f"{TITLES.get(self.name, self.name)}\n{self.family} {options_text(self.options)}".rstrip()

    @property
    def is_share(self) -> bool:
        """Whether points are levels from 0 to 1 instead of ranks."""
        return self.x_label != "rank"


def measure_curves(table: ScoreTable) -> tuple[MeasureCurve, ...]:
    """Return every curve of three points or more, in the order of the table.

    Numbers after ``@`` and whole numbers in brackets are ranks, other numbers in brackets levels of recall.
    """
    groups: dict[tuple[str, str, str, bool], dict[float, list[ScoreRow]]] = {}
    for row in table.rows:
        found = NAME.fullmatch(row.measure)
        if found is None:
            continue
        number = found["rank"] or found["number"]
        key = (row.family, options_text(row.options), found["curve"], "." in number)
        groups.setdefault(key, {}).setdefault(float(number), []).append(row)
    return tuple(_curve(name, is_share, points) for (_, _, name, is_share), points in groups.items() if len(points) > 2)


def _curve(name: str, is_share: bool, rows: Mapping[float, list[ScoreRow]]) -> MeasureCurve:
    points = sorted(rows)
    first = rows[points[0]][0]
    values = {point: {row.run: row.value for row in rows[point]} for point in points}
    runs = dict.fromkeys(row.run for point in points for row in rows[point])
    label = ("gain-recall" if name == "ep" else "recall") if is_share else "rank"
    return MeasureCurve(
        name,
        first.family,
        first.options,
        label,
        tuple(points),
        {run: tuple(values[point].get(run) for point in points) for run in runs},
    )
