"""Settings whose values are numbers: counts, shares, sizes in memory, lengths in words."""

from __future__ import annotations

from typing import Any

from engine.records import dataclass
from engine.settings.kinds.length import Length
from engine.settings.kinds.value_types import Kind, Plain, TypeKind
from engine.system.byte_sizes import format_bytes, parse_bytes

# Largest count; arrays can still be numbered by it.
HIGHEST = 1_000_000_000


@dataclass(frozen=True)
class Number(Kind):
    """A number from the lowest to the highest."""

    lowest: float
    highest: float

    def _read(self, value: Any) -> float | None:
        try:
            return self._number(str(value))
        except ValueError:  # no number, or one with more digits than Python converts
            return None

    def _number(self, text: str) -> float:
        return float(text)

    def _is_legal(self, value: Any) -> bool:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and self.lowest <= value <= self.highest

    @property
    def _expected(self) -> str:
        return f"a number from {self.lowest:g} to {self.highest:g}{self._or_absent}"


@dataclass(frozen=True)
class Count(Number):
    """A whole number from 1 to the highest."""

    lowest: int = 1
    highest: int = HIGHEST

    def _number(self, text: str) -> int:
        return int(text)

    def _is_legal(self, value: Any) -> bool:
        return isinstance(value, int) and super()._is_legal(value)

    @property
    def _expected(self) -> str:
        return f"a whole number from {self.lowest} to {self.highest:,}{self._or_absent}"


@dataclass(frozen=True)
class MemorySizeKind(Count):
    """A size in memory, in bytes: 512M, 1G."""

    lowest: int = 2**20
    highest: int = 2**60

    def _number(self, text: str) -> int:
        return parse_bytes(text)

    @property
    def _expected(self) -> str:
        return f"a size from {format_bytes(self.lowest)}, such as 512M or 1G{self._or_absent}"

    def plain(self, value: int | None) -> Plain:
        """Return the size as text."""
        return super().plain(None if value is None else format_bytes(value))


@dataclass(frozen=True)
class LengthKind(TypeKind):
    """A length in words, or a multiple of the collection's text block, of at most some words."""

    type = Length

    @property
    def _expected(self) -> str:
        multiple = "a multiple of the collection's usual text block (0.5x, 0.2x up to 10)"
        return f"a number of words (40), or {multiple}{self._or_absent}"

    def plain(self, value: Length | None) -> Plain:
        """Return the number of words, or the multiple as text."""
        return super().plain(value if value is None else str(value) if value.relative else int(value.value))
