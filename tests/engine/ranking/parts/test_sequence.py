"""A text that has the words of a query as typed, function words included, comes first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from engine.answers.answer_columns import AnswerColumns
from engine.explain.explain import explain
from engine.index.reader import IndexReader
from engine.planning.plan import ByScore
from engine.settings import Settings
from tests.engine.small_index import answers_to, grown_index, index_of

FILLER = " ".join(
    f"<l>The sail of the boat is in the wind, and it was not to be that number {n}.</l>" for n in range(9)
)
DOCUMENTS = {
    "other": "<play><l>He was in the matter of the rope, the matter being his own.</l><l>The world has a stage.</l>"
    "<l>The keeper said: my lamp, and the lamp of the keeper, is the lamp.</l></play>",
    "play": "<play><l>To be, or not to be, that is the matter:</l><l>All the world is a stage.</l>"
    "<l>The <i>keeper</i> is my lamp and I want no other light in the long nights of winter.</l></play>",
    "titled": "<play><head>The keeper is my lamp and I</head><l>A sail.</l></play>",
    "rest": f"<play>{FILLER}</play>",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexReader]:
    folder = tmp_path_factory.mktemp("sequences")
    (folder / "inline.toml").write_text('inline = ["i"]\ntitles = ["head"]\n', "utf-8")
    with index_of(folder, DOCUMENTS, profile=str(folder / "inline.toml")) as reader:
        yield reader


def sequence_of(found: AnswerColumns) -> str | None:
    assert isinstance(found.plan.order, ByScore)
    sequence = found.plan.order.sequence
    placed = () if sequence is None else sorted(zip(sequence.places, sequence.words, strict=True))
    return " ".join(word for _, word in placed) or None


def score_of(found: AnswerColumns, document: str, path: str) -> float:
    assert found.scores is not None
    return float(found.scores[list(zip(found.document_ids, found.paths, strict=True)).index((document, path))])


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ("to be or not to be that is the matter", 1),
        ("To be, or not to be?", 1),
        ("all the world is a stage", 2),
        ("the keeper is my lamp", 3),  # other lines have its words more often; markup is no gap
    ],
)
@pytest.mark.parametrize("unit", ["element", "sentence"])
def test_the_words_in_their_order_come_first(index: IndexReader, query: str, line: int, unit: str) -> None:
    answers = answers_to(index, query, min_words=1, unit=unit)

    assert (answers.document_ids[0], answers.paths[0]) == ("play", f"/play[1]/l[{line}]")


def test_only_the_order_tells(index: IndexReader) -> None:
    first = answers_to(index, "the keeper is my lamp", min_words=1, sequence_weight=0)

    assert first.document_ids[0] == "other"
    assert sequence_of(first) is None


@pytest.mark.parametrize(
    "query",
    [
        "the keeper of the house",  # no text has it
        "is my lamp",  # three words
        "boat is in wind and sail lamp",  # most are no function words
        "+the keeper is my lamp",
        "the keeper is my -lamp",
        'the keeper is "my lamp"',
        "the keeper is my l*",
        "//l[about(., the keeper is my lamp)]",
        " ".join(["sail of the boat is"] * 5),  # more words than a sentence that is quoted has
    ],
)
def test_other_queries_have_no_sequence(index: IndexReader, query: str) -> None:
    assert sequence_of(answers_to(index, query)) is None


@pytest.mark.parametrize("settings", [{"element_similarity": "text-blocks"}, {"sequence_weight": 0}])
def test_where_it_does_not_count_it_is_not_looked_for(index: IndexReader, settings: dict[str, Any]) -> None:
    assert sequence_of(answers_to(index, "the keeper is my lamp", **settings)) is None


def test_it_is_a_part_of_the_score(index: IndexReader) -> None:
    query = "the keeper is my lamp"
    found = answers_to(index, query, min_words=1)
    assert sequence_of(found) == "the keeper is my lamp"
    without, halved = (answers_to(index, query, min_words=1, sequence_weight=weight) for weight in (0, 0.5))

    asked = Settings.from_options(min_words=1)
    explained, other = (explain(index, query, name, "/play[1]/l[3]", asked) for name in ("play", "other"))
    assert explained.summed is not None
    assert other.summed is not None
    (part,) = explained.summed.find("sequence")
    assert part.value is not None

    scores = [score_of(columns, "play", "/play[1]/l[3]") for columns in (found, without, halved)]
    assert part.value == pytest.approx(scores[0] - scores[1])
    assert 0.5 * part.value == pytest.approx(scores[2] - scores[1])
    assert not list(other.summed.find("sequence"))


def test_a_title_is_no_text_that_has_it(index: IndexReader) -> None:
    asked = Settings.from_options(min_words=1)
    explained = explain(index, "the keeper is my lamp and I", "titled", "/play[1]", asked)

    assert sequence_of(answers_to(index, "the keeper is my lamp and I")) is not None
    assert explained.summed is not None
    assert not list(explained.summed.find("sequence"))


def test_deleted_documents_have_no_sequence() -> None:
    with grown_index([DOCUMENTS, {name: DOCUMENTS[name] for name in ("other", "rest")}]) as grown:
        assert sequence_of(answers_to(grown, "the keeper is my lamp")) is None
