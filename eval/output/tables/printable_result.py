"""Base class of results that can be printed as tables or written as JSON."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from eval.output.tables.printed_table import PrintedTable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult


class PrintableResult(ABC):
    """A result that has printed tables and a JSON form; ``console.print(result)`` prints the tables."""

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

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from eval.output.tables.terminal import grids  # noqa: PLC0415 - rich is slow to import, and not needed for JSON

        for number, table in enumerate(self.tables()):
            if number:
                yield ""
            yield from grids(table, options.max_width)
