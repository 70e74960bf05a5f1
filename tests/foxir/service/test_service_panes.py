"""Answers beside a document: both panes from one address, where answers stand, passages to step through."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

import foxir
from foxir.service.pages.document_pages import MOST_PASSAGES
from foxir.service.pages.minimap import BINS, CARD_BINS, strips
from tests.foxir.conftest import Sample
from tests.foxir.service.desk import Assessor
from tests.foxir.service.living import QUERY, client, got, page_of, problem, text_shown


@pytest.fixture(scope="module")
def best(web: TestClient) -> dict[str, str]:
    """The place of the best answer, as parameters of the page of both panes."""
    answer = got(web, "/api/search", q=QUERY, limit=1)["answers"][0]
    return {"open": answer["document"], "path": answer["path"]}


def test_both_panes_have_an_address_and_the_answer_is_marked(web: TestClient, best: dict[str, str]) -> None:
    page = page_of(web.get("/", params={"q": QUERY, **best}))
    alone = page_of(web.get("/read", params={"q": QUERY, "document": best["open"], "path": best["path"]}))
    (answer,) = page.xpath("//section[@id='reader']//div[@id='text']//*[contains(@class, 'focus')]")

    assert page.xpath("//ol[@class='list']/li")
    assert text_shown(page) == text_shown(alone)
    assert answer.get("id") == alone.xpath("//*[contains(@class, 'focus')]")[0].get("id")
    assert len(page.xpath("//article[@aria-current='true']")) == 1
    assert parse_qs(urlsplit(page.xpath("//a[@class='close']")[0].get("href")).query) == {"q": [QUERY]}


def test_the_pane_alone_is_that_of_both(web: TestClient, best: dict[str, str]) -> None:
    both = web.get("/", params={"q": QUERY, **best}).text
    pane = web.get("/read", params={"q": QUERY, "document": best["open"], "path": best["path"], "pane": "1"}).text

    assert pane.strip()
    assert pane.strip() in both


@pytest.mark.long
def test_one_steps_through_the_passages_of_a_document_from_the_best(web: TestClient, best: dict[str, str]) -> None:
    wanted = [
        answer["path"]
        for answer in got(web, "/api/search", q=QUERY, limit=100)["answers"]
        if answer["document"] == best["open"]
    ]
    found, address = [], "/?" + "&".join(f"{name}={value}" for name, value in {"q": QUERY, **best}.items())
    while address:
        page = page_of(web.get(address))
        (answer,) = page.xpath("//div[@id='text']//*[contains(@class, 'focus')]")
        (said,) = page.xpath("//span[@class='steps']")
        found.append(parse_qs(urlsplit(address).query)["path"][0])
        assert answer.get("id")
        assert f"Passage {len(found)} of {len(wanted)}" in " ".join(said.text_content().split())
        address = next(iter(page.xpath("//a[@class='after']/@href")), "")

    assert found == wanted
    assert len(found) > 1


def test_passages_of_sentences_are_steps_too(web: TestClient) -> None:
    answers = got(web, "/api/search", q=QUERY, passages="1", limit=20)["answers"]
    answer = next(each for each in answers if each["sentences"] is not None)
    place = {"open": answer["document"], **{name: str(answer[name]) for name in ("path", "start", "end")}}
    page = page_of(web.get("/", params={"q": QUERY, "passages": "1", **place}))
    marked = "".join(page.xpath("//mark[@class='focus']//text()"))

    assert " ".join(marked.split()) == " ".join(text_shown(page)[answer["start"] : answer["end"]].split())
    assert page.xpath("//section[@id='reader']//span[@class='steps']")


@pytest.mark.parametrize(
    ("parameters", "status", "said"),
    [
        ({"path": "/article[1]"}, 422, "name the document with 'open'"),
        ({"start": "3"}, 422, "name the document with 'open'"),
        ({"open": "jats/fx-006", "q": ""}, 422, "'q' is missing"),
        ({"open": "no/such"}, 404, "is not in index"),
        ({"open": "jats/fx-006", "path": "/article[1]/nothing[9]"}, 404, "no element"),
    ],
)
def test_wrong_places_beside_answers_are_refused(
    web: TestClient, parameters: dict[str, str], status: int, said: str
) -> None:
    assert said in problem(web, "/", status, **{"q": QUERY, **parameters})


def test_panes_escape_what_documents_say(hostile: TestClient) -> None:
    for document in ("script", "a'b\"<img src=x onerror=alert(3)>", "javascript:alert(4)", "template"):
        page = page_of(hostile.get("/", params={"q": "whale", "open": document, "min_words": "1"}))
        assert not page.xpath("//main//script[not(@src)] | //img[@onerror] | //a[starts-with(@href, 'javascript:')]")
        assert page.xpath("//section[@id='reader']//div[@id='text']")


def test_the_minimap_says_where_answers_and_words_of_the_query_stand(web: TestClient, best: dict[str, str]) -> None:
    page = page_of(web.get("/", params={"q": QUERY, **best}))
    bins = page.xpath("//nav[@class='minimap']//li")
    links = [(int(a.xpath("count(../preceding-sibling::li)")), a) for a in page.xpath("//nav[@class='minimap']//a")]
    (here,) = page.xpath("//nav[@class='minimap']//li[contains(@class, 'here')]")
    text = text_shown(page)
    (answer,) = page.xpath("//div[@id='text']//*[contains(@class, 'focus')]")
    before = "".join(answer.xpath("preceding::text()[ancestor::div[@id='text']]"))

    assert len(bins) == BINS
    assert all(a.get("aria-label") for _, a in links)
    assert here.getparent().index(here) == len(before) * BINS // len(text)
    assert here.xpath("string(a/@aria-label)").startswith("Answer 1")
    assert len(page.xpath("//div[@id='text']//mark")) == sum(
        int(a.get("aria-label").rpartition(" query word")[0].rpartition(" ")[2])
        for _, a in links
        if "query word" in a.get("aria-label")
    )


def test_a_card_shows_where_its_answers_stand(web: TestClient) -> None:
    page = page_of(web.get("/", params={"q": QUERY}))
    cards = page.xpath("//ol[@class='list']/li")

    assert len(page.xpath("//svg[@class='strip'][@role='img'][@aria-label]/path")) >= len(cards)


@given(
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6), st.floats(0, 1e6)), max_size=300),
    st.integers(0, 10**6),
)
def test_a_strip_is_bounded_whatever_the_answers(spans: list[tuple[int, int, float]], length: int) -> None:
    nothing, found = strips([np.empty((0, 3)), np.array(spans).reshape(-1, 3)], [1, length])
    assert nothing == []
    edges = [int(edge) for _, path in found for edge in re.findall(r"[MH](\d+)", path)]

    assert len(found) <= 10
    assert all(0 <= edge <= CARD_BINS for edge in edges)


def test_a_page_has_less_than_12_kb_of_scripts_and_none_of_others(web: TestClient, best: dict[str, str]) -> None:
    for address in ("/", f"/?q=fog&open={best['open']}", f"/read?q=fog&document={best['open']}", "/status"):
        scripts = page_of(web.get(address)).xpath("//script")
        sizes = [len(web.get(script.get("src")).content) for script in scripts]
        assert all(script.get("src").startswith("/static/") and not script.text for script in scripts)
        assert sum(sizes) <= 12_000


def test_the_page_to_judge_on_has_less_than_12_kb_of_scripts(ana: Assessor) -> None:
    page = page_of(ana.web.get("/judge/document", params={"topic": "1", "document": "a"}))

    assert sum(len(ana.web.get(each).content) for each in page.xpath("//script/@src")) <= 12_000


@pytest.mark.parametrize(
    "settings", [{"word_budget": "200"}, {"group": "none"}, {"kind": "jats"}, {"limit": "3", "offset": "3"}]
)
def test_panes_keep_the_search_they_stand_in(web: TestClient, best: dict[str, str], settings: dict[str, str]) -> None:
    page = page_of(web.get("/", params={"q": QUERY, **settings, **best}))
    back = parse_qs(urlsplit(page.xpath("//a[@class='close']")[0].get("href")).query)

    assert back == {"q": [QUERY], **{name: [value] for name, value in settings.items()}}
    assert page.xpath("//section[@id='reader']//div[@id='text']")


def test_cards_begin_and_end_with_sentences(web: TestClient) -> None:
    found = [
        " ".join(snippet.text_content().split())
        for query in (QUERY, "lamp lens keeper", "how is a fog signal heard")
        for snippet in page_of(web.get("/", params={"q": query})).xpath("//p[@class='snippet']")
    ]
    parts = [text for text in found if text.startswith("…") or text.endswith("…")]

    assert len(found) > 20
    assert len(parts) <= len(found) // 10


def test_a_card_has_the_title_of_its_document_and_names_the_rarest_word_that_it_lacks(web: TestClient) -> None:
    page = page_of(web.get("/", params={"q": f"{QUERY} diaphone"}))
    lacking = page.xpath("//ol[@class='list']//a[s]")
    for link in page.xpath("//ol[@class='list']//h2/a")[:4]:
        (document,) = parse_qs(urlsplit(link.get("href")).query)["document"]
        assert link.text_content() == got(web, "/api/read", document=document)["title"]

    assert {"diaphone"} <= {link.text_content() for link in lacking} <= {"diaphone", *QUERY.split()}
    assert parse_qs(urlsplit(lacking[0].get("href")).query)["q"] == [f"{QUERY} +diaphone"]


def test_a_card_says_how_many_more_answers_its_document_has(web: TestClient) -> None:
    cards = page_of(web.get("/", params={"q": QUERY})).xpath("//ol[@class='list']/li")
    totals = [group["total"] for group in got(web, "/api/search", q=QUERY, group="document")["groups"]]

    said = [card.xpath("string(.//details[@class='more']/summary)") for card in cards]
    assert said == ["" if total == 1 else f"{total - 1} more here" for total in totals]
    assert max(totals) > 1


def test_numbers_of_a_page_agree(web: TestClient, sample: Sample) -> None:
    def shown(web: TestClient, address: str) -> tuple[str, dict[str, tuple[int, str]]]:
        page = page_of(web.get(address))
        links = {a.xpath("string(span[1]/@title)"): a for a in page.xpath("//aside//a[span[@class='n']]")}
        counts = {value: (int(a.xpath("string(span[2]/text())")), a.get("href")) for value, a in links.items()}
        assert page.xpath("//*[@class='rank']/text()") == [str(n + 1) for n in range(len(page.xpath("//article")))]
        return " ".join(page.xpath("string(//p[@role='status'])").split()), counts

    with client(sample.folder / "sample.foxir", settings=foxir.make_settings(max_answers=51)) as few:
        for service, first in ((web, ""), (few, " of the first 51")):
            said, counts = shown(service, f"/?{urlencode({'q': QUERY})}")
            assert ("with the first 51 answers" in said) == bool(first)
            n, address = counts["p"]
            assert f"with {n}{first} answers" in shown(service, address)[0]

    documents = page_of(web.get("/", params={"q": QUERY}))
    assert "documents with a word of the query" in documents.xpath("string(//aside)")


def test_a_field_stays_counted_when_it_is_chosen(web: TestClient) -> None:
    page = page_of(web.get("/", params={"q": QUERY}))
    link = page.xpath("//aside//section[starts-with(h2, 'Year')]//a")[0]
    chosen = page_of(web.get(link.get("href")))
    (marked,) = chosen.xpath("//aside//section[starts-with(h2, 'Year')]//a[@class='chosen']")
    assert marked.text_content() == f"{link.text_content()} ×"


STRUCTURE = {"q": "//p[about(., lamp)]", "syntax": "path", "min_words": "1"}


def test_more_passages_than_one_steps_through_are_told(tmp_path: Path) -> None:
    def said(n: int) -> str:
        (tmp_path / "a.xml").write_text(f"<doc>{'<p>lamp oil in the store</p>' * n}</doc>")
        foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
        with client(tmp_path / "x.foxir") as web:
            page = page_of(web.get("/read", params={**STRUCTURE, "document": "a", "path": "/doc[1]/p[1]"}))
        return " ".join(page.xpath("string(//span[@class='steps'])").split())

    assert f"Passage 1 of the best {MOST_PASSAGES}" in said(MOST_PASSAGES + 5)
    assert "Passage 1 of 4 " in said(4)
