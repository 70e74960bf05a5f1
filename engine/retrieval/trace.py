"""A trace of one search: the value of every stage, and what each of its filters drops, recorded as it happens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Reason(StrEnum):
    """Why a stage drops an article, an element or a passage; the value is the name in JSON."""

    NO_TERM = "no_term"
    REQUIRED_TERM = "required_term"
    MAX_ARTICLES = "max_articles"
    WHOLE_ARTICLES = "whole_articles"
    INLINE = "inline"
    UNWANTED_TERM = "unwanted_term"
    NO_MATCH = "no_match"
    STRUCTURE = "structure"
    MAX_MATCHES = "max_matches"
    MAX_LEAVES = "max_leaves"
    OF_ANOTHER_KIND = "of_another_kind"
    TAG = "tag"
    MIN_WORDS = "min_words"
    MAX_WORDS = "max_words"
    NOT_LOWEST = "not_lowest"
    OVERLAP = "overlap"
    MAX_PER_ARTICLE = "max_per_article"
    WORD_BUDGET = "word_budget"
    MAX_ANSWERS = "max_answers"


@dataclass(frozen=True, repr=False)
class Drop:
    """What one filter of a stage drops.

    items: document numbers of the stage `articles`, rows of `matches` and `candidates`, places among the scored
        candidates of `selected`; ascending.
    term: the query term that the filter tests, if it tests one.
    """

    stage: str
    reason: Reason
    items: Numbers
    term: str = ""

    def __repr__(self) -> str:
        return f"Drop({self.stage}, {self.reason}, {len(self.items)})"


class Trace:
    """Records one search; passed through the stages, which call it only if it is there."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.drops: list[Drop] = []

    def record(self, name: str, value: Any) -> None:
        """Record a value of a stage, or one inside it."""
        self.values[name] = value

    def drop(self, stage: str, reason: Reason, items: Numbers, term: str = "") -> None:
        """Record what a filter drops."""
        if len(items):
            self.drops.append(Drop(stage, reason, np.sort(items), term))

    def of(self, stage: str, item: int) -> Iterator[Drop]:
        """Yield the drops of an item by the filters of a stage, in their order."""
        for drop in self.drops:
            place = int(np.searchsorted(drop.items, item))
            if drop.stage == stage and place < len(drop.items) and drop.items[place] == item:
                yield drop


def keep(items: Numbers, kept: Mask, trace: Trace | None, stage: str, reason: Reason, term: str = "") -> Numbers:
    """Return the items that a filter keeps; the trace records the others."""
    if trace is not None:
        trace.drop(stage, reason, items[~kept], term)
    return items[kept]
