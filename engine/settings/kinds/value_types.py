"""The kinds of values that settings have: each reads and writes its values.

They take text (command line, files, run headers) or typed values (Python, TOML); inside, settings are typed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import field
from typing import Any, ClassVar

from engine.errors import SettingsError
from engine.imported_function import name_of
from engine.notices import Notice
from engine.records import dataclass
from engine.settings.kinds.length import Length
from engine.settings.kinds.tag_selector import TagSelector
from engine.wording.did_you_mean import did_you_mean
from engine.wording.shown_values import shown_text

# Words that denote None: no bound, and a value that is estimated from the query and the collection.
UNBOUNDED, AUTOMATIC = "all", "auto"
FLAGS = {"on": True, "true": True, "1": True, "off": False, "false": False, "0": False}

Plain = str | int | float | bool


@dataclass(frozen=True)
class Kind(ABC):
    """How the values of a setting are read and written.

    absent: the word that denotes None in text; without one, None is not legal.
    """

    absent: str | None = field(default=None, kw_only=True)

    def parse(self, name: str, value: Any) -> Any:
        """Return the typed value; raises SettingsError that names the setting, the value and what is legal."""
        if self.absent is not None and (value is None or value == self.absent):
            return None
        typed = self._read(value)
        if typed is None or not self.is_typed(typed):
            raise refused(name, value, f"{self._hint(value)}expected {self._expected}.")
        return typed

    def is_typed(self, value: Any) -> bool:
        """Return whether a value is legal as it is, such as `parse` returns it."""
        return self.absent is not None if value is None else self._is_legal(value)

    def plain(self, value: Any) -> Plain:
        """Return the value as TOML and JSON have it; `parse` reads it, and its text, back."""
        plain: Plain = str(self.absent) if value is None else value
        return plain

    def _read(self, value: Any) -> Any:
        """Return the typed value that a given one denotes, if any: it need not be legal."""
        return value

    @abstractmethod
    def _is_legal(self, value: Any) -> bool:
        """Return whether a value other than None is legal as it is."""

    @property
    def _expected(self) -> str:
        """Return the legal values in words."""
        return ""

    @property
    def _or_absent(self) -> str:
        return "" if self.absent is None else f", or {self.absent}"

    def _hint(self, value: Any) -> str:
        """Return the legal word that an illegal one resembles, as the beginning of a message."""
        return ""


@dataclass(frozen=True)
class Choice(Kind):
    """One of some words."""

    names: tuple[str, ...]

    def _is_legal(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.names

    @property
    def _expected(self) -> str:
        return f"one of {', '.join(self.names)}"

    def _hint(self, value: Any) -> str:
        return did_you_mean(str(value), self.names)


@dataclass(frozen=True)
class Flag(Kind):
    """Yes or no: a bool; on, off, true or false in text."""

    def _read(self, value: Any) -> bool | None:
        return FLAGS.get(value.lower()) if isinstance(value, str) else value

    def _is_legal(self, value: Any) -> bool:
        return isinstance(value, bool)

    @property
    def _expected(self) -> str:
        return "true or false (on or off)"


@dataclass(frozen=True)
class EncoderKind(Kind):
    """The name of an encoder: of a package, or of a function as `module:function`."""

    packages: ClassVar[tuple[str, ...]] = ("wordllama",)

    def _read(self, value: Any) -> Any:
        return name_of(value) if callable(value) else value

    def _is_legal(self, value: Any) -> bool:
        module, _, function = value.partition(":") if isinstance(value, str) else ("", "", "")
        is_function = function.isidentifier() and all(part.isidentifier() for part in module.split("."))
        return is_function or value in self.packages

    @property
    def _expected(self) -> str:
        return f"{self.absent}, {', '.join(self.packages)}, or a function of yours, module:function"


@dataclass(frozen=True)
class TypeKind(Kind):
    """A value of a type that text denotes, which `parse` of the type reads."""

    type: ClassVar[type[Length] | type[TagSelector]]

    def _read(self, value: Any) -> Any:
        try:
            return value if isinstance(value, self.type) else self.type.parse(str(value))
        except SettingsError:
            return None

    def _is_legal(self, value: Any) -> bool:
        return isinstance(value, self.type)


def refused(name: str, value: Any, reason: str) -> SettingsError:
    """Return the error of a value that a setting does not take."""
    return SettingsError(Notice("setting_value", {"name": name, "value": shown_text(value), "reason": reason}))
