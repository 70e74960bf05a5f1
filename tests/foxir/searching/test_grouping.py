"""Answers by document: together in lists, few of one document where others have any; the rarest word that one lacks.

Where else an answer stands: in Python, JSON, on the command line, the page, for models and in adapters.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import foxir
from foxir.adapters.element_retriever import ElementRetriever, metadata
from foxir.searching.grouping import spread
from foxir.searching.missing_words import missing_words
from tests.engine.ranking.selection.test_repetitions import DOCUMENTS
from tests.engine.small_index import write
from tests.foxir.commands.command import foxir as command
from tests.foxir.conftest import Sample
from tests.foxir.service.living import client, page_of

QUERY = "fog signal range"


@given(st.lists(st.sampled_from("abcd"), max_size=30), st.integers(1, 12), st.integers(1, 4))
def test_no_document_has_more_than_its_share_while_others_have_answers(
    documents: list[str], wanted: int, most: int
) -> None:
    chosen = spread(documents, wanted, most)
    kept = [documents[place] for place in chosen]
    left = [document for place, document in enumerate(documents) if place not in chosen]

    assert chosen == sorted(set(chosen))
    assert len(chosen) == min(wanted, len(documents))
    if any(kept.count(document) > most for document in kept):
        assert all(kept.count(document) >= most for document in left)


def test_answers_of_a_document_stand_together(sample: Sample) -> None:
    answers = sample.index.search(QUERY)
    groups = answers.by_document()

    assert [group[0].document for group in groups] == list(dict.fromkeys(answers.documents))
    assert sorted(answer.rank for group in groups for answer in group) == list(range(1, len(answers) + 1))
    assert all(len(set(group.documents)) == 1 and list(group.ranks) == sorted(group.ranks) for group in groups)


@pytest.mark.long
def test_groups_of_the_json_interface_and_of_the_page(sample: Sample) -> None:
    groups = sample.index.search(QUERY).by_document()
    with client(sample.folder / "sample.foxir") as web:
        found = web.get("/api/search", params={"q": QUERY, "group": "document", "limit": 4, "offset": 1}).json()
        plain = web.get("/api/search", params={"q": QUERY, "limit": 4}).json()
        wrong = web.get("/api/search", params={"q": QUERY, "group": "folder"})
        page = page_of(web.get("/", params={"q": QUERY, "limit": 4, "offset": 1}))

    assert [(each["document"], each["total"]) for each in found["groups"]] == [
        (group[0].document, len(group)) for group in groups[1:5]
    ]
    for shown, group in zip(found["groups"], groups[1:5], strict=True):
        assert [answer["rank"] for answer in shown["answers"]] == group.ranks[:4].tolist()
        assert shown["title"]
    assert [each["rank"] for each in found["answers"]] == [int(group.ranks[0]) for group in groups[1:5]]
    assert found["total_groups"] == len(groups)
    assert "groups" not in plain
    assert (wrong.status_code, "document" in wrong.json()["detail"]) == (422, True)
    assert page.xpath("//ol[@class='list']/li//h2/a/text()") == [each["title"] for each in found["groups"]]
    more = [f"{len(group) - 1} more here" for group in groups[1:5] if len(group) > 1]
    assert page.xpath("//details[@class='more']/summary/text()") == more


def test_retrievers_return_few_answers_of_one_document(sample: Sample) -> None:
    usual = ElementRetriever.of(sample.index, k=10).retrieve(QUERY)
    every = ElementRetriever.of(sample.index, k=10, per_document=None).retrieve(QUERY)
    asked = ElementRetriever.of(sample.index, {"max_per_article": 5}, k=10).retrieve(QUERY)

    assert len(usual) == len(every) == 10
    assert max(map(usual.documents.count, usual.documents)) <= 3 < max(map(every.documents.count, every.documents))
    assert 3 < max(map(asked.documents.count, asked.documents)) <= 5
    assert [answer.rank for answer in asked] == [*range(1, 11)]


@pytest.fixture(scope="module")
def drugs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index in which one document in five has a rare word."""
    folder = tmp_path_factory.mktemp("drugs")
    for number in range(5):
        word = "metformin" if number == 4 else "placebo"
        section = f"<sec><title>Overview</title><p>Weight loss with {word}.</p></sec>"
        (folder / f"{number}.xml").write_text(f"<doc><name>Trial {number}</name>{section}</doc>")
    foxir.build_index(*sorted(folder.glob("*.xml")), into=folder / "drugs.foxir")
    return folder / "drugs.foxir"


def test_answers_without_the_rarest_word_say_so(drugs: Path) -> None:
    with foxir.open_index(drugs) as index:
        answers = index.search("weight loss Metformin")
        assert missing_words(answers) == [[] if "metformin" in each.text else ["Metformin"] for each in answers]
        assert not any(missing_words(index.search("metformin")))
        several = index.search("Metformin placebo trial loss", documents="0", answers="//p")
        assert missing_words(several) == [["Metformin", "trial"]] * len(several)
        synonyms = drugs.parent / "synonyms.toml"
        synonyms.write_text("[expand]\nmetformin = [{word = 'placebo', weight = 0.5}]\n")
        assert not any(missing_words(index.search("weight loss metformin", synonyms=synonyms)))
    with client(drugs) as web:
        page = page_of(web.get("/", params={"q": "weight loss metformin"}))
        (first, *_) = page.xpath("//a[s]/@href")
        required = page_of(web.get(first))
    assert page.xpath("//a/s/text()") == ["metformin"] * 4
    assert required.xpath("//textarea/text()") == ["weight loss +metformin"]
    assert len(required.xpath("//ol[@class='list']/li")) == 1


def test_a_row_lacks_no_word_of_the_header_of_its_table(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>{drug}</td><td>{number}</td></tr>" for drug, number in (("placebo", 41), ("aspirin", 12)))
    head = "<thead><tr><th>Drug</th><th>Headache</th></tr></thead>"
    text = f"<p>Headache is told in a table.</p><table>{head}<tbody>{rows}</tbody></table>"
    (tmp_path / "a.html").write_text(f"<html><head><title>A trial</title></head><body>{text}</body></html>", "utf-8")
    foxir.build_index(tmp_path / "a.html", into=tmp_path / "i.foxir")
    with foxir.open_index(tmp_path / "i.foxir") as index:
        answers = index.search("headache aspirin placebo", answers="//tr", min_words=1)
        lacking = dict(zip((each.text.split()[0] for each in answers), missing_words(answers), strict=True))

    assert lacking == {"DrugHeadache": ["aspirin", "placebo"], "aspirin12": [], "placebo41": ["aspirin"]}


def test_a_document_without_a_title_is_named_by_its_first_name(drugs: Path) -> None:
    with client(drugs) as web:
        page = page_of(web.get("/", params={"q": "metformin"}))
        document = page_of(web.get("/read", params={"document": "4"}))
    assert page.xpath("//ol//h2/a/text()") == document.xpath("//h1/text()") == ["Trial 4"]
    assert page.xpath("//p[@class='crumbs']/span/text()") == ["Overview"]


PLACES = [{"document": "b", "path": "/a[1]"}, {"document": "c", "path": "/a[1]"}]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("also_in")
    (folder / "source").mkdir()
    write(folder / "source", DOCUMENTS)
    foxir.build_index(folder / "source", into=folder / "index.foxir")
    return folder / "index.foxir"


def test_python_and_json_have_it_where_there_is_any(index: Path) -> None:
    with foxir.open_index(index) as opened:
        found = opened.search("fog signal", repetitions="once")
        (first,) = [answer for answer in found if answer.document == "a"]
        (other,) = [answer for answer in found if answer.document == "d"]

        assert [(each.document, each.path) for each in first.also_in] == [("b", "/a[1]"), ("c", "/a[1]")]
        assert (first.to_dict()["also_in"], "also_in" in other.to_dict()) == (PLACES, False)


@pytest.mark.parametrize("how", [["--repetitions", "once"], ["--word-budget", "100"], ["--group", "document"]])
def test_the_terminal_has_a_line(index: Path, how: list[str]) -> None:
    options = [*how, "--repetitions", "once"] if how[0] == "--group" else how

    assert "also in: b /a[1], c /a[1]" in command("search", index, "fog", "signal", *options).out


def test_the_page_has_links_and_the_service_the_same_json(index: Path) -> None:
    with client(index) as web:
        answers = web.get("/api/search", params={"q": "fog signal", "repetitions": "once"}).json()["answers"]
        page = web.get("/", params={"q": "fog signal", "repetitions": "once"}).text

    assert [each.get("also_in") for each in answers if each["document"] in "ad"] in ([PLACES, None], [None, PLACES])
    links = re.findall(r'also in: <a href="([^"]*)"', page)
    assert [
        re.search("document=b&amp;path=%2Fa%5B1%5D&amp;checksum=[0-9a-f]{16}#focus$", link) is not None
        for link in links
    ] == [True]


def test_adapters_have_it_in_their_metadata(index: Path) -> None:
    found = ElementRetriever.of(index, {"repetitions": "once"}).retrieve("fog signal")

    assert [metadata(answer).get("also_in") for answer in found if answer.document == "a"] == [PLACES]
