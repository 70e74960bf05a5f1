"""Scores as printed tables: one for each family and set of options, with runs in rows and measures in columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from eval.measures.measure_names import mean_name
from eval.output.tables import Cell, Column, PrintableResult, PrintedTable
from eval.scoring.score_table import ScoreRow, ScoreTable, options_text
from eval.statistics.run_comparison import SignificanceMarks

DECIMALS = 4
# The note in place of a table without any value.
NO_VALUE = (
    "no values: under these options no judged element of any topic is relevant (docs/evaluation.md, quantisations)"
)


@dataclass(frozen=True, repr=False)
class PrintedScores(PrintableResult):
    """Scores to be printed: means with significance marks, or with ``per_topic`` the scores of every topic."""

    table: ScoreTable
    marks: SignificanceMarks | None = None
    per_topic: bool = False
    details: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the score table as JSON values."""
        return self.table.to_dict()

    def tables(self) -> tuple[PrintedTable, ...]:
        """Return the tables of means, or of topics."""
        if self.per_topic:
            return topic_tables(self.table, details=self.details)
        return mean_tables(self.table, marks=self.marks, details=self.details)


def mean_tables(
    table: ScoreTable, *, marks: SignificanceMarks | None = None, details: bool = False
) -> tuple[PrintedTable, ...]:
    """Return tables of means, the best of each measure in bold; ``details`` includes the points of long curves."""
    return tuple(_means(title, rows, marks) for title, rows in _blocks(table, details))


def topic_tables(table: ScoreTable, *, details: bool = False) -> tuple[PrintedTable, ...]:
    """Return a table for each family, set of options and measure, with topics in rows and runs in columns."""
    return tuple(
        _topics(f"{title}  {measure}", [row for row in rows if row.measure == measure])
        for title, rows in _blocks(table, details)
        for measure in dict.fromkeys(row.measure for row in rows)
    )


def _blocks(table: ScoreTable, details: bool) -> Iterator[tuple[str, list[ScoreRow]]]:
    blocks: dict[str, list[ScoreRow]] = {}
    for row in table.rows:
        if details or not row.is_detail:
            blocks.setdefault(f"{row.family}  {options_text(row.options)}".rstrip(), []).append(row)
    yield from blocks.items()


def _means(title: str, rows: Sequence[ScoreRow], marks: SignificanceMarks | None) -> PrintedTable:
    if all(row.value is None for row in rows):
        return PrintedTable.of(title, [], [], notes=[NO_VALUE])
    cells = {(row.run, row.measure): row for row in rows}
    runs, measures = (list(dict.fromkeys(names)) for names in zip(*cells, strict=True))
    measures.sort(key=lambda measure: mean_name(measure) == measure)  # the means of average precision first
    best = {measure: _best([row for row in rows if row.measure == measure]) for measure in measures}
    body = [[run, *(_cell(cells.get((run, measure)), best[measure], marks) for measure in measures)] for run in runs]
    decimals = {row.measure: _decimals(row) for row in rows}
    columns = [Column(mean_name(measure), decimals[measure]) for measure in measures]
    note = marks.note if marks is not None else ""
    return PrintedTable.of(title, ["run", *columns], body, notes=[note] if note else [])


def _topics(title: str, rows: Sequence[ScoreRow]) -> PrintedTable:
    topics = dict.fromkeys(topic for row in rows for topic in row.topics)
    body: list[list[Cell | str]] = []
    for topic in sorted(topics, key=natural_order):
        values = [row.topics.get(topic) for row in rows]
        top = _highest(values)
        body.append([topic, *(Cell(v, is_best=v is not None and v == top) for v in values)])
    means = [row.value for row in rows]
    body.append([rows[0].summary, *(Cell(v, is_best=v is not None and v == _highest(means)) for v in means)])
    return PrintedTable.of(title, ["topic", *(Column(row.run, _decimals(row)) for row in rows)], body)


def _decimals(row: ScoreRow) -> int:
    return 0 if row.summary == "sum" else DECIMALS


def _cell(row: ScoreRow | None, best: float | None, marks: SignificanceMarks | None) -> Cell:
    if row is None:
        return Cell(None)
    return Cell(row.value, marks.of(row) if marks is not None else "", row.value is not None and row.value == best)


def _best(rows: Sequence[ScoreRow]) -> float | None:
    return _highest([row.value for row in rows])


def _highest(values: Sequence[float | None]) -> float | None:
    """Return the highest value, None for fewer than two values."""
    known = [value for value in values if value is not None]
    return max(known) if len(values) > 1 and known else None


def natural_order(topic: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key that puts numbers in a topic id in numerical order.

    >>> sorted(["10", "2", "1", "2a"], key=natural_order)
    ['1', '2', '2a', '10']
    """
    parts = re.findall(r"[0-9]+|[^0-9]+", topic)
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts)
