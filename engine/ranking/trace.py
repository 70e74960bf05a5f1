"""A trace of one search: what the filters of its stages drop of one article, recorded as they drop it.

It belongs to the context of the search (`contextvars`), as its limits do; without one, filters tell nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from typing import Any

import numpy as np

from engine.arrays import Mask, Rows, is_among, places_of
from engine.index.elements.containment import contains_any, is_inside
from engine.index.elements.element_store import Elements
from engine.query_limits import check_time, reserve
from engine.records import dataclass


class Reason(StrEnum):
    """Why a stage drops an article, an element or a passage; the value is the name in JSON."""

    NO_TERM = "no_term"
    NO_IMAGE = "no_image"
    REQUIRED_TERM = "required_term"
    DOCUMENTS = "documents"
    MAX_ARTICLES = "max_articles"
    WHOLE_ARTICLES = "whole_articles"
    INLINE = "inline"
    UNWANTED_TERM = "unwanted_term"
    NO_MATCH = "no_match"
    STRUCTURE = "structure"
    SCOPE = "scope"
    MAX_MATCHES = "max_matches"
    OF_ANOTHER_KIND = "of_another_kind"
    TAG = "tag"
    FRAGMENT = "fragment"
    PART_OF_TABLE = "part_of_table"
    IN_RECORD = "in_record"
    UNDIVIDED_TEXT = "undivided_text"
    MOSTLY_TITLES = "mostly_titles"
    MIN_WORDS = "min_words"
    MAX_WORDS = "max_words"
    MAX_TABLE_WORDS = "max_table_words"
    MIN_PASSAGE_WORDS = "min_passage_words"
    NOT_LOWEST = "not_lowest"
    OVERLAP = "overlap"
    MAX_PER_ARTICLE = "max_per_article"
    REPETITION = "repetition"
    SIBLINGS = "siblings"
    WORD_BUDGET = "word_budget"
    MIN_SCORE = "min_score"
    MAX_ANSWERS = "max_answers"


@dataclass(frozen=True)
class Drop:
    """The stage that dropped an element or a passage, and why.

    term: the query term that the filter tests, if it tests one.
    blocker: of an overlap or a repetition, the place of the candidate that stays.
    """

    stage: str
    reason: Reason
    term: str = ""
    blocker: int | None = None


# Elements (ascending), or what computes them for a search that is traced.
Lazy = Rows | Callable[[], Rows]


class Untraced:
    """The trace of a search that is not explained: nothing is recorded, and nothing is computed for it."""

    is_on = False

    def _ignore(self, *_: Any, **__: Any) -> None:
        """Record nothing."""

    record = record_order = record_unwanted = _ignore
    keep = keep_documents = keep_containing = keep_inside = keep_where = keep_not_inline = _ignore
    drop = drop_candidates = _ignore


UNTRACED = Untraced()


class Trace:
    """Records one search for the elements of one document.

    Until candidates are scored, the trace has the remaining elements of the document, and each filter says what it
    keeps of them, or drops. From then on, filters drop places among the candidates of all documents.

    is_on: whether the search is explained: then all its candidates are scored and ordered.
    values: what the stages computed, by name. order: places of the candidates, best first.
    """

    is_on = True

    def __init__(self, elements: Elements, document: int) -> None:
        first, end = elements.root(np.array([document])), elements.document_end(np.array([document]))
        self.values: dict[str, Any] = {}
        self.order: Rows = np.empty(0, np.int64)
        self.remaining: Rows = np.arange(int(first[0]), int(end[0]))
        self._elements, self._document = elements, document
        self._unwanted: list[tuple[str, Rows]] = []
        reserve(len(self.remaining))
        self._first, self._drops = int(first[0]), list[Drop]()
        self._numbers = np.zeros(len(self.remaining), np.int32)  # of the drop of each element, from 1
        self._candidates_dropped: list[tuple[Reason, Rows, Rows | None]] = []

    def record(self, name: str, value: Any) -> None:
        """Record a value of a stage, or one inside it."""
        self.values[name] = value

    def keep_documents(self, stage: str, reason: Reason, *documents: Rows, term: str = "") -> None:
        """Record that a filter keeps only some documents."""
        if not any(np.any(each == self._document) for each in documents):
            self._drop(np.ones(len(self.remaining), np.bool_), Drop(stage, reason, term))

    def keep(self, stage: str, reason: Reason, rows: Lazy, term: str = "") -> None:
        """Record that a filter keeps only some elements."""
        self._drop(~is_among(self.remaining, computed(rows)), Drop(stage, reason, term))

    def keep_containing(self, stage: str, reason: Reason, rows: Rows, term: str = "") -> None:
        """Record that a filter keeps only elements that are or contain one of some elements (ascending)."""
        self._drop(~contains_any(self._elements, self.remaining, rows), Drop(stage, reason, term))

    def keep_inside(self, stage: str, reason: Reason, outer: Rows) -> None:
        """Record that a filter keeps only elements that are or are inside one of some elements (ascending)."""
        self._drop(~is_inside(self._elements, self.remaining, outer), Drop(stage, reason))

    def keep_where(self, stage: str, reason: Reason, kept: Callable[[Rows], Mask]) -> None:
        """Record that a filter keeps only the elements for which a function is true."""
        self._drop(~kept(self.remaining), Drop(stage, reason))

    def keep_not_inline(self, stage: str) -> None:
        """Record that inline elements are left out: their text belongs to an ancestor."""
        self._drop(self._elements.is_inline(self.remaining), Drop(stage, Reason.INLINE))

    def drop(self, stage: str, reason: Reason, rows: Lazy, term: str = "") -> None:
        """Record that a filter drops some elements."""
        self._drop(is_among(self.remaining, computed(rows)), Drop(stage, reason, term))

    def drop_candidates(self, reason: Reason, places: Lazy, blockers: Lazy | None = None) -> None:
        """Record that selection drops some candidates; blockers: for each, the candidate that stays."""
        check_time()
        self._candidates_dropped.append((reason, computed(places), None if blockers is None else computed(blockers)))

    def record_order(self, places: Lazy) -> None:
        """Record the candidates, best first."""
        check_time()
        self.order = computed(places)

    def record_unwanted(self, term: str, rows: Rows) -> None:
        """Record the elements whose own text contains an unwanted term."""
        self._unwanted.append((term, rows))

    def unwanted_in(self, row: int) -> str | None:
        """Return the first unwanted term in the own text of an element; None if there is none."""
        return next((term for term, rows in self._unwanted if row in rows), None)

    def of_element(self, row: int) -> Drop | None:
        """Return the drop of an element that became no candidate; None for a candidate."""
        number = int(self._numbers[row - self._first])
        return self._drops[number - 1] if number else None

    def of_candidate(self, place: int) -> Drop:
        """Return the last drop of a candidate."""
        for reason, dropped, blockers in reversed(self._candidates_dropped):
            if len(found := places_of(dropped == place)):
                return Drop("selected", reason, blocker=None if blockers is None else int(blockers[found[0]]))
        raise KeyError(place)

    def _drop(self, is_dropped: Mask, drop: Drop) -> None:
        check_time()
        self._drops.append(drop)
        self._numbers[self.remaining[is_dropped] - self._first] = len(self._drops)
        self.remaining = self.remaining[~is_dropped]


_trace: ContextVar[Trace | Untraced] = ContextVar("trace of a search", default=UNTRACED)


@contextmanager
def traced(trace: Trace | None) -> Iterator[None]:
    """Record the search that runs in this context; no trace if None."""
    token = _trace.set(trace or UNTRACED)
    try:
        yield
    finally:
        _trace.reset(token)


def current_trace() -> Trace | Untraced:
    """Return the trace of the search that runs in this context."""
    return _trace.get()


def computed(rows: Lazy) -> Rows:
    """Return elements that were given, or computed by a function that was."""
    return rows() if callable(rows) else rows


def keep_candidates(places: Rows, kept: Mask, reason: Reason) -> Rows:
    """Return the candidates that a filter of the selection keeps; the trace records the others."""
    current_trace().drop_candidates(reason, lambda: places[~kept])
    return places[kept]
