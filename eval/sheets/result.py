"""What a command returns: values for programs, printed tables for people."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from eval.sheets.sheet import Sheet

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult


class Result(ABC):
    """The result of a command; ``console.print(result)`` shows its tables."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the result as the values that JSON writes."""

    @abstractmethod
    def sheets(self) -> tuple[Sheet, ...]:
        """Return the result as printed tables."""

    def json(self) -> str:
        """Return the result as one JSON document; values that are not defined are null."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from eval.sheets.terminal import grids  # noqa: PLC0415 - rich is slow to import, and not needed for JSON

        for number, sheet in enumerate(self.sheets()):
            if number:
                yield ""
            yield from grids(sheet, options.max_width)
