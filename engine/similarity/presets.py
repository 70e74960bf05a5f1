"""Presets of the article ranking: named expressions with options, tuned parameters and fast scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import FloatArray
from engine.records import NamedTuple
from engine.similarity.parameters import TOKENS, Parameters, with_defaults
from engine.similarity.parser import parse_expression
from engine.similarity.preset_formulas import (
    DocumentStatistics,
    FastScores,
    TermPostings,
    bm25_part,
    dirichlet_document_part,
    dirichlet_part,
    okapi_part,
    pcosine_part,
)
from engine.similarity.preset_formulas import scores as fast_scores


class Preset(NamedTuple):
    """A ranking of articles by name.

    expression: the Q-expression with the default options.
    options: expressions by the name and the value of an option; an option that changes no letter has none.
    tuned: parameters tuned in the thesis on INEX 2005, None if it has none; the others have their defaults.
    """

    name: str
    line: str
    expression: str
    source: str
    options: Mapping[str, Mapping[Any, str]]
    tuned: Parameters | None
    fast: FastScores

    @property
    def defaults(self) -> Parameters:
        """The parameters of the expression and the options, with their defaults."""
        return _defaults(self.expression, tuple(self.options))


@cache
def _defaults(expression: str, options: tuple[str, ...]) -> Parameters:
    return with_defaults(parse_expression(expression).parameters | set(options))


# The name of the default.
BM25 = "bm25"

PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            BM25,
            "no weight is negative, repeated query words count once",
            "D[CW-AEH-BAA]",
            "Robertson and Zaragoza 2009",
            options={},
            tuned=None,
            fast=FastScores(bm25_part, None),
        ),
        Preset(
            "pcosine",
            "as the engine behind the thesis computes it",
            "D[BB-ABE-BIA]",
            "thesis 2.1",
            options={"length": {TOKENS: "D[BB-ABF-BIA]"}, "weight_bits": {}, "query_norm": {True: "D[BB-ABE-BIB]"}},
            tuned={},
            fast=FastScores(pcosine_part, None),
        ),
        Preset(
            "okapi",
            "common terms neither help nor hurt",
            "D[CR-AEH-BEA]",
            "thesis 2.2",
            options={},
            tuned={"k1": 1.95, "b": 0.35},
            fast=FastScores(okapi_part, None),
        ),
        Preset(
            "dirichlet",
            "background of words",
            "D[HU-AGJ-BAJ]",
            "thesis 2.3",
            options={"background": {"documents": "D[HN-AGJ-BAJ]"}},
            tuned={"mu": 14200.0},
            fast=FastScores(dirichlet_part, dirichlet_document_part),
        ),
    )
}


def parameters_of(name: str, given: Parameters) -> Parameters:
    """Return all parameters of a preset: the given ones, and the defaults of the others."""
    return {**PRESETS[name].defaults, **given}


def scores(
    name: str, terms: Sequence[TermPostings], collection: DocumentStatistics, given: Parameters
) -> tuple[NDArray[np.int64], FloatArray]:
    """Return the documents that contain a query term, ascending, and their scores by a preset.

    Args:
        terms: sorted by term; their postings contain live documents only.
        given: parameters; the others have their defaults.
    """
    return fast_scores(PRESETS[name].fast, terms, collection, parameters_of(name, given))
