"""The copies of one shard: which of them is asked, and what is done when one does not answer."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from typing import Any

from engine.errors import ClusterError, FoxirError
from engine.index.shard_exchange import Key
from foxir.cluster.search_session import SearcherLostError, result_of
from foxir.cluster.searcher import NotOpenError
from foxir.cluster.searcher_copy import OPENING_S, SearcherCopy
from foxir.cluster.shard_generation import ShardGeneration

# Seconds after the last answer of any copy for which queries wait for one to come back.
PATIENCE_S, PAUSE_S = 5.0, 0.1
# Seconds in which counts must come.
COUNTING_S = 60.0


class Replicas:
    """The copies of one shard."""

    def __init__(self, shard: int, copies: Sequence[SearcherCopy]) -> None:
        self.shard, self.copies = shard, list(copies)
        self._turn = itertools.count()
        self._down_since: float | None = None

    @property
    def actors(self) -> list[Any]:
        """The actors of the copies."""
        return [copy.actor for copy in self.copies]

    @property
    def nodes(self) -> list[str]:
        """The nodes that the copies were started on."""
        return [copy.node for copy in self.copies]

    def in_turn(self) -> list[SearcherCopy]:
        """Return the copies in the order in which a query asks them: in turn, those that did not answer last."""
        first = next(self._turn) % len(self.copies)
        return sorted([*self.copies[first:], *self.copies[:first]], key=lambda copy: copy.is_suspect)

    def answered(self, copy: SearcherCopy) -> None:
        """Note that a copy answered."""
        copy.answered()
        self._down_since = None

    def wait_for_any(self) -> list[SearcherCopy]:
        """Wait a moment after all copies failed, and return those to ask again; raises ClusterError after some time."""
        now = time.monotonic()
        self._down_since = now if self._down_since is None else self._down_since
        if now - self._down_since > PATIENCE_S:
            raise self.unreachable()
        time.sleep(PAUSE_S)
        return self.in_turn()

    def replace(self, number: int, copy: SearcherCopy) -> SearcherCopy:
        """Put another searcher in the place of a copy; return the old one, whose sessions begin again."""
        old, self.copies[number] = self.copies[number], copy
        return old

    def open(self, generation: ShardGeneration) -> None:
        """Open a generation in all copies that answer; raises ClusterError if none does, or one cannot open it."""
        waiting = [(copy, copy.actor.open.remote(generation)) for copy in self.copies]
        n_open = 0
        for copy, reference in waiting:
            try:
                copy.opened(result_of(reference, OPENING_S))
                n_open += 1
            except SearcherLostError:
                copy.suspect()
            except FoxirError as error:
                raise ClusterError(
                    f"shard {self.shard} cannot be opened on node {copy.node}: {error} All machines must see a "
                    "folder under the same path; object storage, with the environment of 'ray start'."
                ) from None
        if not n_open:
            raise self.unreachable()

    def counts(self, generation: ShardGeneration, keys: Sequence[Key]) -> list[Any]:
        """Return the counts of this shard for some totals, from the first copy that answers; raises ClusterError."""
        left = self.in_turn()
        while True:
            if not left:
                left = self.wait_for_any()
            copy = left.pop(0)
            try:
                try:
                    found = result_of(copy.actor.count.remote(generation.identity, keys), COUNTING_S)
                except NotOpenError:
                    copy.open(generation)
                    found = result_of(copy.actor.count.remote(generation.identity, keys), COUNTING_S)
            except SearcherLostError:
                copy.suspect()
                continue
            self.answered(copy)
            counts: list[Any] = found
            return counts

    def unreachable(self) -> ClusterError:
        """Return the error of a shard of which no copy answers."""
        n_copies = len(self.copies)
        copies = "its searcher does not answer" if n_copies == 1 else f"none of its {n_copies} searchers answers"
        return ShardUnreachableError(
            f"shard {self.shard}: {copies}: ask again when its node is back or replaced, or serve with more "
            "--replicas; --partial answers from the others.",
            self.shard,
        )


class ShardUnreachableError(ClusterError):
    """No copy of a shard answers."""

    def __init__(self, message: str, shard: int) -> None:
        super().__init__(message)
        self.shard = shard
