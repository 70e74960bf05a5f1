"""Scoring approaches by name: the twelve rows of Table A.9, the presets of the article ranking, and foxir's own."""

from __future__ import annotations

import re
from functools import lru_cache

from engine.errors import SettingsError
from engine.records import NamedTuple
from engine.similarity.expression import Expression
from engine.similarity.parser import parse_expression
from engine.similarity.presets import PRESETS
from engine.wording import did_you_mean


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
    if is_name(text):
        raise SettingsError(
            f"'{text.strip()}' is not a scoring approach: {did_you_mean(text.strip().lower(), APPROACHES)}known are "
            f"{', '.join(APPROACHES)}, and Q-expressions such as D[BB-ABF-BAA]."
        )
    return parse_expression(text)
