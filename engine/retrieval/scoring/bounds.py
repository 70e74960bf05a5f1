"""Upper bounds of the scores of answers in each ranked article: articles with low ones need not be searched.

The bound of each part of the score is beside the function that computes the part; here they are added up.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.arrays import ArrayRecord, places_of
from engine.index.containment import is_member
from engine.index.reader import IndexReader
from engine.query.query import Query
from engine.records import dataclass
from engine.retrieval.articles import RankedArticles
from engine.retrieval.plan import ByScore, Plan
from engine.retrieval.scoring.context_scores import highest_in_context
from engine.retrieval.scoring.element_bounds import ROUNDING, Highest, highest_by_frequencies, highest_by_places
from engine.retrieval.scoring.exact_titles import exact_title_scores
from engine.retrieval.scoring.passages import highest_of_passages
from engine.retrieval.scoring.pruning_choice import why_all

FloatArray = NDArray[np.float64]
# Returns the most that the parts of a score can be in each of some documents.
HighestOf = Callable[[IndexReader, Query, ByScore, NDArray[np.int64]], Highest]

# What closer bounds of the elements of an article usually are, as a share of the first ones.
CLOSENESS = 0.3


@dataclass(frozen=True, eq=False, repr=False)
class Bounds(ArrayRecord):
    """Positions in the ranking of articles, and the most that an answer of each can score; shape (n,).

    `highest` is None where all articles are searched; `why_all` says why. `of_articles`: what the score and the titles
    of an article add to the score of each of its elements.
    """

    places: NDArray[np.int64]
    highest: FloatArray | None
    why_all: str = ""
    of_articles: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.places)

    def reaching(self, lowest: float) -> Bounds:
        """Return the bounds of articles that can have an answer with a score of `lowest` or more."""
        if self.highest is None:
            raise ValueError("without bounds, no article can be left out")
        return self._where(self.highest >= lowest)

    def without(self, places: NDArray[np.int64]) -> Bounds:
        """Return the bounds of all articles but those at some places."""
        return self._where(~is_member(self.places, places))

    def tightened(self, closer: Bounds) -> Bounds:
        """Return the bounds with closer ones at some of the places."""
        if self.highest is None or closer.highest is None:
            raise ValueError("without bounds, none are closer")
        highest = self.highest.copy()
        highest[self.places.searchsorted(closer.places)] = closer.highest
        return Bounds(self.places, highest, of_articles=self.of_articles)

    def _where(self, kept: NDArray[np.bool_]) -> Bounds:
        if self.highest is None or self.of_articles is None:
            raise ValueError("without bounds, no article can be left out")
        return Bounds(self.places[kept], self.highest[kept], of_articles=self.of_articles[kept])

    def n_expected(self, lowest: float) -> int:
        """Return how many are expected to be left by closer bounds; an estimate that only time depends on."""
        if self.highest is None or self.of_articles is None:
            return len(self)
        expected = self.of_articles + CLOSENESS * (self.highest - self.of_articles)
        return int(np.count_nonzero(expected >= lowest))

    def __repr__(self) -> str:
        if self.highest is None:
            return f"Bounds(none, no article is left out by its score: {self.why_all})"
        best = f", highest={self.highest.max():.4f}" if len(self) else ""
        return f"Bounds(articles={len(self)}{best})"


def article_bounds(index: IndexReader, plan: Plan, order: ByScore, ranked: RankedArticles) -> Bounds:
    """Return the most that an answer of each article can score; none, with the reason, where all are searched."""
    places = places_of(ranked.documents >= 0)  # without documents of other shards
    if reason := why_all(index, plan, order, len(ranked)):
        return Bounds(places, None, reason)
    documents = ranked.documents.take(places)
    of_articles = order.article_weight * ranked.scores.take(places)
    if order.exact_title_weight:
        by_number = documents.argsort()
        weight = order.exact_title_weight * (max(order.leaf_weight, 1.0) if order.passages else 1.0)
        of_articles[by_number] += weight * exact_title_scores(index, plan.query, documents[by_number])
    return _bounds(index, plan, order, documents, places, of_articles, highest_by_frequencies)


def no_bounds(ranked: RankedArticles) -> Bounds:
    """Return the absence of bounds where answers are in the order of their articles."""
    return Bounds(places_of(ranked.documents >= 0), None, "answers are in the order of articles, not by score")


def closer_bounds(index: IndexReader, plan: Plan, order: ByScore, ranked: RankedArticles, far: Bounds) -> Bounds:
    """Return tighter upper bounds of the same articles, by where in them the terms occur."""
    if far.of_articles is None:
        raise ValueError("without bounds, none are closer")
    documents = ranked.documents.take(far.places)
    return _bounds(index, plan, order, documents, far.places, far.of_articles, highest_by_places)


def _bounds(
    index: IndexReader,
    plan: Plan,
    order: ByScore,
    documents: NDArray[np.int64],
    places: NDArray[np.int64],
    of_articles: FloatArray,
    highest_of: HighestOf,
) -> Bounds:
    if not len(places):
        return Bounds(places, np.empty(0), of_articles=of_articles)
    by_number = documents.argsort()
    alone, of_headings = np.empty(len(places)), np.empty(len(places))
    alone[by_number], of_headings[by_number] = highest_of(index, plan.query, order, documents.take(by_number))
    highest = highest_in_context(alone, order.parent_weight)
    highest += order.neighbour_weight * alone + order.heading_weight * of_headings
    if order.passages:
        highest = highest_of_passages(alone, highest, order.leaf_weight)
    highest = highest + of_articles + ROUNDING * (highest + np.abs(of_articles))
    return Bounds(places, highest, of_articles=of_articles)
