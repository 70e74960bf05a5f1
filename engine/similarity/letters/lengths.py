"""Letters of Q-expressions, Table A.5 of the thesis, reconstructed: the length of a unit, and of the query.

Four are plain, four pivoted, two of language models.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from engine.arrays import FloatArray
from engine.similarity.parameters import Parameters
from engine.similarity.registry import LENGTH, QUERY, component, extension, from_thesis, reconstructed
from engine.similarity.values import Measured, ln, ratio

length = partial(component, LENGTH)

ALL, UNITS = "DTEQ", "DTE"


@length("A", "one", {ALL: "1"}, from_thesis("Table A.6 for the query, taken over for units"), is_monotone=True)
def one(x: Measured, parameters: Parameters) -> FloatArray:
    """Return 1."""
    return np.ones(len(x.words))


@length(
    "B",
    "of the vector",
    {ALL: "√(Σ w_{x},t²)"},
    from_thesis("Table A.6, over all terms of the document; for the query as in (2.1)"),
    reads=("vector",),
)
def vector(x: Measured, parameters: Parameters) -> FloatArray:
    """Return the root of the sum of all squared weights."""
    return x.vector


@length(
    "C",
    "distinct terms",
    {ALL: "|T_{x}|"},
    reconstructed(
        "shared by fragments and result fusion in Table A.9, both JuruXML, which counts unique terms (Mass and "
        "Mandelbrod 2005)"
    ),
    reads=("distinct",),
)
def distinct(x: Measured, parameters: Parameters) -> FloatArray:
    """Return the number of distinct terms."""
    return x.distinct


@length(
    "D",
    "words",
    {ALL: "f_{x}"},
    reconstructed("the fourth plain letter of 4+4+2; f_d is the thesis's own length (A.2)"),
    is_monotone=True,
)
def words(x: Measured, parameters: Parameters) -> FloatArray:
    """Return the number of words."""
    return x.words


def _pivoted(length: FloatArray, mean: FloatArray, parameters: Parameters) -> FloatArray:
    s = float(parameters["s"])
    return (1 - s) + s * ratio(length, mean)


@length(
    "E",
    "pivoted vector",
    {UNITS: "(1 - s) + s · √(Σ w_{x},t²)/mean √(Σ w_{x},t²)"},
    reconstructed("Singhal et al. 1996, whose W_d is the vector's; what `pcosine` computes"),
    parameters=("s",),
    reads=("vector", "mean_vector"),
)
def pivoted_vector(x: Measured, parameters: Parameters) -> FloatArray:
    """Return the length of the vector, pivoted at its mean."""
    return _pivoted(x.vector, x.mean_vector, parameters)


@length(
    "F",
    "pivoted words",
    {UNITS: "(1 - s) + s · f_{x}/mean f_{x}"},
    reconstructed("(2.1) in D[BB-ABF-BAA]: 'W_d ... usually taken as f_d' (thesis 2.1.2)"),
    parameters=("s",),
    reads=("mean_words",),
    is_monotone=True,
)
def pivoted_words(x: Measured, parameters: Parameters) -> FloatArray:
    """Return the number of words, pivoted at its mean."""
    return _pivoted(x.words, x.mean_words, parameters)


@length(
    "G",
    "pivoted distinct terms",
    {UNITS: "(1 - s) + s · |T_{x}|/mean |T_{x}|"},
    reconstructed("extended in Table A.9: the u of SMART's Lnu (Crouch et al. 2005; Singhal et al. 1996)"),
    parameters=("s",),
    reads=("distinct", "mean_distinct"),
)
def pivoted_distinct(x: Measured, parameters: Parameters) -> FloatArray:
    """Return the number of distinct terms, pivoted at its mean."""
    return _pivoted(x.distinct, x.mean_distinct, parameters)


@length(
    "H",
    "Okapi",
    {UNITS: "k1 · ((1 - b) + b · f_{x}/mean f_{x})"},
    reconstructed("K of (2.2) in D[CH-AEH-BEA]"),
    parameters=("k1", "b"),
    reads=("mean_words",),
    is_monotone=True,
)
def okapi(x: Measured, parameters: Parameters) -> FloatArray:
    """Return K of Okapi."""
    return _okapi(x.words, x.mean_words, parameters)


def _okapi(length: FloatArray, mean: FloatArray, parameters: Parameters) -> FloatArray:
    k1, b = float(parameters["k1"]), float(parameters["b"])
    return k1 * ((1 - b) + b * ratio(length, mean))


@length(
    "I",
    "multinomial",
    {ALL: "beta · ln f_{x}"},
    from_thesis("Table A.7 for elements, taken over for the others"),
    parameters=("beta",),
)
def multinomial(x: Measured, parameters: Parameters) -> FloatArray:
    """Return the prior of a length."""
    return float(parameters["beta"]) * ln(x.words)


@length(
    "J",
    "Dirichlet",
    {UNITS: "ln(mu/(mu + f_{x}))", "Q": "f_q"},
    reconstructed("(2.3) in D[DN-AGJ-BAJ]: W_q W_d is f_q ln lambda_d"),
    parameters=("mu",),
    others={QUERY: words},
)
def dirichlet(x: Measured, parameters: Parameters) -> FloatArray:
    """Return ln lambda."""
    mu = float(parameters["mu"])
    return ln(mu / (mu + x.words))


@length(
    "K",
    "words, with a floor",
    {UNITS: "max(f_{x}, floor)"},
    extension("letter D; short headings and captions gain nothing by their length"),
    parameters=("floor",),
    is_monotone=True,
)
def words_with_floor(x: Measured, parameters: Parameters) -> FloatArray:
    """Return the number of words, at least the floor."""
    return np.maximum(x.words, float(parameters["floor"]))


@length(
    "L",
    "pivoted words, with a floor",
    {UNITS: "(1 - s) + s · max(f_{x}, floor)/mean f_{x}"},
    extension("letter F with the length of letter K"),
    parameters=("s", "floor"),
    reads=("mean_words",),
    is_monotone=True,
)
def pivoted_with_floor(x: Measured, parameters: Parameters) -> FloatArray:
    """Return the number of words, at least the floor, pivoted at its mean."""
    return _pivoted(words_with_floor(x, parameters), x.mean_words, parameters)


@length(
    "M",
    "Okapi, with a floor",
    {UNITS: "k1 · ((1 - b) + b · max(f_{x}, floor)/mean f_{x})"},
    extension("letter H with the length of letter K"),
    parameters=("k1", "b", "floor"),
    reads=("mean_words",),
    is_monotone=True,
)
def okapi_with_floor(x: Measured, parameters: Parameters) -> FloatArray:
    """Return K of Okapi, short units lengthened."""
    return _okapi(words_with_floor(x, parameters), x.mean_words, parameters)
