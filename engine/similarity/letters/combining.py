"""Letters of Q-expressions, Table A.1 of the thesis, reconstructed: how weights and lengths become one score."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine.arrays import FloatArray
from engine.similarity.parameters import AND, Parameters
from engine.similarity.registry import COMBINING, LEAVES, component, extension, from_thesis, reconstructed
from engine.similarity.values import Combined, Weighted, ln, ratio

combining = partial(component, COMBINING)

UNITS = "DTE"


def _ones(x: Weighted) -> FloatArray:
    return np.ones(len(x.n_matched))


def _zeros(x: Weighted) -> FloatArray:
    return np.zeros(len(x.n_matched))


def without_length(x: Weighted, parameters: Parameters) -> Combined:
    """Return the logarithm of a smoothed language model of text nodes."""
    return Combined(ln(x.w_q * x.w_u + 1), _ones(x), _zeros(x))


def repeated_without_length(x: Weighted, parameters: Parameters) -> Combined:
    """Return the logarithm of a smoothed language model of text nodes, with repeated query words counted."""
    return Combined(x.query_tf * ln(x.w_q * x.w_u + 1), _ones(x), _zeros(x))


@combining(
    "A",
    "binary match",
    {UNITS: "1 if {x} contains any query term (all of them with boolean=and), else 0"},
    reconstructed("T[AA-AAA-BAA] is strict Boolean retrieval (A.3, Table A.9); AND and OR as in Table 2.2"),
    parameters=("boolean",),
    reads=("n_matched",),
)
def binary_match(x: Weighted, parameters: Parameters) -> Combined:
    """Return 1 for a match, in equal parts for the terms contained."""
    matches = x.n_matched == x.n_query if parameters["boolean"] == AND else x.n_matched > 0
    return Combined(np.ones(len(x.w_u)), ratio(matches.astype(np.float64), x.n_matched), _zeros(x))


@combining(
    "B",
    "cosine",
    {UNITS: "Σ (w_q,t · w_{x},t) / (W_q · W_{x})"},
    from_thesis("Table A.6"),
    is_monotone=True,
    reads=("length_q", "length_u"),
)
def cosine(x: Weighted, parameters: Parameters) -> Combined:
    """Return the inner product over both lengths."""
    return Combined(x.w_q * x.w_u, ratio(_ones(x), x.length_q * x.length_u), _zeros(x))


@combining(
    "C",
    "inner product",
    {UNITS: "Σ w_q,t · w_{x},t"},
    reconstructed(
        "(2.2): D[CH-AEH-BEA] must be Okapi, whose length occurs in r_d,t only; Zobel and Moffat's inner product"
    ),
    is_monotone=True,
)
def inner_product(x: Weighted, parameters: Parameters) -> Combined:
    """Return the inner product; lengths count only if r_d,t or r_q,t contains them."""
    return Combined(x.w_q * x.w_u, _ones(x), _zeros(x))


@combining(
    "D",
    "language model",
    {"DE": "W_q · W_{x} + Σ ln(w_q,t · w_{x},t + 1)", LEAVES: "Σ ln(w_q,t · w_p,t + 1)"},
    from_thesis(
        "Table A.7 for elements, which is (2.3) for documents; that of text nodes differs (A.3): their lengths "
        "are assumed equal and omitted (rebuilt)"
    ),
    others={LEAVES: without_length},
    reads=("length_q", "length_u"),
)
def language_model(x: Weighted, parameters: Parameters) -> Combined:
    """Return the logarithm of a smoothed language model."""
    return Combined(ln(x.w_q * x.w_u + 1), _ones(x), x.length_q * x.length_u)


@combining(
    "E",
    "GPX",
    {"T": "gpx^(n-1) · Σ w_q,t · w_{x},t,  n = |T_q,{x}|"},
    reconstructed("the GPX letter of Table A.9, C[FC]--T[EA-AHA-AAA]; Geva, GPX, INEX 2005: K^(n-1) Σ t_i/f_i, K = 5"),
    parameters=("gpx",),
    reads=("n_matched",),
)
def gpx(x: Weighted, parameters: Parameters) -> Combined:
    """Return the inner product, raised by a factor for each further distinct term of the query."""
    return Combined(x.w_q * x.w_u, np.power(float(parameters["gpx"]), x.n_matched - 1), _zeros(x))


@combining(
    "H",
    "language model, repeated query words counted",
    {"DE": "W_q · W_{x} + Σ f_q,t · ln(w_q,t · w_{x},t + 1)", LEAVES: "Σ f_q,t · ln(w_q,t · w_p,t + 1)"},
    extension("Zhai and Lafferty, TOIS 22(2), 2004: the sum is over the words of the query, not its distinct terms"),
    others={LEAVES: repeated_without_length},
    reads=("length_q", "length_u", "query_tf"),
)
def repeated_language_model(x: Weighted, parameters: Parameters) -> Combined:
    """Return the logarithm of a smoothed language model with repeated query words counted."""
    return Combined(x.query_tf * ln(x.w_q * x.w_u + 1), _ones(x), x.length_q * x.length_u)
