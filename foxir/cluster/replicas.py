"""The copies of one shard: which of them is asked, and what is done when one does not answer."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from typing import Any

import ray
from ray.exceptions import ActorUnschedulableError, GetTimeoutError, RayActorError, RayTaskError

from engine.errors import ClusterError, FoxirError
from engine.index.shard_exchange import Key
from foxir.cluster.searcher import NotOpenError
from foxir.cluster.shard_generation import ShardGeneration

# Errors of calls to a searcher that is gone, or starts again.
LOST = (RayActorError, ActorUnschedulableError)
# Seconds for which a copy that did not answer is asked last, and seconds in which a copy must open a generation.
SUSPECT_S, OPENING_S = 5.0, 600.0
# Seconds after the last answer of any copy for which queries wait for one to come back.
PATIENCE_S, PAUSE_S = 5.0, 0.1
# Seconds in which counts must come.
COUNTING_S = 60.0


def result_of(reference: Any, timeout: float | None = None) -> Any:
    """Return the result of a call, or raise the error of the method itself, without Ray's traceback."""
    try:
        return ray.get(reference, timeout=timeout)
    except RayTaskError as error:
        raise error.cause or error from None


class Replicas:
    """The actors of one shard, and the nodes that they were started on."""

    def __init__(self, shard: int, actors: Sequence[Any], nodes: Sequence[str]) -> None:
        self.shard, self.actors, self.nodes = shard, list(actors), list(nodes)
        self._suspect_until = [0.0] * len(actors)
        self._turn = itertools.count()
        self._down_since: float | None = None

    def in_turn(self) -> list[int]:
        """Return the copies in the order in which a query asks them: in turn, those that did not answer last."""
        first, n_copies = next(self._turn), len(self.actors)
        now = time.monotonic()
        copies = [(first + copy) % n_copies for copy in range(n_copies)]
        return sorted(copies, key=lambda copy: self._suspect_until[copy] > now)

    def answered(self, copy: int) -> None:
        """Note that a copy answered."""
        self._suspect_until[copy], self._down_since = 0.0, None

    def wait_for_any(self) -> list[int]:
        """Wait a moment after all copies failed, and return those to ask again; raises ClusterError after some time."""
        now = time.monotonic()
        self._down_since = now if self._down_since is None else self._down_since
        if now - self._down_since > PATIENCE_S:
            raise self.unreachable()
        time.sleep(PAUSE_S)
        return self.in_turn()

    def suspect(self, copy: int) -> None:
        """Note that a copy did not answer."""
        self._suspect_until[copy] = time.monotonic() + SUSPECT_S

    def replace(self, copy: int, actor: Any, node: str) -> Any:
        """Put another actor in the place of a copy; return the old one, whose sessions begin again."""
        old, self.actors[copy], self.nodes[copy] = self.actors[copy], actor, node
        self._suspect_until[copy] = 0.0
        return old

    def open(self, generation: ShardGeneration) -> None:
        """Open a generation in all copies that answer; raises ClusterError if none does, or one cannot open it."""
        waiting = {copy: actor.open.remote(generation) for copy, actor in enumerate(self.actors)}
        n_open = 0
        for copy, reference in waiting.items():
            try:
                result_of(reference, OPENING_S)
                n_open += 1
            except (*LOST, GetTimeoutError):
                self.suspect(copy)
            except FoxirError as error:
                raise ClusterError(
                    f"shard {self.shard} cannot be opened on node {self.nodes[copy]}: {error} All machines must see a "
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
            actor = self.actors[copy]
            try:
                try:
                    found = result_of(actor.count.remote(generation.identity, keys), COUNTING_S)
                except NotOpenError:
                    result_of(actor.open.remote(generation), OPENING_S)
                    found = result_of(actor.count.remote(generation.identity, keys), COUNTING_S)
            except (*LOST, GetTimeoutError):
                self.suspect(copy)
                continue
            self.answered(copy)
            counts: list[Any] = found
            return counts

    def unreachable(self) -> ClusterError:
        """Return the error of a shard of which no copy answers."""
        n_copies = len(self.actors)
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
