"""Options of a measure family, read from the keyword arguments of its function."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from engine.errors import MeasureError
from engine.wording import shortened

OptionValue: TypeAlias = str | int | float | bool | tuple[int, ...] | None

# Options that are shares, checked before anything is scored.
SHARES = ("alpha",)
_WORDS = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}


@dataclass(frozen=True)
class MeasureOption:
    """One option of a family: name, kind of values, default, description, and the allowed values if they are few."""

    name: str
    kind: Literal["word", "number", "whole number", "whole numbers", "truth"]
    default: OptionValue
    doc: str
    choices: tuple[str, ...] = ()
    may_be_none: bool = False

    def parse(self, text: str) -> OptionValue:
        """Return the value of a text, e.g. ``union``, ``0.5``, ``1,5,10``, ``true``, ``none``."""
        if self.may_be_none and text.lower() == "none":
            return None
        try:
            match self.kind:
                case "word":
                    return self.check(text.lower() if self.choices else text)
                case "number":
                    return float(text)
                case "whole number":
                    return int(text)
                case "whole numbers":
                    return tuple(int(number) for number in text.split(","))
                case "truth":
                    return _WORDS[text.lower()]
        except (ValueError, KeyError):
            raise MeasureError(f"{self.name}={shortened(text)}: expected {self.expected}.") from None

    def check(self, value: OptionValue) -> OptionValue:
        """Return the value in its canonical type; raise MeasureError if it is not allowed."""
        if isinstance(value, list):
            value = tuple(value)
        allowed = {
            "word": isinstance(value, str) and (not self.choices or value in self.choices),
            "number": isinstance(value, int | float) and not isinstance(value, bool),
            "whole number": isinstance(value, int) and not isinstance(value, bool),
            "whole numbers": isinstance(value, tuple) and all(isinstance(n, int) and n >= 1 for n in value),
            "truth": isinstance(value, bool),
        }[self.kind]
        if not allowed and not (value is None and self.may_be_none):
            raise MeasureError(f"{self.name}={shortened(str(value))}: expected {self.expected}.")
        if self.name in SHARES and isinstance(value, int | float) and not 0 <= value <= 1:
            raise MeasureError(f"{self.name}={value:g}: expected a number from 0 to 1: {self.doc}.")
        return float(value) if self.kind == "number" and isinstance(value, int) else value

    @property
    def expected(self) -> str:
        """Description of the allowed values."""
        shown = "one of " + ", ".join(self.choices) if self.choices else f"a {self.kind}"
        shown = {"a whole numbers": "whole numbers from 1, e.g. 1,5,10", "a truth": "true or false"}.get(shown, shown)
        return f"{shown}, or none" if self.may_be_none else shown


def read_options(function: Callable[..., Any], docs: Mapping[str, str]) -> tuple[MeasureOption, ...]:
    """Return the options that the keyword-only arguments of a function declare; each needs a default and a doc."""
    hints = get_type_hints(function)
    parameters = [p for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
    if {p.name for p in parameters} != set(docs):
        raise TypeError(f"{function.__name__}: options {[p.name for p in parameters]} but docs for {list(docs)}")
    return tuple(_option(p.name, hints[p.name], p.default, docs[p.name]) for p in parameters)


def _option(name: str, hint: Any, default: OptionValue, doc: str) -> MeasureOption:
    may_be_none = False
    if get_origin(hint) in (Union, types.UnionType):
        kinds = [kind for kind in get_args(hint) if kind is not type(None)]
        may_be_none, hint = len(kinds) < len(get_args(hint)), kinds[0]
    if get_origin(hint) is Literal:
        return MeasureOption(name, "word", default, doc, get_args(hint), may_be_none)
    if get_origin(hint) is tuple:
        return MeasureOption(name, "whole numbers", default, doc, (), may_be_none)
    kinds_by_type: dict[Any, Literal["word", "number", "whole number", "truth"]] = {
        str: "word",
        float: "number",
        int: "whole number",
        bool: "truth",
    }
    return MeasureOption(name, kinds_by_type[hint], default, doc, (), may_be_none)
