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
from engine.query.query import Query
from engine.ranking.articles import RankedArticles
from engine.ranking.batches import first_by_score
from engine.ranking.parts import catalogue
from engine.ranking.parts.article import ARTICLE
from engine.ranking.parts.catalogue import highest
from engine.ranking.parts.part import ArticleEvidence
from engine.ranking.scoring.element_bounds import ROUNDING, has_bounds, part_bounds
from engine.ranking.scoring.focus import focus_among
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
    alone, of_headings, of_sequence, weights = part_bounds(index, plan.query, order, documents)
    of_articles = ranked.scores.take(places).take(by_number)
    articles = ArticleEvidence(order, alone, of_headings, of_sequence, of_articles)
    inside, of_articles = highest(articles), ARTICLE.column(order, ARTICLE.bound(articles))
    of_places = np.empty(len(places))
    of_places[by_number] = inside + of_articles + ROUNDING * (inside + np.abs(of_articles))
    return Bounds(places, of_places, weights=weights)


def no_bounds(ranked: RankedArticles) -> Bounds:
    """Return the absence of bounds where answers are in the order of their articles."""
    return Bounds(places_of(ranked.documents >= 0), None, "answers are in the order of articles, not by score")


# Ranked articles for each of several shards from which on bounds take less time than all of its articles.
FEWEST_OF_A_SHARD = 200
# The focus of a query, and the leaves with its words in the ranked articles, from which on bounds save time: of the
# pairs that were tried on several collections, these take the least (bench/notebook/speed_experiments.md).
LEAST_FOCUS, FEWEST_LEAVES = 0.6, 2000
# A passage of sentences takes about as much time as so many elements.
LEAVES_OF_PASSAGES = 2


def reason_to_search_all(index: IndexReader, plan: Plan, order: ByScore, ranked: RankedArticles) -> str:
    """Return why all ranked articles are searched; "" where bounds leave some out. All shards agree.

    Bounds save time where the score of one article is far above the others, and where there is much to search. Both
    are estimated from the statistics of the collection before anything is read. Answers are the same either way.
    """
    return reason_without_bounds(plan, order) or _why_too_costly(index, plan, order, ranked)


def reason_without_bounds(plan: Plan, order: ByScore) -> str:
    """Return why the scores of a plan have no bounds; "" where they do, and each article is scored by itself."""
    if plan.selection.groups_by_article:
        return "answers are grouped by article"
    if plan.matching.n_first is not None:
        return "max_matches counts matches in the order of the articles"
    if not has_bounds(plan.query, order) or not catalogue.has_bounds(order):
        return "the score of an element has no bound"
    return ""


def _why_too_costly(index: IndexReader, plan: Plan, order: ByScore, ranked: RankedArticles) -> str:
    n_shards, n_ranked = index.exchange.n_shards, len(ranked)
    if 2 * first_by_score(plan) >= n_ranked or (n_shards > 1 and n_ranked < FEWEST_OF_A_SHARD * n_shards):
        return "few articles are ranked for so many answers, or the index has shards"
    focus = 1.0 if order.focus is None else focus_among(order.focus, ranked)
    if focus < LEAST_FOCUS:
        return f"no article stands out: the focus is {focus:.2f}, bounds save time from {LEAST_FOCUS} on"
    n_leaves = leaves_with_words(index, plan.query, n_ranked) * (LEAVES_OF_PASSAGES if order.passages else 1)
    if n_leaves < FEWEST_LEAVES:
        return f"there is little to search: about {n_leaves:.0f} matches, bounds save time from {FEWEST_LEAVES} on"
    return ""


def leaves_with_words(index: IndexReader, query: Query, n_articles: int) -> float:
    """Return an estimate of the leaves of `n_articles` articles that contain a query word; one with two counts twice.

    As many for each article with a word as in the whole collection.
    """
    terms = [index.statistics.term(word) for word in query.word_counts]
    return sum(term.leaf_frequency * min(1.0, n_articles / max(term.document_frequency, 1)) for term in terms)
