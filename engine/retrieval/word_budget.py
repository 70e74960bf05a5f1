"""The best answers within a word budget: each is taken if there is room for it and it overlaps with no better one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.errors import WordBudgetError
from engine.retrieval.shard_merging import Affordable, merged_order
from engine.retrieval.trace import Reason

# Numbers of words and rows in a shard are below this power of two.
SHARD_BITS = 48

Rows = NDArray[np.int64]


def affordable(found: Sequence[Affordable]) -> list[Rows]:
    """Return for each shard the places of its candidates that fit a word budget of all shards.

    Raises: WordBudgetError where none fits.
    """
    first = found[0]
    shards = np.repeat(np.arange(len(found)), [len(each.words) for each in found])
    places = np.concatenate([np.arange(len(each.words)) for each in found])
    scores, articles, begins, ends, words = (
        np.concatenate([each[column] for each in found]) for column in range(len(Affordable._fields[:5]))
    )
    apart = shards << SHARD_BITS  # intervals of different shards are not of the same words
    order = merged_order(scores, articles, groups_by_article=first.groups_by_article)
    begins, ends = (begins + apart)[order], (ends + apart)[order]
    fits = order[within_budget(begins, ends, articles[order], words[order], first.budget, first.max_per_article)]
    return [places[fits[shards[fits] == number]] for number in range(len(found))]


def within_budget(
    begins: Rows,
    ends: Rows,
    article: Rows,
    words: Rows,
    budget: int,
    per_article: int | None,
    refused: dict[int, tuple[Reason, int | None]] | None = None,
) -> Rows:
    """Return the places of the answers that fit, in order.

    Each is taken if there is room for it, and it overlaps with none that was.

    Args:
        begins, ends: the intervals that tell overlap; per_article: answers that an article may have.
        refused: receives why each of the others is not taken and, of overlap, the first answer that it overlaps with.
    Raises: WordBudgetError where none fits.
    """
    left, shortest = budget, int(words.min()) if len(words) else 0
    if shortest > budget:
        raise WordBudgetError(budget, shortest)
    kept: list[int] = []
    of_article: dict[int, int] = {}
    taken_begins: list[int] = []  # of what is kept, ascending; taken_ends beside them
    taken_ends: list[int] = []
    columns = zip(begins.tolist(), ends.tolist(), article.tolist(), words.tolist(), strict=True)
    for place, (begin, end, number, size) in enumerate(columns):
        if left < shortest:
            if refused is not None:
                refused.update((other, (Reason.WORD_BUDGET, None)) for other in range(place, len(words)))
            break
        at = bisect_right(taken_begins, begin)
        is_free = (not at or taken_ends[at - 1] <= begin) and (at == len(kept) or taken_begins[at] >= end)
        has_room = per_article is None or of_article.get(number, 0) < per_article
        if size <= left and is_free and has_room:
            kept.append(place)
            left -= size
            of_article[number] = of_article.get(number, 0) + 1
            taken_begins.insert(at, begin)
            taken_ends.insert(at, end)
        elif refused is not None:
            if not is_free:
                blocker = next(other for other in kept if begins[other] < end and ends[other] > begin)
                refused[place] = Reason.OVERLAP, blocker
            else:
                refused[place] = Reason.WORD_BUDGET if has_room else Reason.MAX_PER_ARTICLE, None
    return np.array(kept, np.int64)
