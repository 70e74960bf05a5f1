"""What decides the order of answers: context scores with the share of the article added, or structural keys."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import ArrayRecord, FloatArray, Rows
from engine.index.reader import IndexReader
from engine.planning.plan import ByHeuristic, ByScore, Plan
from engine.ranking.articles import RankedArticles
from engine.ranking.candidate_columns import ArticleCandidates, Candidates, CountedCandidates
from engine.ranking.parts.article import ARTICLE
from engine.records import dataclass
from engine.thesis import heuristics


@dataclass(frozen=True, eq=False, repr=False)
class Scored(ArrayRecord):
    """Candidates by score, in no order; or, where `scores` is None, in order; columns of shape (n,).

    rows: elements; of passages, those that contain them. articles: the place of each article in the ranking.
    begins, ends: the intervals that tell overlap: of rows, of passages of words. words: length; None where unused.
    sentences: of passages, the first and the last sentence in that element, WHOLE for all of it, shape (n, 2).
    """

    rows: Rows
    articles: Rows
    begins: Rows
    ends: Rows | None = None
    words: Rows | None = None
    scores: FloatArray | None = None
    sentences: Rows | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def at(self, places: Rows) -> Scored:
        """Return the candidates at some places."""

        def chosen(column: Any) -> Any:
            return None if column is None else column[places]

        return Scored(*(chosen(getattr(self, each.name)) for each in fields(self)))

    def joined(self, other: Scored) -> Scored:
        """Return the candidates of both, which are of different articles, in document order."""
        order = np.concatenate([self.begins, other.begins]).argsort(kind="stable")

        def column(name: str) -> NDArray[Any] | None:
            one, two = getattr(self, name), getattr(other, name)
            return None if one is None or two is None else np.concatenate([one, two])[order]

        return Scored(**{each.name: column(each.name) for each in fields(self)})  # type: ignore[arg-type]

    def __repr__(self) -> str:
        best = "" if self.scores is None or not len(self) else f", best={self.scores.max():.4f}"
        return f"Scored(candidates={len(self)}{best})"


def score_candidates(index: IndexReader, plan: Plan, ranked: RankedArticles, candidates: Candidates) -> Scored:
    """Return the candidates with their scores, or in the order of the heuristic or of their articles."""
    if isinstance(candidates, ArticleCandidates):
        return Scored(candidates.rows, candidates.articles, candidates.rows)
    if isinstance(candidates, CountedCandidates):
        letters = plan.order.letters if isinstance(plan.order, ByHeuristic) else ""
        places = heuristics.order(index.elements, candidates.elements, candidates.articles, letters)
        rows = candidates.elements.rows[places]
        return Scored(rows, candidates.articles[places], rows)
    if not isinstance(plan.order, ByScore):
        raise TypeError("scored candidates of another order")
    scores = candidates.context_scores + ARTICLE.column(plan.order, ranked.scores[candidates.articles])
    return Scored(
        candidates.rows,
        candidates.articles,
        candidates.begins,
        candidates.ends,
        candidates.words,
        scores,
        candidates.sentences,
    )
