"""What a command returns: values for programs, printed tables for people."""

import json
from abc import ABC, abstractmethod
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult

from eval.sheets.sheet import Sheet
from eval.sheets.terminal import grids


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
        for number, sheet in enumerate(self.sheets()):
            if number:
                yield ""
            yield from grids(sheet, options.max_width)
