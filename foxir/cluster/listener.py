"""The listening socket of a searcher: who knows the key gets a thread of its own, others get nothing."""

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

# Connections that are served at a time; strangers that may try to prove that they know the key, and for how long.
MOST_CONNECTIONS, MOST_STRANGERS, STRANGER_S = 64, 32, 5.0
# What a stranger sends: a random number and its proof, as one message.
_ANSWER = framed(bytes(NONCE_BYTES + PROOF_BYTES))
_HEAD = len(_ANSWER) - NONCE_BYTES - PROOF_BYTES
# Seconds of rest when no connection can be accepted, as without free files.
REST_S = 0.2


@dataclass
class _Stranger:
    """A connection whose other side has not proved yet that it knows the key."""

    socket: socket.socket
    nonce: bytes = field(default_factory=lambda: secrets.token_bytes(NONCE_BYTES))
    received: bytes = b""
    until: float = field(default_factory=lambda: time.monotonic() + STRANGER_S)


class Listener:
    """Accepts connections on a free port of a host.

    One thread hears all strangers, none of which it waits for; of too many the first goes.

    Args:
        serve: is called with each connection whose other side knows the key, in a thread of its own, until it returns.
    Raises: OSError if the host cannot be listened at.
    """

    def __init__(self, host: str, key: bytes, serve: Callable[[Connection], None]) -> None:
        self._key, self._serve = key, serve
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, 0), family=family, backlog=MOST_CONNECTIONS)
        self._socket.setblocking(False)
        self.address: tuple[str, int] = self._socket.getsockname()[:2]
        self._lock, self._served, self._is_closed = Lock(), set[Connection](), False
        self._strangers: dict[int, _Stranger] = {}  # by file, oldest first
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
            for chosen, _ in self._selector.select(STRANGER_S if self._strangers else None):
                if chosen.fileobj is self._socket:
                    self._accept()
                elif chosen.fd in self._strangers:
                    self._hear(self._strangers[chosen.fd])
            now = time.monotonic()
            for stranger in [each for each in self._strangers.values() if each.until < now]:
                self._drop(stranger)
        for stranger in list(self._strangers.values()):
            self._drop(stranger)
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
        if len(self._strangers) >= MOST_STRANGERS:
            self._drop(next(iter(self._strangers.values())))
        connection.setblocking(False)
        stranger = _Stranger(connection)
        self._strangers[connection.fileno()] = stranger
        self._selector.register(connection, selectors.EVENT_READ)
        try:
            connection.send(framed(stranger.nonce))
        except OSError:
            self._drop(stranger)

    def _hear(self, stranger: _Stranger) -> None:
        """Read what a stranger has sent; take it in, or drop it, when that is all that is expected."""
        try:
            chunk = stranger.socket.recv(len(_ANSWER) - len(stranger.received))
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        stranger.received += chunk
        if not chunk:
            self._drop(stranger)
        elif len(stranger.received) == len(_ANSWER):
            self._judge(stranger)

    def _judge(self, stranger: _Stranger) -> None:
        nonces = stranger.nonce, stranger.received[_HEAD : _HEAD + NONCE_BYTES]
        given = stranger.received[_HEAD + NONCE_BYTES :]
        is_known = hmac.compare_digest(given, proof(self._key, b"coordinator", *nonces))
        with self._lock:
            is_taken = is_known and not self._is_closed and len(self._served) < MOST_CONNECTIONS
        if not is_taken:
            self._drop(stranger)
            return
        self._forget(stranger)
        try:
            stranger.socket.send(framed(proof(self._key, b"searcher", *nonces)))
            connection = Connection(stranger.socket)
        except OSError:
            stranger.socket.close()
            return
        with self._lock:
            self._served.add(connection)
        Thread(target=self._serve_one, args=(connection,), name="foxir-connection", daemon=True).start()

    def _serve_one(self, connection: Connection) -> None:
        try:
            self._serve(connection)
        except OSError as error:
            logger.debug("a connection has ended: %s", error)
        except Exception:  # whatever it is, the other connections go on
            logger.exception("a connection is ended")
        finally:
            connection.close()
            with self._lock:
                self._served.discard(connection)

    def _drop(self, stranger: _Stranger) -> None:
        self._forget(stranger)
        stranger.socket.close()

    def _forget(self, stranger: _Stranger) -> None:
        self._selector.unregister(stranger.socket)
        del self._strangers[stranger.socket.fileno()]
