"""A writer changes the folder that it was started for: one that is put in its place meanwhile loses nothing."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.errors import CollectionError
from engine.index.block_vectors import EncoderRecord
from engine.index.reader import open_reader
from engine.indexing.block_encoding import BlockEncoding
from engine.object_store.mirror import verify_index
from engine.progress import no_progress
from engine.semantic.encoders import encoder
from engine.system import platform
from engine.system.held_folder import HeldFolder
from tests.engine.index.index_contents import expected, found, update, write
from tests.trust.killed_writers import Writers, writers
from tests.trust.soak import effort, in_turn

# Whether a folder is held by a descriptor; else, as on Windows, nothing is removed where the path leads elsewhere.
HAS_DESCRIPTORS = platform.may_be_named("con")

BEFORE = {name: f"<article>{text}</article>" for name, text in (("a", "sea tide"), ("b", "lamp"), ("stays", "rock"))}
AFTER = {"a": "<article>sea rock</article>", "c": "<article>fog</article>", "stays": BEFORE["stays"]}
OTHER = {"x": "<article>reef</article>"}
# Folders that a writer may have begun in another one, empty.
UNFINISHED = {
    f"{shard}{name}"
    for shard in ("", "shard-0000/", "shard-0001/")
    for name in (".work-*", "segments", "segments/new-*", "segments/new-*/articles", "segments/new-*/elements")
}


@pytest.fixture(scope="module")
def start() -> Iterator[Writers]:
    with writers() as started:
        yield started


def content(folder: Path) -> dict[str, bytes | None]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def added_to(kept: dict[str, bytes | None], folder: Path) -> set[str]:
    """Return what was added to a folder that has lost and changed nothing; a part with the number of a process as `*`.

    A new file has a path, which may lead elsewhere between its check and its making: a part that is then begun there is
    not gone on with.
    """
    found = content(folder)
    assert {name: found.get(name, b"lost") for name in kept} == kept
    return {re.sub(r"(new-|\.work-)\w+", r"\1*", name) for name in found.keys() - kept.keys()}


def own_files(folder: Path) -> Path:
    """Return a folder of somebody's own, with names that an index has, too."""
    for name in ("notes.txt", "ingest.json", ".work-mine/draft", "segments/new-1/draft", "segments/old/draft", "lock"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"my own {name}", "utf-8")
    return folder


def moments(start: Writers, index: Path, source: Path | None, n_shards: int | None, name: str) -> list[int]:
    """Return calls of a writer before which something happens: those around publishing, and others.

    Not the first, which makes the folder if there is none: the writer works on the folder that it opens then.
    """
    death = start.run(index, source, shards=n_shards)
    assert death.status == 0
    others = Random(name).sample(range(2, death.n_calls + 1), min(death.n_calls - 1, effort(2, 10**6, thorough=20)))
    return sorted({death.published - 1, death.published, death.published + 1, death.n_calls, *others} - {0, -1, 1})


@pytest.mark.parametrize(
    ("what", "how"), in_turn(["link to own files", "link to an index", "folder"], ["update", "compaction", "shards"])
)
@pytest.mark.long
def test_a_folder_that_is_put_in_the_place_of_an_index_loses_nothing(
    start: Writers, tmp_path: Path, what: str, how: str
) -> None:
    source, n_shards = write(tmp_path / "source", BEFORE), 2 if how == "shards" else None
    whole = tmp_path / "whole"
    assert start.run(whole, source, shards=n_shards).status == 0
    write(source, AFTER)
    if how == "compaction":
        update(whole, source)
    other = tmp_path / "other"
    if what == "link to own files":
        own_files(other)
    else:
        start.run(other, write(tmp_path / "other source", OTHER), shards=n_shards)
    kept, chosen = content(other), None if how == "compaction" else source
    current, index = tmp_path / "current", tmp_path / "index"

    def prepare() -> None:
        shutil.rmtree(index, ignore_errors=True)
        shutil.copytree(whole, index)
        for link in (current, tmp_path / "next"):
            link.unlink(missing_ok=True)
        os.symlink("index", current)
        os.symlink("other", tmp_path / "next")

    prepare()
    refused = 0
    for moment in moments(start, current, chosen, None, f"{what} {how}"):
        prepare()
        if what == "folder":
            swap = [(index, tmp_path / "away"), (other, index)]
            status = start.run(index, chosen, at=moment, moves=swap).status
            index.rename(other)
            (tmp_path / "away").rename(index)
        else:
            status = start.run(current, chosen, at=moment, moves=[(tmp_path / "next", current)]).status
        refused += status == 2
        assert status in (0, 2)
        assert added_to(kept, other) <= UNFINISHED, moment
        verify_index(open_reader(index))
        assert found(index) in (expected(BEFORE), expected(AFTER))
        update(index, source)
        assert found(index) == expected(AFTER)
        assert not [name for name in os.listdir(index) if name.startswith((".work-", ".manifest"))]
    assert refused


@pytest.mark.long
def test_a_shard_that_is_replaced_by_a_link_leads_nowhere(start: Writers, tmp_path: Path) -> None:
    source, index = write(tmp_path / "source", BEFORE), tmp_path / "index"
    assert start.run(index, source, shards=2).status == 0
    other = tmp_path / "other"
    shutil.copytree(index / "shard-0001", other)
    kept = content(other)
    whole = shutil.copytree(index, tmp_path / "whole")
    write(source, AFTER)
    calls = start.run(index, source).n_calls
    for moment in Random(4).sample(range(1, calls + 1), effort(2, calls, thorough=20)):
        shutil.rmtree(index)
        shutil.copytree(whole, index)
        (tmp_path / "next").unlink(missing_ok=True)
        os.symlink("../other", tmp_path / "next")
        shard = index / "shard-0001"
        status = start.run(
            index, source, at=moment, moves=[(shard, tmp_path / "away"), (tmp_path / "next", shard)]
        ).status
        assert status in (0, 2)
        assert content(other) == kept
        shard.unlink()
        (tmp_path / "away").rename(shard)
        update(index, source)
        assert found(index) == expected(AFTER)


def test_vectors_of_a_killed_build_stay_in_a_folder_that_is_put_in_the_place_of_an_index(tmp_path: Path) -> None:
    toy = "tests.engine.semantic.toy_encoder:encode"
    index, other = tmp_path / "index", tmp_path / "other"
    for folder, text in ((index, "sea"), (other, "fog")):
        folder.mkdir()
        with HeldFolder(folder) as held:
            BlockEncoding(EncoderRecord.of(encoder(toy)), held, no_progress, is_named=True).vectors([text])
    kept = content(other)
    with HeldFolder(index) as held:
        encoding = BlockEncoding(EncoderRecord.of(encoder(toy)), held, no_progress, is_named=True)
        index.rename(tmp_path / "away")
        other.rename(index)
        with pytest.raises(CollectionError, match="another folder was put in its place"):
            encoding.vectors(["lamp"])
        if HAS_DESCRIPTORS:
            encoding.finish()
        else:
            with pytest.raises(CollectionError, match="another folder was put in its place"):
                encoding.finish()

    assert content(index) == kept
    assert (content(tmp_path / "away") == {}) == HAS_DESCRIPTORS


def test_no_vectors_are_kept_in_a_folder_that_is_put_in_the_place_of_an_index_as_they_are_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy = "tests.engine.semantic.toy_encoder:encode"
    index, other = tmp_path / "index", tmp_path / "other"
    for folder in (index, other):
        folder.mkdir()
    with HeldFolder(other) as held:
        BlockEncoding(EncoderRecord.of(encoder(toy)), held, no_progress, is_named=True).vectors(["fog"])
    kept, connect = content(other), sqlite3.connect

    def replaced(*what: Any, **how: Any) -> sqlite3.Connection:
        index.rename(tmp_path / "away")
        other.rename(index)
        return connect(*what, **how)

    with HeldFolder(index) as held:
        encoding = BlockEncoding(EncoderRecord.of(encoder(toy)), held, no_progress, is_named=True)
        monkeypatch.setattr(sqlite3, "connect", replaced)
        with pytest.raises(CollectionError, match="another folder was put in its place"):
            encoding.vectors(["lamp"])

    assert content(index) == kept
