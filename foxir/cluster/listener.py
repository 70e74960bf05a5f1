"""The listening socket of a searcher: a connection that proves that it has the key is served in a thread of its own."""

from __future__ import annotations

import contextlib
import hmac
import logging
import secrets
import selectors
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock, Thread

from foxir.cluster.connection import NONCE_BYTES, PROOF_BYTES, Connection, framed, proof

logger = logging.getLogger("foxir.cluster")

# Connections that are served at a time; connections that may be unauthenticated at a time, and for how many seconds.
MOST_CONNECTIONS, MOST_PENDING, PENDING_S = 64, 32, 5.0
# What authenticates a connection: a random number and a proof, as one message.
_ANSWER = framed(bytes(NONCE_BYTES + PROOF_BYTES))
_HEAD = len(_ANSWER) - NONCE_BYTES - PROOF_BYTES
# Seconds of rest when no connection can be accepted, as without free files.
REST_S = 0.2


@dataclass
class _Pending:
    """A connection whose other side has not proved yet that it knows the key."""

    socket: socket.socket
    nonce: bytes = field(default_factory=lambda: secrets.token_bytes(NONCE_BYTES))
    received: bytes = b""
    until: float = field(default_factory=lambda: time.monotonic() + PENDING_S)


class Listener:
    """Accepts connections on a free port of a host.

    One thread authenticates all connections, without waiting for any; of too many the oldest is closed.

    Args:
        serve: is called with each connection whose other side knows the key, in a thread of its own, until it returns.
    Raises: OSError if it cannot listen at the host.
    """

    def __init__(self, host: str, key: bytes, serve: Callable[[Connection], None]) -> None:
        self._key, self._serve = key, serve
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, 0), family=family, backlog=MOST_CONNECTIONS)
        self._socket.setblocking(False)
        self.address: tuple[str, int] = self._socket.getsockname()[:2]
        self._lock, self._served, self._is_closed = Lock(), set[Connection](), False
        self._pending: dict[int, _Pending] = {}  # by file, oldest first
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._socket, selectors.EVENT_READ)
        self._thread = Thread(target=self._run, name="foxir-listener", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Accept no more connections, and end those that there are."""
        with self._lock:
            self._is_closed, served = True, list(self._served)
        for connection in served:
            connection.shut()
        with contextlib.suppress(OSError):  # wakes the thread
            socket.create_connection(self.address, 1.0).close()
        self._thread.join()

    def _run(self) -> None:
        while not self._is_closed:
            for chosen, _ in self._selector.select(PENDING_S if self._pending else None):
                if chosen.fileobj is self._socket:
                    self._accept()
                elif chosen.fd in self._pending:
                    self._read(self._pending[chosen.fd])
            now = time.monotonic()
            for pending in [each for each in self._pending.values() if each.until < now]:
                self._drop(pending)
        for pending in list(self._pending.values()):
            self._drop(pending)
        self._selector.close()
        self._socket.close()

    def _accept(self) -> None:
        try:
            connection, _ = self._socket.accept()
        except BlockingIOError:
            return
        except OSError as error:
            logger.warning("no connection can be accepted: %s", error)
            time.sleep(REST_S)
            return
        if len(self._pending) >= MOST_PENDING:
            self._drop(next(iter(self._pending.values())))
        connection.setblocking(False)
        pending = _Pending(connection)
        self._pending[connection.fileno()] = pending
        self._selector.register(connection, selectors.EVENT_READ)
        try:
            connection.send(framed(pending.nonce))
        except OSError:
            self._drop(pending)

    def _read(self, pending: _Pending) -> None:
        """Read what has arrived; authenticate the connection once all that is expected has, close it at its end."""
        try:
            chunk = pending.socket.recv(len(_ANSWER) - len(pending.received))
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        pending.received += chunk
        if not chunk:
            self._drop(pending)
        elif len(pending.received) == len(_ANSWER):
            self._authenticate(pending)

    def _authenticate(self, pending: _Pending) -> None:
        nonces = pending.nonce, pending.received[_HEAD : _HEAD + NONCE_BYTES]
        given = pending.received[_HEAD + NONCE_BYTES :]
        self._forget(pending)
        if not hmac.compare_digest(given, proof(self._key, b"coordinator", *nonces)):
            pending.socket.close()
            return
        try:
            connection = Connection(pending.socket)
        except OSError:
            pending.socket.close()
            return
        with self._lock:  # before the other side sees the proof: a connection that it can use is one that close() ends
            is_taken = not self._is_closed and len(self._served) < MOST_CONNECTIONS
            if is_taken:
                self._served.add(connection)
        if not is_taken:
            connection.close()
            return
        own_proof = proof(self._key, b"searcher", *nonces)
        serving = Thread(target=self._serve_one, args=(connection, own_proof), name="foxir-connection", daemon=True)
        try:
            serving.start()
        except RuntimeError as error:  # no more threads: this connection ends, others are still accepted
            logger.warning("a connection cannot be served: %s", error)
            self._end(connection)

    def _serve_one(self, connection: Connection, own_proof: bytes) -> None:
        try:
            connection.send(own_proof)
            self._serve(connection)
        except OSError as error:
            logger.debug("a connection has ended: %s", error)
        except Exception:  # a defect ends this connection only
            logger.exception("a connection is ended")
        finally:
            self._end(connection)

    def _end(self, connection: Connection) -> None:
        connection.close()
        with self._lock:
            self._served.discard(connection)

    def _drop(self, pending: _Pending) -> None:
        self._forget(pending)
        pending.socket.close()

    def _forget(self, pending: _Pending) -> None:
        self._selector.unregister(pending.socket)
        del self._pending[pending.socket.fileno()]
