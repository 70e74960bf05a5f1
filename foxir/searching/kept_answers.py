"""The answers of an open index that a program still has: closing the index keeps what they are read by."""

from __future__ import annotations

from contextlib import suppress
from typing import Protocol
from weakref import WeakValueDictionary

from engine.errors import FoxirError


class KeepsAnswers(Protocol):
    """What shows answers: all of a search, some of them, or one."""

    @property
    def _n_answers(self) -> int:
        """Number of answers."""

    def _keep(self) -> None:
        """Read documents, paths and spans, unless they are known."""


class KeptAnswers:
    """The answers of one open generation, held weakly; those that are gone when it is closed cost nothing."""

    def __init__(self) -> None:
        self._by_id: WeakValueDictionary[int, KeepsAnswers] = WeakValueDictionary()  # their hashes would read columns

    def add(self, answers: KeepsAnswers) -> None:
        """Remember answers as long as something else refers to them."""
        self._by_id[id(answers)] = answers

    def keep(self) -> None:
        """Read what is not read yet, of most answers first, for others may be among these; a damaged index is left."""
        live = [answers for each in self._by_id.valuerefs() if (answers := each()) is not None]
        for answers in sorted(live, key=lambda each: each._n_answers, reverse=True):
            with suppress(FoxirError):
                answers._keep()
