"""One shard in one query: its session on a copy, on another one if that is lost, and on a second one if it is slow."""

from __future__ import annotations

import itertools
import logging
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.retrieval.sharded_search import Step
from foxir.cluster.messages import unpacked
from foxir.cluster.replicas import LOST, Replicas, result_of
from foxir.cluster.searcher import NotOpenError
from foxir.cluster.shard_generation import ShardGeneration

logger = logging.getLogger("foxir.cluster")

# Names of sessions are distinct among all processes that ask a searcher.
_PROCESS, _names = uuid.uuid4().hex, itertools.count()


@dataclass
class Attempt:
    """A session on one copy."""

    copy: int
    name: str


class ShardCall:
    """The search over one shard for one query; `pending` are the calls that run, by reference.

    Args:
        asked: what is asked of all shards, packed as `Asked`; number: of the shard among those that are asked.
    """

    def __init__(self, replicas: Replicas, generation: ShardGeneration, asked: bytes, number: int) -> None:
        self._replicas, self._generation, self._asked, self._number = replicas, generation, asked, number
        self._left = replicas.in_turn()
        self.pending: dict[Any, Attempt] = {}
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
        self._start(Attempt(self._left.pop(0), f"{_PROCESS} {next(_names)}"), combined)

    def hedge(self, combined: Sequence[bytes]) -> None:
        """Begin a second session, on another copy; the one that answers first is gone on with."""
        self.is_hedged = True
        self.begin(combined)

    def resume(self, reply: bytes) -> None:
        """Go on with the session that gave the last step, with a packed reply."""
        if self._current is None:
            raise RuntimeError("a session is resumed before its first step")
        self.step, self.is_hedged = None, False
        actor = self._replicas.actors[self._current.copy]
        self.pending[actor.resume.remote(self._current.name, reply)] = self._current

    def take(self, reference: Any, combined: Sequence[bytes]) -> bool:
        """Take up the result of a call that has ended; return whether the shard has a next step.

        Raises: ClusterError if the last copy is lost.
        """
        attempt = self.pending.pop(reference)
        try:
            try:
                packed_step = result_of(reference)
            except NotOpenError:  # the copy was started again
                result_of(self._replicas.actors[attempt.copy].open.remote(self._generation))
                self._start(attempt, combined)
                return False
        except LOST as error:
            logger.info("shard %d, copy %d: %s", self.shard, attempt.copy, error)
            self._replicas.suspect(attempt.copy)
        else:
            if packed_step:
                self._replicas.answered(attempt.copy)
                self._drop_others()
                self.step, self._current = unpacked(packed_step), attempt
                return True
            self._left.append(attempt.copy)  # it was started again during the query
        if not self.pending:
            self.begin(combined)
        return False

    def cancel(self) -> None:
        """End all sessions."""
        self._drop_others()
        if self._current is not None and (self.step is None or not self.step.is_last):
            self._end(self._current)

    def _start(self, attempt: Attempt, combined: Sequence[bytes]) -> None:
        actor = self._replicas.actors[attempt.copy]
        self.pending[actor.begin.remote(attempt.name, self._asked, self._number, *combined)] = attempt

    def _drop_others(self) -> None:
        for attempt in self.pending.values():
            self._end(attempt)
            self._left.append(attempt.copy)
        self.pending.clear()

    def _end(self, attempt: Attempt) -> None:
        self._replicas.actors[attempt.copy].cancel.remote(attempt.name)
