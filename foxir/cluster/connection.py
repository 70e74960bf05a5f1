"""Connections between the coordinator and a searcher, and the socket at which a searcher listens.

Messages over TCP, after both sides have proved that they know a key; plain sockets, as the listener of
`multiprocessing.connection` accepts no other connection while it authenticates one. What follows the proof is neither
encrypted nor signed, like Ray's own calls.
"""

from __future__ import annotations

import contextlib
import hmac
import logging
import secrets
import selectors
import socket
import struct
import time
from collections.abc import Callable, Iterable
from threading import Lock, Thread

from engine.errors import ClusterError
from engine.system.platform import limit_sending

# A message is preceded by its length; a longer one is not sent, and ends a connection.
_LENGTH = struct.Struct("!Q")
MOST_BYTES = 2**30
_CHUNK = 2**16
# Bytes of a key, of the random number that each side wants to see signed, and of the proof, which is such a signature.
KEY_BYTES = NONCE_BYTES = PROOF_BYTES = 32
# Seconds in which a connection must be made, in which a message must leave, and after which a silent host is lost.
CONNECT_S, SEND_S, SILENT_HOST_S = 3.0, 10, 12
_TCP_OPTIONS = {
    "TCP_NODELAY": 1,
    "TCP_KEEPIDLE": SILENT_HOST_S // 3,
    "TCP_KEEPINTVL": SILENT_HOST_S // 6,
    "TCP_KEEPCNT": 4,
    "TCP_USER_TIMEOUT": 1000 * SILENT_HOST_S,
}
# A selector that costs no call of the system to make, where there is one.
_Selector = getattr(selectors, "PollSelector", selectors.SelectSelector)


class DisconnectedError(ConnectionError):
    """The other side has closed the connection, or sends what is not a message."""


class Connection:
    """Whole messages over a socket, one at a time: a step, then the reply to it.

    A host that is gone, or cannot be reached any more, ends the connection like one that closes it. As long as the
    other side has not proved that it knows the key (`is_authenticated`), its messages are short.
    """

    is_authenticated = False

    def __init__(self, connected: socket.socket) -> None:
        self._socket, self._received = connected, bytearray()
        connected.setblocking(True)
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        limit_sending(connected, SEND_S)
        for option, value in _TCP_OPTIONS.items():
            if hasattr(socket, option):
                connected.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)

    def send(self, message: bytes) -> None:
        """Send a message; raises OSError if it cannot be sent, ClusterError if it is too long."""
        if len(message) > MOST_BYTES:
            raise ClusterError(
                f"a message of {len(message):,} bytes between the service and a searcher: at most {MOST_BYTES:,} are "
                "sent: ask for fewer articles or answers (max_articles, max_answers)."
            )
        self._socket.sendall(framed(message))

    def receive(self) -> bytes:
        """Wait for the next message; raises OSError at the end of the connection."""
        while (message := self._read()) is None:
            pass
        return message

    def arrived(self) -> bytes | None:
        """Return the next message if all of it has arrived; raises OSError at the end of the connection."""
        while self.fileno() == -1 or readable([self.fileno()], 0):
            if (message := self._read()) is not None:
                return message
        return None

    def _read(self) -> bytes | None:
        """Read once; return the message if that completes it."""
        chunk = self._socket.recv(_CHUNK)
        if not chunk:
            raise DisconnectedError("closed by the other side")
        received = self._received
        received += chunk
        if len(received) < _LENGTH.size:
            return None
        end = _LENGTH.size + _LENGTH.unpack_from(received)[0]
        most = MOST_BYTES if self.is_authenticated else NONCE_BYTES + PROOF_BYTES
        if end > most + _LENGTH.size or len(received) > end:  # nothing is sent before it is asked for
            raise DisconnectedError("no message")
        if len(received) < end:
            return None
        message = bytes(memoryview(received)[_LENGTH.size :])
        self._received = bytearray()
        return message

    @property
    def is_quiet(self) -> bool:
        """Whether the connection is open and nothing has arrived, as it must be between two searches."""
        return self.fileno() != -1 and not readable([self.fileno()], 0)

    def fileno(self) -> int:
        """Return the number of the file that can be read when something has arrived."""
        return self._socket.fileno()

    def shut(self) -> None:
        """End the connection for both sides, also for a thread that waits for a message."""
        with contextlib.suppress(OSError):  # it has ended
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End the connection and close its file, which no other thread may be using."""
        self.shut()
        self._socket.close()


class Caller(Connection):
    """The side of a connection that makes it; what is sent waits until both sides have proved that they know the key.

    Nothing here waits for the other side: a searcher that is stopped, or a host that is gone, says nothing.
    """

    def __init__(self, address: tuple[str, int], key: bytes) -> None:
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        calling = socket.socket(family, socket.SOCK_STREAM)
        calling.setblocking(False)
        calling.connect_ex(address)
        super().__init__(calling)
        self._key, self._expected = key, b""
        self._waiting: bytes | None = None

    def send(self, message: bytes) -> None:
        """Send a message now, or once the other side is known."""
        if self.is_authenticated:
            super().send(message)
        else:
            self._waiting = message

    def arrived(self) -> bytes | None:
        """Return the next message after the proofs, if all of it has arrived; raises OSError as well without one."""
        while (message := super().arrived()) is not None and not self.is_authenticated:
            self._authenticate(message)
        return message

    def _authenticate(self, message: bytes) -> None:
        if not self._expected:
            own = secrets.token_bytes(NONCE_BYTES)
            self._expected = proof(self._key, b"searcher", message, own)
            super().send(own + proof(self._key, b"coordinator", message, own))
        elif hmac.compare_digest(message, self._expected):
            self.is_authenticated = True
            if self._waiting is not None:
                super().send(self._waiting)
        else:
            raise DisconnectedError("another program listens there")

    def wait_until_authenticated(self) -> None:
        """Wait until both sides have proved that they know the key; raises OSError, TimeoutError."""
        until = time.monotonic() + CONNECT_S
        while not self.is_authenticated:
            if not readable([self.fileno()], max(0.0, until - time.monotonic())):
                raise TimeoutError(f"no answer within {CONNECT_S:g} s")
            self.arrived()


def readable(files: Iterable[int], seconds: float) -> list[int]:
    """Return the files, connections all, that can be read; none if that takes longer."""
    selector: selectors.BaseSelector
    with _Selector() as selector:
        for file in files:
            selector.register(file, selectors.EVENT_READ)
        return [key.fd for key, _ in selector.select(max(0.0, seconds))]


def framed(message: bytes) -> bytes:
    """Return a message as it is sent."""
    return _LENGTH.pack(len(message)) + message


def proof(key: bytes, *parts: bytes) -> bytes:
    """Return the HMAC of the parts, which shows to whoever has the key that the sender has it, too."""
    return hmac.digest(key, b"".join(parts), "sha256")


logger = logging.getLogger("foxir.cluster")

# Connections that are served at a time; connections that may be unauthenticated at a time, and for how many seconds.
MOST_CONNECTIONS, MOST_PENDING, PENDING_S = 64, 32, 5.0
# Seconds of rest when no connection can be accepted, as without free files.
REST_S = 0.2


class Listener:
    """Accepts connections on a free port of a host.

    Each has a thread of its own, which authenticates it and serves it. Of too many that are not authenticated the
    oldest is closed.

    Args:
        serve: is called with each connection whose other side knows the key, until it returns.
    Raises: OSError if it cannot listen at the host.
    """

    def __init__(self, host: str, key: bytes, serve: Callable[[Connection], None]) -> None:
        self._key, self._serve = key, serve
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, 0), family=family, backlog=MOST_CONNECTIONS)
        self.address: tuple[str, int] = self._socket.getsockname()[:2]
        self._lock, self._is_closed = Lock(), False
        self._pending, self._served = list[Connection](), set[Connection]()  # each open connection is in one of them
        self._thread = Thread(target=self._run, name="foxir-listener", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Accept no more connections, and end the present ones."""
        with self._lock:
            self._is_closed, ended = True, [*self._pending, *self._served]
        for connection in ended:
            connection.shut()
        with contextlib.suppress(OSError):  # wakes the thread
            socket.create_connection(self.address, 1.0).close()
        self._thread.join()

    def _run(self) -> None:
        with self._socket:
            while not self._is_closed:
                try:
                    connected, _ = self._socket.accept()
                except OSError as error:
                    logger.warning("no connection can be accepted: %s", error)
                    time.sleep(REST_S)
                else:
                    self._begin(connected)

    def _begin(self, connected: socket.socket) -> None:
        try:
            connection = Connection(connected)
        except OSError:  # it has ended
            connected.close()
            return
        with self._lock:
            self._pending.append(connection)
            dropped = self._pending.pop(0) if len(self._pending) > MOST_PENDING else None
            is_closed = self._is_closed
        if dropped is not None:
            dropped.shut()
        if is_closed:
            self._end(connection)
            return
        try:
            Thread(target=self._serve_one, args=(connection,), name="foxir-connection", daemon=True).start()
        except RuntimeError as error:  # no more threads: this connection ends, others are still accepted
            logger.warning("a connection cannot be served: %s", error)
            self._end(connection)

    def _serve_one(self, connection: Connection) -> None:
        try:
            own_proof = self._authenticated(connection)
            with self._lock:  # before the other side sees the proof: what it can use is served
                if connection not in self._pending or len(self._served) >= MOST_CONNECTIONS:
                    return
                self._pending.remove(connection)
                self._served.add(connection)
            connection.send(own_proof)
            self._serve(connection)
        except OSError as error:
            logger.debug("a connection has ended: %s", error)
        except Exception:  # a defect ends this connection only
            logger.exception("a connection is ended")
        finally:
            self._end(connection)

    def _authenticated(self, connection: Connection) -> bytes:
        """Return the proof for the other side, once it has proved that it knows the key; raises OSError."""
        nonce, until = secrets.token_bytes(NONCE_BYTES), time.monotonic() + PENDING_S
        connection.send(nonce)
        while (message := connection.arrived()) is None:
            if not readable([connection.fileno()], until - time.monotonic()):
                raise TimeoutError(f"no proof within {PENDING_S:g} s")
        nonces, given = (nonce, message[:NONCE_BYTES]), message[NONCE_BYTES:]
        if not hmac.compare_digest(given, proof(self._key, b"coordinator", *nonces)):
            raise DisconnectedError("the other side does not know the key")
        connection.is_authenticated = True
        return proof(self._key, b"searcher", *nonces)

    def _end(self, connection: Connection) -> None:
        with self._lock:
            self._served.discard(connection)
            if connection in self._pending:
                self._pending.remove(connection)
        connection.close()
