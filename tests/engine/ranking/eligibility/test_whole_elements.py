"""Passages of the right size: sentences of running text, tables as a whole, and elements that answer as a whole."""

from __future__ import annotations

from itertools import pairwise

import pytest

from engine.explain.explain import explain
from engine.index.reader import IndexReader
from engine.ranking.trace import Reason
from engine.settings import Settings
from tests.engine.check_answers import explained, search
from tests.engine.small_index import answers_to, index_of

PROSE = " ".join(
    f"The {word} of the northern coast was described by a keeper who lived there for many years."
    for word in ("harbour", "weather", "fishing", "people")
)
ROWS = "".join(f"<tr><td>Beacon {number}</td><td>{number} metres</td></tr>" for number in range(20))
TABLE = f"<table>{ROWS}<tr><td>Skagen</td><td>lantern</td></tr></table>"
EVENLY = " ".join(f"Here the foghorn of {name} sounds through the night." for name in ("Anholt", "Hirsholm", "Drogden"))
DOCUMENTS = {
    "table": f"<a><p>{PROSE}</p>{TABLE}</a>",
    "prose": f"<a><p>{PROSE} A storm put out the lantern of Skagen in the winter of that year. {PROSE}</p></a>",
    "headed": f"<a><p>{PROSE}</p><sec><title>Foghorn signals</title><p>{EVENLY}</p></sec></a>",
    "loose": f"<a><p>{PROSE}</p><tr><td>reef</td></tr></a>",
    "fields": "<record><td>Fresnel</td><td>1822</td></record>",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    folder = tmp_path_factory.mktemp("wholes")
    profile = folder / "profile.toml"
    profile.write_text('titles = ["title"]\n')
    return index_of(folder, DOCUMENTS, profile=str(profile))


def found(index: IndexReader, query: str, **settings) -> list[tuple[str, str, tuple[int, int] | None]]:
    answers = answers_to(index, query, passages=True, **settings)
    return [(answer.document, answer.path, answer.sentences) for answer in answers]


def test_a_table_is_a_passage_and_of_running_text_a_sentence_is(index):
    best = found(index, "Skagen lantern")[:2]

    assert sorted(best) == [("prose", "/a[1]/p[1]", (4, 4)), ("table", "/a[1]/table[1]", None)]


def test_cells_are_no_passages_in_a_table_but_are_if_passages_are_sentences_only(index):
    assert not [path for _, path, _ in found(index, "lantern", min_passage_words=1) if "/td" in path]
    assert ("table", "/a[1]/table[1]/tr[21]/td[2]", (0, 0)) in found(
        index, "lantern", min_passage_words=1, whole_weight=0
    )


def test_an_element_without_words_is_no_passage_but_is_an_answer_as_an_element(tmp_path):
    index = index_of(tmp_path, {"drawn": f"<a><p>{PROSE}</p><fig><graphic/></fig></a>"})

    assert [answer.path for answer in answers_to(index, "//fig")] == ["/a[1]/fig[1]"]
    assert [path for _, path, _ in found(index, "//(fig|p)", whole_weight=1)] == ["/a[1]/p[1]"]
    explained = explain(index, "//fig", "drawn", "/a[1]/fig[1]", Settings.from_options(passages=True))
    assert explained.outcome.reason is Reason.MIN_PASSAGE_WORDS


def test_a_fragment_that_no_table_holds_is_found_with_what_is_around_it(index):
    assert found(index, "reef") == [("loose", "/a[1]", None)]
    assert found(index, "fresnel") == [("fields", "/record[1]", None)]


def test_a_fragment_is_a_passage_where_nothing_around_it_can_be_one(index):
    assert found(index, "reef", max_words=3, min_passage_words=1) == [("loose", "/a[1]/tr[1]/td[1]", (0, 0))]


def test_an_element_that_answers_as_a_whole_is_one_passage(index):
    by_blocks = {"whole_weight": 1, "min_leaf_words": "0.4x"}
    assert found(index, "foghorn signals", **by_blocks)[0] == ("headed", "/a[1]/sec[1]/p[1]", None)
    assert found(index, "foghorn signals", whole_weight=1)[0] == ("headed", "/a[1]/sec[1]", None)
    no_sentence_is_long = {"whole_weight": 0, "min_passage_words": "0.15x"}
    assert found(index, "foghorn signals", **no_sentence_is_long)[0] == ("headed", "/a[1]/sec[1]/title[1]", (0, 0))


@pytest.mark.parametrize("weight", [0, 0.7, 1])
def test_passages_share_no_character(index, weight):
    answers = answers_to(index, "Skagen lantern foghorn keeper", passages=True, whole_weight=weight, max_sentences=2)
    spans = sorted((answer.document, answer.start, answer.end) for answer in answers)

    assert len(spans) > 5
    assert all(one[0] != other[0] or one[2] <= other[1] for one, other in pairwise(spans))


def test_the_text_of_a_whole_element_is_all_of_it(index):
    table = next(answer for answer in answers_to(index, "Skagen lantern", passages=True) if answer.sentences is None)

    assert table.text.startswith("Beacon 0")
    assert table.text.endswith("lantern")
    assert table.words == 4 * 20 + 2


def test_an_explanation_adds_up_to_the_score_of_a_whole_element(index):
    settings = Settings.from_options(passages=True)
    search(index, "Skagen lantern", settings, ways=[explained])
    explanation = explain(index, "Skagen lantern", "table", "/a[1]/table[1]", settings)
    (passage,) = explanation.passages

    assert passage.sentences is None
    assert "its tag usually contains fragments" in str(explanation)
    assert "the whole element, 82 words" in str(explanation)


def test_a_word_budget_takes_sentences_where_a_whole_element_is_too_long(index):
    answers = answers_to(index, "Skagen lantern", passages=True, word_budget=40)

    assert answers[0].document == "prose"
    assert sum(answer.words for answer in answers) <= 40


SHIPS = ("Dotterel", "Fulmar", "Skua")
HOURS = "".join(f"<port><at>{ship} of Garra</at><at>Sunday {ship}</at><at>12:40</at></port>" for ship in SHIPS)
NAMES = "<names><at>Ship</at><at>Sunday</at><at>Leaves</at></names>"
TIDES = f"<book><sheet><over>Sundays at Garra pier</over>{NAMES}{HOURS}</sheet></book>"


@pytest.mark.parametrize(("row", "cell", "table"), [("tr", "td", "table"), ("port", "at", "sheet")])
def test_where_all_texts_are_cells_rows_are_answers_no_cells_headers_or_captions(tmp_path, row, cell, table):
    markup = TIDES.replace("port>", f"{row}>").replace("at>", f"{cell}>").replace("sheet>", f"{table}>")
    index = index_of(tmp_path, dict.fromkeys("bcd", markup), profile="auto")
    best = f"/book[1]/{table}[1]/{row}[3]"
    found = answers_to(index, "Sunday Skua", max_table_words=None)

    assert index.statistics.block_words < 4
    assert found.paths[:3] == [best] * 3
    assert not [path for path in found.paths if f"/{cell}" in path or "/names" in path or "/over" in path]
    assert [each.path for each in answers_to(index, "Sunday Skua", word_budget=8)][:1] == [best]
    outcome = explain(index, "Sunday Skua", "b", f"{best}/{cell}[2]", Settings.from_options()).outcome
    assert outcome.reason is Reason.PART_OF_TABLE
    assert "whose row can be an answer" in outcome.description
    assert f"{best}/{cell}[2]" in answers_to(index, "Sunday Skua", min_leaf_words=0, min_words=0).paths
    assert f"{best}/{cell}[2]" in answers_to(index, "Sunday Skua", inside=f"//{cell}").paths
