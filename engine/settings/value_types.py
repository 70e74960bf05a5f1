"""The kinds of values that settings have: one parser and one formatter each.

Parsers take text (command line, files, run headers) or typed values (Python, TOML); inside, settings are typed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from engine.errors import SettingsError
from engine.imported_function import name_of
from engine.memory_size import format_bytes, parse_bytes
from engine.settings.length import Length
from engine.settings.tag_selector import TagSelector
from engine.spelling import did_you_mean

# Largest count; arrays can still be numbered by it.
HIGHEST = 1_000_000_000
# Text that denotes "no bound"; its value is None.
UNBOUNDED = "all"
# Text that denotes "from the query and the collection"; its value is None.
AUTOMATIC = "auto"
FLAGS = {"on": True, "true": True, "1": True, "off": False, "false": False, "0": False}

Plain = str | int | float | bool


class Kind(Protocol):
    """How the values of a setting are read and written."""

    def parse(self, name: str, value: Any) -> Any:
        """Return the typed value; raises SettingsError that names the setting, the value and what is legal."""

    def is_typed(self, value: Any) -> bool:
        """Return whether a value is legal as it is, such as `parse` returns it."""

    def plain(self, value: Any) -> Plain:
        """Return the value as TOML and JSON hold it; `parse` reads it, and its text, back."""


@dataclass(frozen=True)
class Choice:
    """One of some words."""

    names: tuple[str, ...]

    def parse(self, name: str, value: Any) -> str:
        """Return the word."""
        if not isinstance(value, str) or value not in self.names:
            hint = did_you_mean(str(value), self.names)
            raise refused(name, value, f"{hint}expected one of {', '.join(self.names)}.")
        return value

    def is_typed(self, value: Any) -> bool:
        """Return whether this is one of the words."""
        return isinstance(value, str) and value in self.names

    def plain(self, value: str) -> Plain:
        """Return the word."""
        return value


@dataclass(frozen=True)
class Flag:
    """Yes or no: a bool; on, off, true or false in text."""

    def parse(self, name: str, value: Any) -> bool:
        """Return the bool."""
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in FLAGS:
            return FLAGS[value.lower()]
        raise refused(name, value, "expected true or false (on or off).")

    def is_typed(self, value: Any) -> bool:
        """Return whether this is a bool."""
        return isinstance(value, bool)

    def plain(self, value: bool) -> Plain:
        """Return the bool."""
        return value


@dataclass(frozen=True)
class Count:
    """A whole number from 1 to the highest; None for no bound, where that is legal."""

    highest: int = HIGHEST
    may_be_unbounded: bool = False

    def parse(self, name: str, value: Any) -> int | None:
        """Return the number."""
        if self.may_be_unbounded and (value is None or value == UNBOUNDED):
            return None
        or_all = f", or {UNBOUNDED}" if self.may_be_unbounded else ""
        try:
            number = int(str(value))
        except ValueError:  # no whole number, or one with more digits than Python converts
            number = 0
        if number < 1:
            raise refused(name, value, f"expected a whole number from 1{or_all}.")
        if number > self.highest:
            raise refused(name, value, f"expected at most {self.highest:,}{or_all}.")
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
        if isinstance(value, Length):
            return value
        try:
            return Length.parse(str(value))
        except SettingsError:
            or_all = f", or {UNBOUNDED}" if self.may_be_unbounded else ""
            legal = "a number of words (40), or a multiple of the collection's usual text block (0.5x)"
            raise refused(name, value, f"expected {legal}{or_all}.") from None

    def is_typed(self, value: Any) -> bool:
        """Return whether this is a Length, or None where that is legal."""
        return isinstance(value, Length) or (value is None and self.may_be_unbounded)

    def plain(self, value: Length | None) -> Plain:
        """Return the number of words, or the multiple as text."""
        if value is None:
            return UNBOUNDED
        return str(value) if value.relative else int(value.value)


@dataclass(frozen=True)
class AnswersKind:
    """One of some words, or a tag selector."""

    names: tuple[str, ...]

    def parse(self, name: str, value: Any) -> str | TagSelector:
        """Return the word or the selector."""
        if isinstance(value, TagSelector):
            return value
        if isinstance(value, str) and value in self.names:
            return value
        try:
            return TagSelector.parse(str(value))
        except SettingsError:
            hint = did_you_mean(str(value), self.names)
            legal = f"one of {', '.join(self.names)}; or the elements of some tags: //p, //(sec|p)"
            raise refused(name, value, f"{hint}expected {legal}.") from None

    def is_typed(self, value: Any) -> bool:
        """Return whether this is one of the words, or a TagSelector."""
        return isinstance(value, TagSelector) or (isinstance(value, str) and value in self.names)

    def plain(self, value: str | TagSelector) -> Plain:
        """Return the text."""
        return str(value)


@dataclass(frozen=True)
class TagsKind:
    """A tag selector, or None, for which a word stands in text."""

    absent: str

    def parse(self, name: str, value: Any) -> TagSelector | None:
        """Return the selector."""
        if value is None or value == self.absent:
            return None
        if isinstance(value, TagSelector):
            return value
        try:
            return TagSelector.parse(str(value))
        except SettingsError:
            legal = f"{self.absent}, or the elements of some names: //body, '//(ref-list|back)'"
            raise refused(name, value, f"expected {legal}.") from None

    def is_typed(self, value: Any) -> bool:
        """Return whether this is a TagSelector, or None."""
        return value is None or isinstance(value, TagSelector)

    def plain(self, value: TagSelector | None) -> Plain:
        """Return the text."""
        return self.absent if value is None else str(value)


@dataclass(frozen=True)
class PatternKind:
    """A pattern of document ids, in which * stands for any text, ? for a character, [abc] for one of some; or None."""

    longest: ClassVar[int] = 1000

    def parse(self, name: str, value: Any) -> str | None:
        """Return the pattern."""
        if value is None or value == UNBOUNDED:
            return None
        if not self.is_typed(value):
            raise refused(name, value, f"expected a pattern of document ids, such as 'jats/*', or {UNBOUNDED}.")
        pattern: str = value
        return pattern

    def is_typed(self, value: Any) -> bool:
        """Return whether this is a pattern, or None."""
        return value is None or (isinstance(value, str) and 0 < len(value) <= self.longest and value != UNBOUNDED)

    def plain(self, value: str | None) -> Plain:
        """Return the text."""
        return UNBOUNDED if value is None else value


@dataclass(frozen=True)
class EncoderKind:
    """The name of an encoder: of a package, or of a function as `module:function`; None for none."""

    absent: ClassVar[str] = "none"
    packages: ClassVar[tuple[str, ...]] = ("wordllama",)

    def parse(self, name: str, value: Any) -> str | None:
        """Return the name; of a function its module and name."""
        if value is None or value == self.absent:
            return None
        if callable(value):
            value = name_of(value)
        if not self.is_typed(value):
            legal = f"{self.absent}, {', '.join(self.packages)}, or a function of yours, module:function"
            raise refused(name, value, f"expected {legal}.")
        encoder: str = value
        return encoder

    def is_typed(self, value: Any) -> bool:
        """Return whether this is None, a package, or names a module and a function."""
        if value is None or value in self.packages:
            return True
        module, _, function = value.partition(":") if isinstance(value, str) else ("", "", "")
        return function.isidentifier() and all(part.isidentifier() for part in module.split("."))

    def plain(self, value: str | None) -> Plain:
        """Return the name."""
        return self.absent if value is None else value


def refused(name: str, value: Any, reason: str) -> SettingsError:
    """Return the error of a value that a setting does not take."""
    return SettingsError(f"{name} = '{value}': {reason}")
