"""The table of scores, and its JSON and CSV forms."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import NoneType
from typing import TYPE_CHECKING, Any, ClassVar

from engine.errors import MeasureError
from engine.field_types import check_mapping, check_sequence, check_texts
from engine.notices import Message
from engine.preview_table import MOST_ROWS, html_cell, html_table, text_table
from engine.system.host_programs import data_frame
from engine.wording import did_you_mean, listed, shown
from eval.measures.measure_names import mean_name
from eval.measures.registry import FAMILIES, OptionValue
from eval.numbers import SUMMARIES, Summary
from eval.output.tables.printed_table import rounded

if TYPE_CHECKING:
    import pandas as pd

# Columns of a table that is printed.
COLUMNS = ("run", "family", "measure", "options", "mean")


@dataclass(frozen=True, repr=False)
class ScoreRow:
    """The values of one measure for one run under one set of options, by topic.

    The value is None for topics where the measure is undefined (no relevance); they are excluded from the mean.
    ``options`` omits cut-offs, which are part of the measure names. ``is_detail`` marks points of long curves, which
    printed tables omit unless requested.
    """

    run: str
    family: str
    measure: str
    options: Mapping[str, OptionValue]
    topics: Mapping[str, float | None]
    is_detail: bool = False

    def __post_init__(self) -> None:
        check_texts(self, "run", "family", "measure")
        check_mapping("options", self.options, object)
        check_mapping("topics", self.topics, float | int | NoneType)

    # The scores by topic are dictionaries.
    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    @property
    def summary(self) -> Summary:
        """How the values of topics become that of the run: their mean, of a few measures sum or geometric mean."""
        family = FAMILIES.get(self.family)
        return family.summaries.get(self.measure, "mean") if family is not None else "mean"

    @property
    def value(self) -> float | None:
        """The mean, or other `summary`, of the topics with a value, None without any."""
        return SUMMARIES[self.summary](self.topics.values())

    def __repr__(self) -> str:
        names = ", ".join(map(repr, (self.run, self.family, self.measure, options_text(self.options))))
        return f"ScoreRow({names}, mean={_four_places(self.value)}, topics={len(self.topics)})"


@dataclass(frozen=True, repr=False)
class ScoreTable:
    """The scores of runs: rows in the order of runs, families, options and measures, and notices.

    settings: those with which each run was made, by its label, as its file records them; not compared by `==`.
    """

    rows: tuple[ScoreRow, ...]
    notices: tuple[Message, ...] = ()
    settings: Mapping[str, Mapping[str, str]] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        check_sequence("rows", self.rows, ScoreRow)
        check_sequence("notices", self.notices, Message)
        check_mapping("settings", self.settings, Mapping)

    # The scores of rows are dictionaries.
    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        runs, measures = {row.run for row in self.rows}, {(row.family, row.measure) for row in self.rows}
        topics = {topic for row in self.rows for topic in row.topics}
        return f"ScoreTable(runs={len(runs)}, measures={len(measures)}, topics={len(topics)}, rows={len(self.rows)})"

    def __str__(self) -> str:
        return text_table(repr(self), COLUMNS, self._cells, len(self.rows), right=("mean",))

    def _repr_html_(self) -> str:
        return html_table(repr(self), COLUMNS, [list(map(html_cell, row)) for row in self._cells], len(self.rows))

    @property
    def _cells(self) -> list[list[str]]:
        """The cells of the first rows, as `COLUMNS`; the mean is "-" where no topic has a value."""
        return [
            [*(row.run, row.family, row.measure, options_text(row.options)), _four_places(row.value)]
            for row in self.rows[:MOST_ROWS]
        ]

    def select(
        self,
        *,
        run: str | None = None,
        measure: str | None = None,
        family: str | None = None,
        options: Mapping[str, OptionValue] | None = None,
    ) -> ScoreTable:
        """Return the rows of a run, a measure, a family, or with given values of options; None selects all.

        Args:
            measure: as in the rows (`AP`), as printed (`MAP`), or with its family (`hixeval:AP`).

        Raises: MeasureError for a run, measure, family or option that no row has; TypeError for a name that is not a
            string, and for options that are not a mapping.
        """
        for name, value in (("run", run), ("measure", measure), ("family", family)):
            if not isinstance(value, str | None):
                raise TypeError(f"{name}: expected str, got {type(value).__name__}.")
        if not isinstance(options, Mapping | None):
            raise TypeError(f"options: expected a mapping, got {type(options).__name__}.")
        self._check_known("run", run, (row.run for row in self.rows))
        self._check_known("family", family, (row.family for row in self.rows))
        for name in options or {}:
            if not isinstance(name, str):
                raise TypeError(f"options: expected names, each a str, got {type(name).__name__} {shown(name)}.")
            self._check_known("option", name, (option for row in self.rows for option in row.options))
        chosen = (options or {}).items()
        measures = None if measure is None else measure_in(measure, ((row.family, row.measure) for row in self.rows))
        rows = tuple(
            row
            for row in self.rows
            if run in (None, row.run)
            and family in (None, row.family)
            and (measures is None or (row.family, row.measure) in measures)
            and all(name in row.options and row.options[name] == value for name, value in chosen)
        )
        return ScoreTable(rows, self.notices, self.settings)

    def _check_known(self, kind: str, name: str | None, known: Iterable[str]) -> None:
        """Raise MeasureError for a name that no row of a table with rows has."""
        names = list(dict.fromkeys(known))
        if self.rows and name is not None and name not in names:
            hint = did_you_mean(name, names).rstrip() or f"it has {listed(names) or 'none'}."
            raise MeasureError(f"{kind} {shown(name)} is not in the table: {hint}")

    def value(
        self,
        measure: str,
        *,
        run: str | None = None,
        family: str | None = None,
        options: Mapping[str, OptionValue] | None = None,
    ) -> float | None:
        """Return the mean of a measure over topics, None if no topic has a value.

        Args:
            measure: as in `select`.

        Raises: MeasureError if no row or more than one has the measure.
        """
        rows = self.select(run=run, measure=measure, family=family, options=options).rows
        if len(rows) != 1:
            raise MeasureError(
                f"measure {shown(measure)} is in {len(rows)} rows of the table, expected one: choose run, family, "
                f"options; the runs are {', '.join(dict.fromkeys(row.run for row in self.rows)) or 'none'}."
            )
        return rows[0].value

    def to_dict(self) -> dict[str, Any]:
        """Return the table as JSON values: ``{"runs": [{"run", "family", "measure", ...}]}``."""
        return {
            "runs": [
                {
                    "run": row.run,
                    "family": row.family,
                    "measure": row.measure,
                    "options": dict(row.options),
                    "value": rounded(row.value),
                    "topics": {topic: rounded(value) for topic, value in row.topics.items()},
                }
                for row in self.rows
            ]
        }

    def to_frame(self) -> pd.DataFrame:
        """Return a frame with a row for each topic: run, family, measure, options, query_id, value (NaN: none).

        Raises: MissingHostError without pandas.
        """
        names = ("run", "family", "measure", "options", "query_id", "value")
        columns: dict[str, list[Any]] = {name: [] for name in names}
        for row in self.rows:
            start = (row.run, row.family, row.measure, options_text(row.options))
            for topic, value in row.topics.items():
                for name, cell in zip(names, (*start, topic, math.nan if value is None else value), strict=True):
                    columns[name].append(cell)
        return data_frame(columns)

    def json(self) -> str:
        """Return the table as a JSON document; undefined values are null."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    def csv(self) -> str:
        """Return the table as CSV: a line for each measure and topic, and ``all`` for the mean; empty if undefined.

        A text that a spreadsheet would take for a formula follows an apostrophe.
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["run", "family", "measure", "options", "topic", "value"])
        for row in self.rows:
            start = [csv_cell(row.run), row.family, row.measure, csv_cell(options_text(row.options))]
            for topic, value in row.topics.items():
                writer.writerow([*start, csv_cell(topic), rounded(value)])
            writer.writerow([*start, "all", rounded(row.value)])
        return text.getvalue()


def options_text(options: Mapping[str, OptionValue]) -> str:
    """Return options as ``alpha=1 seen=union``."""
    return " ".join(f"{name}={_plain(value)}" for name, value in options.items())


def _plain(value: OptionValue) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _four_places(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


# First characters of what spreadsheets take for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def csv_cell(text: str) -> str:
    """Return a text as a cell of CSV: after an apostrophe if it begins as a formula does and is not a number.

    >>> csv_cell("=1+1"), csv_cell("@sum"), csv_cell("-5"), csv_cell("run-1")
    ("'=1+1", "'@sum", '-5', 'run-1')
    """
    return text if not text.startswith(FORMULA) or NUMBER.fullmatch(text) else f"'{text}"


def measure_in(name: str, measures: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the measures of a table, as pairs of family and measure, that a name means.

    >>> sorted(measure_in("MAP", [("hixeval", "AP"), ("trec", "AP"), ("hixeval", "P@5")]))
    [('hixeval', 'AP'), ('trec', 'AP')]

    Raises: MeasureError if it means none, with the names there are.
    """
    known = list(dict.fromkeys(measures))
    family, colon, bare = name.rpartition(":")
    found = {
        (home, measure)
        for home, measure in known
        if bare in (measure, mean_name(measure)) and (not colon or family == home)
    }
    if known and not found:
        names = list(dict.fromkeys(mean_name(measure) for _, measure in known))
        every = [*names, *(measure for _, measure in known), *(f"{home}:{measure}" for home, measure in known)]
        raise MeasureError(
            f"measure {shown(name)} is not in the table: {did_you_mean(name, every)}it has {_listed(names)}."
        )
    return found


def _listed(names: Sequence[str], most: int = 40) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"
