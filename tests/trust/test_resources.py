"""Memory, disk and time may run out: foxir says so in one line, what was there is whole, and nothing is left behind."""

from __future__ import annotations

import gc
import itertools
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from statistics import median
from weakref import ref

import numpy as np
import pytest

from engine.collection.limits import Limits
from engine.collection.sources.document_entry import ByteRange, DocumentEntry
from engine.columns.checked_folder import READ_WHOLE
from engine.index.reader import open_reader
from engine.indexing.build import BuildSettings
from engine.indexing.workers import document_reading
from engine.indexing.workers.build_worker import BatchResult, ParseRules
from engine.object_store.mirror import verify_index
from engine.progress import Progress
from engine.ranking.search import search
from engine.settings import Settings
from engine.text.analyser import Analyser
from tests.engine.index.index_contents import FILES, NONE, expected, found, random_files, update, write
from tests.engine.ranking.shards_in_process import SearchedShards
from tests.foxir.commands.command import foxir, refused
from tests.trust.killed_writers import ROOT
from tests.trust.long_running_process import Round
from tests.trust.queries import QUERIES, answers
from tests.trust.small_disk import READ_ONLY, attempts
from tests.trust.soak import MINUTES, effort

# Long lives

GROWTH = 3 * 1024  # KiB that may lie between the medians of the second and the last third of a life
LEAST_ROUNDS = effort(18, 30, thorough=30)
# Builds that are interrupted until an interrupt meets one at work.
MOST_TRIES = 200


@pytest.mark.long
def test_memory_and_open_files_stay_level(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "tests.trust.long_running_process",
        tmp_path,
        str(LEAST_ROUNDS),
        str(effort(0, MINUTES * 60)),
    ]
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    rounds = [Round(*json.loads(line)) for line in result.stdout.splitlines()]

    assert len(rounds) >= LEAST_ROUNDS
    third = len(rounds) // 3
    middle, last = rounds[third : 2 * third], rounds[2 * third :]
    grown = median(each.memory for each in last) - median(each.memory for each in middle)
    print(
        f"growth: {grown:+} KiB and {last[-1].n_files - middle[0].n_files:+} files in {third} of {len(rounds)} rounds"
    )
    assert grown < GROWTH
    assert max(each.n_files for each in last) <= max(each.n_files for each in middle)
    assert max(each.n_mappings for each in last) <= max(each.n_mappings for each in middle) + 5  # malloc's, not files
    assert {(each.n_threads, each.n_processes) for each in rounds[third:]} == {(1, 0)}
    assert len(list(tmp_path.glob("index/segments/*"))) <= 16  # those of the last two generations


# Interrupts

START = """
import os, sys
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as foxir/__main__.py does, before NumPy is imported
from foxir.terminal.main import main
from engine.indexing.workers import document_reading
document_reading.WORTH_A_PROCESS, document_reading.BATCH_BYTES = 0, 1 << 12
main()
"""
SAID = b"foxir: interrupted; nothing that was there before is lost."


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.long
def test_an_interrupt_at_any_time_leaves_things_whole_and_says_so(jobs: str, tmp_path: Path) -> None:
    before = random_files(3)
    after = random_files(60)
    source, old, new = tmp_path / "source", tmp_path / "old", tmp_path / "new"
    update(old, write(source, before))
    update(new, write(source, after))
    wanted = (answers_of(old), answers_of(new))
    statuses = []
    seconds, random = 0.0, Random(jobs)
    for number in itertools.count():
        if number >= effort(2, 120, thorough=8) and (130 in statuses or number >= MOST_TRIES):
            break
        index = tmp_path / f"index-{number}"
        shutil.copytree(old, index)
        build = interruptible(["index", str(index), str(source), "--jobs", jobs])
        wait_for(lambda index=index: list(index.glob(".work-*")))  # before, it is Python that is interrupted
        began = time.monotonic()
        if number:
            time.sleep(random.uniform(0, seconds))
            os.killpg(build.pid, signal.SIGINT)  # as a terminal does it: to all processes
        out, err = build.communicate(timeout=60)
        seconds = seconds or time.monotonic() - began
        statuses.append(build.returncode)
        assert build.returncode in (0, 130) or out, err  # when all was done, it is Python again
        assert err.strip() == (SAID if build.returncode == 130 else b"")
        wait_for(lambda group=build.pid: is_gone(group))  # no process is left, once the ended ones are reaped
        verify_index(open_reader(index))
        assert answers_of(index) == wanted[1] if build.returncode == 0 else answers_of(index) in wanted
        assert {path.name for path in index.iterdir()} == {"ingest.json", "lock", "manifest.json", "segments"}
        assert not list(index.glob("segments/new-*"))
        update(index, source)
        assert answers_of(index) == wanted[1]
        shutil.rmtree(index)
    assert 130 in statuses


@pytest.mark.long
def test_several_interrupts_in_a_row_are_reported_once(tmp_path: Path) -> None:
    source = write(tmp_path / "source", random_files(60))
    for number in range(effort(2, 60, thorough=5)):
        index = tmp_path / f"index-{number}"
        build = interruptible(["index", str(index), str(source), "--jobs", "2"])
        wait_for(lambda index=index, build=build: list(index.glob(".work-*")) or build.poll() is not None)
        for _ in range(3):
            with suppress(ProcessLookupError):
                os.killpg(build.pid, signal.SIGINT)
            time.sleep(0.005 * (number + 1))
        out, err = build.communicate(timeout=60)

        assert (build.returncode, err.strip()) == (130, SAID) if not out else (0, b"")
        update(index, source)


def answers_of(index: Path) -> list[list[list[str | float]]]:
    """Return what an index answers, and all its texts."""
    opened = open_reader(index)
    texts = [[opened.text(number)] for number in range(opened.n_documents)]
    return [*(answers(opened, query) for query in QUERIES), sorted(texts)]


def interruptible(arguments: list[str]) -> subprocess.Popen[bytes]:
    """Start foxir in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", START, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def is_gone(group: int) -> bool:
    """Return whether no process of a group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def wait_for(condition: Callable[[], object]) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.002)


# Disks


@pytest.mark.long
def test_a_full_or_read_only_disk_is_reported_in_one_line_and_the_old_index_is_intact(tmp_path: Path) -> None:
    tried = attempts(tmp_path, effort(40_960, 4_096))
    if not tried:
        pytest.skip("nothing may be mounted here")

    full = [each for each in tried if each.room != READ_ONLY]
    for each in full:
        place = f"foxir: {tmp_path}/disk/index: cannot be written: No space left on device"
        assert (each.status, each.err.partition(": the index is unchanged")[0].rstrip()) in ((0, ""), (2, place)), each
        assert len(each.err.splitlines()) <= 1
        assert each.holds == "after" or (each.status, each.holds) in ((2, "before"), (2, "none")), each
        assert each.debris == [], each
    assert {(each.status, each.holds) for each in full} >= {(2, "before"), (2, "none"), (0, "after")}
    read_only = [each for each in tried if each.room == READ_ONLY]
    assert [(each.command, each.status, each.holds) for each in read_only] == [
        ("index", 2, "after"),
        ("compact", 2, "after"),
        ("index", 2, "none"),
    ]
    for each in read_only:
        assert each.err.endswith("cannot be written: Read-only file system. Choose another place.\n")
        assert len(each.err.splitlines()) == 1


# Open files

FEW_FILES = """
import resource, sys
from foxir.terminal.main import main
from engine.columns import checked_folder as files
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv.pop(1)),) * 2)
files.READ_WHOLE = int(sys.argv.pop(1))
main()
"""


def search_with_few_files(index: Path, limit: int, *, read_whole: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", FEW_FILES, str(limit), str(read_whole), "search", str(index), "tide", "--json"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.long
def test_a_limit_on_the_size_of_files_is_not_called_a_full_disk(tmp_path: Path) -> None:
    source = write(tmp_path / "source", {f"d{number}": f"<a>{'sea tide ' * 20_000}</a>" for number in range(4)})
    limit = 30 * 1024
    result = subprocess.run(
        [sys.executable, "-m", "foxir", "index", tmp_path / "index", source],
        cwd=ROOT,
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )

    assert result.returncode == 2
    assert result.stderr.decode() == (
        f"foxir: {tmp_path / 'index'}: cannot be written: a file would exceed the largest size that is allowed: the "
        "index is unchanged; raise the limit (`ulimit -f unlimited`), then retry.\n"
    )


@pytest.mark.long
def test_small_segments_keep_no_file_open(tmp_path: Path) -> None:
    index = tmp_path / "index"
    for number in range(6):
        update(index, write(tmp_path / f"{number}", {f"{number}": FILES["a"]}))
    before = len(os.listdir("/proc/self/fd"))
    opened = open_reader(index)

    assert len(opened.segments) == 6
    assert len(os.listdir("/proc/self/fd")) == before
    done = search_with_few_files(index, 16, read_whole=READ_WHOLE)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(json.loads(done.stdout)["answers"]) >= 6


@pytest.mark.long
def test_segments_are_closed_with_the_last_reference_to_their_reader(tmp_path: Path) -> None:
    update(tmp_path / "index", write(tmp_path / "source", FILES))
    gc.collect()
    gc.disable()
    try:
        for settings in (Settings(), Settings(unit="sentence"), Settings(rank_by="structure")):
            opened = open_reader(tmp_path / "index")
            segments = [ref(segment) for segment in opened.segments]
            search(opened, "sea tide", settings)
            SearchedShards([opened]).columns("sea tide", settings)
            del opened
            assert [segment() for segment in segments] == [None] * len(segments)
    finally:
        gc.enable()


@pytest.mark.long
def test_too_many_open_files_is_reported_in_one_line_and_not_as_damage(tmp_path: Path) -> None:
    index = tmp_path / "index"
    update(index, write(tmp_path / "source", FILES))
    for limit in (8, 16, 32):
        done = search_with_few_files(index, limit, read_whole=0)
        assert (done.returncode, done.stdout) == (2, "")
        assert re.fullmatch(
            rf"foxir: {re.escape(str(index))}/segments/\S+: cannot be opened, for too many files are open: raise the "
            r"limit \(`ulimit -n 1024`\), or let go of other indexes first.\n",
            done.stderr,
        )
    assert search_with_few_files(index, 128, read_whole=0).returncode == 0


# Memory

SMALL_MEMORY = """
import resource, sys
from foxir.terminal.main import main
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv.pop(1)),) * 2)
main()
"""


@pytest.mark.long
def test_too_little_memory_is_reported_in_one_line_and_the_old_index_is_intact(tmp_path: Path) -> None:
    source, index = write(tmp_path / "source", FILES), tmp_path / "index"
    update(index, source)
    (source / "large.xml").write_text(f"<a>{'a ' * 12_000_000}</a>")
    messages = set()
    for megabytes in range(600, effort(601, 800), 20):
        arguments = ["index", str(index), str(source), "--jobs", "1", "-q"]
        command = [sys.executable, "-c", SMALL_MEMORY, str(megabytes << 20), *arguments]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        messages.add((done.returncode, done.stderr))
        assert found(index) == expected(FILES)
    assert resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY

    assert messages == {
        (
            2,
            "foxir: not enough memory to read the documents: use fewer processes (--jobs 1), or a "
            "smaller limit on documents (--limit max_text=8M).\n",
        )
    }


def test_too_little_memory_for_an_answer_is_reported_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    update(tmp_path / "index", write(tmp_path / "source", FILES))

    def too_much(*_: object, **__: object) -> None:
        np.empty(2**50)

    monkeypatch.setattr("foxir.Index.search", too_much)
    refused(foxir("search", tmp_path / "index", "sea"), "this needs more memory than there is")


@pytest.mark.long
def test_less_memory_than_libraries_and_an_index_take_is_reported_in_one_line(tmp_path: Path) -> None:
    """Whichever import, mapping or array does not fit any more; what an array cannot have is no damage of the index."""
    index = tmp_path / "index"
    update(index, write(tmp_path / "source", FILES))
    update(index, write(tmp_path / "source", {**FILES, "another": "<a>lamp</a>"}))
    for megabytes in effort((20, 90), (*range(20, 108, 8), *range(108, 140))):
        done = subprocess.run(
            [sys.executable, "-m", "foxir", "compact", str(index)],
            preexec_fn=lambda size=megabytes << 20: resource.prlimit(0, resource.RLIMIT_AS, (size, size)),  # type: ignore[misc]
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0 or re.fullmatch(r"foxir: [^\n]*\n", done.stderr), done.stderr
        assert done.returncode in (0, 2)
    assert found(index) == expected({**FILES, "another": "<a>lamp</a>"})


FOLLOWS_FROM_MEMORY = """
import foxir.terminal.main, foxir.__main__
def run():
    try:
        raise MemoryError
    except MemoryError as error:
        try:
            raise foxir.FoxirError("too little memory to read the index") from error
        except foxir.FoxirError:
            compile("class", "imported.py", "exec")  # as of a module that the message needs
foxir.terminal.main.main = run
foxir.__main__.main()
"""


def test_an_error_that_follows_from_too_little_memory_is_reported_as_that() -> None:
    command = [sys.executable, "-c", FOLLOWS_FROM_MEMORY]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    message = "foxir: this needs more memory than there is; nothing that was there before is lost.\n"
    assert (done.returncode, done.stderr) == (2, message)


def entry(number: int, size: int, name: str = "a.xml") -> DocumentEntry:
    place = ByteRange(name, 0, -1, is_gzipped=name.endswith(".gz"))
    return DocumentEntry(f"{number}", name, "source", size, 0, place)


@pytest.mark.parametrize(("memory", "jobs"), [(2**30, 4), (2**29, 2), (2**33, 4), (2**20, 1)])
def test_fewer_processes_read_documents_if_memory_is_scarce(
    memory: int, jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    @contextmanager
    def runner(jobs: int, _progress: Progress) -> Iterator[Callable[..., Callable[[], BatchResult]]]:
        asked.append(jobs)
        yield lambda *_, **__: lambda: BatchResult([], 0, 0, [])

    monkeypatch.setattr(document_reading, "batch_runner", runner)
    rules = ParseRules(Analyser(), NONE, Limits())
    entries = [entry(number, 2**20) for number in range(300)]
    document_reading.read_documents([entries], rules, BuildSettings(jobs=4, memory=memory), tmp_path, lambda *_: None)

    assert asked == [jobs]


def test_batches_are_as_large_as_what_unpacks_to_them() -> None:
    plain = [len(batch) for batch in document_reading._batches(entry(number, 2**20) for number in range(32))]
    packed = [
        len(batch) for batch in document_reading._batches(entry(number, 2**17, "a.xml.gz") for number in range(32))
    ]

    assert plain == packed == [8, 8, 8, 8]
