"""The parameters of the similarities in settings: checked, and without those that have their default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import SettingsError
from engine.settings.definitions import PREFIX, PRESET
from engine.settings.kinds.parameter_mapping import ParameterMapping
from engine.similarity.article_similarity import defaults_of
from engine.similarity.article_similarity import preset as preset_parameters
from engine.similarity.named_expressions import named_expression
from engine.similarity.parameters import COMPUTED, check_parameter, defaults


def article_parameters(
    ranking: str, current: Mapping[str, Any], preset: Any, given: Mapping[str, Any], *, scores_elements: bool
) -> ParameterMapping:
    """Return the parameters of an article similarity that differ from its defaults.

    Args:
        ranking: the similarity.
        current: parameters to start from, unless a preset is named; those of another similarity are left out.
        given: values by name, which take precedence.
        scores_elements: whether elements are scored, which the message on a foreign parameter then mentions.

    Raises: SettingsError for a parameter that the similarity does not have, or an illegal value.
    """
    of_similarity = defaults_of(ranking)
    chosen = current if preset is None else preset_parameters(ranking, PRESET.parse("preset", preset))
    checked = {name: check_parameter(name, value) for name, value in given.items()}
    if foreign := sorted(set(checked) - set(of_similarity)):
        elements = f", or of the elements' score: {PREFIX}{foreign[0]}" if scores_elements else ""
        raise SettingsError(
            f"'{foreign[0]}' is not a parameter of {ranking}, which has {', '.join(of_similarity)}: leave it "
            f"out, or choose the similarity that has it{elements}."
        )
    parameters = {**{name: value for name, value in chosen.items() if name in of_similarity}, **checked}
    return _without_defaults(parameters, of_similarity)


def element_parameters(
    element_similarity: str, current: Mapping[str, Any], given: Mapping[str, Any]
) -> ParameterMapping:
    """Return the parameters of an element similarity that differ from its defaults.

    Args:
        element_similarity: the element similarity.
        current: parameters to start from; those of another similarity are left out.
        given: values by name, with the prefix, which take precedence.

    Raises: SettingsError for a parameter that the similarity does not have, or an illegal value.
    """
    known_parameters = named_expression(element_similarity).parameters
    legal = known_parameters - COMPUTED
    parameters = {name: value for name, value in current.items() if name in legal}
    for prefixed, value in given.items():
        name = prefixed.removeprefix(PREFIX)
        if name not in legal:
            known = ", ".join(PREFIX + each for each in sorted(legal)) or "none"
            raise SettingsError(f"'{prefixed}' is not a parameter of {element_similarity}, which has {known}.")
        parameters[name] = check_parameter(name, value, called=prefixed)
    return _without_defaults(parameters, defaults(known_parameters))


def named_values(parameters: Any) -> dict[str, Any]:
    """Return parameters given together, by name; raises SettingsError for what is not a mapping."""
    if not isinstance(parameters, Mapping):
        raise SettingsError(f"parameters = '{parameters}': expected names and values, such as k1 = 1.2.")
    return dict(parameters)


def _without_defaults(parameters: Mapping[str, Any], usual: Mapping[str, Any]) -> ParameterMapping:
    """Return the parameters that differ from their defaults, so that equal settings compare and hash equal."""
    return ParameterMapping({name: value for name, value in parameters.items() if value != usual[name]})
