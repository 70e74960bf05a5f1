"""HTTP with limits of time: for the head of a request, for the rest of an answered one, and for taking an answer."""

from __future__ import annotations

import asyncio
import fcntl
import struct
import termios
from contextlib import suppress

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


class PatientProtocol(H11Protocol):
    """HTTP that closes a connection on which something takes too long.

    That is the head of a request, the rest of an answered one, and an answer of which the client takes fewer than
    `least_taken` bytes in `taking_seconds`. What a client has not taken is in memory, also after the answer has ended;
    so all of it counts as waiting, and no more is written meanwhile.
    """

    head_seconds = 10.0
    taking_seconds = 30.0
    least_taken = 1 << 16
    _deadline: asyncio.TimerHandle | None = None
    _taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # pause_writing is called whenever anything waits to be sent
        self._deadline = self.loop.call_later(self.head_seconds, self._close)

    def data_received(self, data: bytes) -> None:
        """Take a part of a request; the time for its head begins with its first byte."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            if self.conn.our_state is not h11.DONE:
                self._stop_waiting()
        elif self._deadline is None and self.conn.trailing_data[0]:
            self._deadline = self.loop.call_later(self.head_seconds, self._close)

    def on_response_complete(self) -> None:
        """Read for a while what is left of a request that is answered, so that the client sees the answer."""
        super().on_response_complete()
        if self.conn.our_state is h11.DONE and self.conn.their_state is h11.SEND_BODY:
            self._stop_waiting()
            self._deadline = self.loop.call_later(self.head_seconds, self._close)

    def send_400_response(self, msg: str) -> None:
        """Answer a request that is no HTTP, unless another answer has begun, after which nobody may send anything."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()

    def pause_writing(self) -> None:
        """Begin to look at whether the client takes what waits to be sent."""
        super().pause_writing()
        self._look_later()

    def resume_writing(self) -> None:
        """End looking: everything is sent."""
        super().resume_writing()
        self._stop_looking()

    def connection_lost(self, exc: Exception | None) -> None:
        """End waiting."""
        self._stop_waiting()
        self._stop_looking()
        super().connection_lost(exc)

    def _look_later(self) -> None:
        self._taking = self.loop.call_later(self.taking_seconds, self._look, self._n_waiting())

    def _look(self, waiting: int) -> None:
        """Drop the connection, and what waits to be sent, if the client has taken too little of that."""
        if waiting - self._n_waiting() < self.least_taken:
            self._taking = None
            self.transport.abort()
        else:
            self._look_later()

    def _n_waiting(self) -> int:
        """Return how many bytes the client has not taken, those included that the system keeps for it."""
        waiting = self.transport.get_write_buffer_size()
        with suppress(OSError, ValueError):  # not every system says it; the socket may be closed
            kept = fcntl.ioctl(self.transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, bytes(4))
            waiting += struct.unpack("i", kept)[0]
        return waiting

    def _stop_looking(self) -> None:
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _close(self) -> None:
        self._deadline = None
        if self.transport is not None and not self.transport.is_closing():
            self.transport.close()
