"""The best articles of a question are searched in full: elements without a word of it are answers, by their context."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.answers.answers import RankedAnswers
from engine.explain.explain import explain
from engine.index.reader import IndexReader
from engine.query.query import FEWEST_OF_QUESTION
from engine.settings import Settings
from tests.engine.small_index import answers_to, index_of

QUESTION = "who keeps the harbour lamp burning"
BESIDE, FAR, OTHER = "/story[1]/sec[1]/p[2]", "/story[1]/sec[2]/p[1]", "/story[1]/sec[1]/p[1]"
DOCUMENTS = {
    "a": "<story><sec><p>The keeper keeps the harbour lamp burning all winter.</p>"
    "<p>His daughter climbs up with oil each evening.</p></sec>"
    "<sec><p>Ships pass by far away, bound for warm countries.</p><p>Farewell.</p></sec></story>",
    "b": "<story><sec><p>Nobody waits at this quiet quay, seagulls excepted.</p>"
    "<p>The harbour is open from April until October.</p></sec></story>",
    "c": "<story><sec><p>Bread needs flour, water, salt and some patience.</p></sec></story>",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexReader]:
    with index_of(tmp_path_factory.mktemp("full"), DOCUMENTS) as reader:
        yield reader


def found(index: IndexReader, query: str = QUESTION, **settings: Any) -> RankedAnswers:
    given = {"min_words": 1, "min_leaf_words": 0, "block_words": 5, "overlap": "keep", "function_words": "keep"}
    return answers_to(index, query, **{**given, "focus": 0.9, **settings})


def places(answers: RankedAnswers) -> list[tuple[str, str]]:
    return [(answer.document, answer.path) for answer in answers]


@pytest.mark.parametrize(
    ("full_articles", "without_words"),
    [(0, set()), (1, {("a", BESIDE), ("a", FAR)}), (2, {("a", BESIDE), ("a", FAR), ("b", OTHER)})],
)
def test_so_many_of_the_best_articles(
    index: IndexReader, full_articles: int, without_words: set[tuple[str, str]]
) -> None:
    answers = places(found(index, full_articles=full_articles))

    assert {("a", BESIDE), ("a", FAR), ("b", OTHER)} & set(answers) == without_words
    assert answers[0][0] == "a"
    assert "c" not in dict(answers)  # no word of the question is in it


def test_an_element_without_words_has_the_score_of_what_is_around_it(index: IndexReader) -> None:
    order = {"parent_weight": 0.5, "heading_weight": 0, "neighbour_weight": 0.4, "exact_title_weight": 0, "coverage": 0}
    answers = found(index, full_articles=1, focus=1, article_weight=2, **order)
    scores = dict(zip(places(answers), answers.scores.tolist(), strict=True))  # type: ignore[union-attr]
    of_article = 2 * answers.ranked.scores[0]
    section, matching = (scores["a", path] - of_article for path in ("/story[1]/sec[1]", OTHER))
    own = matching - 0.5 * section  # its neighbour scores nothing

    assert scores["a", BESIDE] == pytest.approx(of_article + 0.5 * section + 0.4 * own)
    assert scores["a", FAR] == pytest.approx(of_article)


@pytest.mark.parametrize(
    ("query", "given"),
    [
        (" ".join(QUESTION.split()[-FEWEST_OF_QUESTION + 1 :]), {}),  # keywords, each of which is wanted
        ("harbour xyzzy plugh frobnicate", {}),  # words of no document
        ("harbour-lamp winter-keeps", {}),  # two words, as typed
        (f"+harbour {QUESTION}", {}),
        (f"{QUESTION} -october", {}),
        ('"keeps the harbour lamp burning" harbour', {}),
        ("harbour is open from april", {"operator": "and"}),
        (f"//p[about(., {QUESTION})]", {}),
        (QUESTION, {"answers": "matching"}),
        (QUESTION, {"max_leaves": 5}),
        (QUESTION, {"max_matches": 5}),
        (QUESTION, {"inside": "//sec"}),
        (QUESTION, {"approach": "native"}),  # the first article is none of the best ones
        (QUESTION, {"element_similarity": "text-blocks"}),
    ],
)
def test_whoever_asks_for_words_gets_elements_with_them(index: IndexReader, query: str, given: dict[str, Any]) -> None:
    answers = places(found(index, query, **given))

    assert answers
    assert not {("a", BESIDE), ("a", FAR), ("b", OTHER)} & set(answers)


def test_one_word_of_their_own_is_enough(index: IndexReader) -> None:
    assert ("a", "/story[1]/sec[2]/p[2]") in places(found(index, block_words=1))


def test_two_letters_of_a_script_without_spaces_are_a_word(tmp_path: Path) -> None:
    documents = {
        "a": "<a><p>灯台守は毎晩灯台のランプに火をともす。</p><p>娘は油を運ぶ。</p></a>",
        "b": "<a><p>港は四月から開く。</p></a>",
    }
    with index_of(tmp_path, documents) as reader:
        beside = [("a", "/a[1]/p[2]") in places(found(reader, query)) for query in ("灯台守は", "灯台守は毎晩灯台")]

    assert beside == [False, True]


def test_passages_and_named_tags_are_full_too(index: IndexReader) -> None:
    assert ("a", BESIDE) in places(found(index, answers="//p"))
    assert ("a", BESIDE) in places(found(index, passages=True))


def test_it_is_explained(index: IndexReader) -> None:
    settings = Settings.from_options(
        min_words=1, min_leaf_words=0, block_words=5, function_words="keep", focus=0.9, overlap="keep"
    )
    answers = found(index)
    rank = 1 + places(answers).index(("a", BESIDE))
    explained = explain(index, QUESTION, "a", BESIDE, settings)

    assert explained.outcome.rank == rank
    assert explained.score == answers[rank - 1].score
    assert explained.element is not None
    assert any(part.value for part in explained.element.find("context"))
    (own,) = (part for part in explained.element.details if part.name == "element_score")
    assert (own.value, own.description, own.facts["coverage"]) == (0, "no word of the query, 8 words", 0)
