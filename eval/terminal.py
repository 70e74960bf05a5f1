"""The table for a terminal: runs down, measures across, the best of each measure in bold."""

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from eval.table import Row, Table, options_text

DECIMALS = 4
GAP = 2


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

    ``details`` also shows the points of long curves. Measures that do not fit beside each other go on below.
    """
    rows = [row for row in table.rows if details or not row.is_detail]
    blocks: dict[str, list[Row]] = {}
    for row in rows:
        blocks.setdefault(f"{row.family}  {options_text(row.options)}".rstrip(), []).append(row)
    for title, block in blocks.items():
        console.print(Text(title, style="italic"), soft_wrap=True)
        for measures in _beside_each_other(block, console.width, per_topic):
            console.print(_grid(block, measures, per_topic))


def _beside_each_other(rows: Sequence[Row], width: int, per_topic: bool) -> Iterator[list[str]]:
    """Yield the measures in groups, in order, that fit a line beside the names of runs and topics."""
    left = max(len(row.run) for row in rows) + GAP
    if per_topic:
        left += max((len(topic) for row in rows for topic in row.topics), default=0) + GAP
    group: list[str] = []
    used = left
    for measure in dict.fromkeys(row.measure for row in rows):
        needed = max(len(mean_name(measure)), DECIMALS + 2) + GAP
        if group and used + needed > width:
            yield group
            group, used = [], left
        group.append(measure)
        used += needed
    yield group


def _grid(rows: Sequence[Row], measures: Sequence[str], per_topic: bool) -> Grid:
    """Return the grid of some measures: a line a run, or a line a topic and one for the mean."""
    cells = {(row.run, row.measure): row for row in rows}
    grid = Grid(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
    for name in ("run", "topic") if per_topic else ("run",):
        grid.add_column(name, no_wrap=True)
    for measure in measures:
        grid.add_column(mean_name(measure), justify="right", no_wrap=True)
    best = {measure: _best(rows, measure) for measure in measures}
    for run in dict.fromkeys(row.run for row in rows):
        mine = [cells.get((run, measure)) for measure in measures]
        if per_topic:
            for topic in dict.fromkeys(topic for row in mine if row for topic in row.topics):
                grid.add_row(run, topic, *(number(row.topics.get(topic) if row else None) for row in mine))
        means = [row.value if row else None for row in mine]
        shown = [number(v, is_best=v is not None and v == best[m]) for v, m in zip(means, measures, strict=True)]
        grid.add_row(run, *(["all"] if per_topic else []), *shown)
    return grid


def _best(rows: Sequence[Row], measure: str) -> float | None:
    """Return the highest mean of a measure, None where there is nothing to compare."""
    values = [row.value for row in rows if row.measure == measure]
    return max((v for v in values if v is not None), default=None) if len(values) > 1 else None


def number(value: float | None, *, is_best: bool = False) -> Text:
    """Return a value with 4 decimals, a dash for one that is not defined."""
    return Text("-" if value is None else f"{value:.{DECIMALS}f}", style="bold" if is_best else "")
