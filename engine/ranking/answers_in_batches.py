"""Answers from batches of ranked articles, until no other article can enter them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.index.reader import IndexReader
from engine.index.shard_exchange import Exchange
from engine.planning.plan import ByScore, Plan, Selection
from engine.ranking.articles import RankedArticles
from engine.ranking.batch_search import search_batch
from engine.ranking.batches import GROWTH, batch_at, batch_of, first_by_score, first_size, next_size
from engine.ranking.candidate_columns import Candidates
from engine.ranking.eligibility.eligibility import shortest_answer
from engine.ranking.observed_stage import run_stage
from engine.ranking.scoring.article_bounds import Bounds
from engine.ranking.selection.repetitions import AnswerWords
from engine.ranking.selection.rows_of_tables import RowsOfTables
from engine.ranking.selection.selection import Selected, joined, lowest_score_within_budget, merged, select
from engine.sharded_search.shard_merging import FoundScores, any_of, kth_best_score

# Selects the answers among candidates.
Select = Callable[[Selection, Candidates], Selected]


class BestAnswers:
    """The best answers by score of ever more articles.

    Overlap and `max_per_article` concern the candidates of one article, so the answers of further articles are merged
    with those so far by score. A word budget is for all articles together: their candidates are collected, and the
    answers are selected at the end.

    Args:
        shortest: words that each candidate has at least.
        select: selects the answers among candidates. texts, tables: as in `select`.
    """

    def __init__(
        self,
        selection: Selection,
        shortest: float,
        select: Select = select,
        texts: AnswerWords | None = None,
        tables: RowsOfTables | None = None,
    ) -> None:
        self._selection, self._shortest, self._select = selection, shortest, select
        self._texts, self._tables = texts, tables
        self._selected: Selected | None = None
        self._candidates: Candidates | None = None
        self._lowest_of_all = -np.inf

    def add(self, candidates: Candidates) -> None:
        """Add the candidates of further articles."""
        if self._selection.word_budget is not None:
            every = candidates if self._candidates is None else self._candidates.joined(candidates)
            self._candidates = every.at(every.begins.argsort(kind="stable"))
            return
        further = self._select(self._selection, candidates)
        if self._selected is None:
            self._selected = further
        else:
            self._selected = merged(self._selected, further, self._selection.max_answers)

    def share(self, exchange: Exchange) -> None:
        """Learn what score the answers of all shards need at least, by the best that each has found so far.

        Raises: TypeError before candidates were added, and where these are kept for a word budget.
        """
        if self._selected is None or self._selected.scores is None:
            raise TypeError("only scores of answers can be shared")
        found = FoundScores(self._selected.scores, self._selection.max_answers)
        self._lowest_of_all = exchange.combine(kth_best_score, found)

    @property
    def lowest(self) -> float:
        """The score that a further candidate needs to be an answer; -inf while any can be one."""
        if self._candidates is not None and self._selection.word_budget is not None:
            return lowest_score_within_budget(
                *(self._selection, self._candidates, self._selection.word_budget),
                *(self._shortest, self._texts, self._tables),
            )
        found = self._selected
        if found is None or found.scores is None or len(found) < self._selection.max_answers:
            return self._lowest_of_all
        return max(float(found.scores[-1]), self._lowest_of_all)

    @property
    def selected(self) -> Selected:
        """The answers."""
        if self._candidates is not None:
            return self._select(self._selection, self._candidates)
        if self._selected is None:
            raise TypeError("no candidates were added")
        return self._selected


def answers_by_article(index: IndexReader, plan: Plan, ranked: RankedArticles) -> Selected:
    """Return the answers from consecutive batches of articles, until there are enough."""
    n_wanted, matches_left = plan.selection.max_answers, plan.matching.n_first
    first, n_found, size = 0, 0, first_size(index, plan, ranked)
    found: list[Selected] = []
    while True:
        matches, candidates = search_batch(index, plan, ranked, batch_of(ranked, first, size), n_first=matches_left)
        selected = run_stage("selected", select, plan.selection, candidates)
        found.append(selected)
        first, n_found = first + size, n_found + len(selected)
        if matches_left is not None:
            matches_left -= matches.n_counted(of_targets=plan.matching.of_targets)
        if first >= len(ranked) or n_found >= n_wanted or matches_left == 0:
            return joined(found, n_wanted)
        size = next_size(size, first, n_found, n_wanted - n_found)


def answers_by_score(
    index: IndexReader,
    plan: Plan,
    order: ByScore,
    ranked: RankedArticles,
    bounds: Bounds,
    texts: AnswerWords,
    tables: RowsOfTables | None,
) -> Selected:
    """Return the answers from batches of articles, the best first, until none that is left can surpass them.

    Where no passage at all has enough words, shorter ones are answers, which only a search of all articles can tell.
    Of several shards, each searches what can be among the answers of all, by what all found in their first batches.

    Args:
        texts: of answers. tables: of which a word budget may take rows; None where these stay whole.
    """
    exchange, index = index.exchange, index.alone()
    shortest = 0.0
    if plan.selection.word_budget is not None:
        shortest = shortest_answer(index, plan, order, ranked.documents.take(bounds.places))

    def selected(selection: Selection, candidates: Candidates) -> Selected:
        return run_stage("selected", select, selection, candidates, texts=texts, tables=tables)

    best = BestAnswers(plan.selection, shortest, selected, texts, tables)
    size = -(-first_by_score(plan) // exchange.n_shards)
    n_candidates, is_shared = 0, exchange.n_shards == 1
    left = due = bounds
    while len(due) or not is_shared:
        places = due.places[:size]
        batch = batch_at(ranked, places)
        _, candidates = search_batch(index, plan, ranked, batch, lowest=best.lowest, weights=bounds.weights)
        best.add(candidates)
        n_candidates += len(candidates)
        if not is_shared:
            best.share(exchange)
            is_shared = True
        # A better answer can leave more of a word budget to others, so that articles are due that were not before.
        left, size = left.without(places), size * GROWTH
        due = left.reaching(best.lowest)
    if order.passages and not _in_any_shard(exchange, n_candidates > 0):
        best.add(search_batch(index, plan, ranked, batch_of(ranked))[1])
    return best.selected


def candidates_of_shard(
    index: IndexReader, exchange: Exchange, plan: Plan, order: ByScore, ranked: RankedArticles
) -> Candidates:
    """Return the candidates in all articles of this shard, where each article is scored by itself.

    Shards learn of the others only whether any has a passage that is long enough.
    """
    alone, batch = index.alone(), batch_of(ranked)
    _, candidates = search_batch(alone, plan, ranked, batch._replace(is_whole=False))
    if order.passages and not _in_any_shard(exchange, len(candidates) > 0):
        _, candidates = search_batch(alone, plan, ranked, batch)
    return candidates


def _in_any_shard(exchange: Exchange, is_here: bool) -> bool:
    return bool(exchange.combine(any_of, np.array([is_here]))[0])
