"""What a build says of documents that are not indexed as their author may expect."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.collection.profiles.profile_files import load_profile
from engine.indexing.build import update_index
from engine.indexing.build_settings import BuildSettings
from engine.notices import Message, Notice
from tests.engine.small_index import write

XINCLUDE = "http://www.w3.org/2001/XInclude"
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
