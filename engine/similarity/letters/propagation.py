"""Table A.8: F(e, p), the weight of the score of a text node in the score of an enclosing element.

A leaf counts as its own text node: dist(leaf, leaf) = 0, and its score has weight 1 in its own.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from engine.arrays import FloatArray, Numbers
from engine.similarity.parameters import Parameters
from engine.similarity.registry import PROPAGATION, component, from_thesis

propagation = partial(component, PROPAGATION)


@propagation("A", "naïve", {"E": "1"}, from_thesis("Table A.8"))
def naive(distance: Numbers, n_leaves: Numbers, parameters: Parameters) -> FloatArray:
    """Return 1."""
    return np.ones(len(distance))


@propagation(
    "B", "distance", {"E": "alpha^dist(e, p)"}, from_thesis("Table A.8; Sauvagnat et al. 2004"), parameters=("alpha",)
)
def distance(distance: Numbers, n_leaves: Numbers, parameters: Parameters) -> FloatArray:
    """Return alpha to the number of arcs from element to text node."""
    weight: FloatArray = np.power(float(parameters["alpha"]), distance.astype(np.float64))
    return weight


@propagation("C", "GPX", {"E": "0.49 if |D_e| = 1, 0.99 if |D_e| > 1"}, from_thesis("Table A.8; Geva 2006"))
def gpx(distance: Numbers, n_leaves: Numbers, parameters: Parameters) -> FloatArray:
    """Return 0.49 for an element with one text node, 0.99 for one with more; 1 for a leaf itself."""
    return np.where(distance == 0, 1.0, np.where(n_leaves > 1, 0.99, 0.49))
