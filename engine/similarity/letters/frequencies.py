"""Letters of Q-expressions, Table A.4 of the thesis, reconstructed: relative frequencies of terms."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from engine.arrays import FloatArray
from engine.similarity.parameters import Parameters
from engine.similarity.registry import FREQUENCY, QUERY, component, extension, from_thesis, reconstructed
from engine.similarity.values import Occurring, ln, ratio

frequency = partial(component, FREQUENCY)

ALL = "DTEQ"


@frequency("A", "binary", {ALL: "1"}, from_thesis("Table A.6 for the query, taken over for units"), is_monotone=True)
def binary(x: Occurring, parameters: Parameters) -> FloatArray:
    """Return 1."""
    return np.ones(len(x.f))


@frequency(
    "B",
    "logarithmic",
    {ALL: "1 + ln f_{x},t"},
    from_thesis("Table A.6 for documents, taken over for the query"),
    is_monotone=True,
)
def logarithmic(x: Occurring, parameters: Parameters) -> FloatArray:
    """Return 1 + ln f."""
    return 1 + ln(x.f)


@frequency(
    "C",
    "logarithmic, by the mean frequency",
    {ALL: "(1 + ln f_{x},t)/(1 + ln(f_{x}/|T_{x}|))"},
    reconstructed(
        "shared by extended and result fusion in Table A.9: the L of SMART's Lnu (Crouch et al. 2005; Singhal et "
        "al. 1996); Mass and Mandelbrod 2005 divide the logarithms of the two as well"
    ),
    reads=("distinct",),
)
def by_mean(x: Occurring, parameters: Parameters) -> FloatArray:
    """Return (1 + ln f) over (1 + ln of the mean f of the unit's terms)."""
    return ratio(1 + ln(x.f), 1 + ln(ratio(x.words, x.distinct)))


@frequency(
    "D",
    "by the largest frequency",
    {ALL: "augment + (1 - augment) · f_{x},t/f^m_{x}"},
    reconstructed(
        "shared by s-term and structural roles in Table A.9; f^m is defined in A.2 and used nowhere else; Zobel and "
        "Moffat's normalised formulation, with augment 0 the f/max f of Schlieder and Meuss 2002"
    ),
    parameters=("augment",),
    reads=("largest",),
)
def by_largest(x: Occurring, parameters: Parameters) -> FloatArray:
    """Return f over the largest f of the unit, scaled to at least `augment`."""
    augment = float(parameters["augment"])
    return augment + (1 - augment) * ratio(x.f, x.largest)


def okapi_query(x: Occurring, parameters: Parameters) -> FloatArray:
    """Return (k3 + 1) f / (k3 + f), f for an infinite k3. (2.2)"""
    k3 = float(parameters["k3"])
    return x.f if math.isinf(k3) else ratio((k3 + 1) * x.f, k3 + x.f)


@frequency(
    "E",
    "Okapi",
    {"DTE": "(k1 + 1) · f_{x},t/(W_{x} + f_{x},t)", "Q": "(k3 + 1) · f_q,t/(k3 + f_q,t)"},
    reconstructed("(2.2) in D[CH-AEH-BEA]: K of (2.2) is the length W_d, letter H"),
    parameters=("k1",),
    others={QUERY: okapi_query},
    query_parameters=("k3",),
    reads=("length",),
    is_monotone=True,
)
def okapi(x: Occurring, parameters: Parameters) -> FloatArray:
    """Return (k1 + 1) f / (W + f)."""
    return ratio((float(parameters["k1"]) + 1) * x.f, x.length + x.f)


@frequency(
    "F",
    "Jelinek-Mercer",
    {ALL: "lambda · f_{x},t/((1 - lambda) · f_{x})"},
    from_thesis("Table A.7 for elements, taken over for the others"),
    parameters=("lambda",),
)
def jelinek_mercer(x: Occurring, parameters: Parameters) -> FloatArray:
    """Return lambda f / ((1 - lambda) words)."""
    share = float(parameters["lambda"])
    return ratio(share * x.f, (1 - share) * x.words)


@frequency(
    "G",
    "Dirichlet",
    {ALL: "f_{x},t/mu"},
    reconstructed("(2.3) in D[DN-AGJ-BAJ]: with w_t = N/N_t the product must be N f/(mu N_t)"),
    parameters=("mu",),
)
def dirichlet(x: Occurring, parameters: Parameters) -> FloatArray:
    """Return f / mu."""
    return x.f / float(parameters["mu"])


@frequency(
    "H",
    "share of the collection's occurrences",
    {"TQ": "f_{x},t/F_t"},
    reconstructed(
        "GPX in Table A.9; Geva, GPX, INEX 2005: t_i/f_i. Seven letters are left for documents and elements, eight "
        "for the query, as Table A.6 counts"
    ),
    reads=("occurrences",),
)
def collection_share(x: Occurring, parameters: Parameters) -> FloatArray:
    """Return f over the occurrences in the collection."""
    return ratio(x.f, x.occurrences)


@frequency(
    "I",
    "raw",
    {ALL: "f_{x},t"},
    extension("Zobel and Moffat's standard formulation; repeated query words count"),
    is_monotone=True,
)
def raw(x: Occurring, parameters: Parameters) -> FloatArray:
    """Return the frequencies f as they are."""
    return x.f


@frequency(
    "J",
    "Okapi, length with a floor inside",
    {"DTE": "(k1 + 1) · f_{x},t/(k1 · ((1 - b) + b · max(f_{x}, floor)/mean f_{x}) + f_{x},t)"},
    extension("(2.2); W remains free, and units shorter than the floor count as if they had its length"),
    parameters=("k1", "b", "floor"),
    reads=("mean_words",),
    is_monotone=True,
)
def okapi_with_floor(x: Occurring, parameters: Parameters) -> FloatArray:
    """Return Okapi's frequency by the words of the unit, short ones lengthened."""
    k1, b, floor = (float(parameters[name]) for name in ("k1", "b", "floor"))
    length = k1 * ((1 - b) + b * ratio(np.maximum(x.words, floor), x.mean_words))
    return ratio((k1 + 1) * x.f, length + x.f)


@frequency(
    "K",
    "Okapi by text blocks",
    {"DTE": "(k1 + 1) · f_{x},t/(k1 · ((1 - b) + b · max(f_{x}, block)/block) + f_{x},t)"},
    extension(
        "letter J with the length of a text block as floor and mean, because the mean over nested elements says little"
    ),
    parameters=("k1", "b", "block"),
    is_monotone=True,
)
def okapi_by_blocks(x: Occurring, parameters: Parameters) -> FloatArray:
    """Return Okapi's frequency by the words of the unit in relation to those of a text block, 1 at least."""
    k1, b, block = (float(parameters[name]) for name in ("k1", "b", "block"))
    return ratio((k1 + 1) * x.f, k1 * ((1 - b) + b * np.maximum(x.words / block, 1.0)) + x.f)
