"""Runs of siblings as answers: turns of a meeting, clauses or paragraphs that say together what is asked.

From the best answer down, each becomes the run of siblings around it that go on about the same:

    smooth(s) = sum of FADING^|i| score(s_i) / sum of FADING^|i|     s_i: the i-th sibling after s, |i| <= REACH

It grows by the sibling before or after it, the one with the higher `smooth`, as long as that is at least SHARE of the
one where it began, and the run has at most MOST_WORDS words; fewer, or more, where `max_words` says so, and at most
those of a word budget. The score of a sibling is that of the best answer in it, 0 without one; without one it is in no
run of siblings with another tag. Where the element around an answer has only a label more, such as the speaker of a
turn, that element is the sibling.

What a run has taken in is no answer of its own, nor is what contains it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping

import numpy as np

from engine.arrays import FloatArray, Rows
from engine.errors import SettingsError
from engine.index.elements.element_store import Elements
from engine.index.reader import IndexReader
from engine.index.shard_exchange import ALONE
from engine.planning.plan import ByScore, Plan
from engine.query_limits import check_time, reserve
from engine.ranking.selection.answer_scope import is_in_scope
from engine.ranking.selection.selection import Selected
from engine.ranking.trace import Reason, Trace, current_trace
from engine.records import with_values

REACH, FADING, SHARE = 4, 0.8, 0.5
MOST_WORDS = 200
# Words that the element around an answer has more than this, at most, to be the sibling: a label, a speaker, a number.
WORDS_OF_LABEL = 5
# Numbers of eight bytes in memory for an answer: columns, a score by row, a stretch that is taken.
NUMBERS = 50
# Rows before and after an answer among which its siblings are looked for.
WINDOW = 1024
WEIGHTS = FADING ** np.abs(np.arange(-REACH, REACH + 1))


def check_siblings(index: IndexReader, plan: Plan) -> None:
    """Raise SettingsError where runs of siblings are asked for and cannot be answers."""
    if not plan.selection.joins_siblings:
        return
    if plan.images is not None:
        raise SettingsError("unit: answers to example images are no runs of siblings: leave one of them out.")
    if index.exchange is not ALONE:
        raise SettingsError(
            "unit: a cluster does not join siblings: search the index itself (foxir search), or with unit = element."
        )


def join_siblings(index: IndexReader, plan: Plan, selected: Selected) -> Selected:
    """Return the answers, best first, as runs of siblings, without those that lie in a better one or contain it.

    Args:
        selected: answers with scores, best first, without overlap; many more than are wanted.
    """
    elements, order = index.elements, plan.order
    if not isinstance(order, ByScore):
        raise TypeError("answers without scores")
    selection, trace = plan.selection, current_trace()
    most = MOST_WORDS if order.max_words is None else order.max_words.resolve(index.statistics.block_words)
    most = min(most, selection.word_budget or most)
    is_cut_late = trace.is_on or selection.word_budget is not None or selection.max_per_article is not None
    n_wanted = len(selected) if is_cut_late else selection.max_answers
    reserve(NUMBERS * len(selected))
    blocks = _with_labels(elements, selected.rows)
    scores = dict(zip(blocks[::-1].tolist(), selected.known_scores[::-1].tolist(), strict=True))  # the best is the last
    taken, kept, runs = _Taken(), list[int](), list[tuple[int, int]]()
    dropped, blockers = list[int](), list[int]()
    columns = selected.rows, elements.end(selected.rows), blocks
    for place, (row, end, block) in enumerate(zip(*(each.tolist() for each in columns), strict=True)):
        if len(kept) == n_wanted:
            break
        check_time()
        blocker = taken.place_of(row, end)
        if blocker is not None:
            dropped.append(place)
            blockers.append(blocker)
            continue
        first, last = _run(index, plan, block, scores, taken, most)
        run = (row, row) if first == last else (first, last)
        taken.add(run[0], int(elements.end(np.array(run))[1]), place)
        kept.append(place)
        runs.append(run)
    if isinstance(trace, Trace):
        known = trace.values["places"]
        trace.drop_candidates(Reason.SIBLINGS, known[dropped], known[blockers])
        trace.record("places", known[kept])
    siblings = np.array(runs, np.int64).reshape(-1, 2)
    chosen = selected.at(np.array(kept, np.int64))
    return with_values(chosen, words=words_of_siblings(elements, siblings), siblings=siblings)


def words_of_siblings(elements: Elements, siblings: Rows) -> Rows:
    """Return the number of words from the first to the last sibling of each run.

    Args:
        siblings: their rows, shape (n, 2).
    """
    first, last = siblings.T
    found: Rows = elements.first_word(last) + elements.n_words(last) - elements.first_word(first)
    return found


def _with_labels(elements: Elements, rows: Rows) -> Rows:
    """Return for each answer the element that is the sibling: itself, or the one around it with only a label more."""
    found = rows.copy()
    rising = np.arange(len(rows))
    while rising.size:
        here = found.take(rising)
        above = elements.parent(here)
        is_inside = elements.parent(above) != above  # a root has no siblings
        rising_here = is_inside & (elements.n_words(above) - elements.n_words(here) <= WORDS_OF_LABEL)
        rising = rising.compress(rising_here)
        found[rising] = above.compress(rising_here)
    return found


def _run(
    index: IndexReader, plan: Plan, block: int, scores: Mapping[int, float], taken: _Taken, most: float
) -> tuple[int, int]:
    """Return the rows of the first and the last sibling of the run around a block, alone if a part of it is taken."""
    siblings, ends, words = _siblings(index, plan, block)
    begin = int(siblings.searchsorted(block))
    if taken.place_of(block, int(ends[begin])) is not None:
        return block, block
    tags, known = index.elements.tag(siblings), [scores.get(row) for row in siblings.tolist()]
    can_be = (tags == tags[begin]) | [score is not None for score in known]
    smooth = _smooth(np.array([score or 0.0 for score in known]))
    least, first, last, n_words = SHARE * smooth[begin], begin, begin, words[begin]
    while True:
        beside = [place for place in (first - 1, last + 1) if 0 <= place < len(siblings) and can_be[place]]
        beside = [place for place in beside if smooth[place] >= least and n_words + words[place] <= most]
        beside = [place for place in beside if taken.place_of(int(siblings[place]), int(ends[place])) is None]
        if not beside:
            return int(siblings[first]), int(siblings[last])
        best = max(beside, key=smooth.__getitem__)
        first, last, n_words = min(first, best), max(last, best), n_words + words[best]


def _siblings(index: IndexReader, plan: Plan, block: int) -> tuple[Rows, Rows, Rows]:
    """Return the siblings of an element that can be in its answer, itself among them, their ends, and their words."""
    elements = index.elements
    (parent,) = elements.parent(np.array([block]))
    if parent == block:
        rows = np.array([block])
    else:
        rows = np.arange(max(parent + 1, block - WINDOW), min(elements.end(np.array([parent]))[0], block + WINDOW))
        rows = rows.compress(elements.parent(rows) == parent)
        can_be = ~elements.is_inline(rows) & ~elements.are_skipped(rows) & (elements.n_words(rows) > 0)
        if plan.scope.restricts_elements:
            can_be &= is_in_scope(index, plan, rows, elements.document(np.array([block])))
        rows = rows.compress(can_be | (rows == block))
    return rows, elements.end(rows), elements.n_words(rows)


def _smooth(scores: FloatArray) -> FloatArray:
    """Return the mean of the scores around each, nearer ones with more weight."""
    found: FloatArray = np.convolve(scores, WEIGHTS, "full") / np.convolve(np.ones(len(scores)), WEIGHTS, "full")
    return found[REACH : REACH + len(scores)]


class _Taken:
    """Stretches of rows that do not overlap, each with the place of its answer."""

    def __init__(self) -> None:
        self._begins, self._ends, self._places = list[int](), list[int](), list[int]()

    def place_of(self, begin: int, end: int) -> int | None:
        """Return the place of an answer with a row in common with a stretch; None for a free one."""
        number = bisect_left(self._begins, end) - 1
        return self._places[number] if number >= 0 and self._ends[number] > begin else None

    def add(self, begin: int, end: int, place: int) -> None:
        """Add a free stretch."""
        number = bisect_left(self._begins, begin)
        for column, value in ((self._begins, begin), (self._ends, end), (self._places, place)):
            column.insert(number, value)
