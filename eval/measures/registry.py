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

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from engine.errors import MeasureError
from engine.runs import Ranking
from engine.wording import did_you_mean, shown
from eval.judgements.judgements import Judgements
from eval.measures.measure_options import MeasureOption, OptionValue, read_options
from eval.text.element_locator import ElementLocator

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
            name, line, formula, source, declared, function, required, detail, count_warnings
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
