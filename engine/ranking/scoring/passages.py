"""Passages: windows of whole sentences inside leaves. To its leaf, a window is what an element is to its parent.

In undivided text, windows can have more sentences than asked for: as many as the shortest passage needs.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import FloatArray, Mask, Rows, distinct, places_of
from engine.index.elements.element_store import Elements
from engine.planning.plan import ByScore
from engine.query_limits import check_time, reserve
from engine.ranking.parts.leaf import with_leaf
from engine.ranking.scoring.element_scorer import ElementScorer
from engine.records import NamedTuple

# In place of the first and the last sentence of a passage that is a whole element.
WHOLE = -1


class Windows(NamedTuple):
    """Windows of sentences; columns of shape (n,).

    leaf: the place of its leaf among those asked for.
    first, last: its sentences, as numbers in the leaf, from 0; the last one is in the window.
    begin, end: numbers of the first word, and of the word after the last.
    """

    leaf: Rows
    first: Rows
    last: Rows
    begin: Rows
    end: Rows

    def chosen(self, places: Rows) -> Windows:
        """Return the windows at some places."""
        return Windows(*(column[places] for column in self))


def windows_of(
    elements: Elements,
    leaves: Rows,
    longest: int,
    shortest: float,
    *,
    is_text: Mask | None = None,
    is_undivided: Mask | None = None,
    takes_short: bool = True,
) -> Windows:
    """Return all windows of up to `longest` sentences in some leaves (ascending), of `shortest` words or more.

    In a leaf, a window lies in one text node: no child element is between its sentences. In undivided text, there are
    also windows of more sentences, where `longest` ones have fewer than `shortest` words.

    Args:
        is_text: which leaves are not titles; all if None.
        is_undivided: which leaves are undivided text; none if None.
        takes_short: whether all are returned where no window of any text has as many words.
    """
    leaf, number, begin, end = _sentences(elements, leaves)
    has_undivided = is_undivided is not None and bool(is_undivided.any())
    text_node = elements.text_node(begin) if longest > 1 or has_undivided else begin
    is_broken = (leaf[1:] != leaf[:-1]) | (text_node[1:] != text_node[:-1])
    n_breaks = np.append(0, np.cumsum(is_broken)) if len(leaf) else leaf
    bounds = []
    for further in range(longest):
        first = np.arange(len(leaf) - further)
        last = first + further
        unbroken = n_breaks[first] == n_breaks[last]
        if not unbroken.any():
            break
        bounds.append((first[unbroken], last[unbroken]))
    if is_undivided is not None and has_undivided:
        bounds.append(_shortest_runs(begin, end, n_breaks, places_of(is_undivided[leaf]), longest, shortest))
    pieces = []
    for first, last in bounds:
        reserve(len(Windows._fields) * len(first))
        pieces.append(np.stack([leaf[first], number[first], number[last], begin[first], end[last]]))
    check_time()
    windows = Windows(*np.concatenate([np.empty((len(Windows._fields), 0), np.int64), *pieces], axis=1))
    check_time()
    is_long = windows.end - windows.begin >= shortest
    if is_text is not None:
        is_long &= is_text[windows.leaf]
    if is_long.any() or not takes_short:
        windows = windows.chosen(places_of(is_long))
    return windows


def _shortest_runs(
    begin: Rows, end: Rows, n_breaks: Rows, chosen: Rows, longest: int, shortest: float
) -> tuple[Rows, Rows]:
    """Return the shortest runs of `shortest` words or more that begin or end with some sentences, of over `longest`.

    Args:
        begin, end: words of all sentences. n_breaks: before each, over which no run goes. chosen: places of sentences.
    """
    last = end.searchsorted(begin[chosen] + shortest)
    first = begin.searchsorted(end[chosen] - shortest, side="right") - 1
    runs = np.concatenate([np.stack([chosen, last]), np.stack([first, chosen])], axis=1)
    runs = runs[:, (runs[0] >= 0) & (runs[1] < len(end))]
    is_further = (runs[1] - runs[0] >= longest) & (n_breaks[runs[0]] == n_breaks[runs[1]])
    first, last = np.unique(runs[:, is_further], axis=1)
    return first, last


def _sentences(elements: Elements, leaves: Rows) -> tuple[Rows, Rows, Rows, Rows]:
    """Return each sentence of the leaves: its leaf's place, its number in it, first word and the word after it."""
    first = elements.first_word(leaves)
    stop = first + elements.n_own_words(leaves)
    starts = elements.sentence_starts(distinct(elements.document(leaves)))
    low, high = np.searchsorted(starts, first, side="right"), np.searchsorted(starts, stop)
    counts = high - low + 1
    leaf = np.repeat(np.arange(len(leaves)), counts)
    number = np.arange(len(leaf)) - np.repeat(np.cumsum(counts) - counts, counts)
    begin = first[leaf]
    is_further = number > 0
    begin[is_further] = starts[(low[leaf] + number - 1)[is_further]]
    end = np.append(begin, 0)[1:]
    is_last = number == counts[leaf] - 1
    end[is_last] = stop[leaf[is_last]]
    return leaf, number, begin, end


def score_windows(
    scorer: ElementScorer, order: ByScore, leaves: Rows, windows: Windows, inside: FloatArray, of_sequence: FloatArray
) -> FloatArray:
    """Return the scores of windows inside their articles, each with that of its leaf.

    Args:
        leaves: those that were asked for; inside: their scores in their context. of_sequence: what it adds to windows.
    """
    own = scorer.windows(leaves[windows.leaf], windows.begin, windows.end).covered
    return with_leaf(order, own + of_sequence, inside[windows.leaf])


def words_of_passage(elements: Elements, row: int, first: int, last: int) -> tuple[int, int]:
    """Return the number of the first word of some sentences of a leaf, and of the word after the last."""
    sentences = windows_of(elements, np.array([row]), 1, 0)
    return int(sentences.begin[first]), int(sentences.end[last])


def sentence_range(first: int, last: int) -> str:
    """Return the sentences of a passage in words, counted from 1; an empty text for a whole element."""
    if first == WHOLE:
        return ""
    return f"sentence {first + 1}" if first == last else f"sentences {first + 1}-{last + 1}"
