"""Settings whose values are numbers: counts, shares, sizes in memory, lengths in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from engine.byte_sizes import format_bytes, parse_bytes
from engine.errors import SettingsError
from engine.settings.length import Length
from engine.settings.value_types import UNBOUNDED, Plain, parsed, refused

# Largest count; arrays can still be numbered by it.
HIGHEST = 1_000_000_000

# Text that denotes "from the query and the collection"; its value is None.
AUTOMATIC = "auto"


@dataclass(frozen=True)
class Count:
    """A whole number from 1 to the highest; None for no bound, where that is legal."""

    highest: int = HIGHEST
    may_be_unbounded: bool = False

    def parse(self, name: str, value: Any) -> int | None:
        """Return a typed or given value as a whole number, None for no bound; raises SettingsError otherwise."""
        if self.may_be_unbounded and (value is None or value == UNBOUNDED):
            return None
        or_all = f", or {UNBOUNDED}" if self.may_be_unbounded else ""
        try:
            number = int(str(value))
        except ValueError:  # no whole number, or one with more digits than Python converts
            number = 0
        if not 1 <= number <= self.highest:
            raise refused(name, value, f"expected a whole number from 1 to {self.highest:,}{or_all}.")
        return number

    def is_typed(self, value: Any) -> bool:
        """Return whether this is a legal int, or None where that is legal."""
        if value is None:
            return self.may_be_unbounded
        return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= self.highest

    def plain(self, value: int | None) -> Plain:
        """Return the number, or `all`."""
        return UNBOUNDED if value is None else value


@dataclass(frozen=True)
class Number:
    """A number from the lowest to the highest; None for no bound, where that is legal."""

    lowest: float
    highest: float
    may_be_unbounded: bool = False

    def parse(self, name: str, value: Any) -> float | None:
        """Return the number."""
        if self.may_be_unbounded and (value is None or value == UNBOUNDED):
            return None
        try:
            number = float(str(value))
        except ValueError:
            number = math.nan
        if not self.lowest <= number <= self.highest:
            or_all = f", or {UNBOUNDED}" if self.may_be_unbounded else ""
            raise refused(name, value, f"expected a number from {self.lowest:g} to {self.highest:g}{or_all}.")
        return number

    def is_typed(self, value: Any) -> bool:
        """Return whether this is a number within the bounds, or None where that is legal."""
        if value is None:
            return self.may_be_unbounded
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and self.lowest <= value <= self.highest

    def plain(self, value: float | None) -> Plain:
        """Return the number, or `all`."""
        return UNBOUNDED if value is None else value


@dataclass(frozen=True)
class MemorySizeKind:
    """A size in memory, in bytes: 512M, 1G; None for no bound."""

    lowest: int = 2**20
    highest: int = 2**60
    may_be_unbounded: ClassVar[bool] = True

    def parse(self, name: str, value: Any) -> int | None:
        """Return the bytes."""
        if value is None or value == UNBOUNDED:
            return None
        try:
            size = 0 if isinstance(value, bool) else parse_bytes(str(value))
        except ValueError:
            size = 0
        if not self.lowest <= size <= self.highest:
            raise refused(name, value, f"expected a size from {format_bytes(self.lowest)}, such as 512M or 1G, or all.")
        return size

    def is_typed(self, value: Any) -> bool:
        """Return whether this is a legal number of bytes, or None."""
        if value is None:
            return True
        return isinstance(value, int) and not isinstance(value, bool) and self.lowest <= value <= self.highest

    def plain(self, value: int | None) -> Plain:
        """Return the size as text, or `all`."""
        return UNBOUNDED if value is None else format_bytes(value)


@dataclass(frozen=True)
class AutomaticNumber:
    """A number from the lowest to the highest; None for one that is estimated."""

    lowest: float
    highest: float

    def parse(self, name: str, value: Any) -> float | None:
        """Return the number."""
        if value is None or value == AUTOMATIC:
            return None
        try:
            return Number(self.lowest, self.highest).parse(name, value)
        except SettingsError:
            raise refused(
                name, value, f"expected {AUTOMATIC}, or a number from {self.lowest:g} to {self.highest:g}."
            ) from None

    def is_typed(self, value: Any) -> bool:
        """Return whether this is None, or a number within the bounds."""
        return value is None or Number(self.lowest, self.highest).is_typed(value)

    def plain(self, value: float | None) -> Plain:
        """Return the number, or `auto`."""
        return AUTOMATIC if value is None else value


@dataclass(frozen=True)
class LengthKind:
    """A length in words, or a multiple of the collection's text block; None for no bound, where that is legal."""

    may_be_unbounded: bool = False

    def parse(self, name: str, value: Any) -> Length | None:
        """Return the length."""
        if self.may_be_unbounded and (value is None or value == UNBOUNDED):
            return None
        or_all = f", or {UNBOUNDED}" if self.may_be_unbounded else ""
        legal = "a number of words (40), or a multiple of the collection's usual text block (0.5x)"
        return parsed(Length, name, value, f"{legal}{or_all}")

    def is_typed(self, value: Any) -> bool:
        """Return whether this is a Length, or None where that is legal."""
        return isinstance(value, Length) or (value is None and self.may_be_unbounded)

    def plain(self, value: Length | None) -> Plain:
        """Return the number of words, or the multiple as text."""
        if value is None:
            return UNBOUNDED
        return str(value) if value.relative else int(value.value)
