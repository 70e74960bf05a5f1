"""Passages: windows of whole sentences inside leaves. To its leaf, a window is what an element is to its parent.

In undivided text, windows can have more sentences than asked for: as many as the shortest passage needs.

A window may go on in the next leaf, if that is a match of the query, too, and both have the same parent, which has no
text of its own: so runs of sentences or of speeches that are elements each can be answers.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import FloatArray, Mask, Rows, distinct, places_of, ranges
from engine.index.elements.element_store import Elements
from engine.index.texts.passage_offsets import leaves_of_sentences
from engine.planning.plan import ByScore
from engine.query_limits import check_time, reserve
from engine.ranking.parts.leaf import with_leaf
from engine.ranking.scoring.element_scorer import ElementScorer
from engine.records import NamedTuple

# In place of the first and the last sentence of a passage that is a whole element.
WHOLE = -1


class Windows(NamedTuple):
    """Windows of sentences; columns of shape (n,).

    row: the element that contains the window: a leaf, or the parent of the leaves that it spans.
    first, last: its sentences, as numbers in that element, from 0; the last one is in the window.
    leaf, last_leaf: places of its first and last leaf among those asked for.
    begin, end: numbers of the first word, and of the word after the last.
    """

    row: Rows
    first: Rows
    last: Rows
    leaf: Rows
    last_leaf: Rows
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
    continued: Mask | None = None,
    is_text: Mask | None = None,
    is_undivided: Mask | None = None,
    takes_short: bool = True,
) -> Windows:
    """Return all windows of up to `longest` sentences in some leaves (ascending), of `shortest` words or more.

    In a leaf, a window lies in one text node: no child element is between its sentences. In undivided text, there are
    also windows of more sentences, where `longest` ones have fewer than `shortest` words.

    Args:
        continued: whether a window may go on from each leaf in the next one; see `continued_in_next`.
        is_text: which leaves are not titles; all if None.
        is_undivided: which leaves are undivided text; none if None.
        takes_short: whether all are returned where no window of any text has as many words.
    """
    leaf, number, begin, end = _sentences(elements, leaves)
    has_undivided = is_undivided is not None and bool(is_undivided.any())
    text_node = elements.text_node(begin) if longest > 1 or has_undivided else begin
    may_go_on = np.zeros(len(leaves), np.bool_) if continued is None else continued
    is_same = leaf[1:] == leaf[:-1]
    is_broken = np.where(is_same, text_node[1:] != text_node[:-1], ~may_go_on[leaf[:-1]])
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
        of_leaf = leaf[first]
        pieces.append(
            np.stack([leaves[of_leaf], number[first], number[last], of_leaf, leaf[last], begin[first], end[last]])
        )
    check_time()
    windows = Windows(*np.concatenate([np.empty((len(Windows._fields), 0), np.int64), *pieces], axis=1))
    check_time()
    is_long = windows.end - windows.begin >= shortest
    if is_text is not None:
        is_long &= is_text[windows.leaf]
    if is_long.any() or not takes_short:
        windows = windows.chosen(places_of(is_long))
    return windows if continued is None else _in_parents(elements, leaves, windows)


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


def containers(elements: Elements, leaves: Rows) -> Rows:
    """Return the element that each leaf would share with the next one in a passage."""
    return elements.nearest_non_inline(elements.parent(leaves))


def continued_in_next(elements: Elements, leaves: Rows) -> Mask:
    """Return whether each leaf (ascending) is followed directly by the next one, under the same parent.

    Neither contains other elements with words, and the parent has none of its own: so the text between a window's first
    and last word is that of the window.
    """
    parents = containers(elements, leaves)
    first, n_words = elements.first_word(leaves), elements.n_words(leaves)
    is_pure = (elements.n_own_words(leaves) == n_words) & (elements.n_own_words(parents) == 0) & (parents != leaves)
    found = np.zeros(len(leaves), np.bool_)
    found[:-1] = is_pure[:-1] & is_pure[1:] & (parents[:-1] == parents[1:]) & ((first + n_words)[:-1] == first[1:])
    return found


def _in_parents(elements: Elements, leaves: Rows, windows: Windows) -> Windows:
    """Return the windows, those that span leaves as sentences of the parent."""
    spanning = places_of(windows.leaf != windows.last_leaf)
    if not len(spanning):
        return windows
    ends = np.stack([leaves[windows.leaf[spanning]], leaves[windows.last_leaf[spanning]]])
    parent_of = containers(elements, ends[0])
    parents = distinct(parent_of)
    n_below = elements.end(parents) - parents - 1
    below = ranges(parents + 1, n_below)
    n_sentences = elements.n_sentences(below)
    before = np.cumsum(n_sentences) - n_sentences
    starts = np.cumsum(n_below) - n_below
    of_parent = before[starts][parents.searchsorted(parent_of)]
    row, first, last = windows.row.copy(), windows.first.copy(), windows.last.copy()
    # Subtrees of nested parents are in `below` twice, each after its own start.
    place = starts[parents.searchsorted(parent_of)] + ends - parent_of - 1
    row[spanning] = parent_of
    first[spanning] += before[place[0]] - of_parent
    last[spanning] += before[place[1]] - of_parent
    return windows._replace(row=row, first=first, last=last)


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
    scorer: ElementScorer, order: ByScore, leaves: Rows, windows: Windows, inside: FloatArray
) -> FloatArray:
    """Return the scores of windows inside their articles, with the best leaf of those that each spans.

    Weights that depend on the element are those of the first leaf.

    Args:
        leaves: those that were asked for; inside: their scores in their context.
    """
    own = scorer.windows(leaves[windows.leaf], windows.begin, windows.end).covered
    return with_leaf(order, own, inside[best_leaves_of(windows, inside)])


def best_leaves_of(windows: Windows, inside: FloatArray) -> Rows:
    """Return the index of the best-scoring leaf of each window, the first of equal ones."""
    best = windows.leaf.copy()
    spanning = places_of(windows.last_leaf > best)
    further = 0
    while len(spanning):
        further += 1
        others = windows.leaf[spanning] + further
        is_better = inside[others] > inside[best[spanning]]
        best[spanning[is_better]] = others[is_better]
        spanning = spanning[windows.last_leaf[spanning] > others]
    return best


def words_of_passage(elements: Elements, row: int, first: int, last: int) -> tuple[int, int]:
    """Return the number of the first word of some sentences of an element, and of the word after the last."""
    leaves, places = leaves_of_sentences(elements, np.array([row, row]), np.array([first, last]))
    begin, end = (windows_of(elements, leaves[at : at + 1], 1, 0) for at in (0, 1))
    return int(begin.begin[places[0]]), int(end.end[places[1]])


def sentence_range(first: int, last: int) -> str:
    """Return the sentences of a passage in words, counted from 1; an empty text for a whole element."""
    if first == WHOLE:
        return ""
    return f"sentence {first + 1}" if first == last else f"sentences {first + 1}-{last + 1}"
