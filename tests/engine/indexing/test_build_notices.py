"""What a build says of documents that are not indexed as their author may expect."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.collection.profiles.profile_files import load_profile
from engine.indexing.build import update_index
from engine.indexing.build_settings import BuildSettings
from tests.engine.small_index import write

XINCLUDE = "http://www.w3.org/2001/XInclude"
PAGE = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Tide</title></head><body><p>sea</p></body></html>'


def notices(
    folder: Path, documents: dict[str, str], profile: str = "auto", n_shards: int | None = None
) -> Sequence[str]:
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

    counted = f"{n} xi:include element{'s were' if n > 1 else ' was'}"
    expected = f"{counted} not followed: an included file is a document of its own if a source contains it."
    assert [notice.partition(" To ")[0] for notice in found] == ([expected] if n else [])


@pytest.mark.parametrize(("profile", "n"), [("auto", 2), ("html", 0), ("none", 0)])
def test_web_pages_that_no_profile_is_chosen_for_are_counted(profile, n, tmp_path):
    found = notices(tmp_path, {"a": PAGE, "b": PAGE, "c": PAGE.replace("xhtml", "html")}, profile)

    assert [notice.partition(" were ")[0] for notice in found] == ([f"{n} XHTML pages"] if n else [])
    assert all("--profile html" in notice for notice in found)


def test_a_sharded_index_says_the_same(tmp_path):
    documents = {str(n): f'<a xmlns:xi="{XINCLUDE}"><xi:include href="b"/></a>' for n in range(5)}

    found = notices(tmp_path, documents, n_shards=2)

    assert sum(int(notice.partition(" ")[0]) for notice in found) == 5


def test_files_with_wrong_ids_are_indexed_and_counted(tmp_path):
    documents = {
        "a": '<a><p xml:id="x">sea</p><p xml:id="x">fog</p></a>',
        "b": '<a xml:id="1 2"/>',
        "c": '<a xml:id="x"><p id="x"/><p id="x"/></a>',
    }

    assert notices(tmp_path, documents) == [
        "2 files have a repeated xml:id, or one that is not an XML name; all elements are indexed."
    ]


@pytest.mark.parametrize("n_shards", [None, 2])
def test_tags_of_a_profile_that_are_misspelt_are_named(tmp_path, n_shards):
    profile = tmp_path / "own.toml"
    profile.write_text('titles = ["headding", "title"]\ninline = ["emph", "it"]\nrows = ["unit", "Title"]\n')
    documents = {str(n): "<a><heading>Sea</heading><p><emph>fog</emph></p><title>x</title></a>" for n in range(3)}

    assert notices(tmp_path, documents, str(profile), n_shards) == [
        "the profile names elements that no document has: Title (in rows; did you mean title?), headding (in titles; "
        "did you mean heading?). Tags are local names and case-sensitive."
    ]
    settings = BuildSettings(profile=load_profile(str(profile)))
    assert update_index(tmp_path / "index", [], settings).notices == []


def test_tags_of_a_profile_that_another_extends_are_not_misspelt(tmp_path):
    profile = tmp_path / "own.toml"
    profile.write_text('extends = "jats"\ntitles = ["titel"]\n')
    documents = {"a": "<article><title>Sea</title><table><tr><td>fog</td></tr></table></article>"}

    (notice,) = notices(tmp_path, documents, str(profile))

    assert notice.startswith("the profile names elements that no document has: titel (in titles; did you mean title?).")


@pytest.mark.parametrize("n_shards", [None, 2])
def test_documents_without_a_word_are_told(tmp_path, n_shards):
    posts = "".join(f'<row Id="{number}" Body="fog signal"/>' for number in range(30))

    (notice,) = notices(tmp_path, {"posts": f"<posts>{posts}</posts>", "none": "<posts/>"}, n_shards=n_shards)

    assert notice.startswith("no document has a word in its elements, so that no words find any.")
    assert "//*[about(./@NAME, words)]" in notice
