"""One shard in one query: its session on a copy, on another one if that is lost, and on a second one if it is slow."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from engine.sharded_search.sharded_search import Step
from foxir.cluster.messages import unpacked
from foxir.cluster.replicas import Replicas
from foxir.cluster.search_session import SearcherLostError, SearchSession
from foxir.cluster.searcher_copy import SearcherCopy
from foxir.cluster.shard_generation import ShardGeneration

logger = logging.getLogger("foxir.cluster")


@dataclass(frozen=True)
class Attempt:
    """A session on one copy."""

    copy: SearcherCopy
    session: SearchSession


class ShardCall:
    """The search over one shard for one query; `pending` are the sessions that owe a step.

    Args:
        asked: what is asked of all shards, packed as `ClusterQuery`; number: of the shard among those that are asked.
    """

    def __init__(self, replicas: Replicas, generation: ShardGeneration, asked: bytes, number: int) -> None:
        self._replicas, self._generation, self._asked, self._number = replicas, generation, asked, number
        self._left = replicas.in_turn()
        self.pending: list[Attempt] = []
        self._current: Attempt | None = None
        self.step: Step | None = None
        self.is_hedged = False

    @property
    def shard(self) -> int:
        """Number of the shard."""
        return self._replicas.shard

    @property
    def can_hedge(self) -> bool:
        """Whether another copy can be asked, too."""
        return self.step is None and not self.is_hedged and bool(self._left)

    def begin(self, combined: Sequence[bytes]) -> None:
        """Begin a session on the next copy, with the values that are combined already; raises ClusterError."""
        if not self._left:
            self._left = self._replicas.wait_for_any()
        self._start(self._left.pop(0), combined)

    def hedge(self, combined: Sequence[bytes]) -> None:
        """Begin a second session, on another copy; the one that answers first is gone on with."""
        self.is_hedged = True
        self.begin(combined)

    def resume(self, reply: bytes) -> None:
        """Go on with the session that gave the last step, with a packed reply."""
        if self._current is None:
            raise RuntimeError("a session is resumed before its first step")
        self.step, self.is_hedged = None, False
        self.pending.append(self._current)
        self._current.session.resume(reply)

    def take(self, attempt: Attempt, combined: Sequence[bytes]) -> bool:
        """Take up the step of a session that may have come; return whether the shard has a next step.

        Raises: ClusterError if the last copy is lost.
        """
        copy = attempt.copy
        try:
            packed_step = attempt.session.step()
            if packed_step == b"":  # the searcher was started again
                copy.open(self._generation)
        except SearcherLostError as error:
            logger.info("shard %d, node %s: %s", self.shard, copy.node, error)
            copy.suspect()
            self._end(attempt)
            if not self.pending:
                self.begin(combined)
            return False
        if packed_step is None:
            return False
        if not packed_step:
            self._end(attempt)
            self._start(copy, combined)
            return False
        self.pending.remove(attempt)
        self._drop_others()
        self._replicas.answered(copy)
        self.step, self._current = unpacked(packed_step), attempt
        if self.step.is_last:
            self._current = None
            attempt.session.end(is_over=True)
        return True

    def cancel(self) -> None:
        """End all sessions."""
        self._drop_others()
        if self._current is not None:
            self._current.session.end(is_over=False)
            self._current = None

    def _start(self, copy: SearcherCopy, combined: Sequence[bytes]) -> None:
        attempt = Attempt(copy, copy.session())
        self.pending.append(attempt)
        attempt.session.begin(self._asked, self._number, combined)

    def _drop_others(self) -> None:
        for attempt in list(self.pending):
            self._end(attempt)
            self._left.append(attempt.copy)

    def _end(self, attempt: Attempt) -> None:
        """End a session whose step is not waited for any more."""
        self.pending.remove(attempt)
        if attempt is self._current:
            self._current = None
        attempt.session.end(is_over=False)
