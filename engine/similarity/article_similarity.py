"""The setting `similarity` of the article ranking: the name of a preset, or a Q-expression of documents."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from engine.errors import SettingsError
from engine.similarity.expression import Calculated, scores_documents
from engine.similarity.named_expressions import APPROACHES, is_name, named_expression
from engine.similarity.parameters import Parameters, defaults
from engine.similarity.presets import PRESETS
from engine.wording import did_you_mean, shown_text

# Names of similarities elsewhere, in lower case without signs -> preset.
OTHER_NAMES = {
    **dict.fromkeys(("okapibm25", "bm25okapi", "bm"), "bm25"),
    **dict.fromkeys(("tfidf", "cosine", "vsm", "pivoted"), "pcosine"),
    **dict.fromkeys(("lm", "ql", "qld", "lmdirichlet", "dirichletlm", "languagemodel"), "dirichlet"),
}


@lru_cache(256)
def document_expression(name: str) -> Calculated | None:
    """Return the expression that ranks articles, None for a preset.

    Raises: SettingsError for a text that is neither, or for an expression that does not score documents.
    """
    if name in PRESETS:
        return None
    if is_name(name) and name not in APPROACHES:
        raise _unknown(name, "")
    expression = named_expression(name)
    if not isinstance(expression, Calculated) or not scores_documents(expression):
        raise _unknown(name, f"{expression} scores elements, but articles are ranked by it: ")
    return expression


def _unknown(name: str, why: str) -> SettingsError:
    others = [each.name for each in APPROACHES.values() if each.expression.startswith("D")]
    meant = OTHER_NAMES.get(name.lower().replace("-", "").replace("_", ""))
    known = [*others, *({name.lower()} & set(APPROACHES))]
    hint = f"did you mean '{meant}'? " if meant else did_you_mean(name.lower(), known)
    more = ", ".join(each for each in others if each not in PRESETS)
    return SettingsError(
        f"similarity = {shown_text(name)}: {why}{hint}expected one of {', '.join(PRESETS)}. Names of Q-expressions "
        f"({more}) and Q-expressions of documents such as D[BB-ABF-BAA] are accepted, too; those of elements (gpx, "
        "E[DM-AFI-BAA]) rank elements: see foxir similarity."
    )


def check_similarity(value: Any) -> str:
    """Return a checked article similarity: the name of a preset, or the text of an expression."""
    name = str(value).strip()
    document_expression(name)
    return name


def defaults_of(name: str) -> dict[str, Any]:
    """Return the parameters of an article similarity with their defaults."""
    expression = document_expression(name)
    return dict(PRESETS[name].defaults) if expression is None else dict(defaults(expression.parameters))


def preset(name: str, which: str) -> Parameters:
    """Return the parameters of a preset of a similarity: default, or thesis-tuned (on INEX 2005).

    Raises: SettingsError for another preset, or for an expression, which has no tuned parameters.
    """
    if which not in ("default", "thesis-tuned"):
        raise SettingsError(f"preset = '{which}': expected default or thesis-tuned.")
    if which == "default":
        return {}
    tuned = {each: preset.tuned for each, preset in PRESETS.items() if preset.tuned is not None}
    if name not in tuned:
        raise SettingsError(
            f"preset = 'thesis-tuned': {name} has no tuned parameters, {', '.join(tuned)} have: set each "
            "parameter by its name."
        )
    return tuned[name]
