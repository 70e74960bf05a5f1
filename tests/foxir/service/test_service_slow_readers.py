"""Clients that do not take their answers: they are dropped, and keep neither a thread nor memory."""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

import foxir
from foxir.service.http.http_protocol import PatientProtocol
from foxir.service.options import ServiceOptions
from tests.foxir.service.living import running

READ = b"GET /api/read?document=long HTTP/1.1\r\nHost: localhost\r\n\r\n"
# Answers that a client asks for at once: more than the buffers of the system take.
MANY = 30


@pytest.fixture(scope="module")
def long_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of one document, of whose text an answer has 900,000 characters."""
    folder = tmp_path_factory.mktemp("long")
    (folder / "source").mkdir()
    body = "".join(f"<p>{'lorem ipsum ' * 75}{number}</p>" for number in range(1000))
    (folder / "source/long.xml").write_text(f"<article><body>{body}</body></article>", "utf-8")
    foxir.build_index(folder / "source", into=folder / "long.foxir")
    return folder / "long.foxir"


@contextmanager
def slow_reader(port: int) -> Iterator[socket.socket]:
    """Yield a client with a small buffer, so that the service has to keep what it does not read."""
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(20)
        connection.connect(("127.0.0.1", port))
        yield connection


def is_dropped(connection: socket.socket) -> bool:
    """Return whether the service ends a connection before it has sent all of its answers."""
    taken = 0
    with suppress(ConnectionError):
        while part := connection.recv(1 << 20):
            taken += len(part)
    return taken < MANY * 900_000


@pytest.mark.long
def test_a_client_that_never_reads_its_answer_is_dropped(long_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting: list[int] = []
    dropped = PatientProtocol.connection_lost

    def lost(self: PatientProtocol, error: Exception | None) -> None:
        waiting.append(self.transport.get_write_buffer_size())
        dropped(self, error)
        assert self._taking is None

    monkeypatch.setattr(PatientProtocol, "taking_seconds", 0.3)
    monkeypatch.setattr(PatientProtocol, "connection_lost", lost)
    with running(ServiceOptions((long_index,), quiet=True)) as port:
        with slow_reader(port) as reader:
            reader.sendall(READ * MANY)
            deadline = time.monotonic() + 20
            while not waiting and time.monotonic() < deadline:
                time.sleep(0.02)
            assert waiting == [0]
            assert is_dropped(reader)
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
            connection.request("GET", "/api/read?document=long")
            assert len(connection.getresponse().read()) > 900_000


def test_a_client_that_reads_a_few_bytes_at_a_time_is_dropped(
    long_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PatientProtocol, "taking_seconds", 0.3)
    with running(ServiceOptions((long_index,), quiet=True)) as port, slow_reader(port) as reader:
        reader.sendall(READ * MANY)
        deadline, taken = time.monotonic() + 1.5, 0
        with suppress(ConnectionError):
            while time.monotonic() < deadline:
                taken += len(reader.recv(100))
                time.sleep(0.005)
        assert 0 < taken < 100_000
        assert is_dropped(reader)


@pytest.mark.long
def test_a_client_that_is_slow_but_reads_gets_all(long_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PatientProtocol, "taking_seconds", 0.3)
    monkeypatch.setattr(PatientProtocol, "least_taken", 1)
    with running(ServiceOptions((long_index,), quiet=True)) as port, slow_reader(port) as reader:
        reader.sendall(READ * MANY + b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        begun, taken, end = time.monotonic(), 0, b""
        while part := reader.recv(1 << 20):
            taken += len(part)
            end = (end + part)[-3:]
            if time.monotonic() - begun < 1:  # longer than a look at what it takes
                time.sleep(0.01)
        assert taken > MANY * 900_000
        assert end == b"ok\n"
