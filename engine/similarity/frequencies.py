"""Table A.4, rebuilt: the relative frequency of a term in a unit, and in the query."""

from __future__ import annotations

import math

import numpy as np

from engine.similarity.parameters import Parameters
from engine.similarity.registry import FREQUENCY, GIVEN, OURS, REBUILT, component
from engine.similarity.values import FloatArray, Occurring, ln, ratio

ALL = "DTEQ"


@component(
    FREQUENCY,
    "A",
    "binary",
    contexts=ALL,
    formula="1",
    origin=GIVEN,
    source="Table A.6 for the query, taken over for units",
    is_monotone=True,
)
def binary(x: Occurring, parameters: Parameters) -> FloatArray:
    """Return 1."""
    return np.ones(len(x.f))


@component(
    FREQUENCY,
    "B",
    "logarithmic",
    contexts=ALL,
    formula="1 + ln f_{x},t",
    origin=GIVEN,
    source="Table A.6 for documents, taken over for the query",
    is_monotone=True,
)
def logarithmic(x: Occurring, parameters: Parameters) -> FloatArray:
    """Return 1 + ln f."""
    return 1 + ln(x.f)


@component(
    FREQUENCY,
    "C",
    "logarithmic, by the mean frequency",
    contexts=ALL,
    formula="(1 + ln f_{x},t)/(1 + ln(f_{x}/|T_{x}|))",
    origin=REBUILT,
    source="shared by extended and result fusion in Table A.9: the L of SMART's Lnu (Crouch et al. 2005; Singhal et "
    "al. 1996); Mass and Mandelbrod 2005 divide the logarithms of the two as well",
    reads=("distinct",),
)
def by_mean(x: Occurring, parameters: Parameters) -> FloatArray:
    """Return (1 + ln f) over (1 + ln of the mean f of the unit's terms)."""
    return ratio(1 + ln(x.f), 1 + ln(ratio(x.words, x.distinct)))


@component(
    FREQUENCY,
    "D",
    "by the largest frequency",
    contexts=ALL,
    formula="augment + (1 - augment) · f_{x},t/f^m_{x}",
    origin=REBUILT,
    source="shared by s-term and structural roles in Table A.9; f^m is defined in A.2 and used nowhere else; Zobel and "
    "Moffat's normalised formulation, with augment 0 the f/max f of Schlieder and Meuss 2002",
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


@component(
    FREQUENCY,
    "E",
    "Okapi",
    contexts="DTE",
    formula="(k1 + 1) · f_{x},t/(W_{x} + f_{x},t)",
    formulas={"Q": "(k3 + 1) · f_q,t/(k3 + f_q,t)"},
    origin=REBUILT,
    source="(2.2) in D[CH-AEH-BEA]: K of (2.2) is the length W_d, letter H",
    parameters=("k1",),
    others={"Q": okapi_query},
    query_parameters=("k3",),
    reads=("length",),
    is_monotone=True,
)
def okapi(x: Occurring, parameters: Parameters) -> FloatArray:
    """Return (k1 + 1) f / (W + f)."""
    return ratio((float(parameters["k1"]) + 1) * x.f, x.length + x.f)


@component(
    FREQUENCY,
    "F",
    "Jelinek-Mercer",
    contexts=ALL,
    formula="lambda · f_{x},t/((1 - lambda) · f_{x})",
    origin=GIVEN,
    source="Table A.7 for elements, taken over for the others",
    parameters=("lambda",),
)
def jelinek_mercer(x: Occurring, parameters: Parameters) -> FloatArray:
    """Return lambda f / ((1 - lambda) words)."""
    share = float(parameters["lambda"])
    return ratio(share * x.f, (1 - share) * x.words)


@component(
    FREQUENCY,
    "G",
    "Dirichlet",
    contexts=ALL,
    formula="f_{x},t/mu",
    origin=REBUILT,
    source="(2.3) in D[DN-AGJ-BAJ]: with w_t = N/N_t the product must be N f/(mu N_t)",
    parameters=("mu",),
)
def dirichlet(x: Occurring, parameters: Parameters) -> FloatArray:
    """Return f / mu."""
    return x.f / float(parameters["mu"])


@component(
    FREQUENCY,
    "H",
    "share of the collection's occurrences",
    contexts="TQ",
    formula="f_{x},t/F_t",
    origin=REBUILT,
    source="GPX in Table A.9; Geva, GPX, INEX 2005: t_i/f_i. Seven letters are left for documents and elements, eight "
    "for the query, as Table A.6 counts",
    reads=("occurrences",),
)
def collection_share(x: Occurring, parameters: Parameters) -> FloatArray:
    """Return f over the occurrences in the collection."""
    return ratio(x.f, x.occurrences)


@component(
    FREQUENCY,
    "I",
    "raw",
    contexts=ALL,
    formula="f_{x},t",
    origin=OURS,
    source="Zobel and Moffat's standard formulation; repeated query words count",
    is_monotone=True,
)
def raw(x: Occurring, parameters: Parameters) -> FloatArray:
    """Return f."""
    return x.f


@component(
    FREQUENCY,
    "J",
    "Okapi, length with a floor inside",
    contexts="DTE",
    formula="(k1 + 1) · f_{x},t/(k1 · ((1 - b) + b · max(f_{x}, floor)/mean f_{x}) + f_{x},t)",
    origin=OURS,
    source="(2.2); W remains free, and units shorter than the floor count as if they had its length",
    parameters=("k1", "b", "floor"),
    reads=("mean_words",),
    is_monotone=True,
)
def okapi_with_floor(x: Occurring, parameters: Parameters) -> FloatArray:
    """Return Okapi's frequency by the words of the unit, short ones lengthened."""
    k1, b, floor = (float(parameters[name]) for name in ("k1", "b", "floor"))
    length = k1 * ((1 - b) + b * ratio(np.maximum(x.words, floor), x.mean_words))
    return ratio((k1 + 1) * x.f, length + x.f)


@component(
    FREQUENCY,
    "K",
    "Okapi by text blocks",
    contexts="DTE",
    formula="(k1 + 1) · f_{x},t/(k1 · ((1 - b) + b · max(f_{x}, block)/block) + f_{x},t)",
    origin=OURS,
    source="letter J with the length of a text block as floor and mean, because the mean over nested elements says "
    "little",
    parameters=("k1", "b", "block"),
    is_monotone=True,
)
def okapi_by_blocks(x: Occurring, parameters: Parameters) -> FloatArray:
    """Return Okapi's frequency by the words of the unit in relation to those of a text block, 1 at least."""
    k1, b, block = (float(parameters[name]) for name in ("k1", "b", "block"))
    return ratio((k1 + 1) * x.f, k1 * ((1 - b) + b * np.maximum(x.words / block, 1.0)) + x.f)
