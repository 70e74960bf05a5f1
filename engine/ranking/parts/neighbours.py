"""The neighbours of an element: the better one of the elements directly before and after it, of the same parent.

neighbours(e) = the higher element(n) of the neighbours n of e, of NEIGHBOUR_BLOCKS text blocks or more, as e has
"""

from __future__ import annotations

import numpy as np

from engine.arrays import FloatArray, Rows
from engine.kernels.table import compiled, native
from engine.ranking.parts.part import ArticleEvidence, ElementEvidence, ExplainedElements, Explanation, InnerPart
from engine.ranking.scoring.context import neighbours_in


class NeighboursPart(InnerPart):
    """The part of the elements beside an element."""

    name = "neighbour"
    setting = "neighbour_weight"
    tried = (0, 0.1, 0.2, 0.4, 0.8, 1.6)
    has_focus = True
    needs_surroundings = True
    formula = "neighbours(e): the higher element(n) of the elements n directly before and after e"

    def column(self, evidence: ElementEvidence) -> FloatArray:
        """Return the better score beside each element."""
        return _best(evidence)[0]

    def bound(self, articles: ArticleEvidence) -> FloatArray:
        """Return the most that a text of each article scores."""
        return articles.alone

    def explain(self, explained: ExplainedElements, place: int) -> list[Explanation]:
        """Return the addend of the better neighbour of an element."""
        weight, evidence = self.weight(explained.order), explained.scores.evidence
        other = int(_best(evidence)[1][place]) if weight and evidence.with_surroundings else -1
        if other < 0:
            return []
        score, path = explained.value(self, place), explained.path(other)
        facts = {"path": path, "weight": weight}
        return [Explanation(self.name, weight * score, f"{weight:g} × {score:.6f} of {path} beside it", facts=facts)]


def _best(evidence: ElementEvidence) -> tuple[FloatArray, Rows]:
    pairs = neighbours_in(evidence.context, evidence.block_words)
    return best_neighbours(evidence.element_scores, *pairs)


def _best_neighbours_in_numpy(scores: FloatArray, left: Rows, right: Rows) -> tuple[FloatArray, Rows]:
    best, place = np.zeros(len(scores)), np.full(len(scores), -1)
    best[right], place[right] = scores[left], left
    is_better = scores[right] > best[left]
    best[left[is_better]], place[left[is_better]] = scores[right[is_better]], right[is_better]
    return best, place


@compiled(_best_neighbours_in_numpy)
def best_neighbours(scores: FloatArray, left: Rows, right: Rows) -> tuple[FloatArray, Rows]:
    """Return for each element the better score of its neighbours, 0 without one, and the place of that one, or -1.

    Args:
        left, right: places of neighbours, of those directly after others in `right`.
    """
    found, places = native.best_neighbours(scores, left, right)
    return np.frombuffer(found, np.float64), np.frombuffer(places, np.int64)


NEIGHBOURS = NeighboursPart()
