"""The best answers among the candidates of the articles that were searched so far, and what surpasses them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.index.shard_exchange import Exchange
from engine.planning.plan import Selection
from engine.ranking.candidate_columns import Candidates
from engine.ranking.selection.repetitions import AnswerWords
from engine.ranking.selection.rows_of_tables import RowsOfTables
from engine.ranking.selection.selection import Selected, lowest_score_within_budget, merged, select
from engine.sharded_search.shard_merging import FoundScores, kth_best_score

# Selects the answers among candidates.
Select = Callable[[Selection, Candidates], Selected]


class BestAnswers:
    """The best answers by score of ever more articles.

    Whatever overlaps, and whatever competes for the answers that an article may have, is of one article: so the answers
    of some articles and those of others are merged by their scores. A word budget is for all articles together: their
    candidates are collected, and selected from at the end.

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
