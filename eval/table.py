"""The one table that scoring returns, and its forms for programs: JSON and CSV."""

import csv
import io
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eval.measures.options import Value

DIGITS = 15
"""Significant digits of values in JSON and CSV."""


@dataclass(frozen=True)
class Row:
    """One measure of one run under one set of options: its value for each topic and their mean.

    A topic is None where the measure is not defined for it (no relevance); such topics are outside the mean.
    ``options`` leaves out the ranks of cut-offs, which stand in the names of the measures. ``is_detail`` marks points
    of long curves, which terminal tables show only when asked.
    """

    run: str
    family: str
    measure: str
    options: Mapping[str, Value]
    topics: Mapping[str, float | None]
    is_detail: bool = False

    @property
    def value(self) -> float | None:
        """The mean over the topics that have a value, None if none has."""
        values = [value for value in self.topics.values() if value is not None]
        return math.fsum(values) / len(values) if values else None


@dataclass(frozen=True)
class Table:
    """All rows, in the order of runs, families, options and measures, and what is to be told once."""

    rows: tuple[Row, ...]
    notices: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def select(self, *, run: str | None = None, measure: str | None = None, family: str | None = None) -> "Table":
        """Return the rows of a run, a measure, a family."""
        wanted = (("run", run), ("measure", measure), ("family", family))
        return Table(
            tuple(row for row in self.rows if all(name in (None, getattr(row, field)) for field, name in wanted)),
            self.notices,
        )

    def value(self, measure: str, *, run: str | None = None, family: str | None = None) -> float | None:
        """Return the mean of a measure; KeyError if no row or more than one has it."""
        rows = self.select(run=run, measure=measure, family=family).rows
        if len(rows) != 1:
            raise KeyError(f"{measure!r} stands in {len(rows)} rows; say which run, family or options")
        return rows[0].value

    def document(self) -> dict[str, Any]:
        """Return the table as the values that JSON writes: ``{"runs": [{"run", "family", "measure", ...}]}``."""
        return {
            "runs": [
                {
                    "run": row.run,
                    "family": row.family,
                    "measure": row.measure,
                    "options": dict(row.options),
                    "value": _digits(row.value),
                    "topics": {topic: _digits(value) for topic, value in row.topics.items()},
                }
                for row in self.rows
            ]
        }

    def json(self) -> str:
        """Return the table as one JSON document; values that are not defined are null."""
        return json.dumps(self.document(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    def csv(self) -> str:
        """Return the table as CSV, one line a measure and topic, ``all`` for the mean; undefined values are empty."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["run", "family", "measure", "options", "topic", "value"])
        for row in self.rows:
            start = [row.run, row.family, row.measure, options_text(row.options)]
            for topic, value in row.topics.items():
                writer.writerow([*start, topic, _digits(value)])
            writer.writerow([*start, "all", _digits(row.value)])
        return text.getvalue()


def options_text(options: Mapping[str, Value]) -> str:
    """Return options as ``alpha=1 seen=union``."""
    return " ".join(f"{name}={_plain(value)}" for name, value in options.items())


def _plain(value: Value) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _digits(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")
