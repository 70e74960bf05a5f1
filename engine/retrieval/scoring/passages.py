"""Passages: windows of whole sentences inside leaves. To its leaf, a window is what an element is to its parent."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import distinct
from engine.index.element_store import Elements
from engine.query.limits import hold
from engine.retrieval.scoring.context import FloatArray
from engine.retrieval.scoring.element_scorer import ElementScorer

Rows = NDArray[np.int64]


class Windows(NamedTuple):
    """Windows of sentences; columns of shape (n,). Sentences of a leaf count from 0, the last one is in the window."""

    leaf: Rows  # place of the leaf among those asked for
    first: Rows
    last: Rows
    begin: Rows  # number of the first word
    end: Rows  # number of the word behind the last

    def chosen(self, places: Rows) -> Windows:
        """Return some of the windows."""
        return Windows(*(column[places] for column in self))


def windows_of(elements: Elements, leaves: Rows, longest: int, shortest: float, *, takes_short: bool = True) -> Windows:
    """Return all windows of up to `longest` sentences in some leaves (ascending), of `shortest` words or more.

    A window lies in one text node: no child element stands between its sentences. Where no window of any leaf has as
    many words, all are returned, if `takes_short`.
    """
    leaf, number, begin, end = _sentences(elements, leaves)
    text_node = elements.text_node(begin) if longest > 1 else begin
    pieces = []
    for further in range(longest):
        first = np.arange(len(leaf) - further)
        last = first + further
        same = (leaf[first] == leaf[last]) & (text_node[first] == text_node[last])
        first, last = first[same], last[same]
        if not len(first):
            break
        hold(len(Windows._fields) * len(first))
        pieces.append(np.stack([leaf[first], number[first], number[last], begin[first], end[last]]))
    windows = Windows(*np.concatenate([np.empty((5, 0), np.int64), *pieces], axis=1))
    is_long = windows.end - windows.begin >= shortest
    return windows.chosen(np.flatnonzero(is_long)) if is_long.any() or not takes_short else windows


def _sentences(elements: Elements, leaves: Rows) -> tuple[Rows, Rows, Rows, Rows]:
    """Return each sentence of the leaves: its leaf's place, its number in it, first word and the word behind it."""
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
    scorer: ElementScorer, leaves: Rows, windows: Windows, inside: FloatArray, share: float
) -> FloatArray:
    """Return own(window) + share times the score inside its leaf."""
    own = scorer.windows(leaves[windows.leaf], windows.begin, windows.end)
    scores: FloatArray = own + share * inside[windows.leaf]
    return scores


def highest_of_windows(highest: FloatArray, inside: FloatArray, share: float) -> FloatArray:
    """Return the most that a window can score if it alone scores at most `highest`, and its leaf at most `inside`."""
    scores: FloatArray = highest + share * inside
    return scores


def sentence_range(first: int, last: int) -> str:
    """Return the sentences of a passage in words, counted from 1."""
    return f"sentence {first + 1}" if first == last else f"sentences {first + 1}-{last + 1}"
