"""No change is missed because the report of another build says when a document was changed."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from engine.collection.ingest_report import IngestReport
from engine.errors import CollectionError
from engine.index.reader import open_reader
from engine.indexing import build, index_folder
from engine.indexing.build import compact_index, update_index
from engine.indexing.build_settings import BuildSettings
from engine.system.held_folder import HeldFolder
from tests.engine.small_index import write

N = 8
SHARDS = pytest.mark.parametrize("n_shards", [None, 3])


class Killed(BaseException):
    pass


def killed(*_arguments: object) -> None:
    raise Killed


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "source").mkdir()
    put(tmp_path / "source", "old", age_s=3600)
    return tmp_path / "source"


def put(source: Path, word: str, age_s: float) -> None:
    """Write the same documents with one word, at a time; the size is the same for words of the same length."""
    now = round(time.time())
    write(source, {f"d{number}": f"<a><p>lamp {word} {number}</p></a>" for number in range(N)})
    for path in source.iterdir():
        os.utime(path, (now - age_s, now - age_s))


def built(source: Path, n_shards: int | None) -> Path:
    update_index(source.parent / "x.foxir", [str(source)], BuildSettings(), n_shards=n_shards)
    return source.parent / "x.foxir"


def words_in(index: Path) -> set[str]:
    with open_reader(index) as reader:
        return {reader.text(number).split()[1] for number in reader.live_documents.tolist()}


@SHARDS
@pytest.mark.long
def test_after_a_failed_update_every_change_is_found(source: Path, n_shards: int | None) -> None:
    index = built(source, n_shards)
    put(source, "new", age_s=60)
    write(source, {"bad": "<a>"})
    with pytest.raises(CollectionError, match="bad"):
        update_index(index, [], BuildSettings(stop_on_error=True))
    (source / "bad.xml").unlink()

    assert update_index(index, [], BuildSettings()).read == N
    assert words_in(index) == {"new"}


@pytest.mark.long
def test_after_a_killed_update_of_shards_every_change_is_found(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = built(source, 3)
    put(source, "new", age_s=60)
    with monkeypatch.context() as patched:
        patched.setattr(build, "publish_shards", killed)
        patched.setattr(index_folder, "set_back", lambda *_: None)  # a killed process restores nothing
        with pytest.raises(Killed):
            update_index(index, [], BuildSettings())

    assert update_index(index, [], BuildSettings()).read == N
    assert words_in(index) == {"new"}


@SHARDS
@pytest.mark.long
def test_times_of_the_generation_before_are_not_used(
    source: Path, n_shards: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = built(source, n_shards)
    times = {path: path.stat().st_mtime for path in source.iterdir()}
    put(source, "new", age_s=60)
    with monkeypatch.context() as patched:  # killed between the manifest and the reports
        patched.setattr(IngestReport, "write", killed)
        patched.setattr(index_folder, "set_back", lambda *_: None)
        with pytest.raises(Killed):
            update_index(index, [], BuildSettings())
    assert words_in(index) == {"new"}

    put(source, "old", age_s=3600)  # as from a backup, with the times of then
    for path, seconds in times.items():
        os.utime(path, (seconds, seconds))
    assert update_index(index, [], BuildSettings()).read == N
    assert words_in(index) == {"old"}


@SHARDS
def test_times_hold_after_compaction(source: Path, n_shards: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    index = built(source, n_shards)
    (source / "d0.xml").unlink()
    write(source, {"more": "<a>x new</a>"})
    os.utime(source / "more.xml", (1, 1))
    update_index(index, [], BuildSettings())
    compact_index(index)
    monkeypatch.setattr("engine.indexing.change_detection.contents", killed)
    assert update_index(index, [], BuildSettings()).read == 0


def test_times_in_a_report_that_names_no_generation_are_not_used(source: Path) -> None:
    index = built(source, None)
    report = replace(IngestReport.load(index), manifest="")
    with HeldFolder(index) as held:
        report.write(held)
    assert IngestReport.load(index) == report
    put(source, "new", age_s=0)
    for path in source.iterdir():
        os.utime(path, ns=(report.times[path.stem],) * 2)
    assert update_index(index, [], BuildSettings()).read == N
