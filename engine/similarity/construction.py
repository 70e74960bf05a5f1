"""Constructed scores: text nodes propagated to the elements around them, elements fused with their documents.

Both take scores and places, and know nothing of an index. Source: thesis A.3, Tables A.1 (F and G) and A.8.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.similarity.parameters import Parameters, defaults
from engine.similarity.registry import PROPAGATION, TABLES
from engine.similarity.values import FloatArray, Numbers, ratio


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
        elements: rows of elements, ascending; n_leaves: |D_e| of each, whether or not these have scores.
        parent: gives the parents' rows, a root's is its own.
    """
    component = TABLES[PROPAGATION][function]
    given = {**defaults(component.parameters), **(parameters or {})}
    total = np.zeros(len(elements))
    if not len(elements):
        return total
    distance, climbing, worth = 0, leaves, scores
    while climbing.size:
        place = np.minimum(np.searchsorted(elements, climbing), len(elements) - 1)
        reached = np.flatnonzero(elements[place] == climbing)
        at = place[reached]
        share = component.function(np.full(len(at), distance), n_leaves[at], given)
        total += np.bincount(at, share * worth[reached], len(elements))
        above = parent(climbing)
        goes_on = above != climbing
        distance, climbing, worth = distance + 1, above[goes_on], worth[goes_on]
    return total


def fuse(
    elements: FloatArray,
    names: Numbers,
    documents: FloatArray,
    document: Numbers,
    parameters: Parameters | None = None,
) -> FloatArray:
    """Return S_q,e = pivot · S_q,d / max S_q,d + (1 - pivot) · S_q,e' / max S_q,e', for each element.

    The second maximum is over the elements of the same name, which stand for an index of their own: scores of different
    names become comparable by it, and are merged into one list. Source: Mass and Mandelbrod 2005 (document pivot), who
    divide by the score of the query with itself; the formula of Table A.1, G, is lost.

    Args:
        names: a number for each element's name.
        documents: scores of documents; document: the place of each element's among them.
    """
    pivot = float({**defaults(("pivot",)), **(parameters or {})}["pivot"])
    best = np.zeros(int(names.max(initial=-1)) + 1)
    np.maximum.at(best, names, np.abs(elements))
    own = ratio(elements, best[names])
    around = ratio(documents, np.abs(documents).max(initial=0))[document]
    fused: FloatArray = pivot * around + (1 - pivot) * own
    return fused
