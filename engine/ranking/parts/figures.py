"""Figures: a caption says in few words what the text around it explains, and repeats the words that are asked for.

figures(e) = own(e) + headings(e) where e is a figure or inside one, 0 elsewhere; both with coverage
"""

from __future__ import annotations

import numpy as np

from engine.arrays import FloatArray, Rows, distinct, places_of, ranges
from engine.index.reader import IndexReader
from engine.planning.plan import ByScore
from engine.ranking.parts.coverage import times_coverage
from engine.ranking.parts.part import ArticleEvidence, ElementEvidence, ExplainedElements, Explanation, InnerPart
from engine.ranking.scoring.context import Context

# Tags of figures and of what is in them, in common vocabularies.
FIGURE_TAGS = frozenset(
    (
        *("fig", "figure", "figcaption", "figDesc", "fig-group", "figgroup", "graphic", "illustration", "image", "img"),
        *("media", "mediaobject", "picture"),
    )
)


class FiguresPart(InnerPart):
    """The part by which an element of a figure scores less than a text."""

    name = "figure"
    setting = "figure_weight"
    needs_surroundings = True
    formula = "figures(e), times `figure_weight` - 1: element(e) and headings, weighted, of a figure or a part of one"

    def weight(self, order: ByScore) -> float:
        """Return the weight, which takes the share away that does not count."""
        return super().weight(order) - 1.0

    def column(self, evidence: ElementEvidence) -> FloatArray:
        """Return the scores of the text and of the headings of elements in figures."""
        found, places = np.zeros(len(evidence.context.rows)), evidence.in_figures
        if len(places):
            factors = None if evidence.factors is None else evidence.factors.take(places)
            headings = times_coverage(evidence.of_headings.take(places), factors)
            found[places] = evidence.element_scores.take(places) + evidence.order.heading_weight * headings
        return found

    def bound(self, articles: ArticleEvidence) -> FloatArray:
        """Return 0: the part takes away."""
        return np.zeros(len(articles.alone))

    def explain(self, explained: ExplainedElements, place: int) -> list[Explanation]:
        """Return the addend of an element in a figure."""
        weight, value = self.weight(explained.order), explained.value(self, place)
        text = f"{weight:g} × {value:.6f}, its text and headings, as it is in a figure"
        return [Explanation(self.name, weight * value, text, facts={"weight": weight})] if value else []


def in_figures(index: IndexReader, context: Context) -> Rows:
    """Return the places of the elements that are figures or inside one, ascending."""
    figures = places_of(index.elements.is_tag(FIGURE_TAGS).take(context.tags))
    ends = context.rows.searchsorted(context.ends.take(figures))
    return distinct(ranges(figures, ends - figures))


FIGURES = FiguresPart()
