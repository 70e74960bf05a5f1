"""The event loop of a process that shares its socket with others, and leaves them their part of the connections.

The loop of asyncio accepts all connections that wait when it looks. So the process that is awake first takes them all
and keeps them, and the others have nothing to do. Here a process waits before it accepts one, the longer the more
connections it has, in which time those with fewer accept it.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from typing import Any

logger = logging.getLogger("foxir.service")

# Seconds before a connection is accepted, for each one that is open, and at most; after an error of the system.
FOR_EACH, AT_MOST, AFTER_ERROR = 0.001, 0.004, 1.0


class SharingLoop(asyncio.SelectorEventLoop):
    """An event loop whose servers listen at a socket together with those of other processes."""

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
