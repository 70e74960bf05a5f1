"""The best answers within a word budget: each is taken if there is room for it and it overlaps with no better one.

In the place of a table for which there is no room, its rows with query terms are taken, those that fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from engine.arrays import Rows, places_of
from engine.errors import WordBudgetError
from engine.query_limits import check_time, reserve
from engine.ranking.selection.overlap import DisjointIntervals
from engine.ranking.selection.repetitions import TextsInOrder
from engine.ranking.selection.rows_of_tables import TablesInOrder
from engine.ranking.trace import Reason, Trace, Untraced
from engine.records import NamedTuple
from engine.sharded_search.shard_merging import BudgetCandidates, merged_order

# Numbers of words and rows in a shard are below this power of two.
SHARD_BITS = 48
# Candidates between two looks at the clock.
AT_ONCE = 256


class Fitting(NamedTuple):
    """The places of the answers that fit, ascending, and the words of each that are taken: of a table, of some rows."""

    places: Rows
    words: Rows


class Refused:
    """Why candidates are not taken; of overlap and repetition, also the first answer that one overlaps or repeats."""

    def __init__(self, n_candidates: int) -> None:
        reserve(2 * n_candidates)
        self._reasons: list[Reason] = []
        self._numbers = np.zeros(n_candidates, np.int8)  # of the reasons, from 1
        self._blockers = np.full(n_candidates, -1)

    def add(self, places: int | slice, reason: Reason, blocker: int = -1) -> None:
        """Say why candidates are not taken."""
        if reason not in self._reasons:
            self._reasons.append(reason)
        self._numbers[places] = self._reasons.index(reason) + 1
        self._blockers[places] = blocker

    def record(self, trace: Trace | Untraced, candidates: Rows) -> None:
        """Record it in the trace of a search, in which the candidates have these places."""
        for number, reason in enumerate(self._reasons, 1):
            places = places_of(self._numbers == number)
            blockers = self._blockers[places]
            has_blockers = bool(len(blockers)) and blockers[0] >= 0
            trace.drop_candidates(reason, candidates[places], candidates[blockers] if has_blockers else None)


def _in_pieces(*columns: Rows) -> Iterator[tuple[int, ...]]:
    """Yield the rows of columns, of which few are numbers of Python at a time; raises QueryTimeError."""
    for first in range(0, len(columns[0]), AT_ONCE):
        check_time()
        yield from zip(*(column[first : first + AT_ONCE].tolist() for column in columns), strict=True)


def affordable(found: Sequence[BudgetCandidates]) -> list[Fitting]:
    """Return for each shard which of its candidates fit a word budget of all shards.

    Raises: WordBudgetError where none fits.
    """
    first = found[0]
    shards = np.repeat(np.arange(len(found)), [len(each.words) for each in found])
    places = np.concatenate([np.arange(len(each.words)) for each in found])
    scores, articles, begins, ends, words, n_rows = (
        np.concatenate([each[column] for each in found]) for column in range(len(BudgetCandidates._fields[:6]))
    )
    apart = shards << SHARD_BITS  # intervals of different shards are not of the same words
    order = merged_order(scores, articles, groups_by_article=first.groups_by_article)
    begins, ends = (begins + apart)[order], (ends + apart)[order]
    by_table = np.split(np.concatenate([each.row_words for each in found]), n_rows.cumsum()[:-1])
    tables = TablesInOrder((n_rows > 0)[order], lambda place: by_table[order[place]], *first.room_for_rows)
    columns = begins, ends, articles[order], words[order]
    taken = fitting_places(*columns, first.budget, first.max_per_article, tables=tables)
    fits = order[taken.places]
    are_here = [shards[fits] == number for number in range(len(found))]
    return [Fitting(places[fits[here]], taken.words[here]) for here in are_here]


def fitting_places(
    begins: Rows,
    ends: Rows,
    article: Rows,
    words: Rows,
    budget: int,
    per_article: int | None,
    refused: Refused | None = None,
    texts: TextsInOrder | None = None,
    most: int | None = None,
    tables: TablesInOrder | None = None,
) -> Fitting:
    """Return the answers that fit, in order.

    Each is taken if there is room for it, or for some of its rows, and it neither overlaps with nor repeats one that
    was.

    Args:
        begins, ends: the intervals that tell overlap; per_article: answers that an article may have.
        refused: receives why each of the others is not taken.
        texts: of the answers, which may not repeat one another; None where they may. most: answers that are wanted.
        tables: of which rows can be taken; None where these stay whole.
    Raises: WordBudgetError where none fits.
    """
    left, shortest = budget, int(words.min()) if len(words) else 0
    if tables is not None:
        shortest = tables.shortest(budget, shortest)
    if shortest > budget:
        raise WordBudgetError.too_small(budget, shortest)
    taken, granted = DisjointIntervals(), dict[int, int]()
    of_article: dict[int, int] = {}
    for place, (begin, end, number, n_words) in enumerate(_in_pieces(begins, ends, article, words)):
        if most is not None and len(taken) >= most:
            break
        if left < shortest:
            if refused is not None:
                refused.add(slice(place, None), Reason.WORD_BUDGET)
            break
        has_room = per_article is None or of_article.get(number, 0) < per_article
        size = n_words
        if size > left and tables is not None and taken.are_apart_from(begin, end):
            size = tables.words_within(place, left) or size
        if size <= left and has_room and taken.are_apart_from(begin, end):
            original = None if texts is None else texts.add(place)
            if original is None:
                taken.add(place, begin, end)
                granted[place] = size
                left -= size
                of_article[number] = of_article.get(number, 0) + 1
            elif refused is not None:
                refused.add(place, Reason.REPETITION, original)
        elif refused is not None:
            blocker = taken.first_overlapping(begin, end)
            without_overlap = Reason.WORD_BUDGET if has_room else Reason.MAX_PER_ARTICLE
            refused.add(place, Reason.OVERLAP if blocker >= 0 else without_overlap, blocker)
    return Fitting(np.array(list(granted), np.int64), np.array(list(granted.values()), np.int64))
