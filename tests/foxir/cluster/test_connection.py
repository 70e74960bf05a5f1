"""Connections between the service and a searcher, without Ray: who is served, and what ends a connection."""

from __future__ import annotations

import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from engine.errors import ClusterError
from foxir.cluster import connection as connections
from foxir.cluster import connection as listening
from foxir.cluster.connection import Caller, Connection, Listener, framed, proof

KEY = secrets.token_bytes(32)
HOST = "127.0.0.1"
ENDED = r"closed by the other side|reset"


def echo(connection: Connection) -> None:
    while True:
        connection.send(connection.receive())


@contextmanager
def listener(serve: Callable[[Connection], None] = echo) -> Iterator[Listener]:
    before = threading.active_count()
    made = Listener(HOST, KEY, serve)
    try:
        yield made
    finally:
        made.close()
        wait_until(lambda: threading.active_count() <= before)


@contextmanager
def caller(to: Listener) -> Iterator[Caller]:
    made = Caller(to.address, KEY)
    try:
        yield made
    finally:
        made.close()


def wait_until(holds: Callable[[], object], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)


def answer(asking: Connection) -> bytes:
    found: list[bytes] = []

    def has_arrived() -> bool:
        message = asking.arrived()
        found.extend([] if message is None else [message])
        return bool(found)

    wait_until(has_arrived)
    return found[0]


def stranger(to: Listener, sent: bytes = b"") -> socket.socket:
    connected = socket.create_connection(to.address, 20.0)
    connected.sendall(sent)
    return connected


def end_of(connected: socket.socket) -> bytes:
    """Return what comes until the connection ends."""
    found = b""
    try:
        while chunk := connected.recv(1000):
            found += chunk
    except ConnectionResetError:
        pass
    connected.close()
    return found


def test_messages_of_any_length_arrive_whole_and_one_by_one() -> None:
    with listener() as to, caller(to) as asking:
        for message in (b"", b"x", bytes(2**16 - 8), bytes(2**16), secrets.token_bytes(3_000_001)):
            thread = threading.Thread(target=asking.send, args=(message,))
            thread.start()
            assert answer(asking) == message
            thread.join()
            assert asking.is_quiet
        assert asking.arrived() is None


def test_a_connection_that_its_side_closes_ends_and_leaves_nothing() -> None:
    with listener() as to:
        for _ in range(5):
            with caller(to) as asking:
                asking.send(b"sea")
                assert answer(asking) == b"sea"
        wait_until(lambda: not to._served)
        wait_until(lambda: not any("foxir-connection" in thread.name for thread in threading.enumerate()))
        with caller(to) as asking:
            asking.wait_until_authenticated()
            to.close()
            wait_until(lambda: not asking.is_quiet)
            with pytest.raises(OSError, match=ENDED):
                answer(asking)


def test_a_connection_that_its_other_side_can_use_ends_when_the_listener_closes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def slowly(connected: socket.socket) -> Connection:
        time.sleep(0.1)
        return Connection(connected)

    monkeypatch.setattr(listening, "Connection", slowly)
    with listener() as to, caller(to) as asking:
        asking.wait_until_authenticated()
        to.close()
        wait_until(lambda: not asking.is_quiet)


def test_whoever_does_not_know_the_key_gets_nothing() -> None:
    served: list[Connection] = []
    with listener(served.append) as to:
        for sent in (
            framed(bytes(64)),
            framed(secrets.token_bytes(32) + proof(b"guess", b"coordinator", bytes(32), bytes(32))),
            b"GET / HTTP/1.1\r\nHost: searcher\r\nUser-Agent: a stranger\r\nAccept: text/html\r\n\r\n",
            secrets.token_bytes(5000),
        ):
            assert len(end_of(stranger(to, sent))) in (0, len(framed(bytes(32))))  # 0: reset before it was read
        wrong = Caller(to.address, secrets.token_bytes(32))
        with pytest.raises(OSError, match=ENDED):
            wrong.wait_until_authenticated()
        wrong.close()
        assert not served


def test_an_answer_to_one_connection_is_none_to_another() -> None:
    with listener() as to:
        first, second = stranger(to), stranger(to)
        nonce = first.recv(40)[8:]
        second.sendall(framed(bytes(32) + proof(KEY, b"coordinator", nonce, bytes(32))))
        assert len(end_of(second)) == 40
        first.close()


def test_a_program_that_does_not_know_the_key_is_not_talked_to() -> None:
    with socket.create_server((HOST, 0)) as other:
        asking = Caller(other.getsockname()[:2], KEY)
        asking.send(b"a query")
        connected, _ = other.accept()
        connected.sendall(framed(bytes(32)))
        wait_until(lambda: asking.arrived() is None and asking._expected)
        sent = connected.recv(1000)
        assert len(sent) == 8 + 64
        connected.sendall(framed(proof(KEY, b"coordinator", bytes(32), sent[8:40])))  # what the caller itself has sent
        with pytest.raises(OSError, match="another program listens there"):
            answer(asking)
        asking.close()
        assert end_of(connected) == b""


def test_strangers_that_say_nothing_keep_nobody_waiting() -> None:
    with listener() as to:
        silent = [stranger(to, b"\0") for _ in range(listening.MOST_PENDING + 5)]
        with caller(to) as asking:
            asking.send(b"sea")
            assert answer(asking) == b"sea"
        assert len(to._pending) <= listening.MOST_PENDING
        assert len(end_of(silent[0])) <= 40  # of too many the first one goes
        for each in silent[1:]:
            each.close()


def test_a_stranger_is_not_waited_for_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "PENDING_S", 0.05)
    with listener() as to:
        assert len(end_of(stranger(to))) == 40
        assert not to._pending


def test_more_connections_than_are_served_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "MOST_CONNECTIONS", 2)
    with listener() as to, caller(to) as first, caller(to) as second:
        first.wait_until_authenticated()
        second.wait_until_authenticated()
        with caller(to) as third, pytest.raises(OSError, match=ENDED):
            third.wait_until_authenticated()
        second.close()
        wait_until(lambda: len(to._served) == 1)
        with caller(to) as fourth:
            fourth.wait_until_authenticated()


def test_a_message_that_is_too_long_is_not_sent_and_none_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with listener() as to, caller(to) as asking:
        asking.wait_until_authenticated()
        monkeypatch.setattr(connections, "MOST_BYTES", 100)
        with pytest.raises(ClusterError, match=r"a message of 101 bytes .* at most 100 are sent: ask for fewer"):
            asking.send(bytes(101))
        asking.send(bytes(100))
        assert answer(asking) == bytes(100)
        asking._socket.sendall(framed(bytes(101)))
        with pytest.raises(OSError, match=ENDED):
            answer(asking)


def test_what_was_not_asked_for_ends_a_connection() -> None:
    with listener() as to, caller(to) as asking:
        asking.wait_until_authenticated()
        asking._socket.sendall(framed(b"sea") + framed(b"tide"))
        with pytest.raises(OSError, match=ENDED):
            answer(asking)


def test_where_nobody_listens_or_answers_there_is_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "CONNECT_S", 0.05)
    with socket.create_server((HOST, 0)) as silent:
        asking = Caller(silent.getsockname()[:2], KEY)
        with pytest.raises(TimeoutError, match=r"no answer within 0\.05 s"):
            asking.wait_until_authenticated()
        asking.close()
        address = silent.getsockname()[:2]
    asking = Caller(address, KEY)
    with pytest.raises(ConnectionRefusedError):
        asking.wait_until_authenticated()
    asking.close()


def test_an_error_while_one_connection_is_served_ends_that_one_alone() -> None:
    def fails(connection: Connection) -> None:
        if connection.receive() == b"bad":
            raise ValueError("bad")
        connection.send(b"good")

    with listener(fails) as to, caller(to) as bad, caller(to) as good:
        bad.send(b"bad")
        with pytest.raises(OSError, match=ENDED):
            answer(bad)
        good.send(b"")
        assert answer(good) == b"good"


def test_where_no_thread_can_be_started_a_connection_ends_and_the_next_one_is_served(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Unstartable(threading.Thread):
        def start(self) -> None:
            raise RuntimeError("can't start new thread")

    with listener() as to:
        with monkeypatch.context() as without_threads:
            without_threads.setattr(listening, "Thread", Unstartable)
            with caller(to) as refused, pytest.raises(OSError, match=ENDED):
                refused.wait_until_authenticated()
        with caller(to) as served:
            served.send(b"again")
            assert answer(served) == b"again"
    assert "a connection cannot be served: can't start new thread" in caplog.text
