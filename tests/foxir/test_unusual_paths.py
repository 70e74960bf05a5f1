"""Folders in the place of files, names that no file has, and entries that cannot be read are each one clear error."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import foxir
from tests.foxir.conftest import Sample
from tests.trust.soak import in_turn

WRITERS: dict[str, Callable[[Sample, str], Any]] = {
    "write_run": lambda sample, path: foxir.write_run(sample.run, path),
    "write_settings": lambda _, path: foxir.write_settings(foxir.Settings(), path),
    "write_assessments": lambda sample, path: foxir.write_assessments(sample.judged, path, "fol"),
    "convert": lambda sample, path: foxir.convert(sample.folder / "run.xml", path, "trec"),
    "report": lambda sample, path: foxir.report(sample.table, path),
}


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "path"), in_turn(list(WRITERS), [".", "..", "/"]))
def test_writing_to_a_folder_is_refused(
    sample: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, path: str
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(foxir.FoxirError, match=r"cannot be written: it is a folder, not a file\. Choose another place"):
        WRITERS[name](sample, path)

    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.long
def test_a_pipe_gets_what_is_written_and_stays_a_pipe(sample: Sample, tmp_path: Path, name: str) -> None:
    pipe, link = tmp_path / "pipe.xml", tmp_path / "link.xml"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        with ThreadPoolExecutor(1) as other:
            read = other.submit(pipe.read_bytes)
            WRITERS[name](sample, str(path))
            assert read.result(60)

    assert pipe.is_fifo()
    assert link.is_symlink()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link.xml", "pipe.xml"]


def test_assessments_beside_entries_that_cannot_be_read_are_read(sample: Sample, tmp_path: Path) -> None:
    folder = tmp_path / "assessments"
    foxir.write_assessments(foxir.expand_assessments(sample.qrels, sample.index), folder)
    (folder / "link").symlink_to("/proc/1/cwd")
    (folder / "broken.xml").symlink_to("nowhere")
    (folder / "circle.xml").symlink_to("circle.xml")

    assert len(foxir.read_assessments(folder).topics) == 4


@pytest.mark.parametrize("name", ["a" * 256, "/".join(["folder"] * 700)], ids=["name", "path"])
def test_a_path_that_is_too_long_is_an_argument_error(sample: Sample, tmp_path: Path, name: str) -> None:
    with pytest.raises(foxir.ArgumentError, match="source: no file can be named"):
        foxir.convert(name, tmp_path / "out", "trec")
    with pytest.raises(foxir.ArgumentError, match="into: no file can be named"):
        foxir.build_index(sample.topics, into=name)
    with pytest.raises(foxir.ArgumentError, match="path: no file can be named"):
        foxir.write_run(sample.run, name)
