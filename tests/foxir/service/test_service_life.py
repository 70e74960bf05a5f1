"""Load, time, new generations, start and stop."""

from __future__ import annotations

import asyncio
import http.client
import json
import logging
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

import pytest
import uvicorn
from starlette.testclient import TestClient

import foxir
from foxir.cli import serve
from foxir.service import searching, server
from foxir.service.app import make_app
from foxir.service.options import ServiceOptions
from tests.foxir.cli.command import foxir as foxir_command
from tests.foxir.conftest import Sample
from tests.foxir.service.living import HOSTILE, client, page_of, running, served


def test_a_slow_search_ends_in_503_and_pages_stay_quick(sample: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()
    whole = searching.search_snapshot

    def slow(*arguments: object) -> foxir.Answers:
        go_on.wait(5)
        return whole(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(searching, "search_snapshot", slow)
    with client(sample.folder / "sample.foxir", max_seconds=0.05, max_running=1, max_waiting=0) as web:
        with ThreadPoolExecutor(2) as threads:
            first = threads.submit(web.get, "/api/search?q=fog")
            assert web.get("/healthz").status_code == 200
            assert first.result().status_code == 503
        assert web.get("/api/search?q=signal").headers["retry-after"] == "1"
        go_on.set()


def test_a_new_generation_is_taken_up_without_a_failed_request(sample: Sample, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(sample.folder / "sample.foxir", tmp_path / "copy.foxir"))
    extra = tmp_path / "extra"
    extra.mkdir()
    with client(folder, refresh_seconds=0.01, max_waiting=64) as web:
        done = threading.Event()
        statuses: list[int] = []

        def ask() -> None:
            while not done.is_set():
                statuses.append(web.get("/api/search?q=fog signal&limit=3&text=1").status_code)

        asking = [threading.Thread(target=ask) for _ in range(2)]
        for thread in asking:
            thread.start()
        for number in range(3):
            (extra / f"{number}.xml").write_text(f"<article><p>unheard{number} fog</p></article>", "utf-8")
            foxir.build_index(extra, into=folder)
            deadline = time.monotonic() + 10
            while web.get(f"/api/search?q=unheard{number}").json()["total"] == 0:
                assert time.monotonic() < deadline
        done.set()
        for thread in asking:
            thread.join()
        generation = web.get("/api/status").json()["indexes"][0]["generation"]

    assert set(statuses) == {200}
    assert generation == 4


def test_an_index_that_vanished_is_kept_and_reported(sample: Sample, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(sample.folder / "sample.foxir", tmp_path / "copy.foxir"))
    with client(folder) as web:
        shutil.rmtree(folder)
        web.app.state.service.indexes.refresh()  # type: ignore[attr-defined]
        status = web.get("/api/status").json()["indexes"][0]

        assert web.get("/api/search?q=fog").json()["total"] > 0
        assert "copy.foxir" in status["problem"]


def test_an_unknown_index_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(foxir.IndexFormatError):
        client(tmp_path / "none.foxir").__enter__()


def test_a_service_starts_answers_and_stops(sample: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(sample.folder / "sample.foxir") as (process, port):
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
            connection.request("GET", "/api/search?q=fog")
            assert connection.getresponse().status == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) in (0, -signal.SIGTERM)


def test_a_service_is_announced_once_it_answers() -> None:
    announced = threading.Event()
    with server.bind("127.0.0.1", 0) as listening:
        asking = threading.Thread(
            target=server._tell_when_answering, args=(listening, listening.getsockname(), announced.set)
        )
        asking.start()
        for answer in (
            b"",
            b"HTTP/1.1 503 \r\nContent-Length: 0\r\n\r\n",
            b"HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n",
        ):
            assert not announced.is_set()
            with listening.accept()[0] as connection:
                assert connection.recv(1000).startswith(b"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1:")
                connection.sendall(answer)
        asking.join()

    assert announced.is_set()


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_a_service_at_all_addresses_is_asked_at_this_machine(host: str, sample: Sample) -> None:
    announced = threading.Event()
    try:
        bound = server.bind(host, 0)
    except foxir.ArgumentError:
        pytest.skip(f"this machine has no address {host}")
    tokens = sample.folder / "announced-tokens"
    tokens.write_text("ana correct-horse-battery\n", "utf-8")
    options = ServiceOptions((sample.folder / "sample.foxir",), host=host, token_file=tokens, quiet=True)
    found = uvicorn.Server(uvicorn.Config(make_app(options), **server.server_settings(options)))
    answering = threading.Thread(target=lambda: asyncio.run(found._serve([bound])))
    answering.start()
    server._tell_when_answering(bound, bound.getsockname(), announced.set)
    found.should_exit = True
    answering.join()

    assert announced.is_set()


def test_a_service_that_cannot_start_is_not_announced(sample: Sample, tmp_path: Path) -> None:
    (tmp_path / "topics.xml").write_text("<topics>", "utf-8")
    judging = ("--judgements", tmp_path / "judged.db", "--topic-file", tmp_path / "topics.xml")
    done = foxir_command("serve", sample.folder / "sample.foxir", *judging, "--port", "0")

    assert (done.status, done.out) == (2, "")
    assert "topics.xml" in done.err


def test_what_the_first_answer_does_not_need_is_not_imported_at_the_start() -> None:
    """The process that only starts workers needs no application, and the application no measures and no templates."""
    code = (
        "import sys, foxir.cli.serve, foxir.service.server\n"
        "print('starlette.applications' in sys.modules, 'foxir.service.app' in sys.modules)\n"
        "import foxir.service.app\n"
        "print('starlette.applications' in sys.modules, 'eval' in sys.modules, 'jinja2' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == ["False False", "True False False"]


@pytest.mark.parametrize(("package", "extra"), [("starlette", "web"), ("jinja2", "web"), ("mcp", "mcp")])
def test_a_missing_package_is_reported_with_its_extra(
    package: str, extra: str, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "find_spec", lambda name: None if name == package else name)
    done = foxir_command("serve", sample.folder / "sample.foxir", "--mcp", "--port", "0")

    assert done.status == 2
    assert f"the service needs {package}" in done.err
    assert f"[{extra}]" in done.err


@pytest.mark.parametrize("number", [1, 2])
def test_what_is_wrong_is_reported_once_whatever_the_number_of_workers(
    number: int, sample: Sample, tmp_path: Path
) -> None:
    for content, message in (("ana short\n", "16 or more"), ("", "token")):
        (tmp_path / "tokens").write_text(content, "utf-8")
        options = ServiceOptions(
            (sample.folder / "sample.foxir",), token_file=tmp_path / "tokens", workers=number, quiet=True
        )
        with pytest.raises(foxir.ArgumentError, match=message):
            server.serve(options, server.bind("127.0.0.1", 0))
    with pytest.raises(foxir.IndexFormatError):
        server.serve(ServiceOptions((tmp_path / "none.foxir",), workers=number), server.bind("127.0.0.1", 0))


def workers_of(process: int) -> set[int]:
    """Return the processes that a process has spawned to answer requests."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return {int(child) for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()}


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
def test_two_workers_answer_at_one_port_and_stop_together(sample: Sample) -> None:
    with served(sample.folder / "sample.foxir", "--workers", "2") as (process, port):
        answered = set()
        for _ in range(6):
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
                connection.request("GET", "/api/search?q=fog")
                response = connection.getresponse()
                assert response.status == 200
                answered.add(json.loads(response.read())["total"])
        workers = workers_of(process.pid)
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)

    assert len(workers) == 2
    assert len(answered) == 1
    assert not [worker for worker in workers if Path(f"/proc/{worker}").exists()]


def test_an_index_of_several_is_chosen_by_name(sample: Sample, hostile_folder: Path) -> None:
    with client(sample.folder / "sample.foxir", hostile_folder) as web:
        found = {
            name: web.get("/api/search", params={"q": "whale", **given}).json()
            for name, given in {"first": {}, "sample": {"index": "sample"}, "hostile": {"index": "hostile"}}.items()
        }
        page = web.get("/read", params={"document": "plain", "index": "hostile"})
        missing = web.get("/api/search", params={"q": "whale", "index": "other"})
        named = [each["name"] for each in web.get("/api/status").json()["indexes"]]

    assert named == ["sample", "hostile"]
    assert found["first"]["answers"] == found["sample"]["answers"]
    assert {each["document"] for each in found["hostile"]["answers"]} <= {*HOSTILE}
    assert found["hostile"]["answers"]
    assert page.status_code == 200
    assert "A whale sings" in page_of(page).text_content()
    assert missing.status_code == 404
    assert "sample" in missing.text


def test_a_slow_head_is_cut(sample: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that never ends its head is closed, one that asks stays open."""
    monkeypatch.setattr(server.PatientProtocol, "head_seconds", 0.2)
    options = searching_options(sample)
    with running(options) as port:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as slow:
            slow.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Drip: ")
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
    with (
        running(searching_options(sample)) as port,
        socket.create_connection(("127.0.0.1", port), timeout=10) as connection,
        connection.makefile("rb") as answers,
    ):
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
    with (
        running(searching_options(sample)) as port,
        socket.create_connection(("127.0.0.1", port), timeout=10) as connection,
        connection.makefile("rb") as answers,
    ):
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
    with (
        running(searching_options(sample)) as port,
        socket.create_connection(("127.0.0.1", port), timeout=10) as connection,
        connection.makefile("rb") as answers,
    ):
        connection.sendall("".join(heads).encode())
        whole = answers.read()

    assert whole.count(b"HTTP/1.1 200 ") == len(asked)
    places = [whole.index(part) for part in (b"ok\n", b'"query":"whale"', b"ready\n", b'"query":"fog"')]
    assert places == sorted(places)


def test_a_flood_of_requests_in_one_packet_is_not_kept_in_memory(sample: Sample) -> None:
    head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with (
        running(searching_options(sample)) as port,
        socket.create_connection(("127.0.0.1", port), timeout=10) as connection,
        connection.makefile("rb") as answers,
    ):
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
    with (
        running(searching_options(sample)) as port,
        socket.create_connection(("127.0.0.1", port), timeout=10) as connection,
        connection.makefile("rb") as answers,
    ):
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


def searching_options(sample: Sample) -> ServiceOptions:
    return ServiceOptions((sample.folder / "sample.foxir",), quiet=True)


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


def test_a_port_in_use_is_reported(web: TestClient) -> None:
    with (
        server.bind("127.0.0.1", 0) as taken,
        pytest.raises(foxir.ArgumentError, match="cannot listen at 127"),
    ):
        server.bind("127.0.0.1", taken.getsockname()[1])
