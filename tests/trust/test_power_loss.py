"""When the power fails, what was made durable is there, and of the rest any part: the index is whole all the same."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from engine.index.block_vectors import VECTOR, EncoderRecord
from engine.index.reader import open_reader
from engine.indexing.build import update_index
from engine.object_store.mirror import verify_index
from tests.engine.index.index_contents import SETTINGS, Files, expected, found, random_files, update, write
from tests.reference.inverted_index import Contents
from tests.trust import disk
from tests.trust.index_states import contents_of_state, fingerprint
from tests.trust.soak import effort

BEFORE = {**random_files(3), "stays": "<article>rock</article>", "changes": "<article>sea</article>"}
AFTER = {**BEFORE, "changes": "<article>quite another</article>", "new": "<article>fog</article>"}
FEWER = {document: markup for document, markup in BEFORE.items() if document not in ("stays", "changes")}
LONG = {"a": f"<article>sea{'—' * 50_000}</article>", "b": "<article>rock</article>"}  # texts in blocks of their own
ENCODER = "tests.engine.semantic.toy_encoder:encode"
NEAR = effort(1, 4, thorough=4)  # calls before and after the manifest is put in its place that are always tried


def states(recorded: disk.Record, name: str) -> Iterator[tuple[int, disk.Choice, disk.Choice]]:
    """Yield when the power fails, and what of the uncertain names and contents is on the disk then."""
    random = Random(name)
    n_calls, published = len(recorded.calls), recorded.published
    near = range(max(published - NEAR, 0), min(published + NEAR, n_calls) + 1)
    others = random.sample(range(n_calls), min(n_calls, effort(1, n_calls, thorough=6)))
    for moment in sorted({*near, *others, n_calls}):
        for names in (disk.nothing, disk.everything, disk.newest, disk.all_but_newest):
            yield moment, names, disk.nothing
        for _ in range(effort(1, 8)):
            yield moment, disk.some(random), disk.some(random)


def made(folder: Path, source: Path, *steps: Files) -> Path:
    """Return an index that was brought up to date after each step."""
    for files in steps:
        update(folder / "index", write(source, files))
    return folder / "index"


@pytest.mark.parametrize(
    ("name", "steps", "after"),
    [
        ("first build", [], BEFORE),
        ("re-index", [BEFORE], AFTER),
        ("delete", [BEFORE], FEWER),
        ("compaction", [FEWER, BEFORE], None),
        ("compaction to what a live segment was", [LONG, {"a": LONG["a"]}, LONG], None),
    ],
)
@pytest.mark.long
def test_the_index_is_whole_whatever_reached_the_disk(
    name: str, steps: list[Files], after: Files | None, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    source = tmp_path / "source"
    index = made(folder, source, *steps)
    before = expected(steps[-1]) if steps else None
    wanted = expected(after if after is not None else steps[-1])
    if after is not None:
        write(source, after)
    recorded = disk.record(folder, index, source if after is not None else None)
    assert found(index) == wanted

    tried: dict[bytes, bool] = {}  # whether the state held the index after the change
    for number, (moment, names, contents) in enumerate(states(recorded, name)):
        copy = tmp_path / f"disk-{number}"
        disk.rebuild(recorded, moment, names, contents, copy)
        state = fingerprint(copy)
        if state not in tried:
            tried[state] = holds(copy / "index", before, wanted)
            update(copy / "index", source)
            assert contents_of_state(copy / "index") == wanted
            verify_index(open_reader(copy / "index"))
        assert tried[state] or moment < len(recorded.calls), "what was finished is lost"
        shutil.rmtree(copy)
    assert len(tried) > 10
    assert len(set(tried.values())) == 2 or before == wanted


def holds(index: Path, before: Contents | None, after: Contents) -> bool:
    """Return whether the index is the one after; it must be, or the one before."""
    if not (index / "manifest.json").exists():
        assert before is None
        return False
    found = contents_of_state(index)
    assert found in (before, after)
    return found == after


def vectors_of(index: Path) -> list[bytes]:
    """Return the vectors of each segment that has some."""
    with open_reader(index) as reader:
        segments = [segment.elements for segment in reader.segments if EncoderRecord.read(segment.elements)]
        return [segment.column(VECTOR).all().tobytes() for segment in segments]


@pytest.mark.long
def test_an_index_has_all_vectors_or_none_whatever_reached_the_disk(tmp_path: Path) -> None:
    folder, source = tmp_path / "folder", tmp_path / "source"
    folder.mkdir()
    index = made(folder, source, BEFORE)
    recorded = disk.record(folder, index, source, ENCODER)
    wanted = vectors_of(index)
    assert wanted

    tried: dict[bytes, bool] = {}  # whether the state held the vectors
    for number, (moment, names, contents) in enumerate(states(recorded, "vectors")):
        copy = tmp_path / f"disk-{number}"
        disk.rebuild(recorded, moment, names, contents, copy)
        state = fingerprint(copy)
        if state not in tried:
            found = vectors_of(copy / "index")
            assert found in ([], wanted)
            tried[state] = found == wanted
            assert contents_of_state(copy / "index") == expected(BEFORE)
            update_index(copy / "index", [str(source)], replace(SETTINGS, vectors=ENCODER))
            assert vectors_of(copy / "index") == wanted
            verify_index(open_reader(copy / "index"))
        assert tried[state] or moment < len(recorded.calls), "what was finished is lost"
        shutil.rmtree(copy)
    assert set(tried.values()) == {True, False}


@pytest.mark.long
def test_the_record_tells_what_is_certain(tmp_path: Path) -> None:
    folder, source = tmp_path / "folder", write(tmp_path / "source", BEFORE)
    folder.mkdir()
    recorded = disk.record(folder, folder / "index", source)
    disk.rebuild(recorded, len(recorded.calls), disk.everything, disk.everything, tmp_path / "all")
    assert fingerprint(tmp_path / "all") == fingerprint(folder)

    disk.rebuild(recorded, len(recorded.calls), disk.nothing, disk.nothing, tmp_path / "certain")
    names = {path.name for path in (tmp_path / "certain" / "index").iterdir()}
    work = {path.name for path in tmp_path.glob("certain/index/.work*")}
    assert names == {"lock", "manifest.json", "segments"} | work
