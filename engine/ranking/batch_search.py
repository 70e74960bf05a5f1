"""From a batch of ranked articles to candidates: matches, the structure of the query, candidates."""

from __future__ import annotations

import numpy as np

from engine.image_search.image_scores import ScoredImages, image_rows
from engine.index.reader import IndexReader
from engine.index.shard_exchange import Exchange, summed
from engine.planning.plan import Plan, WholeArticles
from engine.ranking.articles import RankedArticles
from engine.ranking.batches import ArticleBatch
from engine.ranking.candidate_columns import Candidates
from engine.ranking.candidates import find_candidates
from engine.ranking.matches import Matches, find_matches, first_matches
from engine.ranking.observed_stage import run_stage
from engine.ranking.scoring.term_weights import DocumentWeights
from engine.ranking.selection.answer_scope import matches_in_scope
from engine.sharded_search.shard_merging import largest
from engine.structure import read_structure


def search_batch(
    index: IndexReader,
    plan: Plan,
    ranked: RankedArticles,
    batch: ArticleBatch,
    *,
    n_first: int | None = None,
    images: ScoredImages | None = None,
    lowest: float = -np.inf,
    weights: DocumentWeights | None = None,
) -> tuple[Matches, Candidates]:
    """Return the matches of a batch of articles, at most the first `n_first`, and the candidates made of them.

    Args:
        lowest: the score that a candidate needs to be an answer, -inf where that is not known: candidates that cannot
            be answers may be left out.
        weights: of the terms in these articles and others, where they are known.
    """
    matches = run_stage("matches", structured_matches, index, plan, batch, n_first, images)
    return matches, run_stage("candidates", find_candidates, index, plan, ranked, batch, matches, lowest, weights)


def structured_matches(
    index: IndexReader, plan: Plan, batch: ArticleBatch, n_first: int | None, images: ScoredImages | None = None
) -> Matches:
    """Return the matches in a batch of articles that the structure of the query and the scope leave, at most n.

    Whole articles are answers without matches.
    """
    if isinstance(plan.order, WholeArticles):
        return Matches(batch.documents, (), np.empty(0, np.int64))
    found = find_matches(index.elements, plan.query, batch.documents, plan.matching)
    if images is not None:
        found = found.with_image_rows(image_rows(images, index.elements, found.documents))
    matches = read_structure(index, plan.query, plan.matching, found)
    matches = matches_in_scope(index, plan, matches)
    if n_first is None:
        return matches
    of_targets = plan.matching.of_targets
    if index.exchange.n_shards > 1:
        n_first = _own_share(index, index.exchange, batch, matches, n_first, of_targets=of_targets)
    return first_matches(index.elements, matches, batch.ranked, n_first, of_targets=of_targets)


def _own_share(
    index: IndexReader, exchange: Exchange, batch: ArticleBatch, matches: Matches, n_first: int, *, of_targets: bool
) -> int:
    """Return how many of the first matches of all shards are in this one."""
    rows = matches.targets if of_targets and matches.targets is not None else matches.rows
    n_articles = exchange.combine(largest, int(batch.places.max(initial=-1)) + 1)
    places = batch.places[np.searchsorted(batch.documents, index.elements.document(rows))]
    counts = np.bincount(places, minlength=n_articles)
    total = exchange.combine(summed, counts)
    before = np.cumsum(total) - total
    return int(np.minimum(counts, np.maximum(n_first - before, 0)).sum())
