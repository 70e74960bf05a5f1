"""The copies of one shard, as the coordinator sees them: actors, nodes and connections, and the turn of each."""

from __future__ import annotations

import itertools
import logging
import time
from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from typing import Any

from engine.errors import ClusterError, FoxirError
from engine.index.shard_exchange import Key
from foxir.cluster.connection import Caller
from foxir.cluster.search_session import ConnectedSession, RaySession, SearcherLostError, SearchSession, result_of
from foxir.cluster.searcher import NotOpenError
from foxir.cluster.shard_generation import ShardGeneration

logger = logging.getLogger("foxir.cluster")

# Connections to a searcher at a time, beyond which Ray is used; seconds after which one is tried again.
MOST_CONNECTED, AGAIN_S = 32, 30.0
# Seconds for which a copy that did not answer is asked last, and in which a copy must open a generation.
SUSPECT_S, OPENING_S = 5.0, 600.0


class SearcherCopy:
    """The searcher of one copy of a shard, started on a node; safe from several threads.

    There are as many connections as sessions at a time needed; those that are not in use wait for the next session.

    Args:
        host: address of the node, where the searcher is to listen; "" if it is not to.
        key: which the searcher knows, too.
    """

    def __init__(self, actor: Any, node: str, host: str, key: bytes) -> None:
        self.actor, self.node, self._host, self._key = actor, node, host, key
        self._suspect_until = 0.0
        self._lock, self._idle, self._n_connected, self._is_closed = Lock(), list[Caller](), 0, False
        self._address: tuple[str, int] | None = None
        self._failed: float | None = None  # when no connection could be made

    @property
    def is_suspect(self) -> bool:
        """Whether it did not answer a moment ago."""
        return self._suspect_until > time.monotonic()

    def suspect(self) -> None:
        """Note that it did not answer."""
        self._suspect_until = time.monotonic() + SUSPECT_S

    def answered(self) -> None:
        """Note that it answered."""
        self._suspect_until = 0.0

    def open(self, generation: ShardGeneration) -> None:
        """Open a generation in the searcher; raises SearcherLostError, and as `Searcher.open`."""
        self.opened(result_of(self.actor.open.remote(generation), OPENING_S))

    def opened(self, address: tuple[str, int] | None) -> None:
        """Connect to a searcher that has opened a generation, where it says that it listens; None: nowhere."""
        with self._lock:
            if address is not None and address == self._address:
                return
            self._address, self._failed = address, None
        if self._host and not self.connect():
            _notice(self._host)

    def connect(self) -> bool:
        """Make a connection and wait for it; return whether that is possible."""
        with self._lock:
            connection = self._called()
        if connection is None:
            return False
        try:
            connection.wait_until_authenticated()
        except OSError as error:
            logger.info("node %s: %s", self.node, error)
        self._give_back(connection, can_be_used=connection.is_authenticated)
        return connection.is_authenticated

    @property
    def should_connect(self) -> bool:
        """Whether a connection should be tried again that was not possible a while ago."""
        return self._failed is not None and time.monotonic() > self._failed + AGAIN_S

    def session(self) -> SearchSession:
        """Return a new session: over a connection, or else by calls of Ray."""
        while (connection := self._taken()) is not None:
            if not connection.is_authenticated or connection.is_quiet:
                return ConnectedSession(connection, self._give_back)
            self._give_back(connection, can_be_used=False)
        return RaySession(self.actor)

    def _taken(self) -> Caller | None:
        """Return a free connection, else a new one; None if there are too many, or none can be made."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
            return self._called() if self._failed is None and self._n_connected < MOST_CONNECTED else None

    def _called(self) -> Caller | None:
        """Return a new connection, which may not come about."""
        if self._address is None or self._is_closed:
            return None
        try:
            connection = Caller(self._address, self._key)
        except OSError:  # no more files
            self._failed = time.monotonic()
            return None
        self._n_connected += 1
        return connection

    def _give_back(self, connection: Caller, *, can_be_used: bool) -> None:
        with self._lock:
            self._failed = None if connection.is_authenticated else time.monotonic()
            if can_be_used and not self._is_closed:
                self._idle.append(connection)
                return
            self._n_connected -= 1
        connection.close()

    def close(self) -> None:
        """Close the connections; those that are in use when their sessions end."""
        with self._lock:
            self._is_closed, idle, self._idle = True, self._idle, []
            self._n_connected -= len(idle)
        for connection in idle:
            connection.close()


@lru_cache(1024)
def _notice(host: str) -> None:
    """Say once for each machine that Ray is used, and how to get connections."""
    logger.warning(
        "no connection to the searchers on %s: they are asked by Ray's calls, which takes longer. Let this machine "
        "connect to that one at ports 32768 to 60999 (or its net.ipv4.ip_local_port_range).",
        host,
    )


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
        """Return the copies in the order of a query: in turn, silent ones last."""
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
        """Return the counts of this shard for the totals, from the first copy with an answer; raises ClusterError."""
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
