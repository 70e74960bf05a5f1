"""Similarities of a query to articles, text nodes and elements: presets for articles, and Q-expressions."""

from __future__ import annotations

from engine.similarity import combining, frequencies, lengths, propagation, term_weights
from engine.similarity.article_similarity import check_similarity, defaults_of, document_expression, preset
from engine.similarity.calculation import calculate, combine
from engine.similarity.expression import Calculated, Expression, Fused, Propagated, Side
from engine.similarity.named_expressions import APPROACHES, named_expression
from engine.similarity.parameters import PARAMETERS, check_parameter
from engine.similarity.parser import parse_expression
from engine.similarity.preset_formulas import (
    DocumentStatistics,
    TermPostings,
    bm25_part,
    dirichlet_document_part,
    dirichlet_part,
    okapi_part,
    pcosine_part,
    query_norm,
)
from engine.similarity.presets import PRESETS, Preset, parameters_of, scores

__all__ = [
    "APPROACHES",
    "PARAMETERS",
    "PRESETS",
    "Calculated",
    "DocumentStatistics",
    "Expression",
    "Fused",
    "Preset",
    "Propagated",
    "Side",
    "TermPostings",
    "bm25_part",
    "calculate",
    "check_parameter",
    "check_similarity",
    "combine",
    "combining",
    "defaults_of",
    "dirichlet_document_part",
    "dirichlet_part",
    "document_expression",
    "frequencies",
    "lengths",
    "named_expression",
    "okapi_part",
    "parameters_of",
    "parse_expression",
    "pcosine_part",
    "preset",
    "propagation",
    "query_norm",
    "scores",
    "term_weights",
]
