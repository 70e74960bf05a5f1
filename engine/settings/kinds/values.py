"""Values of settings with a form of their own: lengths in words, tags of answers, parameters of a similarity.

Lengths are absolute, or relative to the collection's text block. Tags are in the notation of NEXI.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from engine.errors import SettingsError
from engine.imported_function import name_of
from engine.records import dataclass
from engine.similarity.parameters import ParameterValue
from engine.wording import shown

# The highest limit of a length.
HIGHEST = 999_999_999
LENGTH = re.compile(r"(?P<words>[0-9]+)|(?P<multiple>[0-9]+(\.[0-9]+)?|\.[0-9]+)x(\s+up\s+to\s+(?P<most>[0-9]{1,9}))?")


@dataclass(frozen=True)
class Length:
    """A length: a whole number of words, or (relative) a multiple of the collection's text block, at most `most` words.

    >>> Length(0.5, relative=True).resolve(80.0), Length(40).resolve(80.0)
    (40.0, 40.0)
    >>> Length(0.5, relative=True, most=10).resolve(80.0)
    10.0
    """

    value: float
    relative: bool = False
    most: int | None = None

    def __post_init__(self) -> None:
        if (
            isinstance(self.value, bool)
            or not isinstance(self.value, int | float)
            or not isinstance(self.relative, bool)
        ):
            raise TypeError(
                f"Length({shown(self.value)}, relative={shown(self.relative)}): expected a number and a bool."
            )
        if not (math.isfinite(self.value) and self.value >= 0 and (self.relative or self.value == int(self.value))):
            expected = "a number" if self.relative else "a whole number of words"
            raise SettingsError(f"Length({shown(self.value)}): expected {expected}, 0 or more.")
        if self.most is not None:
            if isinstance(self.most, bool) or not isinstance(self.most, int):
                raise TypeError(f"Length(most={shown(self.most)}): expected a whole number of words, or None.")
            if not 0 <= self.most <= HIGHEST or not self.relative:
                expected = f"0 to {HIGHEST:,}, of a relative length"
                raise SettingsError(f"Length(most={shown(self.most)}): expected {expected}.")
        object.__setattr__(self, "value", float(self.value))

    @classmethod
    def parse(cls, text: str) -> Length:
        """Return the length that a text such as `40`, `0.5x` or `0.2x up to 10` denotes.

        Raises: SettingsError for any other text, TypeError for what is not text.
        """
        if not isinstance(text, str):
            raise TypeError(f"text: expected str, got {type(text).__name__}.")
        match = LENGTH.fullmatch(text.strip())
        value = float(match["words"] or match["multiple"]) if match else math.inf
        if match is None or not math.isfinite(value):
            raise SettingsError(
                f"{shown(text)}: expected a number of words, such as 40, or a multiple, such as 0.5x or 0.2x up to 10."
            )
        most = None if match["most"] is None else int(match["most"])
        return cls(value, relative=match["words"] is None, most=most)

    def resolve(self, block_words: float) -> float:
        """Return the length in words, for a collection whose text blocks have `block_words` words."""
        if not self.relative:
            return self.value
        return min(self.value * block_words, math.inf if self.most is None else float(self.most))

    def __str__(self) -> str:
        number = np.format_float_positional(self.value, trim="-")
        multiple = f"{number}x" if self.relative else number
        return multiple if self.most is None else f"{multiple} up to {self.most}"


NAME = r"[\w.:-]+"
SELECTOR = re.compile(rf"//(?:({NAME})|\(({NAME}(?:\|{NAME})*)\))")


@dataclass(frozen=True)
class TagSelector:
    """The elements with one of the given tags.

    >>> str(TagSelector(("sec", "p"))), TagSelector.parse("//p").names
    ('//(sec|p)', ('p',))
    """

    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.names, tuple) or not all(isinstance(name, str) for name in self.names):
            raise TypeError(f"TagSelector({shown(self.names)}): expected a tuple of tag names.")
        if not self.names or not all(re.fullmatch(NAME, name) for name in self.names):
            raise SettingsError(f"TagSelector({shown(self.names)}): expected tag names, such as ('sec', 'p').")

    @classmethod
    def parse(cls, text: str) -> TagSelector:
        """Return the selector that a text such as `//p` or `//(sec|p)` denotes.

        Raises: SettingsError for any other text, TypeError for what is not text.
        """
        if not isinstance(text, str):
            raise TypeError(f"text: expected str, got {type(text).__name__}.")
        match = SELECTOR.fullmatch(text)
        if match is None:
            raise SettingsError(f"{shown(text)}: expected tags, such as //p or //(sec|p).")
        return cls(tuple((match[1] or match[2]).split("|")))

    def __str__(self) -> str:
        return f"//{self.names[0]}" if len(self.names) == 1 else f"//({'|'.join(self.names)})"


PART = re.compile(r"(?P<name>[\w.-]+(?::\w+)?)(?:\^(?P<weight>[0-9]+(?:\.[0-9]*)?|\.[0-9]+))?")
HIGHEST_WEIGHT = 1e6


@dataclass(frozen=True)
class PartWeights:
    """Parts of the score from outside: names of functions with their weights, by name.

    >>> str(PartWeights.parse("b.c:fresh^0.5, a:rank"))
    'a:rank^1, b.c:fresh^0.5'
    """

    weights: tuple[tuple[str, float], ...]

    @classmethod
    def parse(cls, text: str) -> PartWeights:
        """Return what a text such as `module:function^0.5, name` denotes; raises SettingsError for any other."""
        matches = [PART.fullmatch(each.strip()) for each in text.split(",")]
        if not all(matches):
            raise SettingsError(f"{shown(text)}: expected names with weights, such as module:function^0.5.")
        found = [(match["name"], float(match["weight"] or 1)) for match in matches if match is not None]
        if len(dict(found)) < len(found):
            raise SettingsError(f"{shown(text)}: a name is there twice.")
        return cls._checked(found)

    @classmethod
    def of(cls, weights: Mapping[Any, Any]) -> PartWeights:
        """Return functions, or their names, with their weights. Raises: SettingsError; ArgumentError."""
        found = []
        for function, weight in weights.items():
            name = name_of(function)
            is_number = isinstance(weight, int | float) and not isinstance(weight, bool)
            if not is_number or not re.fullmatch(r"[\w.-]+(:\w+)?", name):
                raise SettingsError(f"{shown(weights)}: expected functions, or their names, with numbers.")
            found.append((name, float(weight)))
        return cls._checked(found)

    @classmethod
    def _checked(cls, found: list[tuple[str, float]]) -> PartWeights:
        if not found or not all(0 <= weight <= HIGHEST_WEIGHT for _, weight in found):
            raise SettingsError(f"expected weights from 0 to {HIGHEST_WEIGHT:g}.")
        return cls(tuple(sorted(found)))

    def __str__(self) -> str:
        return ", ".join(f"{name}^{np.format_float_positional(weight, trim='-')}" for name, weight in self.weights)


class ParameterMapping(Mapping[str, ParameterValue]):
    """An immutable mapping of parameter names to values, in the order in which they were given."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, ParameterValue] = {}) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> ParameterValue:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(frozenset(self._values.items()))

    def __repr__(self) -> str:
        return f"ParameterMapping({self._values!r})"
