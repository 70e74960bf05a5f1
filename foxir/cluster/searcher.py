"""A searcher: the process that searches one shard, as a plain object that Ray makes an actor of.

Queries reach it by calls of Ray, or over its own connections, which take less time; the messages are the same.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from engine.errors import ClusterError
from engine.index.reader import IndexReader
from engine.index.shard_exchange import Key
from engine.object_store.url import is_url
from engine.sharded_search.sharded_search import Failed, SearchCancelledError, ShardSearch, ShardSession, Step
from engine.shards.shard_counts import count
from foxir.cluster.connection import Connection, Listener
from foxir.cluster.messages import ClusterQuery, MessageError, packed, unpacked
from foxir.cluster.shard_generation import MOST_TOTALS, ShardGeneration

logger = logging.getLogger("foxir.cluster")

# Generations that stay open: the newest, and the one that running queries may still use.
MOST_GENERATIONS = 2
# Seconds after which a session without requests is ended.
FORGOTTEN_S = 120.0


class NotOpenError(Exception):
    """The searcher has not opened this generation: it was started again."""


@dataclass
class _Opened:
    reader: IndexReader
    totals: dict[Key, Any] = field(default_factory=dict)


@dataclass
class _Running:
    session: ShardSession
    used: float


class Searcher:
    """Searches one shard of an index; every method may be called from several threads.

    Args:
        place: folder of the index, or its URL, of which this shard alone is fetched.
        shard: number of the shard; None for an index without shards.
        host: address of this machine at which connections are accepted; "" for none.
        key: which both sides prove that they have.
    """

    def __init__(self, place: str, shard: int | None, host: str = "", key: bytes = b"") -> None:
        self._place, self._shard, self._host, self._key = place, shard, host, key
        self._listener: Listener | None = None
        self._opened: dict[str, _Opened] = {}  # by identity, as they were opened
        self._running: dict[str, _Running] = {}
        self._lock, self._opening = Lock(), Lock()

    def open(self, generation: ShardGeneration) -> tuple[str, int] | None:
        """Open a generation of the shard; raises IndexFormatError, StorageError.

        Returns: where connections are accepted; None if none are.
        """
        with self._opening:
            if generation.identity not in self._opened:
                self._open(generation)
            if self._listener is None and self._host:
                try:
                    self._listener = Listener(self._host, self._key, self._serve)
                except OSError as error:
                    logger.warning("cannot listen at %s: %s", self._host, error)
            return None if self._listener is None else self._listener.address

    def _open(self, generation: ShardGeneration) -> None:
        reader = IndexReader(self._folder(generation.manifest.generation), generation.manifest)
        _ = reader.ids, reader.order, reader.live, reader.live_documents  # else each search computes them
        with self._lock:
            self._opened[generation.identity] = _Opened(reader)
            for old in list(self._opened)[:-MOST_GENERATIONS]:
                del self._opened[old]  # files are closed when the last search over it ends

    def _folder(self, generation: int) -> Path:
        if not is_url(self._place):
            return Path(self._place)
        from engine.object_store.mirror import Mirror  # noqa: PLC0415  (an extra)

        mirror = Mirror(self._place)
        mirror.bring_to(generation, shards=None if self._shard is None else (self._shard,))
        return mirror.folder

    def begin(self, name: str, asked: bytes, number: int, *combined: bytes) -> bytes:
        """Begin a session over an open generation and return its first step; arguments and steps are packed.

        Args:
            asked: of all shards, as `ClusterQuery`; number: of this shard among them.
            combined: the combined values that are known already, in their order.
        Returns: no bytes if the generation is not open: the searcher was started again.
        """
        given: ClusterQuery = unpacked(asked)
        if given.settings.own_functions:  # a message names no code
            raise MessageError(f"a query names functions: {', '.join(given.settings.own_functions)}")
        opened = self._known(given.identity)
        if opened is None:
            return b""
        session = ShardSession(
            opened.reader,
            given.query,
            given.settings,
            number,
            given.n_shards,
            opened.totals,
            [unpacked(value) for value in combined],
            given.images,
        )
        with self._lock:
            self._end_forgotten()
            self._running[name] = _Running(session, time.monotonic())
        return self._step(name, session)

    def resume(self, name: str, reply: bytes) -> bytes:
        """Go on with a session and return its next step, packed as the reply is.

        Returns: no bytes if the session is unknown: it was cancelled, or the searcher was started again. An error would
        be printed by Ray if nobody reads it, as where the answer of another copy was taken.
        """
        with self._lock:
            running = self._running.get(name)
            if running is None:
                return b""
            running.used = time.monotonic()
        running.session.reply(unpacked(reply))
        return self._step(name, running.session)

    def cancel(self, name: str) -> None:
        """End a session."""
        with self._lock:
            running = self._running.pop(name, None)
        if running is not None:
            running.session.cancel()

    def count(self, identity: str, keys: Sequence[Key]) -> list[Any]:
        """Return the counts of this shard for the totals; raises NotOpenError."""
        opened = self._known(identity)
        if opened is None:
            raise NotOpenError(identity)
        return [count(opened.reader, key) for key in keys]

    def _serve(self, connection: Connection) -> None:
        """Answer the queries that arrive over a connection, one after the other, until it ends."""

        def ask(step: Step) -> Any:
            try:
                connection.send(packed(step))
                return unpacked(connection.receive())
            except (OSError, MessageError) as error:
                raise SearchCancelledError from error

        while True:
            asked, number, *combined = unpacked(connection.receive())
            try:
                step = self._searched(ask, unpacked(asked), number, [unpacked(value) for value in combined])
            except SearchCancelledError:
                return
            try:
                connection.send(step)
            except ClusterError as error:  # too long
                connection.send(packed(Failed(error)))

    def _searched(self, ask: Callable[[Step], Any], asked: ClusterQuery, number: int, combined: Sequence[Any]) -> bytes:
        """Return the last step of a search whose other steps are asked; the rest as of `begin`."""
        opened = self._known(asked.identity)
        if opened is None:
            return b""
        search = ShardSearch(opened.reader, number, asked.n_shards, opened.totals, ask, combined)
        return packed(search.run(asked.query, asked.settings, asked.images))

    def process(self) -> int:
        """Return the id of the process: a call that does nothing else."""
        return os.getpid()

    def close(self) -> None:
        """Accept no more connections, and end the present ones."""
        if self._listener is not None:
            self._listener.close()

    def _known(self, identity: str) -> _Opened | None:
        """Return an open generation, with few enough totals; None if it is not open."""
        with self._lock:
            opened = self._opened.get(identity)
            if opened is not None and len(opened.totals) > MOST_TOTALS:
                opened.totals = {}
            return opened

    def _step(self, name: str, session: ShardSession) -> bytes:
        step = session.step()
        if step.is_last:
            with self._lock:
                self._running.pop(name, None)
        return packed(step)

    def _end_forgotten(self) -> None:
        now = time.monotonic()
        for name in [name for name, each in self._running.items() if now - each.used > FORGOTTEN_S]:
            self._running.pop(name).session.cancel()
