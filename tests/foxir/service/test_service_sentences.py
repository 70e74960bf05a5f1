"""Sentences and headings on pages are whole: what is in a line of the source is in one line of the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import foxir
from tests.foxir.service.living import client, page_of, text_shown

MATH = '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>t</mi></math>'
# Where it is a block that breaks a sentence.
BLOCKS = "div[not(contains(@class, 'phrase') or contains(@class, 'skipped') or @class = 'sup' or @class = 'label')]"


def shown(folder: Path, markup: str) -> tuple[Any, str]:
    """Return the text of a document on its page, which has all of its text, and its readable text."""
    (folder / "a.xml").write_text(markup, "utf-8")
    foxir.build_index(folder / "a.xml", into=folder / "a.foxir", infer=False)
    with foxir.open_index(folder / "a.foxir") as index, client(folder / "a.foxir") as web:
        page = page_of(web.get("/read", params={"document": "a"}))
        assert text_shown(page) == index.text("a")
        root = markup.strip("<").partition(">")[0].partition(" ")[0]
        return page.xpath("//div[@id='text']")[0], index.element("a", f"/{root}[1]").readable_text


def jats(body: str) -> str:
    return f"<article><front/><body>{body}</body></article>"


def test_a_formula_in_a_line_stays_in_it(tmp_path: Path) -> None:
    formula = f"<inline-formula><alternatives><tex-math>$t$</tex-math>{MATH}</alternatives></inline-formula>"
    text, readable = shown(tmp_path, jats(f"<p>Where {formula} holds.</p>"))

    assert not text.xpath(f".//div[@class='p']//{BLOCKS}")
    assert readable == "Where t holds."


def test_a_raised_reference_in_a_line_stays_in_it(tmp_path: Path) -> None:
    mark = '<sup class="reference"><a href="#n"><span>[</span>1<span>]</span></a></sup>'
    for number, root in enumerate(("html", "article")):  # of a known vocabulary, and of none
        (folder := tmp_path / str(number)).mkdir()
        text, readable = shown(folder, f"<{root}><body><p>A bell.{mark} It rings in fog.</p></body></{root}>")

        assert not text.xpath(f".//div[@class='p']//{BLOCKS}")
        assert text.xpath("string(.//div[@class='sup'])") == "[1]"
        assert readable == "A bell. [1] It rings in fog."


def test_lines_end_where_the_source_breaks_them(tmp_path: Path) -> None:
    lines = "Capitol (1990)<br/><b>Parlophone<br/></b>Radioactive<br/>"
    table = f"<table><tr><td>{lines}</td><td><br/>x</td></tr></table>"
    text, _ = shown(tmp_path, f"<html><body><p>{lines}</p>{table}<pre>a<br/>\nb</pre></body></html>")

    for block in text.xpath(".//div[@class='p'] | .//td[1]"):
        assert len(block.xpath(".//br")) == 2
        assert not block.xpath(".//*[@class='gap']")
    assert not text.xpath(".//td[2]//br | .//div[@class='code-block']//br")


def test_labels_are_in_their_headings_and_captions(tmp_path: Path) -> None:
    figures = "<fig><label>Fig 7</label><caption><p>A mast.</p></caption></fig>"
    figures += "<fig><label>Fig 8</label><caption><title>A bell</title><p>Of iron.</p></caption></fig>"
    text, _ = shown(tmp_path, jats(f"<sec><label>1</label><title>INTRODUCTION</title><p>Fog.</p>{figures}</sec>"))

    assert [each.text_content() for each in text.xpath(".//*[@role='heading']")] == ["1INTRODUCTION", "Fig 8A bell"]
    assert [each.text_content() for each in text.xpath(".//div[@class='p']")] == ["Fog.", "Fig 7A mast.", "Of iron."]


def test_numbers_are_in_the_headings_after_them_and_in_the_outline(tmp_path: Path) -> None:
    section = (
        "<section><num>Section 1.</num><heading>Duties</heading><content><p>Ring the bell.</p></content></section>"
    )
    shown(tmp_path, f'<akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0"><act><body>{section}'
          "</body></act></akomaNtoso>")  # fmt: skip
    with client(tmp_path / "a.foxir") as web:
        page = page_of(web.get("/read", params={"document": "a"}))

    assert page.xpath("string(//div[@id='text']//*[@role='heading'])") == "Section 1.Duties"
    assert "Section 1. Duties" in page.xpath("//ol[@class='outline']//a/text()")


def test_marks_of_notes_and_sources_are_raised_where_they_follow_a_word(tmp_path: Path) -> None:
    def to(place: str, text: str) -> str:
        return f'<xref rid="{place}">{text}</xref>'

    sentence = (
        f"Fog.{to('b', '1')} A bell,{to('b', '2')}, {to('b', '3')} (see {to('b', '4')}) of "
        f"[{to('b', '5')},{to('b', '6')}]"
        f" in Fig.{to('f', '7')} of Table {to('t', '8')}, iron{to('n', 'a')}<sup>{to('b', '9')}</sup>."
    )
    cells = f"<table><tr><td>Range,{to('n', 'e')} m</td></tr></table>"
    back = '<fn id="n"><p>Note.</p></fn><ref-list><ref id="b"><mixed-citation>Kern.</mixed-citation></ref></ref-list>'
    figure = '<fig id="f"><caption><p>A mast.</p></caption></fig>'
    table = f'<table-wrap id="t">{cells}</table-wrap>'
    text, readable = shown(tmp_path, jats(f"<p>{sentence}</p>{figure}{table}{back}"))

    assert "".join(text.xpath(".//div[@class='p']//sup//text()")) == "12, 3a9"
    assert text.xpath("string(.//td//sup)") == "e"
    assert readable.startswith("Fog. 1 A bell, 2, 3 (see 4) of [5, 6] in Fig. 7 of Table 8, iron a 9.")


def test_numbers_of_tei_that_lead_elsewhere_are_raised(tmp_path: Path) -> None:
    text, _ = shown(
        tmp_path, '<TEI><teiHeader/><text><body><p>In fog<ref target="#x">12</ref>.</p></body></text></TEI>'
    )

    assert text.xpath("string(.//sup)") == "12"


AKN = 'akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0"'
KEEPER = "<p>The keeper{}</p>"
NOTES = {
    "akn": f"<{AKN}><act><body>{KEEPER}</body></act></akomaNtoso>",
    "dita": f"<topic><title>A</title><body>{KEEPER}</body></topic>",
    "tei": f"<TEI><teiHeader/><text><body>{KEEPER}</body></text></TEI>",
    "jats": f"<article><front/><body>{KEEPER}</body></article>",
    "none": f"<ix><part>{KEEPER}</part></ix>",
}
TAGS = {"akn": "authorialNote", "dita": "fn", "tei": "note", "jats": "fn", "none": "footnote"}


@pytest.mark.parametrize("kind", NOTES)
def test_notes_do_not_break_sentences(tmp_path: Path, kind: str) -> None:
    tag = TAGS[kind]
    inside = "<p>Of a light</p><p>at sea.</p>" if kind == "akn" else "Of a light <i>at</i> sea."
    note = f"<{tag}>{inside}</{tag}> shall ring the bell."
    text, readable = shown(tmp_path, NOTES[kind].format(note))

    assert readable.endswith("The keeper [Of a light at sea.] shall ring the bell.")
    (folded,) = text.xpath(".//details[not(@open)]")
    assert folded.text_content().startswith("Of a light")
    assert folded.xpath("string(summary/@aria-label)") == "Note"
    with client(tmp_path / "a.foxir") as web:
        for asked, is_open in (("sea", True), ("bell", False)):
            page = page_of(web.get("/read", params={"document": "a", "q": asked}))
            assert len(page.xpath("//details[@class='aside'][@open]")) == is_open


def test_blocks_of_notes_are_no_notes_in_sentences_and_one_in_another_has_no_brackets(tmp_path: Path) -> None:
    notes = "<fn-group><fn><p>One.</p></fn></fn-group><p>A<fn>b<fn>c</fn></fn> d.</p>"
    text, readable = shown(tmp_path, jats(notes))

    assert readable == "One.\nA [b c] d."
    assert len(text.xpath(".//div[@class='note']")) == 1


def test_keywords_small_capitals_and_identifiers_are_told_apart(tmp_path: Path) -> None:
    keywords = "<kwd-group><kwd>fog</kwd> <kwd>iron bell</kwd></kwd-group>"
    source = "<mixed-citation><source>Sea</source> <fpage>1606</fpage>-<lpage>16</lpage>.<pub-id>19853906</pub-id>"
    text, _ = shown(
        tmp_path,
        f"<article><front><article-meta>{keywords}</article-meta></front><body><p>By <sc>Kern</sc>.</p></body>"
        f"<back><ref-list><ref>{source}</mixed-citation></ref></ref-list></back></article>",
    )

    assert [each.text_content() for each in text.xpath(".//div[@class='bit next']")] == ["iron bell"]
    assert text.xpath("string(.//span[@class='small-capitals'])") == "Kern"
    (number,) = text.xpath(".//div[. = '19853906']")
    assert number.getprevious().get("class") == "gap"


def test_notes_without_words_have_no_box(tmp_path: Path) -> None:
    notes = "<note> <chord/> </note><note>Careful in the fog.</note>"
    text, _ = shown(tmp_path, f"<ix><part>{notes}</part></ix>")

    assert [each.text_content() for each in text.xpath(".//div[@class='note']")] == ["Careful in the fog."]
