"""Table A.8: F(e, p), what the score of a text node is worth to an element around it.

A leaf stands for its own text node: dist(leaf, its own text) = 0, and its own score is worth 1 to it.
"""

from __future__ import annotations

import numpy as np

from engine.similarity.parameters import Parameters
from engine.similarity.registry import GIVEN, PROPAGATION, component
from engine.similarity.values import FloatArray, Numbers


@component(PROPAGATION, "A", "naïve", contexts="E", formula="1", origin=GIVEN, source="Table A.8")
def naive(distance: Numbers, n_leaves: Numbers, parameters: Parameters) -> FloatArray:
    """Return 1."""
    return np.ones(len(distance))


@component(
    PROPAGATION,
    "B",
    "distance",
    contexts="E",
    formula="alpha^dist(e, p)",
    origin=GIVEN,
    source="Table A.8; Sauvagnat et al. 2004",
    parameters=("alpha",),
)
def distance(distance: Numbers, n_leaves: Numbers, parameters: Parameters) -> FloatArray:
    """Return alpha to the number of arcs from element to text node."""
    worth: FloatArray = np.power(float(parameters["alpha"]), distance.astype(np.float64))
    return worth


@component(
    PROPAGATION,
    "C",
    "GPX",
    contexts="E",
    formula="0.49 if |D_e| = 1, 0.99 if |D_e| > 1",
    origin=GIVEN,
    source="Table A.8; Geva 2006",
)
def gpx(distance: Numbers, n_leaves: Numbers, parameters: Parameters) -> FloatArray:
    """Return 0.49 for an element with one text node, 0.99 for one with more; a leaf keeps its own score."""
    return np.where(distance == 0, 1.0, np.where(n_leaves > 1, 0.99, 0.49))
