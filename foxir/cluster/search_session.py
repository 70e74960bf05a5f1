"""A search over one shard on one searcher, as the coordinator leads it: over a connection, or by calls of Ray.

Both send the same messages, and are waited for by their files: `fileno` can be read when there may be a step.
"""

from __future__ import annotations

import itertools
import socket
import uuid
from collections.abc import Sequence
from threading import Lock
from typing import Any, Protocol

import ray
from ray.exceptions import ActorUnschedulableError, GetTimeoutError, RayActorError, RayTaskError

from foxir.cluster.connection import Caller
from foxir.cluster.messages import packed

# Errors of calls to a searcher that is gone, starts again, or does not answer.
_LOST = (RayActorError, ActorUnschedulableError, GetTimeoutError)
# Names of sessions are distinct among all processes that ask a searcher.
_PROCESS, _names = uuid.uuid4().hex, itertools.count()


class SearcherLostError(Exception):
    """A searcher is gone, or starts again, or cannot be reached any more."""


class SearchSession(Protocol):
    """A search over one shard, step by step; every step is packed."""

    def begin(self, asked: bytes, number: int, combined: Sequence[bytes]) -> None:
        """Ask for the first step; arguments as of `Searcher.begin`; raises ClusterError for more than can be sent."""

    def resume(self, reply: bytes) -> None:
        """Ask for the next step; raises ClusterError for more than can be sent."""

    def fileno(self) -> int:
        """Return a file that can be read when there may be a step."""

    def step(self) -> bytes | None:
        """Return the step that was asked for, None if it has not come; raises SearcherLostError.

        Returns: b"" if the searcher was restarted and must open the generation first.
        """

    def end(self, *, is_over: bool) -> None:
        """End the session; is_over: whether its last step was taken."""


class ReleaseConnection(Protocol):
    """The taker of connections after their use."""

    def __call__(self, connection: Caller, *, can_be_used: bool) -> None:
        """Take it; can_be_used: whether nothing more will arrive from a search."""


class ConnectedSession:
    """A session that has a connection to itself.

    Args:
        give_back: is given the connection at the end of the session.
    """

    def __init__(self, connection: Caller, give_back: ReleaseConnection) -> None:
        self._connection, self._give_back = connection, give_back

    def begin(self, asked: bytes, number: int, combined: Sequence[bytes]) -> None:
        """Ask for the first step."""
        self.resume(packed([asked, number, *combined]))

    def resume(self, reply: bytes) -> None:
        """Ask for the next step; if that is not possible, the loss is found where the step is waited for."""
        try:
            self._connection.send(reply)
        except OSError:
            self._connection.shut()

    def fileno(self) -> int:
        """Return the file of the connection."""
        return self._connection.fileno()

    def step(self) -> bytes | None:
        """Return the step that was asked for."""
        try:
            return self._connection.arrived()
        except OSError as error:
            raise SearcherLostError(str(error)) from error

    def end(self, *, is_over: bool) -> None:
        """Give the connection back; one that may still bring a step is closed, which ends the search."""
        self._give_back(self._connection, can_be_used=is_over)


class RaySession:
    """A session by calls of an actor, for where no connection can be made."""

    def __init__(self, actor: Any) -> None:
        self._actor, self._name = actor, f"{_PROCESS} {next(_names)}"
        self._called: Any = None
        self._signal = _Signal()

    def begin(self, asked: bytes, number: int, combined: Sequence[bytes]) -> None:
        """Ask for the first step."""
        self._call(self._actor.begin.remote(self._name, asked, number, *combined))

    def resume(self, reply: bytes) -> None:
        """Ask for the next step."""
        self._call(self._actor.resume.remote(self._name, reply))

    def _call(self, reference: Any) -> None:
        self._called = reference
        reference.future().add_done_callback(self._signal.set)

    def fileno(self) -> int:
        """Return a file that can be read after the call has ended."""
        return self._signal.file

    def step(self) -> bytes:
        """Return the step that was asked for."""
        self._signal.clear()
        step: bytes = result_of(self._called)
        return step

    def end(self, *, is_over: bool) -> None:
        """End the session."""
        self._signal.close()
        if not is_over:
            self._actor.cancel.remote(self._name)


class _Signal:
    """A file that can be read once something has happened, in any thread."""

    def __init__(self) -> None:
        self._read, self._written = socket.socketpair()
        self.file = self._read.fileno()
        self._lock, self._is_closed = Lock(), False

    def set(self, _happened: Any) -> None:
        """Let the file be read."""
        with self._lock:
            if not self._is_closed:
                self._written.send(bytes(1))

    def clear(self) -> None:
        """Wait for the next time."""
        self._read.recv(1)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if not self._is_closed:
                self._is_closed = True
                self._read.close()
                self._written.close()


def result_of(reference: Any, timeout: float | None = None) -> Any:
    """Return the result of a call of Ray, or raise the error of the method itself, without Ray's traceback.

    Raises: SearcherLostError.
    """
    try:
        return ray.get(reference, timeout=timeout)
    except RayTaskError as error:
        raise error.cause or error from None
    except _LOST as error:
        raise SearcherLostError(str(error)) from error
