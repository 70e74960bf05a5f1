"""The kinds of values that settings have: one parser and one formatter each.

Parsers take text (command line, files, run headers) or typed values (Python, TOML); inside, settings are typed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self, TypeVar

from engine.errors import SettingsError
from engine.imported_function import name_of
from engine.spelling import did_you_mean

# Text that denotes "no bound"; its value is None.
UNBOUNDED = "all"
FLAGS = {"on": True, "true": True, "1": True, "off": False, "false": False, "0": False}

Plain = str | int | float | bool


class Kind(Protocol):
    """How the values of a setting are read and written."""

    def parse(self, name: str, value: Any) -> Any:
        """Return the typed value; raises SettingsError that names the setting, the value and what is legal."""

    def is_typed(self, value: Any) -> bool:
        """Return whether a value is legal as it is, such as `parse` returns it."""

    def plain(self, value: Any) -> Plain:
        """Return the value as TOML and JSON have it; `parse` reads it, and its text, back."""


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


class Parsed(Protocol):
    """A typed value that text denotes."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the value of a text; raises SettingsError for any other."""


Typed = TypeVar("Typed", bound=Parsed)


def parsed(kind: type[Typed], name: str, value: Any, legal: str, words: Sequence[str] = ()) -> Typed:
    """Return a value of a type, or the one that a text denotes.

    Args:
        legal: values that are legal, in words; words: those among them, one of which may be misspelt.
    Raises: SettingsError for any other value.
    """
    if isinstance(value, kind):
        return value
    try:
        return kind.parse(str(value))
    except SettingsError:
        hint = did_you_mean(str(value), words)
        raise refused(name, value, f"{hint}expected {legal}.") from None


def refused(name: str, value: Any, reason: str) -> SettingsError:
    """Return the error of a value that a setting does not take."""
    return SettingsError(f"{name} = '{value}': {reason}")
