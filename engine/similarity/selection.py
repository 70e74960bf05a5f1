"""What ranks articles: a preset by its name, or a Q-expression of documents."""

from __future__ import annotations

from functools import cache
from typing import Any

from engine.errors import SettingsError
from engine.setting_values import near
from engine.similarity.approaches import APPROACHES, is_name, named_expression
from engine.similarity.articles import SIMILARITIES
from engine.similarity.expression import Calculated
from engine.similarity.parameters import Parameters, defaults


@cache
def document_expression(name: str) -> Calculated | None:
    """Return the expression that ranks articles, None for a preset.

    Raises: SettingsError for a text that is none of both, or that scores no documents.
    """
    if name in SIMILARITIES:
        return None
    if is_name(name) and name not in APPROACHES:
        raise _unknown(name, "")
    expression = named_expression(name)
    if not isinstance(expression, Calculated) or expression.context != "D":
        raise _unknown(name, f"{expression} scores elements, and articles are to be ranked: ")
    return expression


def _unknown(name: str, why: str) -> SettingsError:
    others = [each.name for each in APPROACHES.values() if each.expression.startswith("D")]
    hint = near(name.lower(), [*others, *({name.lower()} & set(APPROACHES))])
    more = ", ".join(each for each in others if each not in SIMILARITIES)
    return SettingsError(
        f"similarity = '{name}': {why}{hint}expected one of {', '.join(SIMILARITIES)}. Names of Q-expressions do too "
        f"({more}), and Q-expressions of documents such as D[BB-ABF-BAA]; those of elements (gpx, E[DM-AFI-BAA]) rank "
        "elements: see foxir similarity."
    )


def check_similarity(value: Any) -> str:
    """Return what ranks articles as it is to be kept: a name, or the text of an expression."""
    name = str(value).strip()
    document_expression(name)
    return name


def defaults_of(name: str) -> dict[str, Any]:
    """Return the parameters of what ranks articles, with their defaults."""
    expression = document_expression(name)
    return dict(SIMILARITIES[name].defaults) if expression is None else dict(defaults(expression.parameters))


def preset(name: str, which: str) -> Parameters:
    """Return the parameters of a preset of a similarity: default, or tuned (thesis, on INEX 2005).

    Raises: SettingsError for another preset, or for an expression, which has none that are tuned.
    """
    if which not in ("default", "tuned"):
        raise SettingsError(f"preset = '{which}': expected default or tuned.")
    if which == "default":
        return {}
    if name not in SIMILARITIES:
        raise SettingsError(
            f"preset = 'tuned': {name} has no tuned parameters, {', '.join(SIMILARITIES)} have: set each with --set."
        )
    return SIMILARITIES[name].tuned
