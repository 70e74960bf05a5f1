"""What a person meets first: queries to begin with, an index a card, suggestions, a document without its metadata."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

import foxir
from tests.foxir.conftest import Sample
from tests.foxir.service.living import QUERY, client, got, page_of, problem, text_shown

PAPER = (
    "<article><front><journal-meta><journal-title>Harbours</journal-title></journal-meta><article-meta>"
    "<title-group><article-title>Lamps in fog</article-title></title-group>"
    "<contrib-group><contrib contrib-type='author'><name><surname>Kerr</surname> <given-names>Ida</given-names></name>"
    "</contrib></contrib-group><aff>Tollan</aff><pub-date><year>1998</year></pub-date>"
    "<abstract><p>Lamps were seen.</p></abstract></article-meta></front><body><sec><title>Glass</title><p>Oil lamp.</p>"
    "</sec></body><back><ref-list><title>References</title><ref id='r'><label>4.</label><element-citation>"
    "<person-group><name><surname>Holm</surname><given-names>A</given-names></name></person-group>"
    "<article-title>Bells</article-title><year>1901</year></element-citation></ref></ref-list></back></article>"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("papers")
    (found / "a.xml").write_text(PAPER)
    foxir.build_index(found / "a.xml", into=found / "papers.foxir", stem="none")
    return found / "papers.foxir"


@pytest.mark.long
def test_the_start_page_offers_queries_that_have_answers_and_an_index_a_card(folder: Path, sample: Sample) -> None:
    with client(sample.folder / "sample.foxir", folder) as web:
        page = page_of(web.get("/"))
        examples = page.xpath("//p[@class='examples']/a")
        assert [each.text_content().startswith("//") for each in examples] == [False, False, False, True]
        for each in examples:
            assert page_of(web.get(each.get("href"))).xpath("//ol[@class='list']/li")
        cards = page.xpath("//ul[@class='indexes']/li")
        assert [each.xpath("string(a)") for each in cards] == ["all indexes", "sample", "papers"]
        assert "1 document," in cards[2].text_content()
        other = page_of(web.get(cards[2].xpath("string(a/@href)")))
        assert other.xpath("//ul[@class='indexes']//a[@aria-current]/text()") == ["papers"]
    with client(folder) as web:
        assert not page_of(web.get("/")).xpath("//ul[@class='indexes']")


def test_a_card_says_of_which_index_of_several_a_document_is(folder: Path, sample: Sample) -> None:
    with client(Path(f"{sample.folder / 'sample.foxir'},{folder}")) as web:
        page = page_of(web.get("/", params={"q": "lamps glass"}))
    assert set(page.xpath("//span[@class='of-index']/text()")) == {"sample", "papers"}


def test_indexes_that_are_served_apart_are_searched_as_one_list(folder: Path, sample: Sample, tmp_path: Path) -> None:
    indexes = [sample.folder / "sample.foxir", folder]
    with client(*indexes) as web:
        page = page_of(web.get("/", params={"q": "lamps glass"}))
        assert set(page.xpath("//span[@class='of-index']/text()")) == {"sample", "papers"}
        assert page.xpath("//select[@name='index']/option[not(../option[@selected])]/text()")[0] == "all indexes"
        found = [(each["document"], each["rsv"]) for each in got(web, "/api/search", q="lamps glass")["answers"]]
        of_paper = page_of(web.get("/", params={"q": "lamps glass", "index": "papers"}))
        assert of_paper.xpath("//select[@name='index']/option[@selected]/text()") == ["papers"]
        (document,) = {each.split()[0] for each in of_paper.xpath("//ol[@class='list']//span[@class='path']/text()")}
        assert web.get("/read", params={"document": document}).status_code == 200
    with client(Path(",".join(map(str, indexes)))) as web:
        as_one = [(each["document"], each["rsv"]) for each in got(web, "/api/search", q="lamps glass")["answers"]]
    assert found == as_one
    foxir.build_index(folder.parent / "a.xml", into=tmp_path / "stemmed.foxir", stem="english")
    with client(folder, tmp_path / "stemmed.foxir") as web:
        assert not page_of(web.get("/")).xpath("//option[.='all indexes']")


def test_what_is_typed_is_completed(folder: Path, web: TestClient) -> None:
    with client(folder) as papers:
        found = got(papers, "/api/suggest", q="oil lam")
        assert found["queries"] == ["oil lamp"]
        assert got(papers, "/api/suggest", q="lam fo")["documents"] == [{"document": "a", "title": "Lamps in fog"}]
        assert "too long" not in problem(papers, "/api/suggest", 413, q="a" * 201)
        assert problem(papers, "/api/suggest", 422)
    page = page_of(web.get("/", params={"q": QUERY}))
    (hints,) = page.xpath("//ul[@id='hints']")
    assert (hints.get("role"), hints.get("data-suggest")) == ("listbox", "/api/suggest")


def test_metadata_is_one_line_and_the_rest_folded_unless_it_is_the_answer(folder: Path) -> None:
    with client(folder) as web, foxir.open_index(folder) as index:
        page = page_of(web.get("/read", params={"document": "a"}))
        author = "/article[1]/front[1]/article-meta[1]/contrib-group[1]"
        of_author = page_of(web.get("/read", params={"document": "a", "path": author}))
        assert text_shown(page) == index.text("a")
    assert page.xpath("string(//p[@class='by'])") == "Ida Kerr · 1998 · Harbours"
    folded = [each.text_content() for each in page.xpath("//div[@id='text']//*[contains(@class, 'meta')]")]
    assert folded == ["Harbours", "Lamps in fog", "Kerr Ida", "Tollan", "1998"]
    assert [len(each.xpath("//input[@id='metadata'][@checked]")) for each in (page, of_author)] == [0, 1]
    outline = [each.text_content() for each in page.xpath("//ol[@class='outline']//a[contains(@class, 'entry')]")]
    assert outline == ["Whole document", "Abstract", "Glass", "References"]


def test_a_card_has_authors_year_and_journal(folder: Path) -> None:
    with client(folder) as web:
        page = page_of(web.get("/", params={"q": "oil lamp"}))
    assert page.xpath("//ol[@class='list']//p[@class='by']/text()") == ["Ida Kerr · 1998 · Harbours"]


def test_the_name_of_an_author_is_without_identifiers(tmp_path: Path) -> None:
    author = "<author><persName>Ida Kerr</persName> <idno>Q77470</idno></author>"
    (tmp_path / "a.xml").write_text(
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>Lamps</title>'
        f"{author}</titleStmt></fileDesc></teiHeader><text><body><p>Oil lamp.</p></body></text></TEI>"
    )
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    with client(tmp_path / "x.foxir") as web:
        page = page_of(web.get("/", params={"q": "oil lamp"}))
    assert page.xpath("//ol[@class='list']//p[@class='by']/text()") == ["Ida Kerr"]


def test_labels_are_in_a_line_with_the_titles_and_captions_that_they_number(tmp_path: Path) -> None:
    table = "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"
    (tmp_path / "a.xml").write_text(
        "<article><front/><body><sec><label>2</label><title>Methods</title><fig><label>Figure 1</label><caption><p>The"
        f" mast.</p></caption></fig><table-wrap><label>Table 1</label>{table}</table-wrap></sec></body></article>"
    )
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    with client(tmp_path / "x.foxir") as web:
        page = page_of(web.get("/read", params={"document": "a"}))
    assert page.xpath("//div[@id='text']//div[contains(@class, 'label')]/text()") == ["2", "Figure 1"]


def test_the_title_in_a_reference_is_no_heading(folder: Path) -> None:
    with client(folder) as web:
        page = page_of(web.get("/read", params={"document": "a"}))
    (reference,) = page.xpath("//div[@class='reference'][div[@class='reference']]")
    assert reference.xpath(".//div[contains(@class, 'cited')]/text()") == ["Bells"]
    assert not reference.xpath(".//*[@role='heading']")


def test_several_values_of_fields_narrow_at_once_and_are_shown_once_chosen(tmp_path: Path) -> None:
    for n, (year, journal) in enumerate([(1998, "Harbours"), (1905, "Harbours"), (1905, "Tides")]):
        (tmp_path / f"of{n}.xml").write_text(PAPER.replace("1998", str(year)).replace("Harbours", journal))
    foxir.build_index(tmp_path, into=tmp_path / "x.foxir")
    with client(tmp_path / "x.foxir") as web:
        page = page_of(web.get("/", params={"q": "lamp"}))
        for name in ("1905", "Harbours"):
            (link,) = page.xpath(f"//aside//a[span[@title='{name}']]/@href")
            page = page_of(web.get(link))
        assert len(page.xpath("//ol[@class='list']/li")) == 1
        year, journal = page.xpath("//aside//a[@class='chosen'][span[@class='n']]")
        assert [each.xpath("string(span)") for each in (year, journal)] == ["1905", "Harbours"]
        assert len(page_of(web.get(year.get("href"))).xpath("//ol[@class='list']/li")) == 2


FORMULA = (
    "<article xmlns:m='http://www.w3.org/1998/Math/MathML'><front/><body><p>Length is <inline-formula><alternatives>"
    "<tex-math>\\usepackage{x}$x^2$</tex-math><m:math><m:msup><m:mi>x</m:mi><m:mn>2</m:mn></m:msup><m:mo>+</m:mo>"
    "<m:msub><m:mi>k</m:mi><m:mn>1</m:mn></m:msub><m:mo>·</m:mo><m:mfrac><m:mi>a</m:mi><m:mi>b</m:mi></m:mfrac></m:math>"
    "</alternatives></inline-formula> now.</p></body></article>"
)


def test_a_formula_is_one_line_in_the_readable_text_without_its_source(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(FORMULA)
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    with client(tmp_path / "x.foxir") as web:
        read = got(web, "/api/read", document="a", path="/article[1]/body[1]/p[1]", readable=1)
    assert read["text"] == "Length is x^2+k_1·(a)/(b) now."


def test_answers_are_sorted_by_year_where_documents_have_one(tmp_path: Path) -> None:
    for year in (1998, 1905):
        (tmp_path / f"of{year}.xml").write_text(PAPER.replace("1998", str(year)))
    foxir.build_index(tmp_path, into=tmp_path / "x.foxir")
    with client(tmp_path / "x.foxir") as web:
        page = page_of(web.get("/", params={"q": "lamp"}))
        orders = {}
        for link in page.xpath("//p[starts-with(normalize-space(), 'Sorted')]/a"):
            paths = page_of(web.get(link.get("href"))).xpath("//ol[@class='list']//span[@class='path']/text()")
            orders[link.text_content()] = [path.partition(" ")[0] for path in paths]
    assert orders == {"newest": ["of1998", "of1905"], "oldest": ["of1905", "of1998"], "title": ["of1905", "of1998"]}


PLAY = (
    "<TEI xmlns='http://www.tei-c.org/ns/1.0'><teiHeader/><text><body><div><head>Fog</head><stage>A horn.</stage><sp>"
    "<speaker>KEEPER</speaker><lg><l>The lamp is lit tonight,</l><l>the sea is white.</l></lg><stage>Exit.</stage></sp>"
    "<sp><speaker>MATE</speaker><p>Aye.</p></sp></div></body></text></TEI>"
)


def test_a_play_has_speakers_stage_directions_and_verses(tmp_path: Path) -> None:
    (tmp_path / "play.xml").write_text(PLAY)
    foxir.build_index(tmp_path / "play.xml", into=tmp_path / "x.foxir")
    with client(tmp_path / "x.foxir") as web, foxir.open_index(tmp_path / "x.foxir") as index:
        page = page_of(web.get("/read", params={"document": "play"}))
        assert text_shown(page) == index.text("play")

    def of(role: str) -> list[str]:
        return [each.text_content() for each in page.xpath(f"//div[@id='text']//div[@class='{role}']")]

    assert of("speaker") == ["KEEPER", "MATE"]
    assert of("stage") == ["A horn.", "Exit."]
    assert of("verse") == ["The lamp is lit tonight,", "the sea is white."]
    assert [len(each.xpath("div[@class='verse']")) for each in page.xpath("//div[@class='stanza']")] == [2]
    assert [each.xpath("string(*[@class='speaker'])") for each in page.xpath("//div[@class='speech']")] == [
        "KEEPER",
        "MATE",
    ]


def test_what_is_known_of_a_patent_is_folded(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        "<PATDOC><SDOBI><B100><B190><PDAT>US</PDAT></B190></B100><B500><B540><STEXT><PDAT>Lamp</PDAT></STEXT></B540></B500>"
        "</SDOBI><SDODE><PARA><PTEXT><PDAT>Oil burns in it.</PDAT></PTEXT></PARA></SDODE></PATDOC>"
    )
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    with client(tmp_path / "x.foxir") as web:
        page = page_of(web.get("/read", params={"document": "a"}))
    assert page.xpath("//input[@id='metadata']")
    assert page.xpath("//div[@id='text']//*[contains(@class, 'meta')][contains(., 'US')]")
    assert not page.xpath("//ol[@class='outline']//a[.='SDOBI']")


def test_what_is_known_of_a_document_is_labelled(folder: Path) -> None:
    with client(folder) as web, foxir.open_index(folder) as index:
        page = page_of(web.get("/read", params={"document": "a"}))
        assert text_shown(page) == index.text("a")
    labelled = {each.get("data-tag"): each.text_content() for each in page.xpath("//*[@data-tag]")}
    assert labelled == {
        "journal-title": "Harbours",
        "surname": "Kerr",
        "given-names": "Ida",
        "aff": "Tollan",
        "year": "1998",
    }


def test_an_abstract_without_a_title_is_named_above_its_text(folder: Path, tmp_path: Path) -> None:
    parts = "<abstract><sec><title>Aim</title><p>Oil.</p></sec></abstract></article-meta></front><body><sec>"
    (tmp_path / "a.xml").write_text(
        f"<article><front><article-meta><title-group><article-title>Lamps</article-title></title-group>{parts}<title>Glass</title><p>Lamp.</p></sec></body></article>"
    )
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    with client(tmp_path / "x.foxir") as web, foxir.open_index(tmp_path / "x.foxir") as index:
        page = page_of(web.get("/read", params={"document": "a"}))
        assert text_shown(page) == index.text("a")
    headings = page.xpath("//div[@id='text']//*[@role='heading']")
    found = [(each.get("aria-label") or each.text_content(), each.get("aria-level")) for each in headings]
    assert found == [("Lamps", "2"), ("Abstract", "2"), ("Aim", "3"), ("Glass", "2")]  # the first one is folded


def test_folders_of_one_document_each_are_no_facet(tmp_path: Path) -> None:
    for name in ("a", "b", "b/c"):
        (tmp_path / "source" / name).mkdir(parents=True, exist_ok=True)
    for count, names in enumerate((("a/x", "b/x"), ("b/c/x",))):
        for name in names:
            (tmp_path / "source" / f"{name}.xml").write_text("<doc><title>Lamp</title><p>Oil lamps in fog.</p></doc>")
        foxir.build_index(tmp_path / "source", into=tmp_path / f"{count}.foxir")
        with client(tmp_path / f"{count}.foxir") as web:
            page = page_of(web.get("/", params={"q": "oil"}))
        assert bool(page.xpath("//aside[@class='facets']//h2[contains(., 'Folder')]")) == bool(count)


def test_a_lost_document_is_searched_for_in_its_index(folder: Path, sample: Sample) -> None:
    with client(folder, sample.folder / "sample.foxir") as web:
        lost = page_of(
            web.get("/read", params={"document": "none", "index": folder.stem}, headers={"Accept": "text/html"})
        )
        other = page_of(web.get("/none", params={"index": "none"}, headers={"Accept": "text/html"}))
    assert [each.xpath("//form//input[@name='index']/@value") for each in (lost, other)] == [[folder.stem], []]


def test_figures_are_numbered_in_the_outline(tmp_path: Path) -> None:
    figures = "".join(
        f"<fig><label>Fig {number}</label><caption><title>{name}.</title><p>Oil in it.</p></caption></fig>"
        for number, name in enumerate(("A lamp", "A horn"), 1)
    )
    (tmp_path / "a.xml").write_text(f"<article><front/><body><sec><title>Fog</title>{figures}</sec></body></article>")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    with client(tmp_path / "x.foxir") as web:
        page = page_of(web.get("/read", params={"document": "a"}))
    outline = [each.text_content() for each in page.xpath("//ol[@class='outline']//a[contains(@class, 'entry')]")]
    assert outline == ["Whole document", "Fog", "Fig 1 A lamp.", "Fig 2 A horn."]


def test_the_title_of_a_paragraph_is_set_apart_from_its_text_in_snippets(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        "<TEI xmlns='http://www.tei-c.org/ns/1.0'><text><body><div><head>Tests</head>"
        "<p><head>Weak acids</head>Compute how they are in water.</p></div></body></text></TEI>"
    )
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    with foxir.open_index(tmp_path / "x.foxir") as index:
        (best, *_) = index.search("weak acids", answers="//p", min_words=1)
        assert best.snippet.text == "Weak acids · Compute how they are in water."
