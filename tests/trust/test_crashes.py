"""A writer that is killed leaves the old generation or the new one, and the next writer goes on from there."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import pytest

from engine.index.manifest import Manifest
from engine.index.reader import open_reader
from engine.indexing.commit import MAX_SEGMENTS
from engine.object_store.mirror import verify_index
from tests.engine.index.index_contents import Files, expected, found, random_files, update, write
from tests.engine.small_index import answers_to
from tests.reference.inverted_index import Contents
from tests.trust.index_states import contents_of_state
from tests.trust.killed_writers import ROOT, Writers, writers
from tests.trust.soak import effort

BEFORE = {**random_files(5), "stays": "<article>rock</article>", "changes": "<article>sea</article>"}
AFTER = {**BEFORE, "changes": "<article>quite another</article>", "new": "<article>fog</article>"}
FEWER = {document: markup for document, markup in BEFORE.items() if document not in ("stays", "changes")}
EIGHT = {**BEFORE, "eighth": "<article>sea tide rock</article>"}  # each in a segment of its own
NEAR = effort(1, 5, thorough=5)  # calls before and after the manifest is put in its place that are always tried
LONG = {
    "a": f"<article>{'sea tide ' * 20_000}</article>",
    "b": "<article>rock</article>",
}  # texts in blocks of their own
QUERIES = ("sea tide", "lamp -fog", '"light house"', "rock")


@dataclass(frozen=True)
class Change:
    """What a writer is about to do when it is killed: an index, a source it brings it up to date with, and after it."""

    index: Path
    source: Path | None  # None: the index is compacted
    before: Files | None  # None: there is no index yet
    after: Files


@pytest.fixture(scope="module")
def start() -> Iterator[Writers]:
    with writers() as started:
        yield started


@pytest.fixture(scope="module")
def changes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Change]:
    folder = tmp_path_factory.mktemp("crashes")
    source = write(folder / "source", BEFORE)
    update(folder / "index", source)
    settled = write(folder / "settled", FEWER | {"stays": "<article>fog</article>"})
    update(folder / "two", settled)
    update(folder / "two", write(settled, BEFORE))
    made = {
        "first build": Change(folder / "none", folder / "before", None, BEFORE),
        "re-index": Change(folder / "index", source, BEFORE, AFTER),
        "delete": Change(folder / "index", source, BEFORE, FEWER),
        "re-index that merges": Change(folder / "eight", folder / "grown", EIGHT, {**EIGHT, **AFTER}),
        "compaction": Change(folder / "two", None, BEFORE, BEFORE),
        "compaction to what a live segment was": Change(folder / "again", None, LONG, LONG),
    }
    for files in (LONG, {"a": LONG["a"]}, LONG):
        update(folder / "again", write(folder / "long", files))
    write(folder / "before", BEFORE)
    for number in range(len(EIGHT)):
        update(folder / "eight", write(folder / "grown", dict(list(EIGHT.items())[: number + 1])))
    assert len(Manifest.read(folder / "eight").segments) == MAX_SEGMENTS == len(EIGHT)
    assert len(Manifest.read(folder / "two").segments) == len(Manifest.read(folder / "again").segments) == 2
    return made


def prepared(change: Change, folder: Path) -> Path:
    """Return a copy of the index, and bring the source to the state that the writer will find."""
    if change.source:
        write(change.source, change.after)
    index = folder / "index"
    shutil.rmtree(index, ignore_errors=True)
    if change.before is not None:
        shutil.copytree(change.index, index)
    return index


def contents(files: Files) -> Contents:
    return _contents(tuple(files.items()))


@cache
def _contents(files: tuple[tuple[str, str], ...]) -> Contents:
    return expected(dict(files))


def answers(index: Path) -> list[list[tuple[str, str, float]]]:
    opened = open_reader(index)
    return [[(answer.document, answer.path, answer.rsv) for answer in answers_to(opened, query)] for query in QUERIES]


def assert_whole(index: Path, change: Change) -> None:
    """Assert that the index is the one before or the one after, and that the next writer goes on from there."""
    generation = Manifest.read(index).generation if (index / "manifest.json").exists() else 0
    if generation:
        verify_index(open_reader(index))
        assert len(Manifest.read(index).segments) <= MAX_SEGMENTS
        found = contents_of_state(index)
        possible = [contents(files) for files in (change.before, change.after) if files is not None]
        assert found in possible
    else:
        assert change.before is None
    if change.source:
        update(index, change.source)
    else:
        update(index)
    assert contents_of_state(index) == contents(change.after)
    assert sorted(path.name for path in index.iterdir()) == ["ingest.json", "lock", "manifest.json", "segments"]
    update(index)  # nothing has changed: what no generation names is swept
    named = {entry.name for entry in Manifest.read(index).segments}
    assert {path.name for path in (index / "segments").iterdir()} == named
    assert (index / "lock").read_bytes() == b""


NAMES = [
    "first build",
    "re-index",
    "re-index that merges",
    "delete",
    "compaction",
    "compaction to what a live segment was",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.long
def test_death_before_any_change_of_the_disk(
    name: str, changes: dict[str, Change], start: Writers, tmp_path: Path
) -> None:
    change = changes[name]
    index = prepared(change, tmp_path)
    status, n_calls, published, _ = start.run(index, change.source)
    assert status == 0
    assert contents_of_state(index) == contents(change.after)
    assert n_calls > (10 if name == "delete" else 100)
    assert 0 < published < n_calls

    near = range(max(published - NEAR, 1), min(published + NEAR, n_calls) + 1)
    others = Random(name).sample(range(1, n_calls + 1), min(n_calls, effort(1, n_calls, thorough=12)))
    for moment in sorted({*near, *others}):
        index = prepared(change, tmp_path)
        assert start.run(index, change.source, at=moment).status == -signal.SIGKILL
        assert_whole(index, change)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.long
def test_death_at_any_time(name: str, changes: dict[str, Change], start: Writers, tmp_path: Path) -> None:
    change = changes[name]
    seconds = start.run(prepared(change, tmp_path), change.source).seconds
    random = Random(name)
    n_tried, n_killed, n_most = 0, 0, effort(2, 200, thorough=8)
    while n_tried < n_most or not n_killed:
        index = prepared(change, tmp_path)
        status = start.run(index, change.source, after=random.uniform(0.1, 1.1) * seconds).status
        assert status in (0, -signal.SIGKILL)
        n_tried, n_killed = n_tried + 1, n_killed + (status != 0)
        if n_tried >= n_most:
            seconds /= 2  # the machine was busier when the time was measured
            assert n_tried < n_most + 10
        assert_whole(index, change)


@pytest.mark.long
def test_answers_are_those_before_or_those_after(changes: dict[str, Change], start: Writers, tmp_path: Path) -> None:
    change = changes["re-index"]
    index = prepared(change, tmp_path)
    before = answers(index)
    published = start.run(index, change.source).published
    after = answers(index)
    assert before != after

    found_after = {}
    for moment in range(published - NEAR, published + NEAR):
        index = prepared(change, tmp_path)
        start.run(index, change.source, at=moment)
        found_after[moment] = answers(index) == after
        assert found_after[moment] or answers(index) == before
    assert found_after == {moment: moment > published for moment in found_after}


@pytest.mark.parametrize("n_threads", [1, 2], ids=["forked", "from a server"])
@pytest.mark.long
def test_the_processes_of_a_killed_build_go_with_it_and_hold_no_lock(tmp_path: Path, n_threads: int) -> None:
    source, index = write(tmp_path / "source", BEFORE), tmp_path / "index"
    command = [sys.executable, "-m", "tests.trust.blocked_build", str(index), str(source)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": str(n_threads)}  # workers are forked where there is one thread
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=environment) as build:
        assert build.stdout
        try:
            assert [build.stdout.readline() for _ in range(2)] == ["reading\n", "reading\n"]
            assert build.poll() is None
        finally:
            build.kill()
            build.wait()
        update(index, source)
        assert build.stdout.read() == ""  # the workers have ended, or their side of the pipe were open

    assert found(index) == contents(BEFORE)
