"""The element itself: the similarity of its text and the query, by a Q-expression, times coverage."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.arrays import FloatArray
from engine.ranking.parts.part import ArticleEvidence, ElementEvidence, ExplainedElements, Explanation, InnerPart
from engine.wording import counted


class ElementPart(InnerPart):
    """The part of an element's own text; `engine.ranking.scoring.element_bounds` bounds it."""

    name = "element_score"
    formula = (
        "element(e): similarity of the text of e and the query, by `element_similarity`, x covered(e) ^ `coverage`"
    )

    def column(self, evidence: ElementEvidence) -> FloatArray:
        """Return the scores of the texts."""
        return evidence.element_scores

    def bound(self, articles: ArticleEvidence) -> FloatArray:
        """Return the most that a text of each article scores."""
        return articles.alone

    def explain(self, explained: ExplainedElements, place: int) -> list[Explanation]:
        """Return the score of the text, with that of each term."""
        evidence, row = explained.scores.evidence, explained.row(place)
        score, words = float(evidence.element_scores[place]), int(evidence.context.words[place])
        facts: dict[str, Any] = {"path": explained.path(place), "words": words}
        covered = ""
        if evidence.order.coverage:
            facts["coverage"] = factor = evidence.coverage_of(place)
            covered = f" × coverage {factor:.3f}"
        block = evidence.order.resolved_parameters(explained.index.statistics.least_block_words).get("block")
        short = f", scored as {float(block):.1f} (block_words)" if block is not None and words < float(block) else ""
        length = counted(words, "word")
        found = explained.of_text(
            self.name, row, score, f"its text: {explained.similarity} similarity{covered}, {length}{short}"
        )
        if not (score or found.details):
            facts |= {"coverage": 0.0} if evidence.order.coverage else {}
            nothing = f"nothing of the query by {explained.similarity}, {length}"
            return [Explanation(self.name, score, nothing, facts=facts)]
        return [replace(found, facts={**facts, **found.facts})]


ELEMENT = ElementPart()
