"""Load, time, new generations, start and stop."""

from __future__ import annotations

import asyncio
import http.client
import json
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
import uvicorn
from starlette.testclient import TestClient

import foxir
from foxir.commands import serve
from foxir.service import searching
from foxir.service.app import make_app
from foxir.service.http import server
from foxir.service.options import ServiceOptions
from tests.foxir.commands.command import foxir as foxir_command
from tests.foxir.conftest import Sample
from tests.foxir.service.living import HOSTILE, client, page_of, served


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


@pytest.mark.long
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


@pytest.mark.long
def test_what_the_first_answer_does_not_need_is_not_imported_at_the_start() -> None:
    """The process that only starts workers needs no application, and the application no measures and no templates."""
    code = (
        "import sys, foxir.commands.serve, foxir.service.http.server\n"
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
@pytest.mark.long
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


def test_a_port_in_use_is_reported(web: TestClient) -> None:
    with (
        server.bind("127.0.0.1", 0) as taken,
        pytest.raises(foxir.ArgumentError, match="cannot listen at 127"),
    ):
        server.bind("127.0.0.1", taken.getsockname()[1])


def test_an_empty_index_is_left_out_of_several(sample: Sample, tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    foxir_command("index", tmp_path / "empty.foxir", tmp_path / "source")
    with served(tmp_path / "empty.foxir", sample.folder / "sample.foxir") as (process, port):
        with closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
            connection.request("GET", "/api/status")
            assert [each["name"] for each in json.load(connection.getresponse())["indexes"]] == ["sample"]
        process.terminate()
        assert process.stderr is not None
        assert "empty.foxir: the index is empty, and left out." in process.stderr.read()
