"""What only a process of its own shows: signals, pipes, full disks, encodings, terminals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.foxir.commands.command import COLLECTIONS, START, TOPICS, foxir, foxir_process, on_terminal, terminal
from tests.foxir.commands.evaluation_files import text_run
from tests.trust.soak import some


def test_exit_statuses(sample, tmp_path):
    (tmp_path / "bad.xml").write_text("<a>")

    assert foxir_process("info", sample).returncode == 0
    assert foxir_process("index", tmp_path / "i", tmp_path / "bad.xml").returncode == 1
    assert foxir_process("info", tmp_path / "none").returncode == 2


@pytest.mark.long
def test_stdout_is_for_answers_and_stderr_for_the_rest(sample, tmp_path):
    asked = foxir_process("run", sample, TOPICS / "co", "--out", tmp_path / "r.xml", "--json")

    assert json.loads(asked.stdout)["topics"] == 19
    assert asked.stderr == b""  # a progress bar is for terminals


@pytest.mark.long
def test_the_notices_in_a_report_are_sentences(qrels, tmp_path):
    run = text_run(tmp_path, "1 Q0 a 1 9.0 mine 0 50\n")
    asked = foxir_process("eval", qrels, run, "--measures", "hixeval", "--report", tmp_path / "page.html")

    assert asked.returncode == 0
    assert "<li>mine: judged topics without results: 1 (2): they count as 0" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize("lines", [0, 1])
@pytest.mark.long
def test_whoever_reads_may_stop(lines, sample):
    asked = subprocess.Popen(
        [*START, "search", sample, "light", "--top", "1500", "--text"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert asked.stdout is not None
    assert asked.stderr is not None
    for _ in range(lines):
        asked.stdout.readline()
    asked.stdout.close()

    assert asked.stderr.read() == b""
    assert asked.wait() == 0
    asked.stderr.close()


@pytest.mark.skipif(os.name == "nt", reason="a shell closes the streams")
@pytest.mark.parametrize(
    ("streams", "query", "says", "status"),
    [("<&-", "-", b"foxir: the query is empty", 2), (">&-", "fog", b"", 0), ("<&- >&- 2>&-", "fog", b"", 0)],
)
def test_closed_streams_are_empty_and_take_anything(sample, streams, query, says, status):
    command = ["sh", "-c", f'exec "$@" {streams}', "sh", sys.executable, "-m", "foxir", "search", sample, query]
    asked = subprocess.run(command, capture_output=True, check=False)

    assert (asked.returncode, asked.stdout) == (status, b"")
    assert asked.stderr.startswith(says)
    assert asked.stderr.count(b"\n") == bool(says)


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs /dev/full")
@pytest.mark.long
def test_a_full_disk_behind_stdout_is_reported(sample):
    with open("/dev/full", "wb") as full:
        asked = subprocess.run([*START, "info", sample], stdout=full, stderr=subprocess.PIPE, check=False)

    assert asked.returncode == 2
    assert asked.stderr == b"foxir: the output: No space left on device.\n"


@pytest.mark.thorough
@pytest.mark.parametrize("encoding", some(["ascii", "latin-1", "utf-16"], 2))
@pytest.mark.long
def test_output_is_utf_8_everywhere(encoding, sample):
    query = ("search", sample, "fog signal range", "--json")
    other = foxir_process(*query, env={**os.environ, "PYTHONIOENCODING": encoding})

    assert json.loads(other.stdout)["answers"] == foxir(*query).json["answers"]
    assert "·".encode() in other.stdout


def test_arguments_and_names_of_files_are_utf_8_everywhere(tmp_path):
    (tmp_path / "dü").mkdir()
    (tmp_path / "dü" / "☃.xml").write_text("<a>снег</a>", "utf-8")
    command, ascii_only = [sys.executable, "-m", "foxir"], {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0"}

    subprocess.run([*command, "index", tmp_path / "made", tmp_path / "dü"], env=ascii_only, check=True)
    search = [*command, "search", tmp_path / "made", "снег", "--json"]
    found = subprocess.run(search, env=ascii_only, capture_output=True, check=True)

    assert [answer["document"] for answer in json.loads(found.stdout)["answers"]] == ["☃"]


@pytest.mark.long
def test_a_query_in_another_encoding_is_no_accident(sample):
    asked = subprocess.run([*START, "search", sample, b"l\xffens", "--json"], capture_output=True, check=False)

    assert asked.returncode == 0
    assert json.loads(asked.stdout.decode("utf-8"))["query"] == "l\udcffens"


@pytest.fixture
def many(tmp_path) -> Path:
    """Enough XML for some seconds of indexing."""
    source = tmp_path / "many"
    source.mkdir()
    paragraphs = "".join(f"<p>sea tide word{n} {n} lamp keeper</p>" for n in range(6000))
    for number in range(30):
        (source / f"{number}.xml").write_text(f"<a>{paragraphs}</a>")
    return source


@pytest.mark.parametrize("is_new", [True, False])
@pytest.mark.long
def test_an_interrupted_build_leaves_the_index_as_it_was(is_new, many, tmp_path):
    index = tmp_path / "i"
    if not is_new:
        (tmp_path / "old.xml").write_text("<a>old sea</a>")
        assert foxir("index", index, tmp_path / "old.xml").status == 0
    before = manifest(index)
    build = subprocess.Popen(
        [*START, "index", index, many, "--jobs", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    wait_for(lambda: list(index.glob(".work-*/*")), build)

    build.send_signal(signal.SIGINT)
    out, err = build.communicate(timeout=60)

    assert (build.returncode, out) == (130, b"")
    assert err.strip() == b"foxir: interrupted; nothing that was there before is lost."
    assert manifest(index) == before
    assert list(index.glob(".work-*")) == []
    if not is_new:
        assert foxir("info", index, "--verify").status == 0
        assert len(foxir("search", index, "sea", "--json").json["answers"]) == 1


@pytest.mark.long
def test_an_interrupt_when_a_command_is_done_changes_nothing(sample):
    late = "import atexit, os, signal; atexit.register(os.kill, os.getpid(), signal.SIGINT)"
    code = f"{late}; from foxir.terminal.main import main; main()"
    done = subprocess.run([sys.executable, "-c", code, "info", sample], capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout


IGNORED_INTERRUPT = """
import os, signal, time, weakref
from foxir.terminal import main

class Gone: pass

def interrupted(*_, **__):
    gone = Gone()
    weak = weakref.ref(gone, lambda _: os.kill(os.getpid(), signal.SIGINT))
    del gone
    time.sleep(30)

main.foxir.main = interrupted
main.main()
"""


def test_an_interrupt_that_python_ignores_ends_the_command_too():
    asked = subprocess.run([sys.executable, "-c", IGNORED_INTERRUPT], capture_output=True, check=False)

    assert asked.returncode == 130
    assert asked.stderr == b"foxir: interrupted; nothing that was there before is lost.\n"


@pytest.mark.long
def test_a_second_writer_learns_which_process_has_locked_the_index(many, tmp_path):
    index = tmp_path / "i"
    first = subprocess.Popen(
        [*START, "index", index, many, "--jobs", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    wait_for(lambda: list(index.glob(".work-*")), first)

    for second in (foxir("index", index, COLLECTIONS), foxir_process("index", index, COLLECTIONS)):
        status = second.status if hasattr(second, "status") else second.returncode
        assert status == 2
    assert f"process {first.pid}" in str(second.stderr)
    first.kill()
    first.wait()

    assert foxir("index", index, COLLECTIONS).status == 0  # a lock goes with who held it


def manifest(index: Path) -> bytes | None:
    file = index / "manifest.json"
    return file.read_bytes() if file.exists() else None


def wait_for(condition, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 20
    while not condition():
        assert process.poll() is None, "it was done before it could be caught"
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize("command", ["run", "eval", "convert"])
def test_a_pipe_is_written_to_and_not_replaced_by_a_file(command, sample, sample_run, judged, tmp_path):
    place = tmp_path / "pipe"
    os.mkfifo(place)
    calls = {
        "run": ("run", sample, TOPICS / "co", "--out", place),
        "eval": ("eval", judged, sample_run, "--csv", place),
        "convert": ("runs", "convert", sample_run, "--format", "trec", "--out", place),
    }

    with ThreadPoolExecutor() as readers:
        read = readers.submit(place.read_text)
        assert foxir(*calls[command]).status == 0

    assert read.result().startswith({"run": "<?xml", "eval": "run,", "convert": "1 Q0 "}[command])
    assert place.is_fifo()


@pytest.mark.long
def test_progress_is_shown_on_a_terminal_only(many, tmp_path):
    impatient = "from foxir.terminal import console, main; console.PATIENCE = 0; main.main()"
    command = [sys.executable, "-c", impatient, "index", tmp_path / "i", many, "--jobs", "1"]
    environment = {**os.environ, "TERM": "xterm"}
    with terminal() as (shell, shown):
        build = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=shell, env=environment)
    out, _ = build.communicate(timeout=60)

    assert build.returncode == 0
    assert b"30 documents" in out
    assert b"reading" in shown


@pytest.mark.parametrize(
    ("variables", "is_styled"),
    [({}, True), ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
    ids=["plain", "NO_COLOR", "dumb"],
)
def test_a_terminal_gets_styles_unless_the_environment_refuses_them(variables, is_styled, sample):
    shown = on_terminal("search", sample, "light", "--top", "1", **variables)

    assert "score" in shown
    assert ("\x1b" in shown) is is_styled


@pytest.mark.long
def test_a_terminal_of_a_process_gets_styles(sample):
    with terminal() as (shell, shown):
        asked = subprocess.Popen(
            [*START, "search", sample, "light", "--top", "1"], stdout=shell, env={**os.environ, "TERM": "xterm"}
        )

    assert asked.wait() == 0
    assert b"\x1b" in shown


@pytest.mark.long
def test_a_search_imports_nothing_that_only_builds_or_scores(sample):
    large = ("lxml", "multiprocessing", "numpy.ma", "rich", "scipy", "eval")
    large += ("snowballstemmer", "whoosh.index", "whoosh.codec", "urllib.request", "email", "ssl", "statistics")
    large += (
        "engine.indexing.build",
        "engine.indexing.index_part",
        "engine.indexing.part_merging",
        "engine.index.images.image_store",
    )
    large += ("engine.collection.markup.attributes",)
    shown = f"print([name for name in {large} if name in sys.modules])"
    code = f"import sys\nfrom foxir.__main__ import main\ntry:\n    main()\nfinally:\n    {shown}"
    command = [sys.executable, "-c", code, "search", str(sample), "fog signal range", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert done.stdout.endswith("\n[]\n")


@pytest.mark.long
def test_a_build_imports_nothing_of_searches_and_has_one_thread(tmp_path):
    (tmp_path / "a.xml").write_text("<article><p>Fog. A signal of fig. 3.</p></article>")
    others = ("numpy.ma", "eval", "engine.settings", "engine.similarity", "engine.ranking", "engine.whoosh")
    others += ("multiprocessing", "concurrent", "socket", "logging")
    shown = f"print([name for name in {others} if name in sys.modules], len(os.listdir('/proc/self/task')))"
    code = f"import os, sys\nfrom foxir.__main__ import main\ntry:\n    main()\nfinally:\n    {shown}"
    command = [sys.executable, "-c", code, "index", str(tmp_path / "i"), str(tmp_path / "a.xml"), "--quiet"]
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)

    assert done.stdout.endswith("[] 1\n")


@pytest.mark.parametrize(("signals", "status"), [("os.kill(os.getpid(), signal.SIGINT)", 130), ("pass", 1)])
def test_an_interrupt_that_a_c_function_turns_into_an_error_is_an_interrupt(signals, status):
    code = f"""
import os, signal
from foxir.terminal import main
def replaced(*_arguments, **_options):
    try:
        {signals}
    except KeyboardInterrupt:
        pass
    raise TypeError("expected str, not BufferedWriter")
main.foxir.main = replaced
main.main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == status
    interrupted = "foxir: interrupted; nothing that was there before is lost.\n"
    assert done.stderr == interrupted if status == 130 else "TypeError: expected str" in done.stderr
