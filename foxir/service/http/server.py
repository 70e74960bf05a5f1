"""The server: one socket, one or several processes, an end that lets running requests finish."""

from __future__ import annotations

import asyncio
import functools
import gc
import http.client
import ipaddress
import logging
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.supervisors import Multiprocess

from engine.errors import ArgumentError
from engine.system.platform import claim_port
from foxir.service.http.authentication import read_tokens
from foxir.service.http.http_protocol import PatientProtocol
from foxir.service.indexes import check_index
from foxir.service.options import ServiceOptions

if TYPE_CHECKING:
    from starlette.applications import Starlette

logger = logging.getLogger("foxir.service")

# Seconds before a connection is accepted, for each one that is open, and at most; after an error of the system.
FOR_EACH, AT_MOST, AFTER_ERROR = 0.001, 0.004, 1.0


class SharingLoop(asyncio.SelectorEventLoop):
    """An event loop whose servers share a listening socket with other processes."""

    async def create_server(  # type: ignore[override]
        self, protocol_factory: Callable[[], asyncio.BaseProtocol], *, sock: socket.socket, **_: Any
    ) -> SharingServer:
        """Return a server at a socket that listens."""
        return SharingServer(self, protocol_factory, sock)


class SharingServer:
    """A server that accepts the connections at a socket one by one."""

    def __init__(
        self, loop: SharingLoop, protocol_factory: Callable[[], asyncio.BaseProtocol], listening: socket.socket
    ) -> None:
        self._loop, self._protocol_factory, self._listening = loop, protocol_factory, listening
        self._open: set[asyncio.BaseTransport] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting: asyncio.TimerHandle | None = None
        self._is_closed = False
        listening.setblocking(False)
        loop.add_reader(listening, self._wait)

    def _wait(self) -> None:
        """Leave the connection that waits to others for a moment."""
        self._loop.remove_reader(self._listening)
        self._open = {each for each in self._open if not each.is_closing()}
        n_open = len(self._open) + len(self._tasks)
        self._waiting = self._loop.call_later(min(FOR_EACH * n_open, AT_MOST), self._accept)

    def _accept(self) -> None:
        try:
            connection, _ = self._listening.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            pass  # another process has accepted it, or it is gone
        except OSError:  # such as too many open files
            logger.exception("a connection could not be accepted")
            self._waiting = self._loop.call_later(AFTER_ERROR, self._accept)
            return
        else:
            task = self._loop.create_task(self._serve(connection))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        self._waiting = None
        self._loop.add_reader(self._listening, self._wait)

    async def _serve(self, connection: socket.socket) -> None:
        try:
            transport, _ = await self._loop.connect_accepted_socket(self._protocol_factory, connection)
        except OSError:  # it has been closed meanwhile
            connection.close()
        else:
            self._open.add(transport)

    def close(self) -> None:
        """Accept no more connections, and close the socket in this process."""
        if not self._is_closed:
            self._is_closed = True
            self._loop.remove_reader(self._listening)
            if self._waiting is not None:
                self._waiting.cancel()
            self._listening.close()

    async def wait_closed(self) -> None:
        """Wait for those that are being accepted."""
        await asyncio.gather(*self._tasks)


# Seconds in which running requests can finish, and connections that are open at a time.
STOPPING = 10
MOST_CONNECTIONS = 1000
# Seconds after which a process that says nothing is replaced; on a busy machine it may need some before it can.
HUNG = 60
# Seconds before a service is asked again that did not answer because one of its processes had ended.
ASKED_AGAIN = 0.2
# Bytes of the head of a request beside its query, and of a character of the query in an address: %F0%9F%90%8B.
MOST_BYTES_OF_HEAD = 1 << 16
MOST_BYTES_OF_CHARACTER = 12


def serve(
    options: ServiceOptions, listening: socket.socket | None = None, *, answering: Callable[[], None] | None = None
) -> None:
    """Answer requests until SIGINT or SIGTERM.

    answering: called in a thread of its own once requests are answered.

    Raises: ArgumentError, IndexFormatError and others of a service that cannot start.
    """
    options.check()
    bound = bind(options.host, options.port) if listening is None else listening
    with bound, suppress(KeyboardInterrupt):
        if answering is not None:
            asked = (bound, bound.getsockname(), answering)  # the socket may be closed when the thread begins
            threading.Thread(target=_tell_when_answering, args=asked, daemon=True).start()
        if options.workers == 1:
            uvicorn.Server(uvicorn.Config(_app(options), **server_settings(options))).run([bound])
        else:
            _check(options)
            config = uvicorn.Config(functools.partial(_app, options), factory=True, **server_settings(options))
            Multiprocess(config, sockets=[bound]).run()


def _tell_when_answering(listening: socket.socket, address: tuple[Any, ...], answering: Callable[[], None]) -> None:
    """Ask the service at a socket whether it is ready, and call a function when it says so; nothing if it ends."""
    host, port, *_ = address
    if ipaddress.ip_address(host).is_unspecified:
        host = "::1" if listening.family == socket.AF_INET6 else "127.0.0.1"
    while listening.fileno() != -1:
        with suppress(OSError, http.client.HTTPException), closing(http.client.HTTPConnection(host, port)) as asking:
            asking.request("GET", "/readyz")  # waits in the socket until a process accepts it
            if asking.getresponse().status == http.client.OK:
                answering()
                return
        time.sleep(ASKED_AGAIN)


def _app(options: ServiceOptions) -> Starlette:
    from foxir.service.app import make_app  # noqa: PLC0415  (slow to import, needed in workers only)

    start_logging(options)
    app = make_app(options)
    gc.freeze()  # what is imported and open stays: looking through it for garbage takes as long as several answers
    return app


def _check(options: ServiceOptions) -> None:
    """Raise errors that would keep the workers from starting, once, here, with the application only if needed."""
    for folder in options.indexes:
        check_index(folder)
    if options.token_file is not None:
        read_tokens(options.token_file)
    if options.judgements is not None or options.with_mcp:
        _app(options).state.service.close()


def start_logging(options: ServiceOptions) -> None:
    """Write a line for each request on stderr, unless the service is quiet."""
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.WARNING if options.quiet else logging.INFO,
        format="%(asctime)s %(levelname)s %(message)s",
    )
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)


def server_settings(options: ServiceOptions) -> dict[str, Any]:
    """Return the settings of the HTTP server."""
    return {
        "workers": options.workers,
        "http": PatientProtocol,
        "ws": "none",
        "loop": "asyncio" if options.workers == 1 else "foxir.service.http.server:SharingLoop",
        "lifespan": "on",
        "access_log": False,
        "log_config": None,
        "server_header": False,
        "date_header": True,
        "limit_concurrency": MOST_CONNECTIONS,
        "timeout_keep_alive": 30,
        # the longest head of a request, by the name that uvicorn has for it; PatientProtocol keeps to it
        "h11_max_incomplete_event_size": MOST_BYTES_OF_HEAD + MOST_BYTES_OF_CHARACTER * options.max_query,
        "timeout_graceful_shutdown": STOPPING,
        "timeout_worker_healthcheck": HUNG,
        "proxy_headers": False,
    }


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens at a host and a port; 0 for any free port.

    Raises: ArgumentError where that is not possible.
    """
    try:
        family, kind, protocol, *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)[
            0
        ]
        # asyncio sends at once (TCP_NODELAY) only where the protocol is named, else a body waits 40 ms for the client's
        # acknowledgement of its head
        listening = socket.socket(family, kind, protocol)
        try:
            claim_port(listening)
            listening.bind((host, port))
            listening.listen(128)
        except OSError:
            listening.close()
            raise
    except (OSError, OverflowError) as error:
        remedy = "--host" if isinstance(error, socket.gaierror) else "--port"
        raise ArgumentError(
            f"cannot listen at {host}:{port}: {getattr(error, 'strerror', None) or error}: choose another {remedy}."
        ) from None
    listening.set_inheritable(True)
    return listening
