"""Constructed scores: text nodes propagated to enclosing elements, elements fused with their documents.

Both are functions of scores and positions, without an index. Source: thesis A.3, Tables A.1 (F and G) and A.8.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.arrays import FloatArray, Numbers, places_of
from engine.similarity.parameters import Parameters, with_defaults
from engine.similarity.registry import PROPAGATION, TABLES
from engine.similarity.values import ratio


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
