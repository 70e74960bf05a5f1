"""Base class of results that can be printed as tables or written as JSON."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from io import StringIO
from typing import TYPE_CHECKING, Any

from eval.output.tables.printed_table import PrintedTable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

# Characters in a line of a result as text; wider tables continue below.
WIDTH = 120


class PrintableResult(ABC):
    """A result that has printed tables and a JSON form; ``print(result)`` prints the tables."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the result as the values that JSON writes."""

    @abstractmethod
    def tables(self) -> tuple[PrintedTable, ...]:
        """Return the result as printed tables."""

    def json(self) -> str:
        """Return the result as a JSON document; undefined values are null."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.tables()[0].title!r})"

    def __str__(self) -> str:
        from rich.console import Console  # noqa: PLC0415 - rich is slow to import, and not needed for JSON

        text = StringIO()
        Console(file=text, width=WIDTH, color_system=None, force_terminal=False, force_jupyter=False).print(self)
        return "\n".join(line.rstrip() for line in text.getvalue().splitlines())

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from eval.output.tables.terminal import grids  # noqa: PLC0415 - rich is slow to import, and not needed for JSON

        for number, table in enumerate(self.tables()):
            if number:
                yield ""
            yield from grids(table, options.max_width)
