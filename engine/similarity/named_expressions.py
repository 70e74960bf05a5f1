"""Scoring approaches by name: the twelve rows of Table A.9, the presets of the article ranking, and foxir's own.

The setting `similarity` is a preset or another approach that scores documents, or a Q-expression of documents.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from engine.errors import SettingsError
from engine.records import NamedTuple
from engine.similarity.expression import Calculated, Expression, scores_documents
from engine.similarity.own_function import own_function
from engine.similarity.parameters import Parameters, ParameterValue, check_parameter
from engine.similarity.parser import parse_expression
from engine.similarity.presets import PRESETS
from engine.wording import did_you_mean, shown_text


class Approach(NamedTuple):
    """A named Q-expression."""

    name: str
    line: str
    expression: str
    source: str


TABLE_A9 = (
    Approach("pivoted-cosine", "vector space, length pivoted", "D[BB-ABF-BAA]", "Singhal et al. 1996"),
    Approach("s-term", "vector space", "E[BD-ADA-BAA]", "Weigel et al. 2005"),
    Approach("fragments", "vector space", "E[BD-ABC-BAC]", "Carmel et al. 2003"),
    Approach("extended", "vector space, length pivoted", "E[BA-ACG-BAA]", "Crouch et al. 2005"),
    Approach("okapi-bm25", "probabilistic", "D[CH-AEH-BEA]", "Sparck Jones et al. 2000"),
    Approach("structural-roles", "probabilistic", "E[CG-ADA-BAA]", "Wolff et al. 2000"),
    Approach("dirichlet-smoothing", "language model", "D[DN-AGJ-BAJ]", "Zhai and Lafferty 2004"),
    Approach("multinomial", "language model, Jelinek-Mercer", "E[DM-AFI-BAA]", "Sigurbjörnsson et al. 2004"),
    Approach("native-xml", "Boolean, not ranked", "T[AA-AAA-BAA]", "Meier 2003"),
    Approach("gpx", "leaves propagated", "C[FC]--T[EA-AHA-AAA]", "Geva 2006"),
    Approach("xfirm", "leaves propagated", "C[FB]--T[BC-ABA-BAA]", "Sauvagnat et al. 2004"),
    Approach(
        "result-fusion",
        "elements fused with documents",
        "C[G-]--D[BB-ACC-BCC]--E[BD-ACC-BCC]",
        "Mass and Mandelbrod 2005",
    ),
)

NAMED_PRESETS = tuple(
    Approach(preset.name, preset.line, preset.expression, preset.source) for preset in PRESETS.values()
)

OURS = (
    Approach("adaptive", "Okapi, weights as far as one document answers the query", "E[CV-AKA-BAA]", "foxir"),
    Approach("element-bm25", "Okapi, idf of documents, short elements lengthened", "E[CR-AJA-BEA]", "foxir"),
    Approach("text-blocks", "Okapi, idf inside the article, lengths by text blocks", "E[CT-AKA-BAA]", "foxir"),
    Approach("local-bm25", "Okapi, idf inside the article", "E[CT-AJA-BEA]", "foxir"),
    Approach("leaf-bm25", "Okapi of text nodes, idf of documents", "T[CR-AJA-BEA]", "foxir"),
)

APPROACHES = {each.name: each for each in (*TABLE_A9, *NAMED_PRESETS, *OURS)}


def is_name(text: str) -> bool:
    """Return whether a text has the form of a name rather than of an expression: letters, digits and hyphens."""
    return re.fullmatch(r"\s*[\w-]{2,}\s*", text) is not None


@lru_cache(256)
def named_expression(text: str) -> Expression:
    """Return the expression of that name, or the parsed expression.

    Raises: SettingsError for an unknown name, with the nearest known one, or for an illegal expression.
    """
    if text in APPROACHES:
        return parse_expression(APPROACHES[text].expression)
    if (own := own_function(text)) is not None:
        return own
    if is_name(text):
        raise SettingsError(
            f"'{text.strip()}' is not a scoring approach: {did_you_mean(text.strip().lower(), APPROACHES)}known are "
            f"{', '.join(APPROACHES)}, and Q-expressions such as D[BB-ABF-BAA]."
        )
    return parse_expression(text)


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
    return dict(PRESETS[name].defaults) if expression is None else dict(expression.defaults)


def checked_value(similarity: str, name: str, value: Any, called: str = "") -> ParameterValue:
    """Return the value of a parameter of a similarity in its type; raises SettingsError where it is out of range.

    Args:
        called: the name in error messages, if the user's name for it is another.
    """
    own = own_function(similarity)
    return check_parameter(name, value, called) if own is None else own.checked(name, value, called or name)


def is_own(similarity: str) -> bool:
    """Return whether a similarity is a function of the user."""
    return own_function(similarity) is not None


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
