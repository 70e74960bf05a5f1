"""HTTP with limits of time: for the head of a request, for the rest of an answered one, and for taking an answer."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from engine.system.platform import unsent_bytes

# Requests that a client may send on a connection before it has the answer to the first of them.
MOST_WAITING = 100


class HeadError(ValueError):
    """A refused head of a request, though the parser takes it."""


class PatientProtocol(HttpToolsProtocol):
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
    _is_in_head = False
    _is_in_body = False
    _n_received = 0  # bytes since a head began, or since the last ones of a body

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # pause_writing is called whenever anything waits to be sent
        self._deadline = self.loop.call_later(self.head_seconds, self._close)

    def data_received(self, data: bytes) -> None:
        """Take a part of a request; the time for its head begins with its first byte, and a long head is not HTTP."""
        self._n_received += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        is_idle = not self._is_in_body and (self.cycle is None or self.cycle.response_complete)
        if self._deadline is None and (self._is_in_head or is_idle):
            self._deadline = self.loop.call_later(self.head_seconds, self._close)
        most = self.config.h11_max_incomplete_event_size
        if (self._is_in_head or self._is_in_body) and most is not None and self._n_received > most:
            self.send_400_response("The head of the request, or what follows its body, is too long.")

    def on_message_begin(self) -> None:
        """Begin a head."""
        super().on_message_begin()
        self._is_in_head, self._n_received = True, 0

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; those after a body are ignored, as everything has been decided without them."""
        if self._is_in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Begin to answer a request.

        Raises: HeadError for several hosts, or none, as nobody can say whom the request is for, and for a host in its
            address; where MOST_WAITING others wait for their answers.
        """
        if len(self.pipeline) >= MOST_WAITING:
            raise HeadError("too many requests wait")
        n_hosts = sum(name == b"host" for name, _ in self.headers)
        if n_hosts > 1 or (n_hosts == 0 and self.parser.get_http_version() == "1.1"):
            raise HeadError("one host is needed")
        if not self.url.startswith(b"/"):  # the host of an address goes before that of the header
            raise HeadError("a path is needed")
        target = self.url.partition(b"#")[0]
        self.url, _, query = target.partition(b"?")  # httptools parses no more than 65,535 bytes
        super().on_headers_complete()
        self.scope["query_string"] = query
        self._is_in_head, self._is_in_body, self._n_received = False, True, 0
        self._stop_waiting()

    def on_body(self, body: bytes) -> None:
        """Take a part of a body, whose length the application limits."""
        self._n_received = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End a request; one that was answered before is not waited for any more."""
        self._is_in_body = False
        self._stop_waiting()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Read the rest of an answered request for a while, so that the client sees the answer."""
        super().on_response_complete()
        if self._is_in_body and self.cycle.response_complete and not self.transport.is_closing():
            self._stop_waiting()
            self._deadline = self.loop.call_later(self.head_seconds, self._close)

    def send_400_response(self, msg: str) -> None:
        """Answer 400 to a request that is not HTTP, or close the connection if a response has already begun."""
        has_answer = bool(self.pipeline) or (
            self.cycle is not None and self.cycle.response_started and self._is_in_body
        )
        if self.cycle is not None and not self.cycle.response_complete:
            has_answer |= self.cycle.response_started
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if has_answer:
            self.transport.close()
        else:
            super().send_400_response(msg)

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
        """Drop the connection and the bytes to be sent, if the client has taken too few of them."""
        if waiting - self._n_waiting() < self.least_taken:
            self._taking = None
            self.transport.abort()
        else:
            self._look_later()

    def _n_waiting(self) -> int:
        """Return the number of bytes the client has not taken, the system's buffer included."""
        kept = unsent_bytes(self.transport.get_extra_info("socket"))
        return self.transport.get_write_buffer_size() + kept

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
