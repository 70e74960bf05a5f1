"""Links: within a document, and to elements of documents that change; what a page offers to search instead.

Citations of a place in a document.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.testclient import TestClient

import foxir
from foxir.service.pages.citations import citation
from tests.foxir.service.living import client, page_of, text_shown

JATS = (
    "<article><front/><body><sec><p>As shown<xref rid='r2'><sup>2</sup></xref> in <xref rid='t1'>Table 1</xref> and "
    "<xref rid='none'>elsewhere</xref>.</p><table-wrap id='t1'><label>Table 1</label><table><tr><td>x</td></tr></table>"
    "</table-wrap></sec></body><back><ref-list><ref id='r1'><p>One</p></ref><ref id='r2'><p>Two</p></ref></ref-list>"
    "</back></article>"
)
DITA = '<topic id="top"><title>T</title><body><p>See <xref href="#there">there</xref>, <xref href="http://x/#y">y</xref>.</p>'
DITA += '<section id="there"><title>There</title><p>lamp</p></section></body></topic>'


def test_references_lead_to_what_they_name(tmp_path: Path) -> None:
    for name, markup in (("jats", JATS), ("dita", DITA)):
        (tmp_path / f"{name}.xml").write_text(markup)
    foxir.build_index(tmp_path, into=tmp_path / "x.foxir")
    with client(tmp_path / "x.foxir") as web, foxir.open_index(tmp_path / "x.foxir") as index:
        pages = {name: page_of(web.get("/read", params={"document": name})) for name in ("jats", "dita")}
        assert all(text_shown(page) == index.text(name) for name, page in pages.items())

    def linked(page: Any) -> dict[str, str]:
        links = page.xpath("//div[@id='text']//a[not(contains(@class, 'why'))]")
        return {
            each.text_content(): " ".join(
                page.xpath("//*[@id=$place]", place=each.get("href")[1:])[0].text_content().split()
            )
            for each in links
        }

    assert linked(pages["jats"]) == {"2": "Two", "Table 1": "Table 1x"}
    assert linked(pages["dita"]) == {"there": "Therelamp"}
    assert pages["jats"].xpath("//div[@id='text']//a/sup/text()") == ["2"]


def test_a_reference_without_text_is_shown_by_the_title_of_what_it_refers_to(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><div xml:id="oil"><head>On lamp oil</head>'
        '<p>Fog, as said in <ptr target="#salt"/>, <ptr target="#oil"/> and <ref target="#plain"/>.</p></div>'
        '<div xml:id="salt"><head>On &lt;salt&gt;</head><p xml:id="plain">Fog.</p></div></body></text></TEI>'
    )
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    with client(tmp_path / "x.foxir") as web, foxir.open_index(tmp_path / "x.foxir") as index:
        page = page_of(web.get("/read", params={"document": "a"}))
        assert text_shown(page) == index.text("a")

    (link,) = page.xpath("//div[@id='text']//a[not(contains(@class, 'why'))]")
    assert link.get("data-name") == "On <salt>"
    assert page.xpath("//*[@id=$place]//*[.='On <salt>']", place=link.get("href")[1:])


def test_a_reference_without_text_to_a_figure_without_title_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        '<document><para>As <link target-id="one"/> shows, and <link target-id="two"/> not.</para>'
        '<figure id="one"><caption>A lamp.</caption></figure><para id="two">Fog.</para></document>'
    )
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    with client(tmp_path / "x.foxir") as web:
        page = page_of(web.get("/read", params={"document": "a"}))
    (link,) = page.xpath("//div[@id='text']//a[@class='named']")
    assert (link.get("data-name"), link.get("aria-label")) == ("Figure", "Figure")


# Of "lamp oil".
CHECKSUM = hashlib.sha256(b"lamp oil").hexdigest()[:16]


def _with(folder: Path, body: str) -> None:
    (folder / "a.xml").write_text(f"<doc><title>T</title>{body}</doc>")
    foxir.build_index(folder / "a.xml", into=folder / "x.foxir")


def _lasting(folder: Path, path: str) -> dict[str, str]:
    with client(folder / "x.foxir") as web:
        page = page_of(web.get("/read", params={"document": "a", "path": path}))
    (link,) = page.xpath("//a[.='Link to this place']/@href")
    return {name: values[0] for name, values in parse_qs(urlsplit(link).query).items()}


def _shown(folder: Path, link: dict[str, str]) -> tuple[str, str]:
    """Return the text of the element that a link leads to, and what the page says of it."""
    with client(folder / "x.foxir") as web:
        page = page_of(web.get("/read", params=link))
    return (
        "".join(page.xpath("//*[contains(concat(' ', @class, ' '), ' focus ')]")[0].itertext())
        if page.xpath("//*[contains(concat(' ', @class, ' '), ' focus ')]")
        else "",
        page.xpath("string(//p[@class='notice'])"),
    )


def test_a_link_to_an_element_with_an_id_names_it(tmp_path: Path) -> None:
    _with(tmp_path, "<p>first</p><p id='kept'>lamp oil</p>")
    link = _lasting(tmp_path, "/doc[1]/p[2]")
    _with(tmp_path, "<p>new</p><p>first</p><p id='kept'>lamp oil, changed</p>")

    assert link == {"document": "a", "path": "kept", "checksum": CHECKSUM}
    text, notice = _shown(tmp_path, link)
    assert (text, "has changed" in notice) == ("lamp oil, changed", True)
    _with(tmp_path, "<p>new</p><p>first</p><p id='renamed'>lamp oil</p>")
    text, notice = _shown(tmp_path, link)
    assert (text, "has moved" in notice) == ("lamp oil", True)
    _with(tmp_path, "<p>new</p>")
    text, notice = _shown(tmp_path, link)
    assert (text, "not found any more" in notice) == ("", True)


PEOPLE = {"Accept": "text/html"}


def test_a_link_without_a_checksum_to_a_lost_place_shows_people_the_document(tmp_path: Path) -> None:
    _with(tmp_path, "<p id='kept'>lamp oil</p>")
    with client(tmp_path / "x.foxir") as web:
        answer = web.get("/read", params={"document": "a", "path": "gone"}, headers=PEOPLE)
        page = page_of(answer)
        assert answer.status_code == 404
        assert text_shown(page) == "Tlamp oil"
        assert "id of an element" in page.xpath("string(//p[@id='focus'])")
        assert web.get("/read", params={"document": "a", "path": "gone"}).status_code == 404


def _address_of_card(folder: Path, **parameters: str) -> dict[str, str]:
    """Return the parameters of the link of the first card."""
    with client(folder / "x.foxir") as web:
        page = page_of(web.get("/", params={"q": "lamp", "min_words": "1", **parameters}))
    link = parse_qs(urlsplit(page.xpath("//ol[@class='list']//h2/a/@href")[0]).query)
    return {name: values[0] for name, values in link.items()}


@pytest.mark.parametrize("unit", ["element", "sentence"])
def test_the_link_of_a_card_lasts(tmp_path: Path, unit: str) -> None:
    _with(tmp_path, "<p>first</p><p>lamp oil. It burns.</p>")
    link = _address_of_card(tmp_path, unit=unit)
    assert _shown(tmp_path, link)[1] == ""
    _with(tmp_path, "<p>first</p><p>lamps went out. Nothing burns now.</p>")
    assert "has changed" in _shown(tmp_path, link)[1]
    _with(tmp_path, "<p>x</p>")
    assert "not found any more" in _shown(tmp_path, link)[1]


@pytest.mark.parametrize("unit", ["element", "sentence"])
def test_all_links_of_a_card_lead_somewhere(tmp_path: Path, unit: str) -> None:
    _with(tmp_path, "<p>first</p><p>lamp oil. It burns.</p>")
    with client(tmp_path / "x.foxir") as web:
        page = page_of(web.get("/", params={"q": "lamp", "min_words": "1", "unit": unit}))
        links = page.xpath("//article//a/@href")
        assert len(links) > 1
        assert {web.get(link).status_code for link in links} == {200}


def test_a_lost_place_beside_answers_leaves_the_answers(tmp_path: Path) -> None:
    _with(tmp_path, "<p>first</p><p>lamp oil</p>")
    link = _address_of_card(tmp_path)
    place = {name: link[name] for name in ("path", "checksum")}
    with client(tmp_path / "x.foxir") as web:
        page = page_of(web.get("/", params={"q": "lamp", "open": "a", **place}))
        again = parse_qs(urlsplit(page.xpath("//a[.='Permalink']/@href")[0]).query)
        assert again == {"q": ["lamp"], "open": ["a"], **{name: [value] for name, value in place.items()}}
        lost = web.get("/", params={"q": "lamp", "open": "lost", **place}, headers=PEOPLE)
        assert lost.status_code == 404
        assert page_of(lost).xpath("//ol[@class='list']/li")
        assert "'lost' is not in index" in page_of(lost).xpath("string(//p[@role='alert'])")
    _with(tmp_path, "<p>lamp</p>")
    with client(tmp_path / "x.foxir") as web:
        page = page_of(web.get("/", params={"q": "lamp", "open": "a", "min_words": "1", **place}))
    assert page.xpath("//ol[@class='list']/li")
    assert "not found any more" in page.xpath("string(//header[@class='bar']/p[@class='notice'])")


def test_a_link_to_the_second_element_with_an_id_has_its_path(tmp_path: Path) -> None:
    _with(tmp_path, "<p id='twice'>first</p><p id='twice'>lamp oil</p>")
    assert [_lasting(tmp_path, f"/doc[1]/p[{n}]")["path"] for n in (1, 2)] == ["twice", "/doc[1]/p[2]"]


@pytest.mark.parametrize(
    ("body", "shown", "said"),
    [
        ("<p>first</p><p>lamp oil</p>", "lamp oil", ""),
        ("<p>new</p><p>first</p><p>lamp oil</p>", "lamp oil", "has moved"),
        ("<p>first</p><p>lamp oil, changed</p>", "lamp oil, changed", "has changed"),
        ("<p>new</p><p>first</p><p>lamp oil</p><p>lamp oil</p>", "first", "has changed"),
        ("<p>first</p>", "", "not found any more"),
    ],
)
def test_a_link_to_another_element_finds_its_text_or_says_that_it_moved(
    tmp_path: Path, body: str, shown: str, said: str
) -> None:
    _with(tmp_path, "<p>first</p><p>lamp oil</p>")
    link = _lasting(tmp_path, "/doc[1]/p[2]")
    assert set(link) == {"document", "path", "checksum"}
    _with(tmp_path, body)

    found, notice = _shown(tmp_path, link)

    assert (found, said in notice, bool(notice)) == (shown, True, bool(said))


def test_a_page_offers_what_may_be_meant(web: TestClient) -> None:
    misspelt = page_of(web.get("/", params={"q": "fog lighthoue lamp"}))
    told = web.get("/api/search", params={"q": "fog lighthoue lamp"}).json()
    path = page_of(web.get("/", params={"q": "//sec[about(., lamp)]"}))
    lost = page_of(web.get("/nothing", headers={"Accept": "text/html"}))

    assert told["meant"] == "fog lighthouse lamp"
    assert misspelt.xpath("//p[@class='notice']/a/@href") == ["/?q=fog+lighthouse+lamp"]
    (notice,) = path.xpath("//p[@class='notice']")
    assert notice.xpath("a[.='Search by structure']/@href") == ["/?q=%2F%2Fsec%5Babout%28.%2C+lamp%29%5D&syntax=path"]
    assert lost.xpath("//form[@role='search']//input[@name='q']")
    assert "Paragraph (p)" in misspelt.xpath("//aside//span[@title='p']/text()")


def test_a_citation_names_the_document_and_leads_to_the_place(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        "<article><front><journal-meta><journal-title>Harbours</journal-title></journal-meta><article-meta>"
        "<title-group><article-title>Lamps &amp; 50% {fog}</article-title></title-group><contrib-group>"
        "<contrib contrib-type='author'><name><surname>Kerr</surname><given-names>Ida</given-names></name></contrib>"
        "<contrib contrib-type='author'><collab>Keepers and Sons</collab></contrib></contrib-group><pub-date><year>1998"
        "</year></pub-date><volume>7</volume><issue>2</issue><fpage>11</fpage><lpage>19</lpage><product><volume>5"
        "</volume></product></article-meta></front><body><sec><title>Glass</title><p>lamp</p></sec></body></article>"
    )
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    path = "/article[1]/body[1]/sec[1]/p[1]"
    with client(tmp_path / "x.foxir") as web:
        parameters = {"document": "a", "path": path}
        text, bibtex, csl = page_of(web.get("/read", params=parameters)).xpath("//*[@id='cite']/pre/text()")
        (record,) = json.loads(csl)
        cited = web.get(record["URL"])
        of_document = page_of(web.get("/read", params={"document": "a"})).xpath("//*[@id='cite']/pre/text()")
        card = page_of(web.get("/", params={"q": "lamp"})).xpath("string(//*[@class='by'])")

    assert text.startswith(
        "Ida Kerr, Keepers and Sons (1998) Lamps & 50% {fog}. Harbours 7(2): 11–19. Glass. http://127.0.0.1:8080/read?"
    )
    assert bibtex.startswith("@article{kerr1998,\n")
    assert r"{Lamps \& 50\% \textbraceleft{}fog\textbraceright{}}" in bibtex
    assert (record["title"], record["issued"]["date-parts"]) == ("Lamps & 50% {fog}", [[1998]])
    assert "author = {Kerr, Ida and {Keepers and Sons}}" in bibtex
    assert "volume = {7},\n  number = {2},\n  pages = {11--19}" in bibtex
    assert record["author"] == [{"family": "Kerr", "given": "Ida"}, {"literal": "Keepers and Sons"}]
    assert [record[name] for name in ("volume", "issue", "page")] == ["7", "2", "11-19"]
    assert record["section"] == "Glass"
    assert page_of(cited).xpath("string(//*[contains(concat(' ', @class, ' '), ' focus ')])") == "lamp"
    (whole,) = json.loads(of_document[2])
    assert "section" not in whole
    assert "path" not in whole["URL"]
    assert card == "Ida Kerr, Keepers and Sons · 1998 · Harbours"


NAMES = {
    "jats": "<article><front><article-meta><contrib-group><contrib contrib-type='author'><name><surname>King</surname>"
    "<given-names>Martin</given-names><suffix>Jr.</suffix></name></contrib></contrib-group></article-meta></front>"
    "<body><p>x</p></body></article>",
    "tei": "<TEI xmlns='http://www.tei-c.org/ns/1.0'><teiHeader><fileDesc><titleStmt><title>T</title><author><persName>"
    "<forename>Martin</forename> <surname>King</surname></persName></author></titleStmt><sourceDesc><biblStruct>"
    "<monogr><imprint><biblScope unit='volume'>7</biblScope><biblScope unit='page'>11–19</biblScope></imprint></monogr>"
    "</biblStruct></sourceDesc></fileDesc></teiHeader><text><body><p>x</p></body></text></TEI>",
    "docbook": "<article xmlns='http://docbook.org/ns/docbook' version='5.0'><info><title>T</title><author><personname>"
    "<firstname>Martin</firstname><surname>King</surname></personname></author></info><para>x</para></article>",
    "ieee": "<article><fno>1</fno><fm><hdr><hdr2><obi><volno>Vol. 7</volno></obi><pp>pp. 11-19</pp></hdr2></hdr><tig>"
    "<atl>T</atl></tig><au><fnm>Martin</fnm><snm>King</snm></au></fm><bdy><sec><st>S</st><p>x</p></sec></bdy></article>",
}


def test_family_names_are_those_of_the_vocabulary(tmp_path: Path) -> None:
    for kind, markup in NAMES.items():
        (tmp_path / f"{kind}.xml").write_text(markup, "utf-8")
    foxir.build_index(tmp_path, into=tmp_path / "made.foxir")
    with client(tmp_path / "made.foxir") as web:
        for kind in NAMES:
            cited = page_of(web.get("/read", params={"document": kind})).xpath("//*[@id='cite']/pre/text()")[1]
            assert f"author = {{King, {'Jr., ' * (kind == 'jats')}Martin}}" in cited, kind
            assert ("volume = {7},\n  pages = {11--19}" in cited) == (kind in ("tei", "ieee")), kind


def test_names_are_shown_as_people_write_them(tmp_path: Path) -> None:
    eastern = NAMES["jats"].replace("<name>", "<name name-style='eastern'>")
    for kind, markup in {**NAMES, "eastern": eastern}.items():
        (tmp_path / f"{kind}.xml").write_text(markup, "utf-8")
    foxir.build_index(tmp_path, into=tmp_path / "made.foxir")
    by = "string(.//*[@class='by'])"
    shown = {"jats": "Martin King Jr.", "tei": "Martin King", "docbook": "Martin King", "eastern": "King Martin Jr."}
    with client(tmp_path / "made.foxir") as web:
        cards = page_of(web.get("/", params={"q": "x"})).xpath("//ol[@class='list']/li")
        found = {card.xpath("string(.//*[@class='path'])").split()[0]: card.xpath(by) for card in cards}
        for kind, name in shown.items():
            page = page_of(web.get("/read", params={"document": kind}))
            assert (found[kind], page.xpath(by)) == (name, name), kind


def test_no_value_ends_its_field_in_bibtex() -> None:
    found = citation(
        {"journal": 'J }, url = "http://evil.example", x = {', "author": ["A}} b"]}, "T}", "", "http://h/r"
    )
    depths = [0]
    for character in found["BibTeX"]:
        depths.append(depths[-1] + (character == "{") - (character == "}"))
    assert min(depths) == depths[-1] == 0
    assert depths.index(0, found["BibTeX"].index("{") + 1) == len(depths) - 1  # closed at the end and not before


def test_a_year_is_a_number_and_a_key_is_never_empty() -> None:
    found = citation({"date": "\u00b2\u00b2\u00b2\u00b2", "author": "\u738b"}, "\u738b", "", "http://h/r")
    assert found["BibTeX"].startswith("@misc{item,")
    assert "issued" not in json.loads(found["CSL-JSON"])[0]
