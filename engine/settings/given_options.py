"""The options of a search, sorted: settings, parameters of the article similarity, and of that of elements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.records import NamedTuple
from engine.settings.definitions import KINDS, PREFIX
from engine.settings.given_parameters import named_values
from engine.settings.kinds.similarity_kind import is_of_elements
from engine.settings.renamed_settings import RENAMED
from engine.settings.unknown_settings import unknown_setting
from engine.similarity.article_similarity import defaults_of
from engine.similarity.parameters import PARAMETERS


class GivenOptions(NamedTuple):
    """Options by what they set.

    settings: typed, by name. of_articles: parameters of the article similarity. of_elements: those of the element
    similarity, with the prefix. preset: of the article similarity; None for none. Only settings are checked.
    """

    settings: Mapping[str, Any]
    of_articles: Mapping[str, Any]
    of_elements: Mapping[str, Any]
    preset: Any


def given_options(options: Mapping[str, Any], similarity: str) -> GivenOptions:
    """Return options sorted; a similarity of elements, or a heuristic, implies `rank_by`.

    Args:
        similarity: of articles, where the options name none.

    Raises: SettingsError for an unknown name or an illegal value.
    """
    given = dict(options)
    of_articles, preset = named_values(given.pop("parameters", None) or {}), given.pop("preset", None)
    if is_of_elements(str(given.get("similarity", ""))):
        given = {"rank_by": "score", "element_similarity": given.pop("similarity"), **given}
    elif "heuristic" in given:
        given = {"rank_by": "structure", **given}
    settings: dict[str, Any] = {}
    of_elements: dict[str, Any] = {}
    for name, value in given.items():
        if name in KINDS:
            settings[name] = KINDS[name].parse(name, value)
        elif name in PARAMETERS and (
            name not in RENAMED or name in defaults_of(str(given.get("similarity", similarity)))
        ):
            of_articles[name] = value
        elif name.startswith(PREFIX):
            of_elements[name] = value
        else:
            raise unknown_setting(name)
    return GivenOptions(settings, of_articles, of_elements, preset)
