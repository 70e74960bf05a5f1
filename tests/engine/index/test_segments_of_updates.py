"""Segments: few after many updates, one after a compaction, and no difference to what is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.index import reader as index_module
from engine.index.manifest import Manifest
from engine.index.reader import open_reader
from engine.index.segment import Segment
from engine.indexing.build import compact_index
from tests.engine.index.index_contents import FILES, expected, found, random_files, update, write
from tests.engine.small_index import answers_to

pytestmark = pytest.mark.usefixtures("unsynced")


@pytest.mark.long
def test_many_small_updates_leave_few_segments(index: Path, source: Path) -> None:
    files: dict[str, str] = {}
    for document, markup in random_files(14).items():
        files[document] = markup
        write(source, files)
        update(index, source)

    assert len(Manifest.read(index).segments) <= 8
    assert found(index) == expected(files)


@pytest.mark.long
def test_compaction_leaves_one_segment_with_the_same_contents(index: Path, source: Path, tmp_path: Path) -> None:
    files = random_files(12)
    for n_documents in (4, 9, 12):
        write(source, dict(sorted(files.items())[:n_documents]))
        update(index, source)
    write(source, left := dict(sorted(files.items())[2:]))
    update(index, source)
    compact_index(index)
    update(fresh := tmp_path / "fresh", source)

    compacted = Manifest.read(index)
    assert len(compacted.segments) == 1
    assert compacted.segments[0].deleted == ()
    assert compacted.statistics == Manifest.read(fresh).statistics
    assert found(index) == found(fresh) == expected(left)
    assert open_reader(index).elements.tags == open_reader(fresh).elements.tags
    before = (index / "manifest.json").read_bytes()
    compact_index(index)
    assert (index / "manifest.json").read_bytes() == before


def test_opening_succeeds_while_a_writer_removes_segments(
    index: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    update(index, source)
    opening = index_module.open_segments
    steps = iter(range(2))

    def overtaken(folder: Path, manifest: Manifest) -> list[Segment]:
        for step in steps:  # only the first time: two generations pass before the segments are opened
            write(source, {"a": f"<a>{step}</a>"})
            update(index, source)
        return opening(folder, manifest)

    monkeypatch.setattr(index_module, "open_segments", overtaken)

    assert found(open_reader(index)) == expected({"a": "<a>1</a>"})


def test_compaction_drops_unused_tags_and_sources(index: Path, source: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other", {"x": "<rare><thing>rock</thing></rare>"})
    update(index, source, other)
    update(index, forget=[other])
    compact_index(index)
    (segment,) = open_reader(index).segments

    assert open_reader(index).elements.tags == ["article", "p", "sec"]
    assert segment.sources == [str(source)]
    assert found(index) == expected(FILES)


def test_an_index_without_documents_can_be_compacted(index: Path, source: Path) -> None:
    update(index, source)
    write(source, {})
    update(index, source)
    compact_index(index)

    assert found(index) == expected({})
    assert len(answers_to(open_reader(index), "tide")) == 0
