"""Headings that are such by their style alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import foxir
from engine.index.reader import open_reader
from engine.presentation.source_documents import SourceDocuments
from foxir import Index

LINE = "The miller and his brother carried the {} over the bridge before the first snow fell on the valley."
STYLES = ("Heading1", "Text", "heading 2", "Text", "heading 2", "Text", "Text", "Heading1", "Text")
TEXTS = ("Grain", "rye", "Of the north", "oats", "Of the south", "millet", "wheat", "Tools", "sieve")
OPEN_DOCUMENT = "urn:oasis:names:tc:opendocument:xmlns"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def index_of(folder: Path, markup: str) -> Index:
    (folder / "a.xml").write_text(markup, "utf-8")
    foxir.build_index(folder / "a.xml", into=folder / "x.foxir")
    return foxir.open_index(folder / "x.foxir")


def paragraphs(block: str) -> str:
    """Return headings and paragraphs, a line each, of which a block makes elements."""
    texts = (text if "ead" in style else LINE.format(text) for style, text in zip(STYLES, TEXTS, strict=True))
    return "\n".join(block.format(style, text) for style, text in zip(STYLES, texts, strict=True))


@pytest.mark.parametrize(
    ("block", "rule"),
    [
        ('<blk look="{}">{}</blk>', "blk/@look"),
        ('<blk n="1"><look of="{}"/><run>{}</run></blk>', "blk/look/@of"),
        ('<blk><props><look of="{}"/></props><run>{}</run></blk>', "blk/props/look/@of"),
    ],
)
def test_the_style_of_a_block_makes_it_a_heading_of_what_follows(tmp_path: Path, block: str, rule: str) -> None:
    index = index_of(tmp_path, f"<leaflet><flow>\n{paragraphs(block)}\n</flow></leaflet>")
    found = {word: index.search(word)[0] for word in ("oats", "millet", "wheat", "sieve")}

    assert open_reader(tmp_path / "x.foxir").profile_of(0).styles == {rule}
    assert {word: answer.breadcrumb for word, answer in found.items()} == {
        "oats": ["Grain", "Of the north"],
        "millet": ["Grain", "Of the south"],
        "wheat": ["Grain", "Of the south"],
        "sieve": ["Tools"],
    }
    assert found["oats"].path.startswith("/leaflet[1]/flow[1]/blk[4]")
    assert not [each.path for each in index.search("south", min_words=0) if "/blk[5]" in each.path]


@pytest.mark.parametrize(
    "markup",
    [
        "".join(f'<cell id="title{n}">{text}</cell>' for n, text in enumerate(TEXTS * 2)),
        paragraphs('<blk look="{}">{}</blk>').replace("heading 2", "aside").replace("Heading1", "note"),
        paragraphs('<blk look="{}">{}</blk>').replace(LINE.format("oats")[3:], "mill").replace("Text", "Heading3"),
    ],
    ids=["ids", "other styles", "nothing else"],
)
def test_ids_and_styles_of_all_blocks_make_no_headings(tmp_path: Path, markup: str) -> None:
    index_of(tmp_path, f"<leaflet><flow>{markup}</flow></leaflet>")

    assert not open_reader(tmp_path / "x.foxir").profile_of(0).styles


def test_headings_of_word_are_those_by_style(tmp_path: Path) -> None:
    block = '<w:p><w:pPr><w:pStyle w:val="{}"/></w:pPr><w:r><w:t>{}</w:t></w:r></w:p>'
    body = paragraphs(block).replace("Heading1", "berschrift1").replace("heading 2", "berschrift2")
    index = index_of(tmp_path, f'<w:document xmlns:w="{WORD}"><w:body>\n{body}\n</w:body></w:document>')
    answer = index.search("millet")[0]

    assert answer.breadcrumb == ["Grain", "Of the south"]
    assert answer.path == "/document[1]/body[1]/p[6]"


LEVELS = (
    (1, "Grain"),
    (2, "Of the north"),
    (0, "oats"),
    (2, "Of the south"),
    (0, "millet"),
    (1, "Tools"),
    (0, "sieve"),
)


@pytest.mark.parametrize(
    ("begin", "heading", "end"),
    [
        ("<leaflet><flow>", '<heading level="{}">{}</heading>', "</flow></leaflet>"),
        (
            f'<o:document xmlns:o="{OPEN_DOCUMENT}:office:1.0" xmlns:t="{OPEN_DOCUMENT}:text:1.0"><o:body><o:text>',
            '<t:h t:outline-level="{}">{}</t:h>',
            "</o:text></o:body></o:document>",
        ),
    ],
)
def test_an_attribute_of_headings_says_their_levels(tmp_path: Path, begin: str, heading: str, end: str) -> None:
    blocks = [heading.format(level, text) if level else f"<p>{LINE.format(text)}</p>" for level, text in LEVELS]
    blocks[-2] = blocks[-2].replace('-level="1"', '-style=""')  # OpenDocument has a default
    index = index_of(tmp_path, begin + "\n".join(blocks) + end)
    found = {word: index.search(word)[0].breadcrumb for word in ("oats", "millet", "sieve")}

    assert found == {"oats": ["Grain", "Of the north"], "millet": ["Grain", "Of the south"], "sieve": ["Tools"]}


TITLED = ("Grain", "rye", "Of the north", "oats", "Of the south", "millet", "wheat", "Tools", "sieve")
RUN = "<w:r>{}<w:t>{}</w:t></w:r>"


@pytest.mark.parametrize(
    ("begin", "heading", "text", "end"),
    [
        ("<leaflet><flow>", "<par><em>{}</em></par>", "<par>{}</par>", "</flow></leaflet>"),
        (
            f'<w:document xmlns:w="{WORD}"><w:body>',
            f"<w:p><w:pPr/>{RUN.format('<w:rPr><w:b/></w:rPr>', '{}')}</w:p>",
            f"<w:p>{RUN.format('', '{}')}</w:p>",
            "</w:body></w:document>",
        ),
    ],
    ids=["by use", "Word"],
)
def test_short_paragraphs_of_emphasis_before_longer_ones_are_headings(
    tmp_path: Path, begin: str, heading: str, text: str, end: str
) -> None:
    lines = [
        heading.format(each) if each.istitle() or " " in each else text.format(LINE.format(each)) for each in TITLED
    ]
    index = index_of(tmp_path, begin + "\n".join(lines) + end)
    found = {word: index.search(word)[0].breadcrumb for word in ("rye", "oats", "wheat", "sieve")}

    assert found == {"rye": ["Grain"], "oats": ["Of the north"], "wheat": ["Of the south"], "sieve": ["Tools"]}


@pytest.mark.parametrize(
    "block",
    [
        "<par><em>{0}.</em></par><par>{1}</par>",
        "<par><em>{0}</em></par><par><em>{1}</em></par>",
        "<par><em>{0}</em></par><note>{1}</note>",
        "<par><em>{0}</em> on</par><par>{1}</par>",
        "<par>{1}</par><par><em>{0}</em></par><list><item>{0}</item></list>",
        "<tr><em>{0}</em></tr><tr>{1}</tr>",
    ],
    ids=["sentences", "all in it", "before others", "more than it", "after a text", "rows"],
)
def test_other_paragraphs_with_emphasis_are_no_headings(tmp_path: Path, block: str) -> None:
    blocks = "".join(block.format(title, LINE.format(title)) for title in TITLED)
    index_of(tmp_path, f"<leaflet><flow>{blocks}</flow></leaflet>")

    assert not open_reader(tmp_path / "x.foxir").profile_of(0).styles


@pytest.mark.parametrize(
    "runs",
    [
        RUN.format('<w:rPr><w:b w:val="0"/></w:rPr>', "{}"),
        RUN.format("<w:rPr><w:i/></w:rPr>", "{}"),
        RUN.format("<w:rPr><w:b/></w:rPr>", "On ") + RUN.format("", "{}"),
    ],
    ids=["off", "italic", "in part"],
)
def test_paragraphs_that_are_not_bold_as_a_whole_are_no_headings_of_word(tmp_path: Path, runs: str) -> None:
    text = RUN.format("", LINE)
    lines = "".join(f"<w:p>{runs}</w:p><w:p>{text}</w:p>".replace("{}", each) for each in TITLED)
    index = index_of(tmp_path, f'<w:document xmlns:w="{WORD}"><w:body>{lines}</w:body></w:document>')

    assert index.search("valley sieve")[0].breadcrumb == []


def test_a_profile_names_attributes_of_styles(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('styles = ["blk/@look"]\n')
    (tmp_path / "a.xml").write_text('<a><blk look="h2">Oats</blk><blk>Sown in April.</blk><blk>Cut late.</blk></a>')
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir", profile=str(tmp_path / "own.toml"))

    index = foxir.open_index(tmp_path / "x.foxir")
    assert index.search("April", min_words=0)[0].breadcrumb == ["Oats"]


def test_elements_keep_their_places_in_the_source(tmp_path: Path) -> None:
    blocks = paragraphs('<blk look="{}">{}</blk>')
    index_of(tmp_path, f"<leaflet><flow>\n{blocks}\n</flow></leaflet>")

    with open_reader(tmp_path / "x.foxir") as index, SourceDocuments(index) as sources:
        found = sources.document(0)
        elements, parents = index.elements, index.elements.parent(np.arange(15))
        rows = np.flatnonzero(elements.is_tag(["blk"]).take(elements.tag(np.arange(15)))).tolist()
        assert [found.line(row) for row in rows] == list(range(2, 11))
        assert [found.xml(row) for row in rows] == blocks.split("\n")
        assert found.line(parents.tolist().index(rows[0])) == 2  # the heading in the first block
