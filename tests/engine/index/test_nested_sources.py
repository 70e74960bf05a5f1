"""Sources inside one another: no document is indexed twice."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.errors import CollectionError
from engine.index.reader import open_reader
from engine.notices import Notice
from tests.engine.index.index_contents import update, write

FILES = {"a": "<a>sea</a>", "sub/b": "<a>tide</a>", "sub/deep/c": "<a>lamp</a>"}
IDS = ["a", "sub/b", "sub/deep/c"]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write(tmp_path / "source", FILES)


def ids(index: Path) -> list[str]:
    return sorted(open_reader(index).ids)


@pytest.mark.parametrize("inside", ["sub", "sub/", "sub/deep", "a.xml", "sub/deep/c.xml"])
def test_a_source_inside_a_known_folder_updates_that_folder(tmp_path: Path, source: Path, inside: str) -> None:
    index = tmp_path / "index"
    update(index, source)
    write(source, {**FILES, "sub/deep/c": "<a>fresh lamp</a>", "sub/new": "<a>new</a>"})

    report = update(index, f"{source}/{inside}")

    assert (report.documents, report.read, report.dropped) == (4, 2, 1)
    assert report.notices == [Notice("part_of_source", {"source": f"{source}/{inside}", "whole": str(source)})]
    assert open_reader(index).manifest.sources == (str(source),)


def test_a_link_to_a_folder_inside_a_known_one_is_inside_it(tmp_path: Path, source: Path) -> None:
    update(tmp_path / "index", source)
    os.symlink(source / "sub", tmp_path / "link")

    assert update(tmp_path / "index", tmp_path / "link").documents == 3


@pytest.mark.parametrize("order", [1, -1])
def test_of_sources_given_together_the_outermost_is_read(tmp_path: Path, source: Path, order: int) -> None:
    report = update(tmp_path / "index", *[source, source / "sub", source / "sub/deep"][::order])

    assert (report.documents, len(report.notices)) == (3, 2)
    assert ids(tmp_path / "index") == IDS


def test_a_folder_around_a_known_source_is_refused_unless_that_is_removed(tmp_path: Path, source: Path) -> None:
    index = tmp_path / "index"
    update(index, source / "sub")

    with pytest.raises(CollectionError, match=r"would be indexed twice: add remove=.*/source/sub"):
        update(index, source)
    update(index, source, forget=[source / "sub"])

    assert ids(index) == IDS


def test_a_file_that_the_folder_does_not_read_is_a_source_of_its_own(tmp_path: Path, source: Path) -> None:
    (source / "notes.txt").write_text("<a>notes</a>", "utf-8")
    update(tmp_path / "index", source)

    assert update(tmp_path / "index", source / "notes.txt").documents == 4


def test_a_hidden_file_is_a_source_of_its_own(tmp_path: Path, source: Path) -> None:
    (source / ".draft.xml").write_text("<a>draft</a>", "utf-8")
    assert update(tmp_path / "index", source).documents == 3

    report = update(tmp_path / "index", source / ".draft.xml")
    assert (report.documents, list(report.notices)) == (4, [])


def test_folders_beside_each_other_are_two_sources(tmp_path: Path, source: Path) -> None:
    update(tmp_path / "index", source)

    report = update(tmp_path / "index", write(tmp_path / "source2", {"z": "<a/>"}))

    assert (report.documents, list(report.notices)) == (4, [])
