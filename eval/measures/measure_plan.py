"""The families to compute and their options: requested measures and option values, all combinations; tasks of INEX.

Sources of the tasks: Pehcevski & Thom, HiXEval, INEX 2005, section 4.1; Kamps, Lalmas & Pehcevski, SIGIR 2007.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from engine.errors import MeasureError
from engine.wording import shown
from eval.measures.measure_names import MeasureName, measure_name
from eval.measures.registry import MeasureFamily, MeasureOption, MeasureValues, OptionValue, suggestion


@dataclass(frozen=True)
class TaskMeasures:
    """The measure families and options of a task."""

    measures: tuple[str, ...]
    options: Mapping[str, OptionValue]


TASKS: Mapping[str, TaskMeasures] = {
    "Thorough": TaskMeasures(("hixeval",), {"alpha": 0.0}),  # overlap is allowed
    "Focussed": TaskMeasures(("hixeval",), {"alpha": 1.0}),  # overlap is penalised
    "FetchBrowse": TaskMeasures(("hixeval-group",), {"alpha": 0.0}),  # results grouped by article
    "RelevantInContext": TaskMeasures(("ric",), {}),
    "BestInContext": TaskMeasures(("bic",), {}),
}

SPELLINGS = {"focused": "Focussed"}


def task_measures(name: str) -> TaskMeasures:
    """Return the measures and options of a task; ``CO.Focussed``, ``focused`` and ``Focussed`` are the same."""
    word = name.strip().rpartition(".")[2].lower()
    known = {task.lower(): task for task in TASKS} | SPELLINGS
    if word not in known:
        raise MeasureError(f"there are no measures for task {shown(name)}; choose one of: {', '.join(TASKS)}.")
    return TASKS[known[word]]


# Option values by name. A list requests each of its values; a list of cut-offs is one value.
MeasureOptions: TypeAlias = Mapping[str, OptionValue | Sequence[OptionValue]]


@dataclass(frozen=True)
class PlannedMeasure:
    """A family with one value for each option; ``measures`` are the requested ones, empty if all of them are."""

    family: MeasureFamily
    options: Mapping[str, OptionValue]
    measures: tuple[str, ...] = ()

    def __str__(self) -> str:
        values = [(option, self.options[option.name]) for option in self.family.options]
        changed = [f"{o.name}={value}" for o, value in values if value != o.default and o.kind != "whole numbers"]
        return " ".join([self.family.name, *changed])

    def requested(self, values: MeasureValues) -> tuple[str, ...]:
        """Return the names of the requested measures among those that the family computed.

        Raises: MeasureError for a measure that the family does not have.
        """
        for name in self.measures:
            if name not in values:
                known = ", ".join(each for each in values if not each.startswith(self.family.detail))
                raise MeasureError(f"{self.family.name} has no measure {shown(name)}; it has: {known}.")
        return self.measures or tuple(values)


def plan(measures: Sequence[str], options: MeasureOptions) -> list[PlannedMeasure]:
    """Return an entry for every family and every combination of the requested option values.

    An option that only some of the families have applies to those. The cut-off in the name of a single measure
    (``P@7``) replaces the cut-offs of its family, or is added to them if the whole family is requested as well.

    Raises: MeasureError if no measure is named, for an unknown name, for an option that no family has, for a value that
        an option does not allow, and for cut-offs that no requested measure reads.
    """
    groups: dict[str, list[MeasureName]] = {}
    for name in dict.fromkeys(map(measure_name, measures)):
        groups.setdefault(name.family.name, []).append(name)
    if not groups:
        raise MeasureError("no measure is named; expected a family or a measure, e.g. hixeval, AP or nxCG@10.")
    _refuse_unknown_options([names[0].family for names in groups.values()], options)
    planned = [each for names in groups.values() for each in _planned(names, options)]
    _refuse_unused_cut_offs(groups.values(), options)
    return planned


def _planned(names: Sequence[MeasureName], options: MeasureOptions) -> list[PlannedMeasure]:
    """Return the entries of one family."""
    family = names[0].family
    is_whole = any(name.measure is None for name in names)
    single = () if is_whole else tuple(name.measure for name in names if name.measure is not None)
    values = [_values(option, options) for option in family.options]
    ranks = {name.rank for name in names if name.rank is not None}
    levels = {name.level for name in names if name.level is not None}
    for number, option in enumerate(family.options):
        named = levels if option.name == "levels" else ranks
        if option.kind == "whole numbers" and named:
            given = values[number][0] if is_whole else ()
            values[number] = [tuple(sorted({*(given if isinstance(given, tuple) else ()), *named}))]
    return [
        PlannedMeasure(
            family, family.complete(dict(zip([o.name for o in family.options], combination, strict=True))), single
        )
        for combination in product(*values)
    ]


def _refuse_unknown_options(families: Sequence[MeasureFamily], options: MeasureOptions) -> None:
    known = {option.name for family in families for option in family.options}
    unknown = sorted(set(options) - known)
    if unknown:
        raise MeasureError(
            f"no requested measure has an option {shown(unknown[0])}{suggestion(unknown[0], known)} "
            f"{', '.join(family.name for family in families)} {'have' if len(families) > 1 else 'has'}: "
            f"{', '.join(sorted(known)) or 'none'}."
        )


def _refuse_unused_cut_offs(groups: Collection[Sequence[MeasureName]], options: MeasureOptions) -> None:
    """Refuse cut-offs that are given as an option where only measures are requested that do not read it."""
    for option in {o.name for names in groups for o in names[0].family.options if o.kind == "whole numbers"}:
        having = [names for names in groups if any(o.name == option for o in names[0].family.options)]
        single = [name for names in having for name in names if name.measure is not None]
        if option in options and len(single) == sum(map(len, having)):
            measures = ", ".join(str(name.measure) for name in single)
            raise MeasureError(
                f"{option} has no effect on {measures}: leave it out, name the cut-off in the measure, such as P@5, "
                f"or request a family, such as {single[0].family.name}."
            )


def _values(option: MeasureOption, options: MeasureOptions) -> list[OptionValue]:
    """Return the requested values of one option, its default if none is requested."""
    if option.name not in options:
        return [option.default]
    given = options[option.name]
    if isinstance(given, str) or not isinstance(given, Sequence):
        return [option.check(given)]
    if option.kind == "whole numbers" and all(isinstance(number, int) for number in given):
        return [option.check(tuple(number for number in given if isinstance(number, int)))]
    return list(dict.fromkeys(option.check(value) for value in given))


def parse_options(texts: Mapping[str, str], measures: Sequence[str]) -> MeasureOptions:
    """Return options from their text as written by a user: ``0,1`` requests two values, cut-offs are one value.

    An option that none of the measures has is returned unchanged, for :func:`plan` to refuse.
    """
    families = [measure_name(name).family for name in measures]
    options: dict[str, OptionValue | Sequence[OptionValue]] = {}
    for name, text in texts.items():
        option = next((each for family in families for each in family.options if each.name == name), None)
        if option is None:
            options[name] = text
        elif option.kind == "whole numbers":
            options[name] = option.parse(text)
        else:
            options[name] = [option.parse(value.strip()) for value in text.split(",")]
    return options
