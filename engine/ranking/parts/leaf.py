"""The leaf of a window of sentences: to its leaf, a window is what an element is to its parent.

score(w) = own(w) + parent_weight (without the focus) inside(leaf of w) + article_weight article
own(w)       similarity of the words of w and the query, times coverage
inside(e)    score of e inside its article: all parts but that of the article
"""

from __future__ import annotations

import numpy as np

from engine.arrays import FloatArray
from engine.planning.plan import ByScore
from engine.ranking.parts.part import Explanation


def with_leaf(order: ByScore, own: FloatArray, inside: FloatArray) -> FloatArray:
    """Return the scores of windows inside their articles, from their own and those of their leaves."""
    scores: FloatArray = own + order.leaf_weight * inside
    return scores


def highest_of_passages(order: ByScore, alone: FloatArray, inside: FloatArray) -> FloatArray:
    """Return the most that a passage can score, where no window alone scores more than `alone`.

    Args:
        inside: the most that an element scores in its context: a leaf of windows, or one that is a passage as a whole.
    """
    return np.maximum(with_leaf(order, alone, inside), inside)


def explained_leaf(order: ByScore, inside: float) -> Explanation:
    """Return the addend of the leaf of a window."""
    weight = order.leaf_weight
    return Explanation("leaf", weight * inside, f"{weight:g} × {inside:.6f}, score of the leaf in its context")
