"""The table for a terminal: runs down, measures across, the best of each measure in bold."""

from collections.abc import Iterable, Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from eval.table import Row, Table, options_text

DECIMALS = 4


def mean_name(measure: str) -> str:
    """Return how the mean of a measure over topics is called: MAP for AP, iMAP for iAP; others keep their name.

    >>> [mean_name(name) for name in ("AP", "AiP", "AgP", "iAP", "AP(element)", "P@5")]
    ['MAP', 'MAiP', 'MAgP', 'iMAP', 'MAP(element)', 'P@5']
    """
    if measure.startswith("iAP"):
        return "iM" + measure[1:]
    return "M" + measure if measure.partition("(")[0] in ("AP", "AiP", "AgP") else measure


def show(table: Table, console: Console, *, per_topic: bool = False, details: bool = False) -> None:
    """Print the table: one block a family and set of options, ``per_topic`` with a line for each topic.

    ``details`` also shows the points of long curves.
    """
    console.print(render(table, per_topic=per_topic, details=details))


def render(table: Table, *, per_topic: bool = False, details: bool = False) -> RenderableType:
    """Return what :func:`show` prints."""
    rows = [row for row in table.rows if details or not row.is_detail]
    blocks: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        blocks.setdefault((row.family, _key(row)), []).append(row)
    return Group(*(_block(family, block, per_topic) for (family, _), block in blocks.items()))


def _key(row: Row) -> str:
    return options_text(row.options)


def _block(family: str, rows: Sequence[Row], per_topic: bool) -> Grid:
    """Return the grid of one family under one set of options."""
    measures = list(dict.fromkeys(row.measure for row in rows))
    runs = list(dict.fromkeys(row.run for row in rows))
    cells = {(row.run, row.measure): row for row in rows}
    grid = Grid(title=f"{family}  {_key(rows[0])}".rstrip(), title_justify="left", box=None, pad_edge=False)
    grid.add_column("run", no_wrap=True)
    if per_topic:
        grid.add_column("topic", no_wrap=True)
    for measure in measures:
        grid.add_column(mean_name(measure), justify="right", no_wrap=True)
    for run in runs:
        if per_topic:
            topics = dict.fromkeys(topic for m in measures for topic in cells[run, m].topics)
            for topic in topics:
                grid.add_row(run, topic, *(number(cells[run, m].topics.get(topic)) for m in measures))
        means = [_mean(cells.get((run, measure)), rows) for measure in measures]
        grid.add_row(run, *(["all"] if per_topic else []), *means, end_section=per_topic)
    return grid


def _mean(row: Row | None, rows: Iterable[Row]) -> Text:
    """Return the mean of a row, bold if no other run has a higher one."""
    if row is None:
        return number(None)
    others = [other.value for other in rows if other.measure == row.measure]
    best = max((value for value in others if value is not None), default=None)
    return number(row.value, is_best=len(others) > 1 and row.value is not None and row.value == best)


def number(value: float | None, *, is_best: bool = False) -> Text:
    """Return a value with 4 decimals, a dash for one that is not defined."""
    return Text("-" if value is None else f"{value:.{DECIMALS}f}", style="bold" if is_best else "")
