"""Letters of Q-expressions, Tables A.2 and A.3 of the thesis: term weights w_t, and how they multiply frequencies.

A term weight is the inverse frequency of a term among documents, text nodes or elements.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from engine.arrays import FloatArray
from engine.similarity.parameters import Parameters
from engine.similarity.registry import METHOD, OF_TAG, TERM_WEIGHT, component, extension, from_thesis
from engine.similarity.values import Counts, ln, ratio

method = partial(component, METHOD)
term_weight = partial(component, TERM_WEIGHT)

# weight of a term whose Okapi weight is not positive
FLOOR = 1.19e-7
FLOOR_TEXT = f"{FLOOR:g}".replace("e-0", "e-")

Weight = Callable[[Counts, Parameters], FloatArray]


@term_weight("A", "binary match", {"DTE": "1"}, from_thesis("Table A.2"), is_monotone=True)
def no_weight(counts: Counts, parameters: Parameters) -> FloatArray:
    """Return 1."""
    return np.ones(np.shape(counts.n_t))


def logarithmic(counts: Counts, parameters: Parameters) -> FloatArray:
    """Return ln(1 + N/N_t)."""
    return ln(1 + ratio(counts.n, counts.n_t))


def normalised(counts: Counts, parameters: Parameters) -> FloatArray:
    """Return ln((N - N_t)/N_t), negative for a term that more than half of them contain."""
    return ln(ratio(counts.n - counts.n_t, counts.n_t))


def okapi(counts: Counts, parameters: Parameters) -> FloatArray:
    """Return ln((N - N_t + 0.5)/(N_t + 0.5)), negative for a term that more than half of them contain."""
    return ln(ratio(counts.n - counts.n_t + 0.5, counts.n_t + 0.5))


def multinomial(counts: Counts, parameters: Parameters) -> FloatArray:
    """Return the sum of N_t over all terms, over N_t."""
    return ratio(counts.total, counts.n_t)


def dirichlet(counts: Counts, parameters: Parameters) -> FloatArray:
    """Return N/N_t."""
    return ratio(counts.n, counts.n_t)


def _given(line: str, formula: str, function: Weight, counted: str, letters: str) -> None:
    """Register the three letters of a row of Table A.2: for documents, text nodes and elements.

    An element may be weighted as text nodes are, as in E[BC-ABB-BAA] (A.3).
    """
    for letter, units, contexts in zip(letters, counted, ("D", "TE", "E"), strict=True):
        symbol = "En" if units == OF_TAG else units
        written = formula.replace("N", f"N_{symbol}").replace("{t}", ",t")
        where = {"D": "documents", "P": "text nodes", "E": "element nodes", "N": "element nodes of the same name"}
        term_weight(
            letter,
            f"{line}, by {where[units]}",
            {contexts: written},
            from_thesis("Table A.2" + ("; of elements A.3, E[BC-ABB-BAA]" if contexts == "TE" else "")),
            counted=units,
            reads=("total",) if function is multinomial else (),
            is_monotone=function is logarithmic and units != OF_TAG,
        )(function)


_given("logarithmic", "ln(1 + N/N{t})", logarithmic, "DPN", "BCD")
_given("normalised", "ln((N - N{t})/N{t})", normalised, "DPN", "EFG")
_given("Okapi", "ln((N - N{t} + 0.5)/(N{t} + 0.5))", okapi, "DPN", "HIJ")
_given("multinomial", "(Σ_i N{t}_i)/N{t}", multinomial, "DPE", "KLM")
_given("Dirichlet", "N/N{t}", dirichlet, "DPE", "NOP")

term_weight(
    "Q",
    "logarithmic, by documents",
    {"TE": "ln(1 + N_D/N_D,t)"},
    extension("letter B for parts of documents: not distorted by nesting (A.3 on the element-node IEF problem)"),
    counted="D",
    is_monotone=True,
)(logarithmic)


@term_weight(
    "R",
    "Okapi with a floor, by documents",
    {"DTE": f"max(ln((N_D - N_D,t + 0.5)/(N_D,t + 0.5)), {FLOOR_TEXT})"},
    extension("letter H, never negative for terms in more than half of the documents; what `okapi` computes"),
    counted="D",
    is_monotone=True,
)
def okapi_with_floor(counts: Counts, parameters: Parameters) -> FloatArray:
    """Return Okapi's weight, a tiny positive number where that is not positive."""
    return np.maximum(okapi(counts, parameters), FLOOR)


term_weight(
    "S",
    "logarithmic, by text nodes of the same document",
    {"TE": "ln(1 + N_P in d/N_P in d,t)"},
    extension("letter C with the document as the collection: weighs terms by how they distinguish its parts"),
    counted="B",
    is_monotone=True,
)(logarithmic)


@term_weight(
    "T",
    "Okapi, never negative, by text nodes of the same document",
    {"TE": "ln(1 + (N_P in d - N_P in d,t + 0.5)/(N_P in d,t + 0.5))"},
    extension(
        "letter I with the document as the collection; 1 is added as in Lucene's BM25Similarity, since a term is "
        "often in more than half of a document's text nodes"
    ),
    counted="B",
    is_monotone=True,
)
def okapi_never_negative(counts: Counts, parameters: Parameters) -> FloatArray:
    """Return ln(1 + (N - N_t + 0.5)/(N_t + 0.5))."""
    return ln(1 + ratio(counts.n - counts.n_t + 0.5, counts.n_t + 0.5))


@term_weight(
    "V",
    "letters T and X, as far as one document answers the query",
    {
        "TE": "ln(1 + (N_P in d - N_P in d,t + 0.5)/(N_P in d,t + 0.5))^focus · "
        "ln(1 + (N_P - N_P,t + 0.5)/(N_P,t + 0.5))^(1 - focus)"
    },
    extension(
        "the geometric mean of the weight inside the document and the weight in the collection: the first one "
        "distinguishes the parts of a document that is wanted, the second one silences words that are rare in it by "
        "chance"
    ),
    parameters=("focus",),
    counted="M",
    is_monotone=True,
)
def between_document_and_collection(counts: Counts, parameters: Parameters) -> FloatArray:
    """Return the weight in the document to the power focus, times that in the collection to the power 1 - focus."""
    if counts.wider is None:
        raise TypeError("letter V needs the counts of the whole collection")
    focus = float(parameters["focus"])
    inside, everywhere = okapi_never_negative(counts, parameters), okapi_never_negative(counts.wider, parameters)
    weights: FloatArray = inside**focus * everywhere ** (1 - focus)
    return weights


term_weight(
    "W",
    "Okapi, never negative, by documents",
    {"DTE": "ln(1 + (N_D - N_D,t + 0.5)/(N_D,t + 0.5))"},
    extension(
        "letter H with 1 added as in Lucene's BM25Similarity, so that no term counts against a unit; what `bm25` "
        "computes"
    ),
    counted="D",
    is_monotone=True,
)(okapi_never_negative)

term_weight(
    "X",
    "Okapi, never negative, by text nodes",
    {"TE": "ln(1 + (N_P - N_P,t + 0.5)/(N_P,t + 0.5))"},
    extension("letter I with 1 added, as in letter T"),
    counted="P",
    is_monotone=True,
)(okapi_never_negative)

term_weight(
    "U",
    "inverse probability in the collection",
    {"DTE": "|C|/F_t"},
    extension("Zhai and Lafferty, TOIS 22(2), 2004: the background model counts words, not documents"),
    counted="C",
    is_monotone=True,
)(dirichlet)


@method("A", "TF only", {"DTEQ": "r_{x},t"}, from_thesis("Table A.3"), is_monotone=True)
def unweighted(r: FloatArray, w: FloatArray) -> FloatArray:
    """Return the weights of terms in units, r, as they are."""
    return r


@method("B", "TF-IDF", {"DTEQ": "r_{x},t · w_t"}, from_thesis("Table A.3"), reads=("w_t",), is_monotone=True)
def weighted(r: FloatArray, w: FloatArray) -> FloatArray:
    """Return r times w_t."""
    return r * w
