"""The article of an element: what speaks for the whole document, its score with that of its opening.

Source: the article inside the element's score, Sigurbjörnsson, Kamps & de Rijke, INEX 2003.
"""

from __future__ import annotations

from engine.arrays import FloatArray
from engine.planning.plan import ByScore
from engine.ranking.parts.part import ArticleEvidence, ExplainedElements, Explanation, Part


class ArticlePart(Part):
    """The part of the article, which elements and passages have alike; in bounds, it is known."""

    name = "article_part"
    setting = "article_weight"
    tried = (0, 0.3, 0.6, 1.2, 2.4, 4.8, 9.6, 19.2)
    has_focus = True
    formula = "article(e): score of the article by `similarity`, and of its opening"
    source = "Sigurbjörnsson, Kamps & de Rijke, INEX 2003"

    def column(self, order: ByScore, of_articles: FloatArray) -> FloatArray:
        """Return the addends of articles with some scores, the weight included."""
        return self.weight(order) * of_articles

    def bound(self, articles: ArticleEvidence) -> FloatArray:
        """Return the scores of the articles."""
        return articles.scores

    def explain(self, explained: ExplainedElements, place: int) -> list[Explanation]:
        """Return the addend of the article of an element."""
        return [self.of(explained.order, explained.article_score(explained.row(place)))]

    def of(self, order: ByScore, score: float) -> Explanation:
        """Return the explained addend of an article with a score."""
        weight = self.weight(order)
        return Explanation(self.name, weight * score, f"{weight:g} × {score:.6f}, score of the article")


ARTICLE = ArticlePart()
