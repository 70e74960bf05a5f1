"""The scores of runs as printed tables: one a family and set of options, runs down, measures across."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from eval.measure_names import mean_name
from eval.sheets.result import Result
from eval.sheets.sheet import Cell, Column, Sheet
from eval.statistics.marks import Marks
from eval.table import Row, Table, options_text

DECIMALS = 4


@dataclass(frozen=True)
class Scores(Result):
    """A table of scores to be printed: the means, or with ``per_topic`` every topic; marks stand behind means."""

    table: Table
    marks: Marks | None = None
    per_topic: bool = False
    details: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return what the table writes as JSON."""
        return self.table.document()

    def sheets(self) -> tuple[Sheet, ...]:
        """Return the means, or every topic."""
        if self.per_topic:
            return topic_sheets(self.table, details=self.details)
        return score_sheets(self.table, marks=self.marks, details=self.details)


def score_sheets(table: Table, *, marks: Marks | None = None, details: bool = False) -> tuple[Sheet, ...]:
    """Return the means, the best of each measure bold; ``details`` also gives the points of long curves."""
    return tuple(_means(title, rows, marks) for title, rows in _blocks(table, details))


def topic_sheets(table: Table, *, details: bool = False) -> tuple[Sheet, ...]:
    """Return the scores of every topic, one table a family, set of options and measure: topics down, runs across."""
    return tuple(
        _topics(f"{title}  {measure}", [row for row in rows if row.measure == measure])
        for title, rows in _blocks(table, details)
        for measure in dict.fromkeys(row.measure for row in rows)
    )


def _blocks(table: Table, details: bool) -> Iterator[tuple[str, list[Row]]]:
    blocks: dict[str, list[Row]] = {}
    for row in table.rows:
        if details or not row.is_detail:
            blocks.setdefault(f"{row.family}  {options_text(row.options)}".rstrip(), []).append(row)
    yield from blocks.items()


def _means(title: str, rows: Sequence[Row], marks: Marks | None) -> Sheet:
    cells = {(row.run, row.measure): row for row in rows}
    runs, measures = (list(dict.fromkeys(names)) for names in zip(*cells, strict=True))
    best = {measure: _best([row for row in rows if row.measure == measure]) for measure in measures}
    body = [[run, *(_cell(cells.get((run, measure)), best[measure], marks) for measure in measures)] for run in runs]
    columns = [Column(mean_name(measure), DECIMALS) for measure in measures]
    note = marks.note if marks is not None else ""
    return Sheet.of(title, ["run", *columns], body, notes=[note] if note else [])


def _topics(title: str, rows: Sequence[Row]) -> Sheet:
    topics = dict.fromkeys(topic for row in rows for topic in row.topics)
    body: list[list[Cell | str]] = []
    for topic in topics:
        values = [row.topics.get(topic) for row in rows]
        top = _highest(values)
        body.append([topic, *(Cell(v, is_best=v is not None and v == top) for v in values)])
    means = [row.value for row in rows]
    body.append(["mean", *(Cell(v, is_best=v is not None and v == _highest(means)) for v in means)])
    return Sheet.of(title, ["topic", *(Column(row.run, DECIMALS) for row in rows)], body)


def _cell(row: Row | None, best: float | None, marks: Marks | None) -> Cell:
    if row is None:
        return Cell(None)
    return Cell(row.value, marks.of(row) if marks is not None else "", row.value is not None and row.value == best)


def _best(rows: Sequence[Row]) -> float | None:
    return _highest([row.value for row in rows])


def _highest(values: Sequence[float | None]) -> float | None:
    """Return the highest value, None where there is nothing to compare."""
    known = [value for value in values if value is not None]
    return max(known) if len(values) > 1 and known else None
