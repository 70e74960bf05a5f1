"""How articles, text nodes and elements are scored: presets for articles, and the framework of Q-expressions."""

from engine.similarity import combining, frequencies, lengths, propagation, term_weights
from engine.similarity.approaches import APPROACHES, named_expression
from engine.similarity.articles import (
    SIMILARITIES,
    Collection,
    Similarity,
    TermPostings,
    dirichlet_document_part,
    dirichlet_part,
    okapi_part,
    parameters_of,
    pcosine_part,
    query_norm,
    scores,
    shorten,
)
from engine.similarity.calculation import calculate, combine
from engine.similarity.expression import Calculated, Expression, Fused, Propagated, Side
from engine.similarity.parameters import PARAMETERS, check_parameter
from engine.similarity.parser import parse_expression
from engine.similarity.selection import check_similarity, defaults_of, document_expression, preset

__all__ = [
    "APPROACHES",
    "PARAMETERS",
    "SIMILARITIES",
    "Calculated",
    "Collection",
    "Expression",
    "Fused",
    "Propagated",
    "Side",
    "Similarity",
    "TermPostings",
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
    "shorten",
    "term_weights",
]
