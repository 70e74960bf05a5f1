"""The registry of measure families; a family is a decorated function.

::

    @measure(
        "hixeval",
        line="precision and recall of highlighted characters",
        formula="P@r = 1/r sum rval(e_i)/size(e_i) ...",
        source="Pehcevski & Thom, HiXEval, INEX 2005",
        options={"alpha": "how much of ..."},
    )
    def hixeval(ranking, judgements, locator, *, alpha: float = 1.0) -> MeasureValues: ...

The function takes one topic of one run and the judgements of that topic, and returns the value of each measure by name;
None where a value is not defined, and for every measure of a topic without relevance. Options are its keyword-only
arguments: the annotation defines the kind of values, the default the default.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias, Union, get_args, get_origin, get_type_hints

from engine.errors import MeasureError
from engine.runs import Ranking
from engine.wording import did_you_mean, shortened, shown
from eval.judgements.judgements import Judgements
from eval.numbers import Summary
from eval.text.element_locator import ElementLocator

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


MeasureValues: TypeAlias = Mapping[str, float | None]

# What scoring ensures before it computes a family, from an index where necessary.
# ``elements``: the judgements contain judged elements (passages are expanded to the elements that intersect them).
# ``sizes``: judged elements, if any, have sizes and rsizes. ``offsets``: results and passages have character offsets
# (those that cannot be located keep -1).
Requirement: TypeAlias = Literal["elements", "sizes", "offsets"]


class MeasureFunction(Protocol):
    """Computes a family for one topic of one run."""

    def __call__(
        self, ranking: Ranking, judgements: Judgements, locator: ElementLocator | None, /, **options: OptionValue
    ) -> MeasureValues:
        """Return the value of each measure of the family."""


# Counts warnings about a topic, by the codes of notices; the counts of all topics of a run are added, reported once.
WarningCounter: TypeAlias = Callable[[Ranking, Judgements, ElementLocator | None], Mapping[str, int]]


@dataclass(frozen=True)
class MeasureFamily:
    """A family of measures that are computed together.

    ``requires`` returns what judgements and results must contain under given options.
    ``detail`` are prefixes of measure names (points of long curves) that printed tables omit unless requested.
    ``summaries`` are those of measures of which a run does not have the mean over topics.
    """

    name: str
    line: str
    formula: str
    source: str
    options: tuple[MeasureOption, ...]
    function: MeasureFunction
    requires: Callable[[Mapping[str, OptionValue]], tuple[Requirement, ...]]
    detail: tuple[str, ...] = ()
    count_warnings: WarningCounter | None = None
    summaries: Mapping[str, Summary] = field(default_factory=dict)

    def complete(self, given: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
        """Return all options of the family with the given values or their defaults; other options are ignored."""
        return {o.name: o.check(given[o.name]) if o.name in given else o.default for o in self.options}


FAMILIES: dict[str, MeasureFamily] = {}


def measure(
    name: str,
    *,
    line: str,
    formula: str,
    source: str,
    options: Mapping[str, str],
    requires: tuple[Requirement, ...] | Callable[[Mapping[str, OptionValue]], tuple[Requirement, ...]] = (),
    detail: tuple[str, ...] = (),
    count_warnings: WarningCounter | None = None,
    summaries: Mapping[str, Summary] | None = None,
) -> Callable[[Callable[..., MeasureValues]], Callable[..., MeasureValues]]:
    """Return the decorator that registers a function as family ``name``.

    ``options`` documents each keyword-only argument. ``requires`` may be a function of the option values.
    """

    def enter(function: Callable[..., MeasureValues]) -> Callable[..., MeasureValues]:
        if name in FAMILIES:
            raise ValueError(f"measure family {name!r} is registered twice")
        declared = read_options(function, options)
        required = requires if callable(requires) else lambda _: requires
        FAMILIES[name] = MeasureFamily(
            name, line, formula, source, declared, function, required, detail, count_warnings, summaries or {}
        )
        return function

    return enter


def measure_family(name: str) -> MeasureFamily:
    """Return the family with a name (case ignored); MeasureError for an unknown one."""
    found = FAMILIES.get(name.lower())
    if found is None:
        raise MeasureError(
            f"there is no measure family {shown(name)}{suggestion(name, FAMILIES)} "
            f"choose among: {', '.join(sorted(FAMILIES))}."
        )
    return found


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return the middle of an error message: a suggestion if a known name is similar, else a semicolon.

    >>> suggestion("els", ["esl", "quant"]), suggestion("xyz", ["esl"])
    (": did you mean 'esl'?", ';')
    """
    hint = did_you_mean(name, known)
    return f": {hint.rstrip()}" if hint else ";"
