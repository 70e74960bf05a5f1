"""Constructed scores: text nodes propagated to enclosing elements, elements fused with their documents.

Both are functions of scores and positions, without an index. Source: thesis A.3, Tables A.1 (F and G) and A.8, which is
F(e, p), the weight of the score of a text node in that of an enclosing element. A leaf counts as its own text node:
dist(leaf, leaf) = 0, and its score has weight 1 in its own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from engine.arrays import FloatArray, Numbers, places_of
from engine.similarity.parameters import Parameters, with_defaults
from engine.similarity.registry import PROPAGATION, TABLES, component, from_thesis
from engine.similarity.values import ratio

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


def propagate(
    function: str,
    leaves: Numbers,
    scores: FloatArray,
    elements: Numbers,
    n_leaves: Numbers,
    parent: Callable[[Numbers], Numbers],
    parameters: Parameters | None = None,
) -> FloatArray:
    """Return S_q,e = Σ F(e, p) · S_q,p over the text nodes p in and below each element e, shape (n_elements,).

    Args:
        function: a letter of Table A.8.
        leaves: rows of the leaves that have scores.
        elements: rows of elements, ascending; n_leaves: |D_e| of each, including leaves without scores.
        parent: returns the rows of parents; a root is its own parent.
    """
    component = TABLES[PROPAGATION][function]
    given = with_defaults(component.parameters, parameters)
    total = np.zeros(len(elements))
    if not len(elements):
        return total
    distance, climbing, rising = 0, leaves, scores
    while climbing.size:
        place = np.minimum(np.searchsorted(elements, climbing), len(elements) - 1)
        reached = places_of(elements[place] == climbing)
        at = place[reached]
        share = component.function(np.full(len(at), distance), n_leaves[at], given)
        total += np.bincount(at, share * rising[reached], len(elements))
        above = parent(climbing)
        is_below_root = above != climbing
        distance, climbing, rising = distance + 1, above[is_below_root], rising[is_below_root]
    return total


def best_scores(scores: FloatArray, names: Numbers, n_names: int) -> FloatArray:
    """Return the largest absolute score of the elements of each name, 0 of a name without elements."""
    best = np.zeros(n_names)
    np.maximum.at(best, names, np.abs(scores))
    return best


def fuse(
    elements: FloatArray,
    best_elements: FloatArray,
    documents: FloatArray,
    best_document: float,
    document: Numbers,
    parameters: Parameters | None = None,
) -> FloatArray:
    """Return S_q,e = pivot · S_q,d / max S_q,d + (1 - pivot) · S_q,e' / max S_q,e', for each element.

    The second maximum is over the elements of the same name, as if each name had an index: it makes scores of different
    names comparable, so that they can be merged into one list. Source: Mass and Mandelbrod 2005 (document pivot), who
    divide by the score of the query with itself; the formula of Table A.1, G, is lost.

    Args:
        best_elements: the second maximum of each element.
        documents: scores of documents; best_document: their maximum; document: index of each element's document.
    """
    pivot = with_defaults(("pivot",), parameters)["pivot"]
    of_documents = ratio(documents, best_document)[document]
    fused: FloatArray = pivot * of_documents + (1 - pivot) * ratio(elements, best_elements)
    return fused
