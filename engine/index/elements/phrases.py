"""Where the words of a phrase are: in their places, or near one another.

Phrases lie in one text node of the own text of an element.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain, combinations, islice

import numpy as np

from engine.arrays import Rows, distinct
from engine.index.elements.element_columns import ElementColumns
from engine.index.postings.leaf_postings import Occurrences
from engine.query_limits import check_time, reserve
from engine.records import NamedTuple

_NONE = np.empty(0, np.int64)
# Bits of the position of a word in the own text of an element, below those of its row.
POSITION_BITS = 32
LAST_POSITION = (1 << POSITION_BITS) - 1
# Most sets of words that share places; all of those of eight words.
MOST_SETS = 255


class PhrasePlaces(NamedTuple):
    """The occurrences of a phrase: the leaf of each, ascending, and the numbers of its first and last word."""

    rows: Rows
    first: Rows
    last: Rows


def phrase_places(
    columns: ElementColumns,
    words: Sequence[str],
    places: Sequence[int],
    slop: int | None,
    occurrences: Callable[[str], Occurrences],
) -> PhrasePlaces:
    """Return where a phrase occurs.

    Without slop, the words are in their places. With slop, an occurrence is a shortest stretch that contains all words,
    each in a place of its own, in any order, and has at most so many more than the phrase itself: no such stretch
    contains another. Source of the latter: Clarke, Cormack and Burkowski, An algebra for structured text search, The
    Computer Journal 38(1), 1995.

    Args:
        occurrences: returns those of a word, with positions.
    """
    if slop is None:
        found = _in_order(words, places, occurrences)
    else:
        found = _in_any_order(words, max(places) + slop, occurrences)
    if not len(found[0]):
        return PhrasePlaces(_NONE, _NONE, _NONE)
    rows = found[0] >> POSITION_BITS
    base = columns.first_word(rows)
    first, last = (base + (each & LAST_POSITION) for each in found)
    at_begin, at_end = np.split(columns.text_node(np.concatenate([first, last])), 2)
    is_whole = at_begin == at_end
    return PhrasePlaces(rows[is_whole], first[is_whole], last[is_whole])


def keys_of(found: Occurrences) -> Rows:
    """Return a number for each occurrence, ascending: its row, then its position."""
    positions = _NONE if found.positions is None else found.positions
    reserve(2 * len(positions))
    return (found.rows.repeat(found.tf) << POSITION_BITS) | positions


def _in_order(
    words: Sequence[str], places: Sequence[int], occurrences: Callable[[str], Occurrences]
) -> tuple[Rows, Rows]:
    """Return the first and the last word of each occurrence, as `keys_of` numbers them."""
    begins: Rows | None = None
    reach = max(places)
    for word, place in zip(words, places, strict=True):
        check_time()
        found = keys_of(occurrences(word)) - place + reach  # where the phrase would begin; no number is negative
        begins = found if begins is None else np.intersect1d(begins, found, assume_unique=True)
        if not len(begins):
            return _NONE, _NONE
    assert begins is not None
    return begins - reach, begins


def _in_any_order(words: Sequence[str], reach: int, occurrences: Callable[[str], Occurrences]) -> tuple[Rows, Rows]:
    """Return the first and the last word of each shortest stretch with all words, at most `reach` from one another."""
    counts = Counter(words)
    keys = {}
    for word in counts:
        check_time()
        keys[word] = keys_of(occurrences(word))
        if not len(keys[word]):
            return _NONE, _NONE
    lasts = distinct(np.concatenate(list(keys.values())))
    reserve(5 * len(lasts) + len(keys) * len(lasts) // 8)
    is_word = {word: np.zeros(len(lasts), np.bool_) for word in keys}
    for word, found in keys.items():
        is_word[word][lasts.searchsorted(found)] = True
    is_shared = sum(is_word.values(), np.zeros(len(lasts), np.int64)) > 1
    sharing = [word for word in keys if (is_word[word] & is_shared).any()]
    begins = lasts
    for together in sets_of_words(counts, sharing):
        check_time()
        is_one = np.logical_or.reduce([is_word[word] for word in together])
        found = lasts.compress(is_one)
        place = is_one.cumsum() - sum(counts[word] for word in together)  # the n-th last one up to here
        begins = np.minimum(begins, np.where(place >= 0, found.take(np.maximum(place, 0)), -1))
    fits = (begins >= 0) & (lasts - begins <= reach) & (lasts >> POSITION_BITS == begins >> POSITION_BITS)
    begins, lasts = begins[fits], lasts[fits]
    is_shortest = np.ones(len(begins), np.bool_)
    is_shortest[1:] = begins[1:] != begins[:-1]
    return begins[is_shortest], lasts[is_shortest]


def sets_of_words(words: Collection[str], sharing: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield each word, and the sets of those that share places, the first MOST_SETS.

    A stretch has a place of its own for every word if it has, for every such set, as many places as words (P. Hall, On
    representatives of subsets, Journal of the London Mathematical Society 10(1), 1935).
    """
    yield from ((word,) for word in words)
    sets = chain.from_iterable(combinations(sharing, n) for n in range(2, len(sharing) + 1))
    yield from islice(sets, MOST_SETS)
