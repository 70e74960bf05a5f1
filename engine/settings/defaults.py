"""The defaults of settings, of which a few depend on the ranking: whether its weights adapt to the query."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from engine.settings.catalogue import ELEMENT_PARAMETERS, FIXED_ELEMENT_PARAMETERS, ROWS
from engine.settings.kinds.values import ParameterMapping
from engine.similarity.named_expressions import is_own, named_expression


@cache
def default_values() -> Mapping[str, Any]:
    """Return the defaults by name, typed; parameters of the element similarity are one of them."""
    values = {row.name: row.kind.parse(row.name, row.default) for row in ROWS}
    return MappingProxyType({**values, "element_parameters": ParameterMapping(ELEMENT_PARAMETERS)})


@cache
def fixed_values() -> Mapping[str, Any]:
    """Return the values in place of defaults where no weight depends on the query.

    That is where elements are ranked by another similarity than `adaptive`, or by structure.
    """
    values = {row.name: row.kind.parse(row.name, row.fixed) for row in ROWS if row.fixed is not None}
    return MappingProxyType({**values, "element_parameters": ParameterMapping(FIXED_ELEMENT_PARAMETERS)})


def scores_elements(settings: Mapping[str, Any]) -> bool:
    """Return whether a ranking scores elements, or parts of them."""
    return (settings["rank_by"], settings["approach"] == "fulltext") == ("score", False)


def adapts(settings: Mapping[str, Any]) -> bool:
    """Return whether a ranking weighs by the focus of the query."""
    return settings["rank_by"] == "score" and "focus" in named_expression(settings["element_similarity"]).parameters


@cache
def usual_values(*, adapts: bool) -> Mapping[str, Any]:
    """Return the defaults of rankings whose weights adapt to the query, or of the others."""
    others = {} if adapts else fixed_values()
    return MappingProxyType({**default_values(), "parameters": ParameterMapping(), **others})


def companions(settings: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that change with others, because whether weights adapt to the query does.

    Those whose value is the usual one of the former kind of ranking get that of the new kind. Parameters of a function
    of the user are of no other similarity, nor those of others of it.
    """
    does, will = adapts(settings), adapts({**settings, **changed})
    before, after = usual_values(adapts=does), usual_values(adapts=will)
    former = settings["element_similarity"]
    similarity = changed.get("element_similarity", former)
    of_functions: dict[str, Any] = {}
    if similarity != former and (is_own(similarity) or is_own(former)):
        of_functions["element_parameters"] = ParameterMapping() if is_own(similarity) else after["element_parameters"]
    if does == will:
        return of_functions
    unset = [name for name in fixed_values() if settings[name] == before[name]]
    legal = named_expression(settings["element_similarity"]).parameters
    usual_parameters = {name: each for name, each in before["element_parameters"].items() if name in legal}
    if settings["element_parameters"] == usual_parameters:
        unset.append("element_parameters")
    return {**{name: after[name] for name in unset}, **of_functions}
