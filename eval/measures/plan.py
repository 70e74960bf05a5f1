"""What is to be computed: families with one value for each option, every combination that was asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from engine.errors import MeasureError
from eval.measures.options import Option, Value
from eval.measures.registry import Family, family, nearest

Settings: TypeAlias = Mapping[str, Value | Sequence[Value]]
"""Options by name. A list asks for each of its values; for an option of whole numbers it is one value."""


@dataclass(frozen=True)
class Step:
    """A family with one value for each of its options."""

    family: Family
    options: Mapping[str, Value]

    def __str__(self) -> str:
        values = [(option, self.options[option.name]) for option in self.family.options]
        changed = [f"{o.name}={value}" for o, value in values if value != o.default and o.kind != "whole numbers"]
        return " ".join([self.family.name, *changed])


def plan(measures: Sequence[str], settings: Settings) -> list[Step]:
    """Return one step for every family and every combination of the option values asked for.

    An option that only some of the families have is given to those; MeasureError if none has it.
    """
    families = list({one.name: one for one in map(family, measures)}.values())
    known = {option.name for one in families for option in one.options}
    unknown = sorted(set(settings) - known)
    if unknown:
        raise MeasureError(
            f"no measure asked for has an option {unknown[0]!r}{nearest(unknown[0], known)} "
            f"{', '.join(one.name for one in families)} {'have' if len(families) > 1 else 'has'}: "
            f"{', '.join(sorted(known)) or 'none'}."
        )
    steps = []
    for one in families:
        values = [_values(option, settings) for option in one.options]
        for combination in product(*values):
            names = [option.name for option in one.options]
            steps.append(Step(one, one.settings(dict(zip(names, combination, strict=True)))))
    return steps


def _values(option: Option, settings: Settings) -> list[Value]:
    """Return the values asked for of one option, its default if none is."""
    if option.name not in settings:
        return [option.default]
    given = settings[option.name]
    if isinstance(given, str) or not isinstance(given, Sequence):
        return [given]
    if option.kind == "whole numbers" and all(isinstance(number, int) for number in given):
        return [tuple(number for number in given if isinstance(number, int))]
    return list(dict.fromkeys(given))
