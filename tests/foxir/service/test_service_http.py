"""HTTP by raw sockets: limits of time and size, heads that are not HTTP, requests one after the other."""

from __future__ import annotations

import asyncio
import http.client
import logging
import socket
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlencode

import pytest

from foxir.service.http import server
from foxir.service.options import ServiceOptions
from tests.foxir.conftest import Sample
from tests.foxir.service.living import running


def searching_options(sample: Sample) -> ServiceOptions:
    return ServiceOptions((sample.folder / "sample.foxir",), quiet=True)


@contextmanager
def connected(sample: Sample) -> Iterator[tuple[socket.socket, BinaryIO]]:
    """Yield a connection to a service, and the file of what it answers."""
    with (
        running(searching_options(sample)) as port,
        socket.create_connection(("127.0.0.1", port), timeout=10) as connection,
        connection.makefile("rb") as answers,
    ):
        yield connection, answers


def test_a_slow_head_is_cut(sample: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that never ends its head is closed, one that asks stays open."""
    monkeypatch.setattr(server.PatientProtocol, "head_seconds", 0.2)
    options = searching_options(sample)
    with running(options) as port:
        for begun in (b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Drip: ", b""):
            with socket.create_connection(("127.0.0.1", port), timeout=10) as slow:
                slow.sendall(begun)
                assert slow.recv(100) == b""
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
            for _ in range(2):
                connection.request("GET", "/healthz")
                assert connection.getresponse().read() == b"ok\n"
                time.sleep(0.3)


def test_blank_lines_in_place_of_a_request_do_not_keep_a_connection(
    sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.PatientProtocol, "head_seconds", 0.2)
    with connected(sample) as (connection, answers):
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert any(line == b"ok\n" for line in answers)
        began = time.monotonic()
        connection.sendall(b"\r\n")
        assert answers.read(1) == b""
        assert time.monotonic() - began < 5


NO_HTTP = (
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n",
    b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET / HTTP/3.7\r\nHost: localhost\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # TLS
)


def test_a_head_that_is_no_http_is_refused(sample: Sample) -> None:
    with running(searching_options(sample)) as port:
        for head in NO_HTTP:
            with (
                socket.create_connection(("127.0.0.1", port), timeout=10) as connection,
                connection.makefile("rb") as answers,
            ):
                connection.sendall(head)
                assert answers.readline().startswith(b"HTTP/1.1 400 "), head
                answers.read()  # the connection is closed


def test_a_head_that_does_not_end_is_refused_before_its_time_is_over(sample: Sample) -> None:
    with connected(sample) as (connection, answers):
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
        with suppress(ConnectionError):
            for _ in range(100):
                connection.sendall(b"x" * 10_000)
                time.sleep(0.001)
        with suppress(ConnectionError):
            assert answers.readline().startswith(b"HTTP/1.1 400 ")


def test_what_follows_a_body_without_end_is_refused(sample: Sample) -> None:
    with (
        running(searching_options(sample)) as port,
        socket.create_connection(("127.0.0.1", port), timeout=10) as connection,
    ):
        connection.sendall(b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ")
        sent = 0
        with suppress(ConnectionError):
            for _ in range(400):
                connection.sendall(b"x" * 10_000)
                sent += 10_000
                time.sleep(0.001)

    assert sent < 4_000_000


def test_headers_after_a_body_are_ignored(sample: Sample, tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("ana correct-horse-battery\n", "utf-8")
    options = ServiceOptions((sample.folder / "sample.foxir",), token_file=tokens, quiet=True)
    head = b"GET /api/search?q=fog HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    with running(options) as port:
        answers = []
        for request in (
            head + b"Transfer-Encoding: chunked\r\n\r\n0\r\nAuthorization: Bearer correct-horse-battery\r\n\r\n",
            head + b"Authorization: Bearer correct-horse-battery\r\n\r\n",
        ):
            with (
                socket.create_connection(("127.0.0.1", port), timeout=10) as connection,
                connection.makefile("rb") as lines,
            ):
                connection.sendall(request)
                answers.append(lines.readline()[:13])

    assert answers == [b"HTTP/1.1 401 ", b"HTTP/1.1 200 "]


def test_requests_in_one_packet_are_answered_in_turn(sample: Sample) -> None:
    asked = ["/healthz", "/api/search?q=whale", "/readyz", "/api/search?q=fog#part", "/healthz"]
    heads = [f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n" for path in asked]
    heads[-1] = heads[-1].replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")
    with connected(sample) as (connection, answers):
        connection.sendall("".join(heads).encode())
        whole = answers.read()

    assert whole.count(b"HTTP/1.1 200 ") == len(asked)
    places = [whole.index(part) for part in (b"ok\n", b'"query":"whale"', b"ready\n", b'"query":"fog"')]
    assert places == sorted(places)


def test_a_flood_of_requests_in_one_packet_is_not_kept_in_memory(sample: Sample) -> None:
    head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with connected(sample) as (connection, answers):
        port = connection.getpeername()[1]
        connection.sendall(head * 1000)
        whole = b""
        with suppress(ConnectionError):
            whole = answers.read()  # ends, as the connection is closed

        assert whole.count(b"HTTP/1.1") < 1000
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as other:
            other.request("GET", "/healthz")
            assert other.getresponse().read() == b"ok\n"


def test_a_long_query_is_answered_in_whatever_pieces_it_arrives(sample: Sample) -> None:
    address = f"/api/search?{urlencode({'q': chr(0x1F40B) * 10_000})}"
    with (
        running(searching_options(sample)) as port,
        socket.create_connection(("127.0.0.1", port), timeout=10) as connection,
    ):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        head = f"GET {address} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        for begin in range(0, len(head), 4096):  # as proxies send them
            connection.sendall(head[begin : begin + 4096])
            time.sleep(0.001)
        assert connection.recv(100).startswith(b"HTTP/1.1 200 ")


def test_a_slow_body_is_given_up(sample: Sample, tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("ana correct-horse-battery\n", "utf-8")
    options = ServiceOptions((sample.folder / "sample.foxir",), token_file=tokens, max_transfer_seconds=0.2, quiet=True)
    with running(options) as port, socket.create_connection(("127.0.0.1", port), timeout=10) as slow:
        head = "POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n"
        form = "Content-Type: application/x-www-form-urlencoded\r\n\r\ntoken=dripp"
        slow.sendall((head + form).encode())
        assert slow.recv(100).startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("asked", ["GET /healthz", "POST /nowhere", "POST /sign-in"])
def test_a_connection_that_never_ends_an_answered_request_is_closed(
    asked: str, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.PatientProtocol, "head_seconds", 0.2)
    options = replace(searching_options(sample), max_transfer_seconds=0.05)
    with running(options) as port, socket.create_connection(("127.0.0.1", port), timeout=10) as slow:
        slow.sendall(f"{asked} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\n".encode())
        assert slow.recv(9).startswith(b"HTTP/1.1 ")
        slow.settimeout(0.02)
        ended = time.monotonic() + 10
        with suppress(ConnectionError):
            while time.monotonic() < ended:
                slow.sendall(b"x")
                with suppress(TimeoutError):
                    if not slow.recv(1000):
                        break
        assert time.monotonic() < ended


def test_a_request_that_ends_after_its_answer_is_followed_by_others(sample: Sample) -> None:
    with connected(sample) as (connection, answers):
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n")
        assert any(line == b"ok\n" for line in answers)
        connection.sendall(b"endGET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert any(line == b"ready\n" for line in answers)


@pytest.mark.parametrize("pause", [0.0, 0.3])
@pytest.mark.parametrize("asked", ["POST /api/session", "POST /nowhere", "GET /healthz"])
def test_a_body_that_is_no_http_ends_its_connection_and_is_no_failure(
    asked: str, pause: float, sample: Sample, caplog: pytest.LogCaptureFixture
) -> None:
    """It arrives while the request is answered, or afterwards: the log has a warning, at most."""
    with (
        running(searching_options(sample)) as port,
        socket.create_connection(("127.0.0.1", port), timeout=10) as connection,
    ):
        head = f"{asked} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        connection.sendall(head if pause else head + b"no chunk\r\n")
        if pause:
            time.sleep(pause)
            connection.sendall(b"no chunk\r\n")
        with suppress(ConnectionError):
            while connection.recv(1000):
                pass
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as other:
            other.request("GET", "/healthz")
            assert other.getresponse().read() == b"ok\n"
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_who_goes_away_while_sending_a_file_is_no_failure(sample: Sample, caplog: pytest.LogCaptureFixture) -> None:
    head = b"POST /example-image HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"
    with running(searching_options(sample)) as port, caplog.at_level("INFO", "foxir.service.json.requests"):
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(head + b"Content-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\n")
        deadline = time.monotonic() + 10
        while "POST /example-image" not in caplog.text and time.monotonic() < deadline:
            time.sleep(0.005)
    assert "POST /example-image 400" in caplog.text
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_connections_send_without_waiting_for_acknowledgements(
    host: str, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The head and the body of an answer are two packets: with TCP_NODELAY off the second would wait for the client."""
    options: list[int] = []
    whole = server.PatientProtocol.connection_made

    def connection_made(protocol: server.PatientProtocol, transport: asyncio.Transport) -> None:
        accepted = transport.get_extra_info("socket")
        options.append(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        whole(protocol, transport)

    monkeypatch.setattr(server.PatientProtocol, "connection_made", connection_made)
    with (
        running(searching_options(sample), host=host) as port,
        closing(http.client.HTTPConnection(host, port, timeout=10)) as connection,
    ):
        connection.request("GET", "/healthz")
        assert connection.getresponse().status == 200

    assert options
    assert all(options)
