"""Upper bounds of the scores of answers in each ranked article: articles with low ones need not be searched.

Each part of the score has its bound (`engine.ranking.parts`); here those of an article are added to its own.
"""

from __future__ import annotations

from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from engine.arrays import ArrayRecord, FloatArray, Mask, is_among, places_of
from engine.index.reader import IndexReader
from engine.planning.plan import ByScore, Plan
from engine.ranking.articles import RankedArticles
from engine.ranking.parts.article import ARTICLE
from engine.ranking.parts.catalogue import highest
from engine.ranking.parts.part import ArticleEvidence
from engine.ranking.scoring.element_bounds import ROUNDING, part_bounds
from engine.ranking.scoring.pruning_choice import reason_to_search_all
from engine.ranking.scoring.term_weights import DocumentWeights
from engine.records import dataclass


@dataclass(frozen=True, eq=False, repr=False)
class Bounds(ArrayRecord):
    """Positions in the ranking of articles, and the most that an answer of each can score; shape (n,).

    `highest` is None where all articles are searched; `reason_to_search_all` says why. `weights`: of the terms in these
    articles, where they were computed.
    """

    places: NDArray[np.int64]
    highest: FloatArray | None
    reason_to_search_all: str = ""
    weights: DocumentWeights | None = field(default=None, compare=False)

    def __len__(self) -> int:
        return len(self.places)

    def reaching(self, lowest: float) -> Bounds:
        """Return the bounds of articles that can have an answer with a score of `lowest` or more."""
        if self.highest is None:
            raise ValueError("without bounds, no article can be left out")
        return self._where(self.highest >= lowest)

    def without(self, places: NDArray[np.int64]) -> Bounds:
        """Return the bounds of all articles but those at some places."""
        return self._where(~is_among(self.places, places))

    def _where(self, is_kept: Mask) -> Bounds:
        if self.highest is None:
            raise ValueError("without bounds, no article can be left out")
        kept = places_of(is_kept)
        return Bounds(self.places.take(kept), self.highest.take(kept))

    def __repr__(self) -> str:
        if self.highest is None:
            return f"Bounds(none, no article is left out by its score: {self.reason_to_search_all})"
        best = f", highest={self.highest.max():.4f}" if len(self) else ""
        return f"Bounds(articles={len(self)}{best})"


def article_bounds(index: IndexReader, plan: Plan, order: ByScore, ranked: RankedArticles) -> Bounds:
    """Return the most that an answer of each article can score; none, with the reason, where all are searched."""
    places = places_of(ranked.documents >= 0)  # without documents of other shards
    if reason := reason_to_search_all(index, plan, order, ranked):
        return Bounds(places, None, reason)
    if not len(places):
        return Bounds(places, np.empty(0))
    documents = ranked.documents.take(places)
    by_number = documents.argsort()
    documents = documents.take(by_number)
    alone, of_headings, weights = part_bounds(index, plan.query, order, documents)
    articles = ArticleEvidence(order, alone, of_headings, ranked.scores.take(places).take(by_number))
    inside, of_articles = highest(articles), ARTICLE.column(order, ARTICLE.bound(articles))
    of_places = np.empty(len(places))
    of_places[by_number] = inside + of_articles + ROUNDING * (inside + np.abs(of_articles))
    return Bounds(places, of_places, weights=weights)


def no_bounds(ranked: RankedArticles) -> Bounds:
    """Return the absence of bounds where answers are in the order of their articles."""
    return Bounds(places_of(ranked.documents >= 0), None, "answers are in the order of articles, not by score")
