"""Sizes in memory as values of options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from engine.indexing.build_settings import LEAST_MEMORY
from engine.system.byte_sizes import format_bytes, parse_bytes

if TYPE_CHECKING:
    IntType = click.ParamType[int]
else:
    # Before 8.4, Click's ParamType is generic for type checkers only.
    IntType = click.ParamType


class MemorySize(IntType):
    """A size in memory that a build can keep to: 1G, 512M, 8000000."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the size in bytes."""
        if isinstance(value, int):
            return value
        try:
            n_bytes = parse_bytes(str(value))
        except ValueError:
            self.fail(f"'{value}' is not a size: write 512M or 1G.", param, ctx)
        if n_bytes < LEAST_MEMORY:
            size = f"{n_bytes:,} byte" if n_bytes == 1 else f"{n_bytes:,} bytes"
            least = format_bytes(LEAST_MEMORY)
            self.fail(f"'{value}' is {size}: a build needs {least} or more; for 1 GiB write 1G.", param, ctx)
        return n_bytes
