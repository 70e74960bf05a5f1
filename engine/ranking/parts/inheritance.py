"""What an element inherits from those around it: a section about the query raises its paragraphs.

    inherited(e) = element(parent of e) + parent_weight inherited(parent of e); 0 for a root and its children

The text of the whole article is in the article's score, so the root passes nothing down.

Source: contextualisation, Arvola, Junkkari & Kekäläinen, CIKM 2005.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.arrays import FloatArray, Mask, Rows, places_of
from engine.kernels.table import compiled, native
from engine.planning.plan import ByScore
from engine.query_limits import check_time
from engine.ranking.parts.part import (
    ArticleEvidence,
    ElementEvidence,
    ExplainedElements,
    Explanation,
    InnerPart,
    left_to_right,
)
from engine.ranking.scoring.context import Context

# Elements above one whose contexts are explained one by one: a tree of details must not be deeper than what reads it.
MOST_LEVELS = 50


# The places of elements of one depth, and those of their parents.
Level = tuple[Rows, Rows]


class InheritancePart(InnerPart):
    """The part of the elements around an element; its limit is a geometric series, bounded below a weight of 1."""

    name = "context"
    setting = "parent_weight"
    tried = (0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9)
    has_focus = True
    formula = "inherited(e): element(p) + `parent_weight` x inherited(p) of the parent p of e; 0 where p is the root"
    source = "Arvola, Junkkari & Kekäläinen, CIKM 2005"

    def column(self, evidence: ElementEvidence) -> FloatArray:
        """Return the score of the parent of each element, with its own inheritance."""
        return inherited(evidence.context, evidence.element_scores, self.weight(evidence.order))

    def has_bound(self, order: ByScore) -> bool:
        """Return whether the series has a limit."""
        return 0 <= self.weight(order) < 1

    def bound(self, articles: ArticleEvidence) -> FloatArray:
        """Return the limit of the sum over ever more ancestors. Raises: ValueError where there is none."""
        weight = self.weight(articles.order)
        if not self.has_bound(articles.order):
            raise ValueError(f"parent_weight = {weight}: no bound")
        return articles.alone / (1 - weight)

    def explain(self, explained: ExplainedElements, place: int) -> list[Explanation]:
        """Return the addend of the parent of an element, with its own inheritance."""
        return self._explained(explained, place, 1)

    def _explained(self, explained: ExplainedElements, place: int, distance: int) -> list[Explanation]:
        """Return the part; what comes from more than `MOST_LEVELS` above is one number, without details."""
        share, above = self.weight(explained.order), _parent(explained.scores.context, place)
        if not share or above is None:
            return []
        path = explained.path(above)
        facts = {"path": path, "weight": share**distance, "factor": share}
        alone = float(explained.scores.evidence.element_scores[above])
        if distance > MOST_LEVELS:
            value = alone + share * explained.value(self, above)
            return [
                Explanation(
                    self.name, share * value, f"{share:g} × {value:.6f} of {path} around it, and all above", (), facts
                )
            ]
        further = self._explained(explained, above, distance + 1)
        parts = (Explanation("alone", alone, f"{path} alone", facts={"path": path}), *further)
        described = f"{path} in its context"
        total = Explanation("inherited", left_to_right(parts), described, parts, {"path": path}, sums=True)
        value = share * (total.value or 0.0)
        description = f"{share:g} × {total.value:.6f} of {path} around it"
        return [Explanation(self.name, value, description, (total,) if further else (), facts)]


def _parent(context: Context, place: int) -> int | None:
    """Return the element above one, by places; None for the root and its children."""
    above = int(context.parents[place])
    return None if above == place or context.is_root[above] else above


def _inherited_in_numpy(context: Context, scores: FloatArray, weight: float) -> FloatArray:
    of_parents = np.zeros(len(scores))
    totals = scores.copy()
    for level, above in levels(context.parents, context.is_root):
        of_parents[level] = totals.take(above)
        totals[level] += weight * of_parents.take(level)
    return of_parents


@compiled(_inherited_in_numpy)
def inherited(context: Context, scores: FloatArray, weight: float) -> FloatArray:
    """Return the total of the parent of each element: its score and `weight` times that of its own parent."""
    return np.frombuffer(native.inherited(scores, context.parents, context.is_root, weight), np.float64)


def levels(parents: Rows, is_root: Mask) -> Sequence[Level]:
    """Return the places of elements and of their parents, by depth: each parent before its children.

    Roots pass nothing down.

    Args:
        parents: places; of the element itself where the parent is not here.
    """
    waiting = places_of((parents != np.arange(len(parents))) & ~is_root.take(parents))
    found: list[Level] = []
    is_waiting = np.zeros(len(parents), np.bool_)
    while waiting.size:
        check_time()
        is_waiting[waiting] = True
        is_next = ~is_waiting.take(parents.take(waiting))
        is_waiting[waiting] = False
        level, waiting = waiting.compress(is_next), waiting.compress(~is_next)
        found.append((level, parents.take(level)))
    return found


INHERITANCE = InheritancePart()
