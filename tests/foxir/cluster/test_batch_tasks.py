"""Indexes that tasks of a Ray cluster read are those of one machine, byte by byte, also when workers are killed."""

from __future__ import annotations

import gzip
import os
import signal
import tarfile
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import foxir
from engine.collection.ingest_report import REPORT
from engine.errors import CollectionError
from engine.indexing.build import update_index
from engine.indexing.build_settings import BuildSettings
from engine.indexing.workers import document_reading
from foxir.terminal.commands import foxir as foxir_command
from tests.engine.small_index import write
from tests.foxir.cluster.conftest import DOCUMENTS

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files, one compressed, one damaged, and an archive: many batches of few documents."""
    monkeypatch.setattr(document_reading, "BATCH_BYTES", 2000)
    source = tmp_path / "source"
    source.mkdir()
    write(source, {**DOCUMENTS, "bad": "<article><p>sea</article>"})
    (source / "packed.xml.gz").write_bytes(gzip.compress(b"<article><p>gale and fog</p></article>"))
    (source / "cut.xml.gz").write_bytes(gzip.compress(b"<article><p>gale</p></article>")[:-9])
    with tarfile.open(source / "more.tar.gz", "w:gz") as archive:
        archive.add(source / "d01.xml", "inner.xml")
    return source


def files(index: Path) -> dict[str, bytes]:
    return {str(path.relative_to(index)): path.read_bytes() for path in index.rglob("*") if path.is_file()}


@pytest.mark.parametrize("shards", [None, 2])
def test_an_index_read_by_tasks_is_that_of_one_process(
    nodes: Any, source: Path, tmp_path: Path, shards: int | None
) -> None:
    sources = [source, source / "more.tar.gz"]
    here = foxir.build_index(*sources, into=tmp_path / "here.foxir", shards=shards)
    there = foxir.build_index(*sources, into=tmp_path / "there.foxir", shards=shards, ray=nodes.address)
    assert there.documents == here.documents > 40
    assert there.skipped == here.skipped
    assert len(here.skipped) == 2
    one, other = files(tmp_path / "here.foxir"), files(tmp_path / "there.foxir")
    assert one.keys() == other.keys()
    assert [name for name in one if one[name] != other[name] and not name.endswith(REPORT)] == []


def test_what_killed_workers_were_reading_is_read_again(
    nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_reading, "BATCH_BYTES", 1)
    source = tmp_path / "source"
    source.mkdir()
    paragraphs = "".join(f"<p>sea {number} tide</p>" for number in range(2000))
    write(source, {f"d{number:02d}": f"<article>{paragraphs}<p>{number}</p></article>" for number in range(20)})
    is_over, killed = threading.Event(), 0
    failures: list[BaseException] = []

    def build() -> None:
        try:
            foxir.build_index(source, into=tmp_path / "there.foxir", ray=nodes.address, images=False)
        except BaseException as error:  # it must reach the assertion
            failures.append(error)
        is_over.set()

    foxir.build_index(source, into=tmp_path / "here.foxir", images=False)
    thread = threading.Thread(target=build)
    thread.start()
    while not is_over.is_set():
        for process in reading(nodes) if killed < 3 else ():
            os.kill(process, signal.SIGKILL)
            killed += 1
        time.sleep(0.02)
    thread.join()
    assert not failures
    assert killed
    one, other = files(tmp_path / "here.foxir"), files(tmp_path / "there.foxir")
    assert [name for name in one if one[name] != other.get(name) and name != REPORT] == []


def reading(nodes: Any) -> list[int]:
    """Return the processes of this cluster that read a batch now."""
    parents = {
        each.process.pid for node in [nodes.head_node, *nodes.worker_nodes] for each in node.all_processes["raylet"]
    }
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            is_reading = b"read_batch" in (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if parent in parents and is_reading:
            found.append(int(folder.name))
    return found


def test_a_folder_of_images_that_a_machine_cannot_see_is_named(nodes: Any, source: Path, tmp_path: Path) -> None:
    from foxir.cluster.batch_tasks import read_batch  # noqa: PLC0415  (needs Ray)

    class Elsewhere:
        def submit(self, entries: Any, rules: Any, folder: Path, memory: int, *, is_alone: bool = True) -> Any:
            gone = [(entry._replace(root="/no/such/folder"), entry.stored()) for entry in entries]
            return lambda: read_batch(gone, rules, memory, is_alone=is_alone)

    with pytest.raises(CollectionError, match=r"/no/such/folder: no such folder on .*--no-images"):
        update_index(tmp_path / "x.foxir", [str(source)], BuildSettings(reader=Elsewhere()))
    assert not (tmp_path / "x.foxir" / "manifest.json").exists()


def test_the_command_reads_by_tasks(nodes: Any, source: Path, tmp_path: Path) -> None:
    from click.testing import CliRunner  # noqa: PLC0415

    done = CliRunner().invoke(
        foxir_command, ["index", str(source), "--into", str(tmp_path / "x.foxir"), "--ray", nodes.address, "-q"]
    )
    assert "read 41 documents" in done.output
    assert "2 skipped" in done.output
