"""Equal input gives equal bytes, for any number of processes, size of batches and order of input."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.errors import CollectionError
from engine.index.manifest import Manifest
from engine.index.reader import open_reader
from engine.indexing import build
from engine.indexing.build import BuildSettings, update_index
from engine.indexing.change_detection import live_files
from engine.indexing.workers import document_reading
from engine.indexing.workers.build_worker import BatchResult
from engine.text.analyser import Analyser
from tests.engine.collection.source_files import ARCHIVES
from tests.engine.index.index_contents import FILES, SETTINGS, all_bytes, expected, found, random_files, update, write
from tests.engine.small_index import build_index

COLLECTION = {**FILES, **random_files(60)}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write(tmp_path / "source", COLLECTION)


@pytest.mark.long
def test_one_process_and_two_write_the_same_bytes(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_reading, "BATCH_BYTES", 20_000)
    monkeypatch.setattr(document_reading, "WORTH_A_PROCESS", 0)
    for file in source.rglob("*.xml"):
        os.utime(file, ns=(10**18, 10**18))  # both reports know the time of a file that was not just written
    stages: list[tuple[str, int, int]] = []
    reports = [
        update_index(
            tmp_path / f"jobs-{jobs}",
            [str(source)],
            replace(SETTINGS, jobs=jobs),
            progress=lambda *stage: stages.append(stage),
        )
        for jobs in (1, 2)
    ]

    assert all_bytes(tmp_path / "jobs-1") == all_bytes(tmp_path / "jobs-2")
    assert replace(reports[0], seconds=0) == replace(reports[1], seconds=0)
    assert found(tmp_path / "jobs-2") == expected(COLLECTION)
    assert len([stage for stage in stages if stage[0] == "reading"]) > 4
    assert all(done <= total for _, done, total in stages)
    assert stages[-1][1] == stages[-1][2]


@pytest.mark.long
def test_documents_that_fail_in_a_worker_are_listed(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_reading, "BATCH_BYTES", 20_000)
    monkeypatch.setattr(document_reading, "WORTH_A_PROCESS", 0)
    (source / "bad.xml").write_text("<a>\n&und;</a>", "utf-8")
    report = update_index(tmp_path / "index", [str(source)], replace(SETTINGS, jobs=2))

    assert [(skipped.file, skipped.line) for skipped in report.skipped] == [(str(source / "bad.xml"), 2)]
    assert found(tmp_path / "index") == expected(COLLECTION)


def die(*_: object, **__: object) -> BatchResult:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def test_a_killed_worker_ends_the_build_with_a_message(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_reading, "BATCH_BYTES", 20_000)
    monkeypatch.setattr(document_reading, "WORTH_A_PROCESS", 0)
    monkeypatch.setattr(document_reading, "process_batch", die)

    with pytest.raises(CollectionError, match="a worker process died while reading documents"):
        update_index(tmp_path / "index", [str(source)], replace(SETTINGS, jobs=2))
    assert not (tmp_path / "index").exists()


def test_equal_documents_give_equal_bytes_whatever_their_times(tmp_path: Path, source: Path) -> None:
    update(tmp_path / "first", source)
    for path in source.rglob("*.xml"):
        path.unlink()
    write(source, dict(reversed(COLLECTION.items())))
    for path in source.rglob("*.xml"):
        os.utime(path, (1, 1))
    update(tmp_path / "second", source)

    assert all_bytes(tmp_path / "first") == all_bytes(tmp_path / "second")


@pytest.mark.long
def test_segments_do_not_depend_on_the_order_of_sources(tmp_path: Path, source: Path) -> None:
    other = write(tmp_path / "other", {"0": "<a>rock</a>", "zz": "<a>sea</a>"})
    (tmp_path / "list.txt").write_text(f"{other}\n{source}\n", "utf-8")
    update(tmp_path / "first", source, other)
    update(tmp_path / "second", other, source)
    update(tmp_path / "third", f"@{tmp_path / 'list.txt'}")

    first, second = Manifest.read(tmp_path / "first"), Manifest.read(tmp_path / "second")
    assert first.segments == second.segments
    assert first.statistics == second.statistics
    assert set(found(tmp_path / "third").documents) == {
        *(f"source/{document}" for document in COLLECTION),
        "other/0",
        "other/zz",
    }


@pytest.mark.parametrize("batch_bytes", [1, 5_000])
@pytest.mark.long
def test_the_content_does_not_depend_on_the_size_of_batches(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch, batch_bytes: int
) -> None:
    monkeypatch.setattr(document_reading, "BATCH_BYTES", batch_bytes)
    update(tmp_path / "index", source)

    assert found(tmp_path / "index") == expected(COLLECTION)


@pytest.mark.parametrize("ending", [".zip", ".tar", ".tar.gz", ".tar.xz", ".tar.zst"])
def test_an_archive_and_its_files_give_the_same_index(tmp_path: Path, ending: str) -> None:
    members = {f"top/{document}.xml": markup.encode() for document, markup in FILES.items()}
    archive = tmp_path / f"made{ending}"
    archive.write_bytes(ARCHIVES[ending](members))
    index = tmp_path / "index"
    report = update(index, archive)

    assert report.skipped == []
    assert found(index) == expected(FILES)
    before = (index / "manifest.json").read_bytes()
    update(index)
    assert (index / "manifest.json").read_bytes() == before

    archive.write_bytes(ARCHIVES[ending]({**members, "top/a.xml": b"<a>changed</a>", "top/bad.xml": b"<a>\n<b></a>"}))
    report = update(index)
    assert found(index) == expected({**FILES, "a": "<a>changed</a>"})
    assert [(skipped.file, skipped.line) for skipped in report.skipped] == [(f"{archive}!top/bad.xml", 2)]


def test_profiles_are_chosen_and_stored_per_document(tmp_path: Path) -> None:
    files = {
        "docbook": "<book><title>A</title><para>wi<emphasis>fi</emphasis></para></book>",
        "own": "<own><para>wi<emphasis>fi</emphasis></para></own>",
    }
    build_index(write(tmp_path / "source", files), into=tmp_path / "index", infer=False)
    index = open_reader(tmp_path / "index")

    assert [index.profile_of(number).name for number in range(2)] == ["docbook", "none"]
    assert index.postings("wifi").documents.tolist() == [0]
    assert index.postings("fi").documents.tolist() == [1]


def test_an_index_stores_its_stop_words_and_user_profile(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('inline = ["em"]\nskip = ["note"]\n', "utf-8")
    (tmp_path / "stop.txt").write_text("the\n", "utf-8")
    source = write(tmp_path / "source", {"a": "<a>The wi<em>fi</em><note>secret</note></a>"})
    options = {"profile": str(tmp_path / "own.toml"), "stop": str(tmp_path / "stop.txt"), "analyser": "zettair"}
    build_index(source, into=tmp_path / "index", **options)
    (tmp_path / "own.toml").unlink()
    (tmp_path / "stop.txt").unlink()
    write(source, {"a": "<a>The wi<em>fi</em><note>secret</note></a>", "b": "<a>the h<em>2</em>o</a>"})
    update_index(tmp_path / "index", [str(source)], BuildSettings())
    index = open_reader(tmp_path / "index")

    assert index.analyser == Analyser("zettair", "none", "file", frozenset({"the"}))
    assert index.profile.inline == frozenset({"em"})
    terms = {term for segment in index.segments for term in segment.articles.strings("terms").all()}
    assert terms == {b"wifi", b"h2o"}


@pytest.mark.long
def test_memory_bounds_the_number_of_processes(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_reading, "BATCH_BYTES", 20_000)
    monkeypatch.setattr(document_reading, "WORTH_A_PROCESS", 0)
    asked: list[int] = []
    runner = document_reading.batch_runner
    monkeypatch.setattr(
        document_reading, "batch_runner", lambda jobs, progress: asked.append(jobs) or runner(1, progress)
    )
    for memory in (2**20, 2 * 192 * 2**20, 2**40):
        update_index(tmp_path / str(memory), [str(source)], replace(SETTINGS, jobs=3, memory=memory))

    assert asked == [1, 2, 3]


class CountedFiles(dict[str, list[str]]):
    """Files of an index by document that count how often all are asked for."""

    n_asked = 0

    def keys(self) -> Any:
        CountedFiles.n_asked += 1
        return super().keys()


@pytest.mark.parametrize("n_documents", [2, 20])
def test_the_files_of_an_index_are_gone_through_once_however_many_are_read(
    n_documents: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CountedFiles, "n_asked", 0)
    monkeypatch.setattr(build, "live_files", lambda *given: CountedFiles(live_files(*given)))
    write(tmp_path / "source", {str(number): f"<a>{number}</a>" for number in range(n_documents)})
    build_index(tmp_path / "source", into=tmp_path / "index")

    assert CountedFiles.n_asked == 1
