"""The options of a search: sorted into settings and parameters of the similarities, and checked.

The error for a name that is not a setting knows former and removed names, names in other programs, and misspelt ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, Literal

from engine.errors import SettingsError
from engine.imported_function import name_of
from engine.notices import Notice
from engine.records import NamedTuple
from engine.settings.catalogue import FORMER, KINDS, PREFIX, PRESET
from engine.settings.choices import Preset
from engine.settings.kinds.value_types import UNITS_OF_ELEMENTS, is_of_elements
from engine.settings.kinds.values import ParameterMapping
from engine.similarity.named_expressions import checked_value, defaults_of, is_own, named_expression
from engine.similarity.named_expressions import preset as preset_parameters
from engine.similarity.parameters import PARAMETERS, GivenParameters, ParameterValue, without_computed
from engine.wording import did_you_mean, shown, shown_text

RENAMED = {
    "articles": "max_articles",
    "per_article": "max_per_article",
    "matches": "max_matches",
    "sentences": "max_sentences",
    "shortest": "min_words",
    "longest": "max_words",
    "shortest_passage": "min_passage_words",
    "block": "block_words",
    "match": "operator",
    "rank": "rank_by",
    "scoring": "element_similarity",
    "lambda_article": "article_weight",
    "lambda_parent": "parent_weight",
    "group": "group_by_article",
}
# Removed settings -> the one that has a similar effect, None where there is none.
REMOVED = {
    **dict.fromkeys(("feedback", "full_articles", "root_weight", "max_title_share", "across_elements")),
    "exact_title_weight": "heading_weight",
    **dict.fromkeys(("min_density", "density"), "min_leaf_words"),
    **dict.fromkeys(("max_leaves", "best_leaves"), "max_per_article"),
}


_COUNT = ("max_answers", ", or a slice of the answers, such as answers[:10]")
_MEANING = ("semantic", ", whose encoder ranks the best answers again by meaning")
# Names of other programs -> setting, and what else does it.
NAMES_IN_OTHER_PROGRAMS = {
    **dict.fromkeys(("top", "top_k", "topk", "k", "n", "size", "count", "limit", "num_results", "max_results"), _COUNT),
    **dict.fromkeys(("skip", "offset", "start", "from_"), ("a slice of the answers", ", such as answers[10:20]")),
    **{"in_": ("inside", ""), "within": ("inside", ""), "not_in": ("outside", "")},  # --in, --not-in of the commands
    "images": ("image", ", the argument of search, for a file or several"),
    **dict.fromkeys(("budget", "max_tokens"), ("word_budget", "")),
    **dict.fromkeys(("embedding", "embeddings", "embedder", "encoder"), _MEANING),
    **dict.fromkeys(("rerank", "reranking", "cross_encoder"), ("reranker", ", a function of yours")),
}


def unknown_setting(name: str) -> SettingsError:
    """Return the error for a name that is not a setting, with the setting that was probably meant."""
    if name in NAMES_IN_OTHER_PROGRAMS:
        meant, how = NAMES_IN_OTHER_PROGRAMS[name]
        return SettingsError(f"setting '{name}' is unknown: use {meant}{how}.")
    if name in RENAMED:
        return SettingsError(f"setting '{name}' is now called '{RENAMED[name]}'.")
    if name in REMOVED:
        instead = REMOVED[name]
        return SettingsError(f"setting '{name}' was removed: leave it out{f', or use {instead}' if instead else ''}.")
    known = sorted({*KINDS, *FORMER, *PARAMETERS, "preset"})
    hint = did_you_mean(name, known, cutoff=0.7) or f"known are {', '.join(known)}."
    return SettingsError(f"setting {shown_text(name)} is unknown: {hint.rstrip()}")


class SimilarityOptions(GivenParameters, total=False):
    """The keywords of a search that are no settings: parameters of the similarities, a preset, former settings."""

    passages: bool
    passage_focus: float
    preset: Preset
    parameters: Mapping[str, ParameterValue]

    element_s: float
    element_k1: float
    element_b: float
    element_k3: float
    element_mu: float
    element_lambda: float
    element_beta: float
    element_augment: float
    element_floor: float
    element_boolean: Literal["or", "and"]
    element_gpx: float
    element_alpha: float
    element_pivot: float


# Settings that take a function.
SIMILARITIES = ("similarity", "element_similarity")


class GivenOptions(NamedTuple):
    """Options, sorted: settings, parameters of similarities, a preset.

    settings: typed, by name. former: likewise, `passages` and `passage_focus`. of_articles: parameters of the article
    similarity. of_elements: those of the element similarity, with the prefix. preset: of the article similarity; None
    for none. Only settings are checked.
    """

    settings: Mapping[str, Any]
    former: Mapping[str, Any]
    of_articles: Mapping[str, Any]
    of_elements: Mapping[str, Any]
    preset: Any


def given_options(options: Mapping[str, Any], similarity: str) -> GivenOptions:
    """Return options sorted; a similarity of elements, or a heuristic, implies `rank_by`.

    Args:
        similarity: of articles, where the options name none.

    Raises: SettingsError for an unknown name or an illegal value.
    """
    given = {
        name: name_of(value) if name in SIMILARITIES and callable(value) else value for name, value in options.items()
    }
    of_articles, preset = named_values(given.pop("parameters", None) or {}), given.pop("preset", None)
    if is_of_elements(str(given.get("similarity", ""))):
        given = {"rank_by": "score", "element_similarity": given.pop("similarity"), **given}
    elif "heuristic" in given:
        given = {"rank_by": "structure", **given}
    of_these = str(given.get("similarity", similarity))
    settings: dict[str, Any] = {}
    former: dict[str, Any] = {}
    of_elements: dict[str, Any] = {}
    for name, value in given.items():
        if name in KINDS:
            settings[name] = KINDS[name].parse(name, value)
        elif name in FORMER:
            former[name] = FORMER[name].parse(name, value)
        elif _is_of_articles(name, of_these):
            of_articles[name] = value
        elif name.startswith(PREFIX):
            of_elements[name] = value
        else:
            raise _unknown_parameter(name, of_these, str(settings.get("element_similarity", ""))) or unknown_setting(
                name
            )
    return GivenOptions(settings, former, of_articles, of_elements, preset)


def unit_of(former: Mapping[str, Any], unit: str | float) -> str | float:
    """Return the unit that `passages` and `passage_focus` make of another one."""
    if not former.get("passages", unit not in UNITS_OF_ELEMENTS):
        return "element" if "passages" in former else unit
    least = former.get("passage_focus", 0 if isinstance(unit, str) else unit)
    return float(least) or "sentence"


def _unknown_parameter(name: str, similarity: str, element_similarity: str) -> SettingsError | None:
    """Return the error for a name that no function of the user has as a parameter; None without such a function."""
    own = [each for each in (similarity, element_similarity) if is_own(each)]
    if not own:
        return None
    known = [*([] if not is_own(similarity) else defaults_of(similarity))]
    if is_own(element_similarity):
        known += [PREFIX + each for each in without_computed(named_expression(element_similarity).defaults)]
    listed = ", ".join(sorted(known))
    has = f"has the parameters {listed}" if known else "has no parameters: those after a * are, with defaults"
    return SettingsError(f"{shown_text(name)} is no setting, and {' or '.join(own)} {has}.")


def _is_of_articles(name: str, similarity: str) -> bool:
    """Return whether a name is that of a parameter of articles."""
    if name in PARAMETERS and name not in RENAMED:
        return True
    return (name in PARAMETERS or is_own(similarity)) and name in defaults_of(similarity)


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
    checked = {name: checked_value(ranking, name, value) for name, value in given.items()}
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
    usual = named_expression(element_similarity).defaults
    legal = without_computed(usual)
    parameters = {name: value for name, value in current.items() if name in legal}
    for prefixed, value in given.items():
        name = prefixed.removeprefix(PREFIX)
        if name not in legal:
            known = ", ".join(PREFIX + each for each in sorted(legal)) or "none"
            raise SettingsError(f"'{prefixed}' is not a parameter of {element_similarity}, which has {known}.")
        parameters[name] = checked_value(element_similarity, name, value, called=prefixed)
    return _without_defaults(parameters, usual)


def named_values(parameters: Any) -> dict[str, Any]:
    """Return parameters given together, by name; raises SettingsError for any value but a mapping."""
    if not isinstance(parameters, Mapping):
        raise SettingsError(f"parameters = '{parameters}': expected names and values, such as k1 = 1.2.")
    return dict(parameters)


def _without_defaults(parameters: Mapping[str, Any], usual: Mapping[str, Any]) -> ParameterMapping:
    """Return the parameters that differ from their defaults, so that equal settings compare and hash equal."""
    return ParameterMapping({name: value for name, value in parameters.items() if value != usual[name]})


def check_types(options: Mapping[str, Any]) -> None:
    """Raise TypeError for the first option whose value has a type that a caller from Python does not mean.

    Text is legal where a setting is text, and the word for None (`max_matches="all"`). Unknown names are not checked.
    """
    for name, value in options.items():
        types, expected, absent = _expected(name)
        if absent is not None and (value is None or value == absent):
            continue
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            none = "" if absent is None else f', None or "{absent}"'
            raise TypeError(f"{name}: expected {expected}{none}, got {type(value).__name__} {shown(value)}.")


def _expected(name: str) -> tuple[tuple[Any, ...], str, str | None]:
    """Return the types of an option, their names, and the word that denotes None; of an unknown one, any type."""
    if kind := KINDS.get(name) or FORMER.get(name):
        return kind.python, kind.python_name, kind.absent
    if name == "preset":
        return (str,), "str", None
    legal = PARAMETERS.get(name.removeprefix(PREFIX))
    if legal is None:
        return (object, bool), "", None
    if isinstance(legal[0], str):
        return (str,), "str", None
    return ((bool,), "bool", None) if isinstance(legal[0], bool) else ((Real,), "float", None)


def check_functions(recorded: Mapping[str, str], given: Mapping[str, Any], place: str) -> None:
    """Raise SettingsError if a run names a function that is not given: reading a run imports none.

    Args:
        recorded: the settings of the run. given: settings beside it. place: what messages call the run.
    """
    known = set[str]().union(*map(_functions, given.values()))
    for name in (*SIMILARITIES, "score_parts", "semantic", "reranker"):
        value = recorded.get(name, "none")
        names_function = (
            is_own(value) if name in SIMILARITIES else ":" in value or (name == "score_parts" and value != "none")
        )
        if names_function and not _functions(value) <= known:
            raise SettingsError(Notice("function_of_run", {"run": place, "name": name, "value": value}))


def _functions(value: Any) -> set[str]:
    """Return the functions that the value of a setting names, without their weights."""
    if isinstance(value, str):
        names = (each.strip().partition("^")[0] for each in value.split(","))
        return {name.removeprefix("D[").removesuffix("]") for name in names}
    if isinstance(value, Mapping | list | tuple):
        return set[str]().union(*map(_functions, value))
    return {name_of(value)} if callable(value) else set()
