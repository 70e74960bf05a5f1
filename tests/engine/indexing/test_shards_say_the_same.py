"""A sharded build reports all that an ordinary one reports of the same sources: counts, notices, what was skipped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.collection.entities.entity_options import EntityOptions
from engine.collection.ingest_report import IngestReport
from engine.collection.profiles.profile_files import load_profile, with_split
from engine.errors import CollectionError
from engine.indexing import document_images
from engine.indexing.build import compact_index, update_index
from engine.indexing.build_settings import BuildSettings
from tests.engine.small_index import write

XINCLUDE = "http://www.w3.org/2001/XInclude"
LITTLE = 2**20  # bytes of memory


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "source").mkdir()
    return tmp_path / "source"


def report_of(source: Path, settings: BuildSettings, *sources: str, forget: tuple[str, ...] = ()) -> IngestReport:
    """Return the report of a build, made alike by an index without shards and by one with three."""
    reports = []
    for name, n_shards in (("one.foxir", None), ("parts.foxir", 3)):
        index = source.parent / name
        report = update_index(index, sources, settings, n_shards=None if index.exists() else n_shards, forget=forget)
        reports.append(replace(report, seconds=0.0, times={}, manifest=""))
    assert reports[1] == reports[0]
    return reports[0]


@pytest.mark.long
def test_of_documents_and_files(source: Path) -> None:
    documents = {str(n): f'<a xmlns:xi="{XINCLUDE}"><xi:include href="b"/>&sea;<b xml:id="1"/></a>' for n in range(7)}
    write(source, {**documents, "large": f"<a>{'<b>x y</b>' * 80_000}</a>"})
    write(source, {"bad": "<a>", "worse": "<b>", "empty": ""})
    for number in range(20):
        (source / f"{number}.note").write_text("x")
    for number in range(3):
        (source / f"{number}.html").write_text("<p>x<br>y")
    declared = source.parent / "declared"
    declared.write_text('<!ENTITY sea "North Sea">')
    settings = BuildSettings(memory=LITTLE, entities=EntityOptions(file=str(declared)))
    first = report_of(source, settings, str(source), "!drafts", str(source / "1.xml"))

    assert (first.read, len(first.skipped), first.ignored) == (11, 3, {".note": 20})
    assert len(first.notices) == 7  # covered source, large, inclusions, pages, ids, another extension, no exclusion

    declared.write_text('<!ENTITY sea "Baltic">')
    write(source, {"3": "<a>", "4": "<b>changed</b>"})
    (source / "5.xml").unlink()
    changed = report_of(source, settings)

    assert (changed.read, changed.dropped, changed.documents) == (9, 11, 9)
    assert changed.skipped[0].file.endswith("3.xml")  # what is no longer searchable is first
    assert len(changed.notices) == 6  # entities have changed, large, inclusions, pages, ids, another extension


def test_of_tags_and_words(source: Path) -> None:
    profile = source.parent / "own.toml"
    profile.write_text('titles = ["itemm"]\n')
    write(source, {str(n): f"<list>lost words {'<heading/><item/>' * 20}</list>" for n in range(9)})
    settings = BuildSettings(profile=with_split(load_profile(str(profile)), "//(item|itme)"))

    report = report_of(source, settings, str(source))

    assert report.documents == 180
    assert len(report.notices) == 4  # text outside, unused tag that splits, misspelt tag, documents without words


def test_of_images_that_cannot_be_read(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_images, "can_read_images", lambda: False)
    for number in range(6):
        (source / f"{number}.png").write_bytes(b"")
        (source / f"{number}.xml").write_text(f'<html><body><img src="{number}.png"/></body></html>')

    settings = BuildSettings(profile=load_profile("html"))
    assert len(report_of(source, settings, str(source)).notices) == 1


def test_of_sources_without_xml(source: Path) -> None:
    (source / "a.note").write_text("x")

    assert len(report_of(source, BuildSettings(), str(source)).notices) == 1


def test_an_error_of_a_source_stops_both(source: Path) -> None:
    write(source, {str(n): "<a>sea</a>" for n in range(5)})
    (source / "archive.zip").write_text("no archive")
    settings = BuildSettings(stop_on_error=True)
    for name, n_shards in (("one.foxir", None), ("parts.foxir", 3)):
        with pytest.raises(CollectionError, match=r"archive\.zip"):
            update_index(source.parent / name, [str(source / "*")], settings, n_shards=n_shards)
        assert not (source.parent / name).exists()


@pytest.mark.long
def test_of_sources_that_leave_and_of_compaction(source: Path) -> None:
    write(source, {str(n): "<a>sea</a>" for n in range(5)})
    other = source.parent / "other"
    other.mkdir()
    write(other, {"3": "<a>fog</a>", "9": "<a>fog</a>"})
    report_of(source, BuildSettings(), str(source))
    both = report_of(source, BuildSettings(), str(other))
    assert (both.documents, len(both.skipped)) == (6, 1)

    left = report_of(source, BuildSettings(), forget=(str(source),))
    assert (left.documents, left.dropped) == (1, 5)
    for name in ("one.foxir", "parts.foxir"):
        compact_index(source.parent / name)
    assert report_of(source, BuildSettings()).documents == 2
