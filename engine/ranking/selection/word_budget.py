"""The best answers within a word budget: each is taken if there is room for it and it overlaps with no better one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.arrays import Rows
from engine.errors import WordBudgetError
from engine.query_limits import check_time
from engine.ranking.selection.overlap import DisjointIntervals
from engine.ranking.selection.repetitions import TextsInOrder
from engine.ranking.trace import Reason
from engine.sharded_search.shard_merging import BudgetCandidates, merged_order

# Numbers of words and rows in a shard are below this power of two.
SHARD_BITS = 48


def affordable(found: Sequence[BudgetCandidates]) -> list[Rows]:
    """Return for each shard the places of its candidates that fit a word budget of all shards.

    Raises: WordBudgetError where none fits.
    """
    first = found[0]
    shards = np.repeat(np.arange(len(found)), [len(each.words) for each in found])
    places = np.concatenate([np.arange(len(each.words)) for each in found])
    scores, articles, begins, ends, words = (
        np.concatenate([each[column] for each in found]) for column in range(len(BudgetCandidates._fields[:5]))
    )
    apart = shards << SHARD_BITS  # intervals of different shards are not of the same words
    order = merged_order(scores, articles, groups_by_article=first.groups_by_article)
    begins, ends = (begins + apart)[order], (ends + apart)[order]
    fits = order[fitting_places(begins, ends, articles[order], words[order], first.budget, first.max_per_article)]
    return [places[fits[shards[fits] == number]] for number in range(len(found))]


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
) -> Rows:
    """Return the places of the answers that fit, in order.

    Each is taken if there is room for it, and it neither overlaps with nor repeats one that was.

    Args:
        begins, ends: the intervals that tell overlap; per_article: answers that an article may have.
        refused: receives why each of the others is not taken and, of overlap, the first answer that it overlaps with.
        texts: of the answers, which may not repeat one another; None where they may. most: answers that are wanted.
    Raises: WordBudgetError where none fits.
    """
    check_time()
    left, shortest = budget, int(words.min()) if len(words) else 0
    if shortest > budget:
        raise WordBudgetError.too_small(budget, shortest)
    taken = DisjointIntervals()
    of_article: dict[int, int] = {}
    columns = zip(begins.tolist(), ends.tolist(), article.tolist(), words.tolist(), strict=True)
    for place, (begin, end, number, size) in enumerate(columns):
        if most is not None and len(taken) >= most:
            break
        if left < shortest:
            if refused is not None:
                refused.update((other, (Reason.WORD_BUDGET, None)) for other in range(place, len(words)))
            break
        has_room = per_article is None or of_article.get(number, 0) < per_article
        if size <= left and has_room and taken.are_apart_from(begin, end):
            original = None if texts is None else texts.add(place)
            if original is not None:
                if refused is not None:
                    refused[place] = Reason.REPETITION, original
                continue
            taken.add(place, begin, end)
            left -= size
            of_article[number] = of_article.get(number, 0) + 1
        elif refused is not None:
            blocker = taken.first_overlapping(begin, end)
            if blocker >= 0:
                refused[place] = Reason.OVERLAP, blocker
            else:
                refused[place] = Reason.WORD_BUDGET if has_room else Reason.MAX_PER_ARTICLE, None
    return np.sort(np.array(taken.places, np.int64))
