"""The best answers within a word budget: each is taken if there is room for it and it overlaps with no better one.

In the place of a table for which there is no room, its rows with query terms are taken, those that fit.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.arrays import Rows
from engine.errors import WordBudgetError
from engine.query_limits import check_time
from engine.ranking.selection.overlap import DisjointIntervals
from engine.ranking.selection.repetitions import TextsInOrder
from engine.ranking.selection.rows_of_tables import TablesInOrder
from engine.ranking.trace import Reason
from engine.records import NamedTuple
from engine.sharded_search.shard_merging import BudgetCandidates, merged_order

# Numbers of words and rows in a shard are below this power of two.
SHARD_BITS = 48


class Fitting(NamedTuple):
    """The places of the answers that fit, ascending, and the words of each that are taken: of a table, of some rows."""

    places: Rows
    words: Rows


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
    refused: dict[int, tuple[Reason, int | None]] | None = None,
    texts: TextsInOrder | None = None,
    most: int | None = None,
    tables: TablesInOrder | None = None,
) -> Fitting:
    """Return the answers that fit, in order.

    Each is taken if there is room for it, or for some of its rows, and it neither overlaps with nor repeats one that
    was.

    Args:
        begins, ends: the intervals that tell overlap; per_article: answers that an article may have.
        refused: receives why each of the others is not taken and, of overlap, the first answer that it overlaps with.
        texts: of the answers, which may not repeat one another; None where they may. most: answers that are wanted.
        tables: of which rows can be taken; None where these stay whole.
    Raises: WordBudgetError where none fits.
    """
    check_time()
    left, shortest = budget, int(words.min()) if len(words) else 0
    if tables is not None:
        shortest = tables.shortest(budget, shortest)
    if shortest > budget:
        raise WordBudgetError.too_small(budget, shortest)
    taken, granted = DisjointIntervals(), dict[int, int]()
    of_article: dict[int, int] = {}
    columns = zip(begins.tolist(), ends.tolist(), article.tolist(), words.tolist(), strict=True)
    for place, (begin, end, number, n_words) in enumerate(columns):
        if most is not None and len(taken) >= most:
            break
        if left < shortest:
            if refused is not None:
                refused.update((other, (Reason.WORD_BUDGET, None)) for other in range(place, len(words)))
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
                refused[place] = Reason.REPETITION, original
        elif refused is not None:
            blocker = taken.first_overlapping(begin, end)
            without_overlap = Reason.WORD_BUDGET if has_room else Reason.MAX_PER_ARTICLE
            refused[place] = (Reason.OVERLAP, blocker) if blocker >= 0 else (without_overlap, None)
    return Fitting(np.array(list(granted), np.int64), np.array(list(granted.values()), np.int64))
