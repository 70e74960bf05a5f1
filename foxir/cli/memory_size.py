"""Sizes in memory as values of options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


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
        text = str(value).strip().upper().removesuffix("B").removesuffix("I")
        number, unit = (text[:-1], text[-1]) if text[-1:] in UNITS and text else (text, "")
        try:
            size = float(number) * UNITS[unit]
        except ValueError:
            size = 0
        if not 0 < size < float("inf"):
            self.fail(f"'{value}' is not a size: write 512M or 1G.", param, ctx)
        return int(size)
