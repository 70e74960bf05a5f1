"""Sizes in memory as values of options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from engine.byte_sizes import parse_bytes

if TYPE_CHECKING:
    IntType = click.ParamType[int]
else:
    # Before 8.4, Click's ParamType is generic for type checkers only.
    IntType = click.ParamType


class MemorySize(IntType):
    """A size in memory: 1G, 512M, 800000."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the size in bytes."""
        if isinstance(value, int):
            return value
        try:
            return parse_bytes(str(value))
        except ValueError:
            self.fail(f"'{value}' is not a size: write 512M or 1G.", param, ctx)
