"""After any changes to the sources, an update makes the index equal to a fresh one."""

from __future__ import annotations

import gzip
import os
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from engine.collection.ingest_report import IngestReport
from engine.collection.profiles.profile_files import load_profile
from engine.errors import CollectionError, SettingsError
from engine.index import reader as index_module
from engine.index.manifest import Manifest
from engine.index.reader import open_reader
from engine.index.segment import Segment
from engine.index.texts import text_store
from engine.indexing.build import BuildSettings, compact_index, update_index
from engine.text.analyser import Analyser
from tests.engine.index.index_contents import FILES, Files, expected, found, random_files, update, write
from tests.engine.small_index import answers_to
from tests.reference.random_xml import documents
from tests.trust.soak import effort

pytestmark = pytest.mark.usefixtures("unsynced")


def test_a_new_index_contains_its_source(index: Path, source: Path) -> None:
    report = update(index, source)
    wanted = expected(FILES)

    assert found(index) == wanted
    assert report.documents == 4
    assert report.elements == sum(len(document.elements) for document in wanted.documents.values())
    assert report.leaves == sum(document.n_leaves for document in wanted.documents.values())
    assert report.terms == len(wanted.postings)
    assert report.bytes == sum(path.stat().st_size for path in source.rglob("*.xml"))
    assert report.skipped == []
    assert IngestReport.load(index) == report


@pytest.mark.parametrize(
    "after",
    [
        {**FILES, "b/e": "<article>one more</article>"},
        {**FILES, "a": "<article>now this</article>"},
        {document: FILES[document] for document in ("a", "é")},
        {"a": "<b>tide</b>", "f": "<c>fog</c>"},
        {},
    ],
    ids=["added", "changed", "deleted", "all at once", "nothing left"],
)
def test_indexing_a_source_again_updates_the_index(index: Path, source: Path, after: Files) -> None:
    update(index, source)
    write(source, after)
    report = update(index, source)

    wanted = expected(after)
    assert found(index) == wanted
    assert (report.documents, report.terms) == (len(after), len(wanted.postings))
    assert report.leaves == sum(document.n_leaves for document in wanted.documents.values())
    assert IngestReport.load(index).documents == len(after)


def test_an_up_to_date_index_is_unchanged(index: Path, source: Path) -> None:
    update(index, source)
    before = (index / "manifest.json").read_bytes()
    for path in source.rglob("*.xml"):
        os.utime(path, (1, 1))  # touched, not changed
    update(index, source)
    report = update(index)

    assert (index / "manifest.json").read_bytes() == before
    assert (report.documents, report.bytes) == (4, 0)


def test_a_compressed_document_is_read_again_only_if_it_changed(index: Path, tmp_path: Path) -> None:
    path = tmp_path / "source" / "a.xml.gz"
    path.parent.mkdir()
    path.write_bytes(gzip.compress(FILES["a"].encode(), mtime=0))
    update(index, path.parent)
    before = (index / "manifest.json").read_bytes()
    assert update(index).bytes == 0
    assert (index / "manifest.json").read_bytes() == before

    path.write_bytes(gzip.compress(FILES["é"].encode(), mtime=0))
    update(index)
    assert found(index) == expected({"a": FILES["é"]})


def test_segments_of_older_generations_are_removed(index: Path, source: Path) -> None:
    generations = []
    for number in range(3):
        write(source, {"a": f"<a>{number}</a>"})
        update(index, source)
        generations.append({entry.name for entry in Manifest.read(index).segments})
        assert {path.name for path in (index / "segments").iterdir()} == set().union(*generations[-2:])
    assert all(a.isdisjoint(b) for a, b in pairwise(generations))


def test_a_change_of_equal_size_is_detected_by_its_time(index: Path, source: Path) -> None:
    update(index, source)
    write(source, after := {**FILES, "a": FILES["a"].replace("lamp", "fogs")})
    os.utime(source / "a.xml", (1, 1))
    update(index, source)

    assert found(index) == expected(after)


LONG_AGO = (1, 1)


def change_unseen(source: Path) -> Files:
    """Change a document whose size and time stay the same; return the documents after it."""
    status = (source / "a.xml").stat()
    write(source, after := {**FILES, "a": FILES["a"].replace("lamp", "fogs")})
    os.utime(source / "a.xml", ns=(status.st_atime_ns, status.st_mtime_ns))
    return after


def test_a_change_of_equal_size_and_time_is_found_by_comparing_contents(index: Path, source: Path) -> None:
    os.utime(source / "a.xml", LONG_AGO)
    update(index, source)
    after = change_unseen(source)

    update(index, source)
    assert found(index) == expected(FILES)  # as documented
    stages = []
    update_index(index, [str(source)], BuildSettings(check="content"), progress=lambda stage, *_: stages.append(stage))
    assert found(index) == expected(after)
    assert "comparing" in stages
    report = update_index(index, [str(source)], BuildSettings(check="content"))
    assert (report.read, report.dropped) == (0, 0)


def test_the_time_of_a_file_changed_just_before_the_build_is_not_trusted(index: Path, source: Path) -> None:
    update(index, source)
    after = change_unseen(source)
    update(index, source)

    assert found(index) == expected(after)


@pytest.mark.parametrize("ahead_s", [3600, -3600])
def test_times_are_not_trusted_by_a_clock_that_is_wrong(
    index: Path, source: Path, ahead_s: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = time.time_ns
    with monkeypatch.context() as wrong:
        wrong.setattr(time, "time_ns", lambda: right() + ahead_s * 10**9)
        update(index, source)
    after = change_unseen(source)
    update(index, source)

    assert found(index) == expected(after)


def test_a_deleted_document_can_be_added_again(index: Path, source: Path) -> None:
    update(index, source)
    for step in ({}, FILES, {"a": FILES["a"]}, FILES):
        write(source, step)
        update(index, source)
        assert found(index) == expected(step)


def test_sources_are_added_and_updated_independently(index: Path, source: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other", {"x": "<a>rock</a>", "y": "<a>sea</a>"})
    update(index, source)
    update(index, other)
    assert found(index) == expected(FILES, {"x": "<a>rock</a>", "y": "<a>sea</a>"})

    write(source, {"a": FILES["a"]})
    write(other, {"x": "<a>rock rock</a>"})
    update(index, other)
    assert found(index) == expected(FILES, {"x": "<a>rock rock</a>"})

    update(index)
    assert found(index) == expected({"a": FILES["a"], "x": "<a>rock rock</a>"})
    assert Manifest.read(index).sources == (str(source), str(other))


def test_all_documents_of_a_forgotten_source_are_removed(index: Path, source: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other", {"x": "<a>rock</a>"})
    update(index, source, other)
    update(index, forget=[source])

    assert found(index) == expected({"x": "<a>rock</a>"})
    assert Manifest.read(index).sources == (str(other),)
    update(index)
    assert found(index) == expected({"x": "<a>rock</a>"})


def test_a_missing_source_can_be_forgotten(index: Path, source: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other", {"x": "<a>rock</a>"})
    update(index, source, other)
    source.rename(tmp_path / "elsewhere")

    with pytest.raises(CollectionError, match="source"):
        update(index)
    assert found(index) == expected(FILES, {"x": "<a>rock</a>"})
    update(index, forget=[source])
    assert found(index) == expected({"x": "<a>rock</a>"})


def test_only_a_source_of_the_index_can_be_forgotten(index: Path, source: Path, tmp_path: Path) -> None:
    update(index, source)

    with pytest.raises(CollectionError, match=r"unknown source '.*other': the sources of this index are .*source"):
        update(index, forget=[tmp_path / "other"])


def test_of_two_documents_with_the_same_id_the_second_is_skipped(index: Path, source: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other", {"a": "<a>rock</a>", "x": "<a>rock</a>"})
    report = update(index, source, other)

    assert found(index) == expected(FILES, {"x": "<a>rock</a>"})
    assert [(skipped.file, skipped.line) for skipped in report.skipped] == [(str(other / "a.xml"), 0)]
    assert "'a' is already that of" in report.skipped[0].reason


def test_a_new_source_cannot_replace_documents_of_another(index: Path, source: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other", {"a": "<a>rock</a>", "x": "<a>rock</a>"})
    update(index, source)
    report = update(index, other)

    assert found(index) == expected(FILES, {"x": "<a>rock</a>"})
    assert [skipped.file for skipped in report.skipped] == [str(other / "a.xml")]
    assert str(source) in report.skipped[0].reason
    update(index, other, forget=[source])
    assert found(index) == expected({"a": "<a>rock</a>", "x": "<a>rock</a>"})


def test_a_document_that_moved_to_another_source_moves_in_the_index(index: Path, source: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other", {"x": "<a>rock</a>"})
    update(index, source, other)
    write(source, {document: markup for document, markup in FILES.items() if document != "a"})
    write(other, {"x": "<a>rock</a>", "a": FILES["a"]})
    update(index)

    assert found(index) == expected(FILES, {"x": "<a>rock</a>"})
    update(index, forget=[other])
    assert "a" not in found(index).documents


def test_unreadable_documents_are_listed_with_their_line_and_not_indexed(index: Path, source: Path) -> None:
    update(index, source)
    write(source, {**FILES, "a": "<article>fresh words\n<p>", "bad": "<a>\n\n&logo;</a>"})
    for _ in range(2):  # and listed again as long as they are there
        report = update(index, source)

        assert [(skipped.file, skipped.line) for skipped in report.skipped] == [
            (str(source / "a.xml"), 2),
            (str(source / "bad.xml"), 3),
        ]
        assert "entity 'logo' is not defined" in report.skipped[1].reason
        assert found(index) == expected({document: FILES[document] for document in ("b/c", "b/d", "é")})
        assert IngestReport.load(index) == report


def test_stop_on_error_leaves_the_index_unchanged(index: Path, source: Path) -> None:
    update(index, source)
    write(source, {**FILES, "a": "<article>changed</article>", "bad": "<a>"})

    with pytest.raises(CollectionError, match=rf"^{source}/bad\.xml:1: .*nothing was indexed"):
        update_index(index, [str(source)], BuildSettings(stop_on_error=True))
    assert found(index) == expected(FILES)


def test_an_index_keeps_its_analyser_and_profile(index: Path, source: Path) -> None:
    update(index, source)
    before = (index / "manifest.json").read_bytes()

    with pytest.raises(SettingsError, match=r"was built with the default analyser \(.*, not the zettair analyser"):
        update_index(index, [str(source)], BuildSettings(Analyser("zettair")))
    with pytest.raises(SettingsError, match=r"was built with the profile 'none', not 'jats'"):
        update_index(index, [str(source)], BuildSettings(profile=load_profile("jats")))
    update_index(index, [str(source)], BuildSettings())
    assert (index / "manifest.json").read_bytes() == before


def test_a_reader_keeps_the_generation_it_opened(index: Path, source: Path) -> None:
    update(index, source)
    reader = open_reader(index)
    for number in range(3):
        write(source, {"a": f"<article>{number}</article>"})
        update(index, source)

    assert found(reader) == expected(FILES)


@pytest.mark.long
def test_texts_in_many_blocks_survive_every_change(index: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_store, "BLOCK_TEXT", 64)
    files = random_files(80)
    update(index, write(source, files))
    assert found(index) == expected(files)

    left = {document: markup for document, markup in files.items() if document[-1] not in "1379"}
    write(source, left)
    update(index, source)
    assert found(index) == expected(left)
    compact_index(index)
    assert found(index) == expected(left)


def as_text(raw: bytes) -> str:
    return raw.decode("utf-16" if raw[:1] in (b"\xff", b"\xfe") else "utf-8-sig")


STEPS = st.lists(
    st.dictionaries(st.sampled_from("abcde"), documents().map(as_text), max_size=4), min_size=1, max_size=4
)


@settings(max_examples=effort(2, 500, thorough=20), deadline=None, phases=[Phase.generate])
@given(STEPS, st.booleans())
def test_any_sequence_of_updates_equals_a_fresh_index(
    tmp_path_factory: pytest.TempPathFactory, steps: Sequence[Files], is_compacted: bool
) -> None:
    folder = tmp_path_factory.mktemp("steps")
    for files in steps:
        write(folder / "source", files)
        update(folder / "index", folder / "source")
    if is_compacted:
        compact_index(folder / "index")

    assert found(folder / "index") == expected(steps[-1])


# Segments: few after many updates, one after a compaction, and no difference to what is found.


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
