"""The pages work without scripts: search, mistakes, reading with heat, why, parts of long documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

import pytest
from lxml import html
from starlette.testclient import TestClient

import foxir
from engine.errors import QueryTimeError
from foxir.service import searching
from foxir.service.indexes import OpenIndex
from foxir.service.options import ServiceOptions
from foxir.service.pages.document_view import parts_of, view_of
from foxir.service.pages.search_page import CHOICES, NAMES
from foxir.service.pages.text_html import TextMarks, text_html
from tests.foxir.conftest import Sample
from tests.foxir.service.living import HOSTILE, QUERY, client, page_of, text_shown

PATH = {"syntax": "path"}
READ = {"document": "jats/fx-006", "q": QUERY, "path": "/article[1]/body[1]/sec[5]/p[1]"}


def test_a_document_marks_what_is_searched_for_without_function_words(web: TestClient) -> None:
    page = page_of(web.get("/read", params={**READ, "q": "how far is the fog signal heard"}))
    marks = {each.lower() for each in page.xpath("//div[@id='text']//mark/text()")}
    assert {"fog", "signal", "heard"} <= marks
    assert not {"is", "the", "how"} & marks


def test_the_story_without_scripts(web: TestClient, sample: Sample) -> None:
    best = sample.index.search(QUERY)[0]
    start = page_of(web.get("/"))
    assert start.xpath("//textarea[@name='q']")

    results = page_of(web.get("/", params={"q": QUERY}))
    (first,) = results.xpath("(//ol/li//h2/a)[1]")
    assert first.text == best.breadcrumb[-1]
    assert results.xpath("(//p[@class='snippet'])[1]//mark/text()")[0].lower() in ("fog", "signal", "range")

    address = urlsplit(first.get("href"))
    assert parse_qs(address.query)["path"] == [best.path]
    document = page_of(web.get(f"{address.path}?{address.query}"))
    assert document.xpath("//div[contains(@class, 'focus')]//span[@id='focus']")
    assert document.xpath("//ol[@class='outline']//a[contains(@class, 'heat-')]")

    (why,) = document.xpath("(//div[@id='text']//a[contains(@class, 'why')])[1]")
    assert page_of(web.get(why.get("href"))).xpath("//div[@class='trees']")
    explained = page_of(web.get("/why", params={"q": QUERY, "document": best.document, "path": best.path}))
    assert "answer number 1" in explained.xpath("string(//h1)")
    assert "score: element + context + article" in explained.xpath("string(//section[1])")


def test_cells_and_blocks_are_set_apart_on_one_line(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    rows = "<tr><td>one <i>fog</i></td><td>two</td></tr><tr><td>three</td><td>four</td></tr>"
    table = f"<article><table>{rows}</table></article>"
    (tmp_path / "source/a.xml").write_text(table, "utf-8")
    foxir.build_index(tmp_path / "source", into=tmp_path / "a.foxir")
    with client(tmp_path / "a.foxir") as web:
        why = page_of(web.get("/why", params={"document": "a", "path": "/article[1]/table[1]", "q": "fog"}))

    assert why.xpath("string(//blockquote)") == "one fog | two three | four"


@pytest.mark.parametrize(
    ("query", "given", "reason", "on_page"),
    [
        ("xyzzy", {}, "'xyzzy' is in none of the 34 documents.", ""),
        (
            "//nosuch[about(., lens)]",
            PATH,
            "'nosuch' is not a tag or attribute of any document: foxir info INDEX --list-tags lists them.",
            "document: “Element” beside the answers to words lists them.",
        ),
        ("//article//article", PATH, "no element satisfies the path of the query.", ""),
        (
            "//article//article[about(., lens)]",
            PATH,
            "no element satisfies the whole query; reading=VV may find some.",
            "query; “both vaguely (VV)” under “How strictly structure is read” may find some.",
        ),
        (
            "+fog +xyz",
            {"operator": "and", "max_words": "30", "inside": "//body"},
            "'xyz' is in none of the 34 documents. The + requires that; syntax=plain reads + as text.",
            "",
        ),
        (
            "+lens +linen",
            {"operator": "and", "max_words": "3", "inside": "//body"},
            "terms, max_words=all, leaving out inside, or operator=or, may find some.",
            "terms, “all” under “Words of an element, at most”, leaving out inside, or “any of them” under “Words of "
            "the query in an element”, may find some.",
        ),
    ],
)
def test_a_page_without_answers_says_why_and_names_its_controls(
    web: TestClient, sample: Sample, query: str, given: dict[str, str], reason: str, on_page: str
) -> None:
    shown = page_of(web.get("/", params={"q": query, **given}))
    answered = web.get("/api/search", params={"q": query, **given}).json()

    assert answered["answers"] == []
    assert answered["notice"].startswith("no answer: ")
    assert answered["notice"].endswith(reason)
    assert shown.xpath("normalize-space(//p[@role='status'])").startswith("Nothing found. ")
    notice = shown.xpath("string(//p[@class='notice'])")
    assert notice.endswith(on_page) if on_page else notice == f"No{answered['notice'].removeprefix('no')}"
    assert sample.index.search(query, **given).why_empty() == answered["notice"]
    assert sample.index.search("fog").why_empty() == ""


@pytest.mark.parametrize("query", ["//p[about(., bridge)]", "//sec//p", "//sec[about(., fog"])
def test_a_path_query_that_is_read_as_words_names_the_switch_of_the_page(web: TestClient, query: str) -> None:
    shown = page_of(web.get("/", params={"q": query}))
    (choice,) = shown.xpath("//select[@name='syntax']/option[@value='path']")

    notice = shown.xpath("string(//p[@class='notice'])")
    assert f"“{choice.text}” under “{choice.xpath('string(ancestor::label/text())').strip()}”" in notice
    assert "syntax" not in notice
    assert "needs the syntax path or auto" in web.get("/api/search", params={"q": query}).json()["notice"]


def test_a_page_beyond_the_last_is_the_last(web: TestClient) -> None:
    beyond, exact = (
        page_of(web.get("/", params={"q": QUERY, "offset": offset}, follow_redirects=True)) for offset in (9000, 0)
    )
    (number,) = beyond.xpath("//nav[@class='paging']/span/text()")
    _, shown, _, last = number.split()

    assert shown == last == exact.xpath("string(//nav[@class='paging']/span)").split()[-1]
    assert beyond.xpath("//ol/li//h2/a")


def test_pages_go_on_beyond_the_answers_that_are_ranked_at_first(sample: Sample) -> None:
    n_answers = len(sample.index.search(QUERY))

    def paging(web: TestClient, **parameters: object) -> tuple[str, str, list[str]]:
        page = page_of(web.get("/", params={"q": QUERY, "limit": 5, "group": "none", **parameters}))
        summary = page.xpath("normalize-space(//p[@role='status'])").partition(" answers")[0]
        return summary, page.xpath("string(//nav[@class='paging']/span)"), page.xpath("//nav/a/@rel")

    with client(sample.folder / "sample.foxir", settings=foxir.make_settings(max_answers=10)) as web:
        assert paging(web) == ("1–5 of at least 10", "Page 1", ["next"])
        assert paging(web, offset=5) == ("6–10 of at least 11", "Page 2", ["prev", "next"])
        assert paging(web, offset=10) == ("11–15 of at least 16", "Page 3", ["prev", "next"])
        assert paging(web, offset=5, max_answers=10) == ("6–10 of at least 10", "Page 2", ["prev"])
        assert paging(web, kind="tei")[2] == []
        last = paging(web, offset=n_answers // 5 * 5)
        assert last == (f"{n_answers // 5 * 5 + 1}–{n_answers} of {n_answers}", last[1], ["prev"])
        assert last[1].endswith(f"of {-(-n_answers // 5)}")


def test_an_element_is_read_by_its_id(web: TestClient, sample: Sample) -> None:
    path = sample.index.element(READ["document"], "s3a").path
    for page in ("/why", "/read", "/api/explain"):
        by_id, by_path = (web.get(page, params={**READ, "path": place}) for place in ("s3a", path))
        assert (by_id.status_code, by_path.status_code) == (200, 200), page
    assert web.get("/api/read", params={"document": READ["document"], "path": "#s3a"}).json()["path"] == path
    wrong = web.get("/read", params={**READ, "path": "nowhere"})
    assert (wrong.status_code, "or the id of an element" in wrong.text) == (404, True)


def test_a_step_without_a_number_is_the_first_of_its_name(web: TestClient) -> None:
    for page in ("/why", "/read"):
        given = {**READ, "path": READ["path"].replace("[1]", "")}
        assert web.get(page, params=given).status_code == 200


def test_a_mistake_is_shown_with_its_caret_and_the_query_stays(web: TestClient) -> None:
    response = web.get("/", params={"q": "//sec[about(., fog", "syntax": "path"})
    page = page_of(response)

    assert response.status_code == 422
    assert "^" in page.xpath("string(//section[@role='alert']//pre)")
    assert page.xpath("string(//textarea)") == "//sec[about(., fog"
    assert page.xpath("//select[@name='syntax']/option[@selected]/@value") == ["path"]


def test_an_unknown_tag_is_met_with_the_one_for_its_word_and_nothing_to_narrow(web: TestClient) -> None:
    page = page_of(web.get("/", params={"q": "//article//paragraph[about(., fog)]", "syntax": "path"}))

    assert "did you mean 'p'?" in page.xpath("string(//p[@class='notice'])")
    assert not page.xpath("//aside")


def test_settings_and_facets_stay_in_the_address(web: TestClient) -> None:
    page = page_of(web.get("/", params={"q": QUERY, "passages": "on", "max_sentences": "2", "kind": "jats", "k1": "1"}))

    for link in page.xpath("//nav[@class='paging']//a/@href"):
        found = parse_qs(urlsplit(link).query)
        assert (found["passages"], found["max_sentences"], found["kind"], found["k1"]) == (
            ["on"],
            ["2"],
            ["jats"],
            ["1"],
        )
    hidden = {each.get("name"): each.get("value") for each in page.xpath("//form//input[@type='hidden']")}
    assert hidden == {"kind": "jats", "k1": "1"}
    passage = parse_qs(urlsplit(page.xpath("(//ol/li//h2/a)[1]/@href")[0]).query)
    assert int(passage["end"][0]) > int(passage["start"][0])


def test_several_values_of_a_facet_can_be_chosen_and_taken_away(web: TestClient) -> None:
    def facets(address: str) -> Any:
        return page_of(web.get(address)).xpath("//aside")[0]

    once = facets(facets(f"/?{urlencode({'q': QUERY})}").xpath("//a[span[@title='p']]/@href")[0])
    both = once.xpath("//a[span[@title='sec']]/@href")[0]
    twice = facets(both)
    chosen = twice.xpath("//a[@class='chosen']")

    assert parse_qs(urlsplit(both).query)["tag"] == ["p", "sec"]
    assert [link.xpath("span/@title") for link in chosen] == [["p"], ["sec"]]
    assert parse_qs(urlsplit(chosen[0].get("href")).query)["tag"] == ["sec"]
    assert page_of(web.get(both)).xpath("//form//input[@name='tag']/@value") == ["p", "sec"]
    wrong = page_of(web.get("/?q=fog&q=lamp", headers={"Accept": "text/html"}))
    assert wrong.xpath("//section[@class='problem']//form[@role='search']//input[@name='q']")


def test_characters_of_an_address_are_marked(web: TestClient, sample: Sample) -> None:
    page = page_of(web.get("/read", params={"document": "jats/fx-006", "start": 5456, "end": 5484}))
    marked = "".join(page.xpath("//mark[contains(@class, 'focus')]//text()"))

    assert marked == sample.index.text("jats/fx-006")[5456:5484]
    assert len(page.xpath("//*[@id='focus']")) == 1


@pytest.mark.long
def test_the_text_of_every_document_is_on_its_page(web: TestClient, sample: Sample) -> None:
    for document in sample.index.documents:
        page = page_of(web.get("/read", params={"document": document, "q": "fog light"}))
        assert text_shown(page) == sample.index.text(document), document


@pytest.mark.parametrize("document", HOSTILE)
def test_the_text_of_hostile_documents_is_on_their_pages(
    hostile: TestClient, hostile_folder: Path, document: str
) -> None:
    with foxir.open_index(hostile_folder) as index:
        text = index.text(document)
    page = page_of(hostile.get("/read", params={"document": document, "q": "whale"}))

    assert text_shown(page) == text


def test_words_are_marked_across_inline_tags(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.xml").write_text(
        "<article><front/><body><p>Of FEV<sub>1</sub> and <bold>w</bold>hale.</p></body></article>", "utf-8"
    )
    foxir.build_index(source, into=tmp_path / "a.foxir")
    with client(tmp_path / "a.foxir") as web:
        page = page_of(web.get("/read", params={"document": "a", "q": "whale fev1"}))

    assert page.xpath("//mark/text()") == ["FEV", "1", "w", "hale"]


def test_texts_have_their_languages_on_pages(tmp_path: Path) -> None:
    said = (
        '<TEI xml:lang="en"><teiHeader/><text><p>He said <foreign xml:lang="grc">kalos</foreign> twice.</p>'
        '<p xml:lang="fr-CA">Bonjour.</p><p>See <code lang="php">echo</code>.</p></text></TEI>'
    )
    known = "<doc><t>Das Haus</t><p>Das Haus ist alt und der Turm ist hoch, wie es in dem Buch steht.</p></doc>"
    (tmp_path / "said.xml").write_text(said)
    (tmp_path / "known.xml").write_text(known)
    foxir.build_index(tmp_path / "said.xml", tmp_path / "known.xml", into=tmp_path / "a.foxir")
    with client(tmp_path / "a.foxir") as web:
        shown = page_of(web.get("/read", params={"document": "said"}))
        in_text = [(each.get("lang"), each.text) for each in shown.xpath("//div[@id='text']//*[@lang]")]
        assert in_text == [("en", None), ("grc", "kalos"), ("fr-CA", "Bonjour.")]
        assert page_of(web.get("/read", params={"document": "known"})).xpath("//h1/@lang") == ["de"]
        card = page_of(web.get("/", params={"q": "Turm"}))
        assert card.xpath("//article//*[@lang]/@lang") == ["de"] * len(card.xpath("//h2/a | //p[@class='snippet']"))
        assert not page_of(web.get("/", params={"q": "twice"})).xpath("//article//*[@lang]")


def test_words_are_set_apart_at_breaks_and_the_text_stays(tmp_path: Path) -> None:
    markup = '<TEI><teiHeader/><text><p>the<lb/>lighthouse, a cap<lb break="no"/>stan</p></text></TEI>'
    (tmp_path / "a.xml").write_text(markup, "utf-8")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "a.foxir")
    with client(tmp_path / "a.foxir") as web:
        page = page_of(web.get("/read", params={"document": "a", "q": "lighthouse capstan"}))

    assert page.xpath("//mark/text()") == ["lighthouse", "cap", "stan"]
    assert page.xpath("//span[@class='gap'][not(node())]/following-sibling::*[1]/text()") == ["lighthouse"]
    assert text_shown(page) == "thelighthouse, a capstan"


def test_a_reference_whose_parts_are_set_apart_by_marks_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        "<bib><bb><au><fnm>H.</fnm><snm>Tamme</snm></au>, <title>Echoes of Small Craft on a Turntable</title>, "
        "<pdt>1998</pdt>.</bb><bb><ti>Another, whose title ends the text</ti></bb></bib>"
    )
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "a.foxir")
    with client(tmp_path / "a.foxir") as web:
        shown = page_of(web.get("/read", params={"document": "a"}))

    def with_role(role: str) -> list[str]:
        return [each.text_content() for each in shown.xpath(f"//div[@class='{role}']")]

    assert with_role("phrase") == ["H.Tamme", "Echoes of Small Craft on a Turntable", "1998"]
    assert with_role("bit") == ["H.", "Tamme"]


def test_references_in_an_element_named_as_one_are_a_list(sample: Sample) -> None:
    with client(sample.folder / "sample.foxir") as web:
        shown = page_of(web.get("/read", params={"document": "ieee/na/1998/n1012"}))
    references = shown.xpath("//div[@class='reference']")
    assert [each.text_content()[:9] for each in references] == ["P.Quéméne", "D.Orrock,"]
    assert shown.xpath("//div[@role='heading']/text()")[-1] == "References"


def test_what_is_raised_or_lowered_stays_in_its_line(sample: Sample) -> None:
    """Also where a profile does not count it as inline: in IEEE articles `super` is an element that may be a note."""
    with client(sample.folder / "sample.foxir") as web:
        shown = page_of(web.get("/read", params={"document": "ieee/rn/2005/r2071"}))
    assert [each.text_content().strip() for each in shown.xpath("//div[@class='sup']")][:2] == ["4", "2"]


def test_parts_of_a_document_make_up_its_text(sample: Sample) -> None:
    folder = sample.folder / "sample.foxir"
    opened = OpenIndex(folder, ServiceOptions(indexes=(folder,)))
    for document in ("jats/fx-006", "tei/pilots-manual-vellmouth"):
        view = view_of(opened.snapshot, document)
        parts = parts_of(view, 700)
        shown = [html.fragment_fromstring(text_html(view, part, TextMarks()), create_parent=True) for part in parts]
        ids = [each for part in shown for each in part.xpath("//@id")]

        assert len(parts) > 5
        assert "".join(part.text_content() for part in shown) == view.text
        assert len(ids) == len(set(ids))
    opened.index.close()


def test_a_long_document_is_shown_in_parts(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    body = "".join(f"<sec><title>Part {n}</title><p>{'lorem ipsum ' * 200} word{n}.</p></sec>" for n in range(300))
    (source / "long.xml").write_text(f"<article><front/><body>{body}</body></article>", "utf-8")
    foxir.build_index(source, into=tmp_path / "long.foxir")
    with client(tmp_path / "long.foxir") as web:
        first = page_of(web.get("/read", params={"document": "long"}))
        deep = page_of(web.get("/read", params={"document": "long", "path": "/article[1]/body[1]/sec[290]"}))

    assert "word1." in text_shown(first)
    assert "word290." not in text_shown(first)
    assert "word289." in text_shown(deep)
    assert deep.xpath("//*[@id='focus']")
    assert deep.xpath("(//nav[@class='paging'])[1]/a/@rel") == ["prev"]


def test_images_in_base64_have_no_parts_of_their_own(tmp_path: Path) -> None:
    images = f"<binary>{'iVBORw0KGgo' * 15_000}</binary>" * 4
    book = f'<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><body><p>Fog.</p></body>{images}</FictionBook>'
    (tmp_path / "book.fb2").write_text(book)
    foxir.build_index(tmp_path / "book.fb2", into=tmp_path / "a.foxir")
    with client(tmp_path / "a.foxir") as web:
        shown = page_of(web.get("/read", params={"document": "book.fb2"}))
    assert text_shown(shown).startswith("Fog.")
    assert not shown.xpath("//nav[@class='paging']")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/read", 422),
        ("/read?document=none", 404),
        ("/read?document=jats/fx-006&path=/x", 404),
        ("/read?document=jats/fx-006&start=9&end=3", 422),
        ("/read?document=jats/fx-006&part=2", 422),
        ("/read?document=jats/fx-006&start=9", 422),
        ("/read?document=jats/fx-006&end=9", 422),
        ("/read?document=jats/fx-006&start=nine", 422),
        ("/why?document=jats/fx-006&place=0&path=/article[1]&q=fog", 422),
        ("/why?document=jats/fx-006&place=0", 422),
        ("/why?document=jats/fx-006&place=99999&q=fog", 422),
        ("/?q=fog&index=none", 404),
        ("/nothing", 404),
    ],
)
def test_mistakes_are_reported_to_people_and_programs(web: TestClient, path: str, status: int) -> None:
    page = web.get(path, headers={"Accept": "text/html"})
    program = web.get(path)

    assert (page.status_code, program.status_code) == (status, status)
    assert page_of(page).xpath("string(//section[@class='problem'])").strip()
    assert program.json()["status"] == status


@pytest.mark.long
def test_a_part_of_a_long_document_has_its_own_outline(tmp_path: Path) -> None:
    words = "lamp oil wick " * 60
    sections = "".join(f"<sec><title>Watch {n}</title><p>{words}</p></sec>" for n in range(500))
    (tmp_path / "long.xml").write_text(f"<article><front/><body>{sections}</body></article>", "utf-8")
    foxir.build_index(tmp_path / "long.xml", into=tmp_path / "long.foxir")
    with client(tmp_path / "long.foxir") as web:
        outlined = web.get("/api/outline", params={"document": "long"}).json()
        titles = []
        for part in (1, 2):
            page = page_of(web.get("/read", params={"document": "long", "q": "lamp", "part": str(part)}))
            text = text_shown(page)
            shown = page.xpath("//ol[@class='outline']//a[starts-with(@class, 'entry')]/text()")
            named = [title for title in shown if title.startswith("Watch")]
            assert all(f"{title}lamp" in text.replace("\n", "") or title == named[0] for title in named)
            assert len(set(page.xpath("//nav[@class='paging']/@aria-label"))) == 2
            assert not page.xpath("//p[@class='legend'][contains(., 'more.')]")
            titles += named

    assert list(dict.fromkeys(titles)) == [f"Watch {n}" for n in range(500)]
    assert len(outlined["elements"]) + outlined["left_out"] == 502


def test_a_title_is_cut_between_words(tmp_path: Path) -> None:
    for name, title in (("words", "lighthouse " * 40), ("letters", "x" * 400)):
        (tmp_path / f"{name}.xml").write_text(f"<a><title>{title}</title><p>fog</p></a>", "utf-8")
    foxir.build_index(tmp_path, into=tmp_path / "titles.foxir")
    with client(tmp_path / "titles.foxir") as web:
        for name, start in (("words", "lighthouse " * 14 + "…"), ("letters", "x" * 160 + " …")):
            found = page_of(web.get("/why", params={"document": name, "q": "fog", "path": "/a[1]"}))
            cut = found.xpath("string(//blockquote)")
            assert len(cut) <= 282
            assert cut.removesuffix(" …").split()[-1] in ("lighthouse", "x" * 280)
            assert web.get("/api/outline", params={"document": name}).json()["title"] in (start, name)


def test_a_slash_too_many_leads_to_the_page_behind_any_proxy(web: TestClient) -> None:
    for asked, page in {"/api/search/?q=fog&limit=1": "/api/search?q=fog&limit=1", "/status/": "/status"}.items():
        answer = web.get(asked)
        assert answer.status_code == 307
        assert not answer.headers["location"].startswith(("/", "http"))
        assert (
            urljoin(f"https://example.org/base{asked}", answer.headers["location"]) == f"https://example.org/base{page}"
        )
        assert web.get(urljoin(asked, answer.headers["location"])).status_code == 200
    for missing in ("/nothing/", "//example.org/", "/api/search//"):
        assert web.get(f"http://127.0.0.1:8080{missing}").status_code == 404


def test_a_problem_says_to_people_what_it_means(web: TestClient) -> None:
    for address, status, title in (("/nothing", 404, "Not found"), ("/read", 422, "This cannot be done")):
        answer = web.get(address, headers={"Accept": "text/html"})
        assert answer.status_code == status
        page = page_of(answer)
        assert page.xpath("string(//h1)") == title
        assert len(page.xpath("//form[@role='search'][@action='/']//input[@name='q']")) == (status == 404)  # a way on
        assert web.get(address).json()["title"] != title


def test_the_status_does_not_count_itself(web: TestClient) -> None:
    assert web.get("/api/status").json()["searches_running"] == 0
    assert page_of(web.get("/status")).xpath("string(//dl[@class='numbers']//dd[1])") == "0"


def test_the_drawer_offers_values_that_are_accepted(web: TestClient) -> None:
    """Strict readings, and runs with them, are for path queries alone."""
    offered = [(name, value) for name, values in CHOICES.items() for value in values]
    offered += [(name, value) for name, values in NAMES.items() for value in values[::9]]
    for name, value in offered:
        queries = {"q": "fog", "limit": "1"}, {"q": "//article[about(., fog)]", "limit": "1", **PATH}
        assert 200 in (web.get("/api/search", params={**query, name: value}).status_code for query in queries), value


def test_what_is_not_answered_in_time_can_be_asked_again(web: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: object) -> None:
        raise QueryTimeError("too late")

    monkeypatch.setattr(searching, "search_snapshot", late)
    answer = web.get("/", params={"q": "fog & <signal>", "limit": "5"}, headers={"Accept": "text/html"})

    assert page_of(answer).get_element_by_id("q").text == "fog & <signal>"  # the box, before anything is searched
    (said,) = page_of(answer).xpath("//main//section[@role='alert']")
    assert "Too late" in said.text_content()
    assert said.xpath(".//a/@href") == ["/?q=fog+%26+%3Csignal%3E&limit=5"]
    assert web.get("/", params={"q": "fog"}, headers={"Accept": "*/*"}).status_code == 503
    assert web.get("/api/search", params={"q": "fog"}).status_code == 503
