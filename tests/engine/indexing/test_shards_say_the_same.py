"""A sharded build reports all that an ordinary one reports of the same sources: counts, notices, what was skipped."""

from __future__ import annotations

from collections.abc import Sequence
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
from engine.notices import Message, Notice
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


# What a build says of documents that are not indexed as their author may expect.


PAGE = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Tide</title></head><body><p>sea</p></body></html>'


def notices(
    folder: Path, documents: dict[str, str], profile: str = "auto", n_shards: int | None = None
) -> Sequence[Message]:
    source = folder / "source"
    source.mkdir()
    write(source, documents)
    settings = BuildSettings(profile=load_profile(profile))
    return update_index(folder / "index", [str(source)], settings, n_shards=n_shards).notices


@pytest.mark.parametrize(
    ("markup", "n"),
    [
        (f'<a xmlns:xi="{XINCLUDE}">sea<xi:include href="b.xml"/><p><xi:include href="c"/></p></a>', 2),
        (f'<a>sea<p><x:include href="c" xmlns:x="{XINCLUDE}">fog</x:include></p></a>', 1),
        (f'<include xmlns="{XINCLUDE}" href="b.xml"/>', 1),
        ('<a xmlns:xi="http://www.w3.org/2003/XInclude"><xi:include href="b.xml"/></a>', 1),
        (f'<a xmlns:xi="{XINCLUDE}"><include/>sea</a>', 0),
        ("<a><include/>sea /XInclude</a>", 0),
    ],
)
def test_inclusions_that_are_not_followed_are_counted(markup, n, tmp_path):
    found = notices(tmp_path, {"a": markup, "other": "<b/>"})

    assert found == ([Notice("inclusions_not_followed", {"elements": n})] if n else [])


def test_web_pages_that_are_no_xml_are_counted(tmp_path):
    for name, page in (("a", "<p>sea<br>fog"), ("b", PAGE), ("c", "<title>a&nbsp;b</title>")):
        (tmp_path / f"{name}.html").write_text(page)

    report = update_index(tmp_path / "index", [str(tmp_path)], BuildSettings())

    assert report.notices == [Notice("pages_read_as_html", {"pages": 1})]


def test_a_sharded_index_says_the_same(tmp_path):
    documents = {str(n): f'<a xmlns:xi="{XINCLUDE}"><xi:include href="b"/></a>' for n in range(5)}

    found = notices(tmp_path, documents, n_shards=2)

    assert found == [Notice("inclusions_not_followed", {"elements": 5})]


def test_files_with_wrong_ids_are_indexed_and_counted(tmp_path):
    documents = {
        "a": '<a><p xml:id="x">sea</p><p xml:id="x">fog</p></a>',
        "b": '<a xml:id="1 2"/>',
        "c": '<a xml:id="x"><p id="x"/><p id="x"/></a>',
    }

    assert notices(tmp_path, documents) == [Notice("wrong_ids", {"files": 2})]


def misspelt(*tags: tuple[str, str, str]) -> Notice:
    named = [dict(zip(("tag", "kind", "near"), each, strict=True)) for each in tags]
    return Notice("misspelt_tags", {"tags": tuple(Notice("misspelt_tag", fields) for fields in named)})


@pytest.mark.parametrize("n_shards", [None, 2])
def test_tags_of_a_profile_that_are_misspelt_are_named(tmp_path, n_shards):
    profile = tmp_path / "own.toml"
    profile.write_text('titles = ["headding", "title"]\ninline = ["emph", "it"]\nrows = ["unit", "tittle"]\n')
    documents = {str(n): "<a><heading>Sea</heading><p><emph>fog</emph></p><title>x</title></a>" for n in range(3)}

    expected = [misspelt(("headding", "titles", "heading"), ("tittle", "rows", "title"))]
    assert notices(tmp_path, documents, str(profile), n_shards) == expected
    settings = BuildSettings(profile=load_profile(str(profile)))
    assert update_index(tmp_path / "index", [], settings).notices == []


def test_tags_of_a_profile_that_another_extends_are_not_misspelt(tmp_path):
    profile = tmp_path / "own.toml"
    profile.write_text('extends = "jats"\ntitles = ["titel"]\n')
    documents = {"a": "<article><title>Sea</title><table><tr><td>fog</td></tr></table></article>"}

    assert notices(tmp_path, documents, str(profile)) == [misspelt(("titel", "titles", "title"))]


@pytest.mark.parametrize("n_shards", [None, 2])
def test_documents_without_a_word_are_told(tmp_path, n_shards):
    posts = "".join(f'<row Id="{number}" Body="fog signal"/>' for number in range(30))

    documents = {"posts": f"<posts>{posts}</posts>", "none": "<posts/>"}

    assert notices(tmp_path, documents, n_shards=n_shards) == [Notice("no_words")]


LONG = "The harbour board met every week to look at the state of the quays and the lights, and found them wanting. "


def test_tags_of_a_profile_that_are_used_otherwise_are_told_once_with_numbers(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('inline = ["part", "em"]\ntitles = ["says", "cap"]')
    part = f"<part><cap>Quays</cap><says>{LONG * 2}</says><p>It <em>was</em> dark.</p></part>"
    (tmp_path / "a.xml").write_text(f"<log>{part * 3}</log>")
    settings = BuildSettings(profile=load_profile(str(tmp_path / "mine.toml")))
    first = update_index(tmp_path / "index", [str(tmp_path / "a.xml")], settings)
    (tmp_path / "a.xml").write_text(f"<log>{part * 4}</log>")
    second = update_index(tmp_path / "index", [], settings)

    assert [notice.fields["tags"] for notice in first.notices if isinstance(notice, Notice)] == [
        (Notice("long_title", {"tag": "says", "elements": 3, "words": 42}),),
        (Notice("holds_blocks", {"tag": "part", "elements": 3, "with_blocks": 3}),),
    ]
    assert second.read == 1
    assert not second.notices
