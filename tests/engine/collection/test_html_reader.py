"""Web pages as they are in the wild: what a browser understands becomes XML, offsets and markup are of that."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from engine.collection.html_reader import page_as_xml
from engine.collection.limits import Limits
from engine.collection.xml_reader import read_markup
from engine.errors import CollectionError
from engine.index.reader import open_reader
from engine.presentation.source_documents import SourceDocuments
from tests.engine.small_index import build_index
from tests.trust.soak import effort


def body(page: str | bytes) -> str:
    raw = page if isinstance(page, bytes) else page.encode()
    found = page_as_xml(raw, "a.html", Limits())
    assert found is not None
    root = etree.fromstring(found)
    text = etree.tostring(root[-1], encoding="unicode")
    return text.replace(' xmlns="http://www.w3.org/1999/xhtml"', "").removeprefix("<body>").removesuffix("</body>")


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<p>a<br>b<p>c", "<p>a<br/>b</p><p>c</p>"),
        ("<ul><li>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>"),
        ("<!doctype html><p>x<table>note<tr><td>c", "<p>x</p>note<table><tbody><tr><td>c</td></tr></tbody></table>"),
        ("<h1>a<h2>b</h1>", "<h1>a</h1><h2>b</h2>"),
        ("<b>x<p>y</b>z</p>", "<b>x</b><p><b>y</b>z</p>"),
        ("<a href=x id=one>1<a href=y>2</a>", '<a href="x" id="one">1</a><a href="y">2</a>'),
        ("a &lt b &copy 2 &unknown;", "a &lt; b © 2 &amp;unknown;"),
        ('<p @click=f() a:b=1 x="\'&quot;\n">t\x0b</o:p></p>', '<p _click="f()" b="1" x="\'&quot;&#10;">t�</p>'),
        (b"\xff\xfe" + "<p>é".encode("utf-16-le"), "<p>é</p>"),
        ("<meta charset=iso-8859-1><p>é…".replace("…", "\x85").encode("latin-1"), "<p>é…</p>"),
        (b"<p>caf\xe9", "<p>café</p>"),
        ("<p>", "<p/>"),
    ],
)
def test_pages_are_read_as_browsers_read_them(page: str | bytes, expected: str) -> None:
    assert body(page) == expected


@pytest.mark.parametrize(
    ("page", "name"),
    [
        ("<p>a<br/>b</p>", "a.html"),
        ("<html><body>&nbsp;</body></html>", "b.HTM"),
        ("<p>a<br>", "c.xml"),
        ("<p>", "d.xhtml"),
    ],
)
def test_xml_stays_as_it_is(page: str, name: str) -> None:
    assert page_as_xml(page.encode(), name, Limits()) is None


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("<div>" * 50_000, "elements nested more than 1,000 deep"),
        ("".join(f"<b id={n}>" for n in range(2000)) + "<p>x" * 2000, "<b> are not closed"),
        ("\0\0\0\x01", "it is no text"),
        ("<div>" * 1_500, "max_depth"),
        (f"<p {' '.join(f'a{n}' for n in range(300_000))}>fog<p>", "a tag with more than 10,000 attributes"),
        ("<p " + "".join(f"a{n}='>'" for n in range(300_000)) + ">fog<p>", "a tag with more than 10,000 attributes"),
        (f"<p x\" a=b='{' '.join(f'a{n}' for n in range(300_000))}' >fog<p>", "more than 10,000 attributes"),
    ],
)
def test_hostile_pages_are_refused_at_once(page: str, reason: str) -> None:
    with pytest.raises(CollectionError, match=reason):
        read_markup(page.encode(), "a.html")


def test_long_values_of_attributes_are_read() -> None:
    value = "fog > 'sea' = " * 20_000
    assert b"lamp" in (page_as_xml(f'<p data-page="{value}">lamp<p>'.encode(), "a.html", Limits()) or b"")


def test_comparisons_in_scripts_are_no_tags() -> None:
    script = "<script type=a>" + "for(i=0;i<n;i++)f('<b>');" * 9_000 + "</script>"
    page = page_as_xml(f"<p>lamp{script}<p>{script}fog".encode(), "a.html", Limits()) or b""
    assert b'<p>lamp<script type="a"></script></p><p><script type="a"></script>fog</p>' in page
    assert b"<script>i&lt;n</script>" in (page_as_xml(b"<p><script>i<n</script>", "a.html", Limits()) or b"")


def test_tags_are_no_script_where_a_parser_may_find_none() -> None:
    for hidden in ("<!-- <script> -->{}<!-- </script> -->", "<svg><script></svg></script>{}", "<script>{}"):
        with pytest.raises(CollectionError, match="deep"):
            page_as_xml(hidden.format("<div>" * 9_000).encode(), "a.html", Limits())


def test_offsets_ids_and_markup_are_those_of_the_parsed_page(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "a.htm").write_text(
        "<title>Knots</title><h1>Boats</h1><p id=k>A <b>bow</b>line &amp; more<p>x"
    )
    build_index(tmp_path / "site", into=tmp_path / "index")
    with open_reader(tmp_path / "index") as index, SourceDocuments(index) as sources:
        (row,) = [
            row for row in range(9) if index.elements.attributes(["id"], index.live_documents)[0].tolist() == [row]
        ]
        start, end = index.spans(0, index.elements.attributes(["id"], index.live_documents)[0])[0].tolist()
        assert index.text(0)[start:end] == "A bowline & more"
        assert sources.document(0).xml(row) == '<p id="k">A <b>bow</b>line &amp; more</p>'
        assert index.profile_of(0).name == "html"


PIECES = st.sampled_from(
    [
        *("<p>", "</p>", "<b>", "</b>", "<table>", "<tr>", "<td>", "</table>", "<x:y z=1>", "text ", "&amp;"),
        *("&#0;", "<!--", "-->", "<svg>", "</svg>", "<a b'c=\"d>", "<script>", "</script>", "\x00", "<template>"),
        *("<?x", "é", "\r", "<h1", ">"),
    ]
)


@settings(max_examples=effort(20, 5000, thorough=400), deadline=None)
@given(st.lists(PIECES, max_size=25).map("".join))
def test_every_page_becomes_xml(page: str) -> None:
    found = page_as_xml(page.replace("\0", "").encode(), "a.html", Limits())
    if found is not None:
        read_markup(found, "a.xml")
