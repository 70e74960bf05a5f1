"""Feedback against a plain reference: words counted in the texts of the best answers, scores summed over words."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.answers.document_scores import document_scores
from engine.explain.explain import explain
from engine.index.reader import IndexReader
from engine.query.query import FEWEST_OF_QUESTION
from engine.ranking.feedback import HIGHEST_FOCUS, N_ANSWERS
from engine.ranking.search import search
from engine.settings import Settings
from tests.engine.ranking.scoring.test_article_bounds import WORDS, element
from tests.engine.small_index import answers_to, index_of
from tests.trust.soak import in_turn

# Scores that are sums over words: of the element alone, without what its words have together.
ALONE = dict.fromkeys(
    ("article_weight", "parent_weight", "heading_weight", "exact_title_weight", "neighbour_weight", "coverage"), 0
)
QUESTION = "sea fog tide lamp"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexReader]:
    rng = random.Random(7)
    documents = {f"d{n}": element(rng, rng.choice(WORDS), 0) for n in range(25)}
    with index_of(tmp_path_factory.mktemp("feedback"), documents) as reader:
        yield reader


def expected_factors(
    index: IndexReader, query: str, focus: float, feedback: float, **given: object
) -> dict[str, float]:
    """Return the factor of each word, counted in the texts of the ten best elements without feedback."""
    first = answers_to(index, query, **{**given, "feedback": 0, "focus": focus, "max_answers": N_ANSWERS})
    texts = [set(index.analyser.terms(answer.text)) for answer in first]
    share = {word: sum(word in text for text in texts) / len(texts) for word in query.split()}
    return {word: 1 + feedback * (1 - focus / HIGHEST_FOCUS) * share[word] for word in share}


@pytest.mark.parametrize(("focus", "feedback"), in_turn([0.0, 0.2, 0.45], [0.5, 1, 3]))
def test_scores_are_sums_of_words_weighed_by_how_many_best_answers_contain_them(
    index: IndexReader, focus: float, feedback: float
) -> None:
    factors = expected_factors(index, QUESTION, focus, feedback, **ALONE)
    assert max(factors.values()) > 1
    with_feedback = Settings.from_options(**ALONE, focus=focus, feedback=feedback)
    of_word = Settings.from_options(**ALONE, focus=focus, feedback=0)
    n_elements = 0
    for document in range(index.statistics.n_documents):
        found = document_scores(index, QUESTION, with_feedback, document)
        of_words = {word: document_scores(index, word, of_word, document) for word in factors}
        for row, score in found.items():
            assert score == pytest.approx(sum(factors[word] * of_words[word].get(row, 0.0) for word in factors))
        n_elements += len(found)
    assert n_elements > 100


def test_words_that_few_texts_contain_are_counted_in_the_best_answers(tmp_path: Path) -> None:
    rare = {1: "sea fog", 4: "tide", 5: "lamp tide", 8: "lamp"}
    texts = {f"d{n}": " ".join([*(["sea fog"] * (20 - n)), *(["rock"] * n * 3), rare.get(n, "")]) for n in range(20)}
    documents = {name: f"<a><sec><p>{text}</p></sec></a>" for name, text in sorted(texts.items(), reverse=True)}
    with index_of(tmp_path, documents) as reader:
        expected = expected_factors(reader, QUESTION, 0.0, 1)
        found = dict(answers_to(reader, QUESTION, focus=0).plan.order.word_factors)

    assert sorted(expected.values())[0] < sorted(expected.values())[-1]
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("query", "given"),
    [
        (" ".join(QUESTION.split()[: FEWEST_OF_QUESTION - 1]), {"focus": 0}),  # keywords
        (QUESTION, {"focus": HIGHEST_FOCUS}),  # an article stands out
        (f"//p[about(., {QUESTION})]", {"focus": 0}),
        (QUESTION, {"focus": 0, "element_similarity": "text-blocks"}),
    ],
)
def test_other_queries_are_searched_once(index: IndexReader, query: str, given: dict[str, object]) -> None:
    one, other = answers_to(index, query, **given), answers_to(index, query, **given, feedback=0)

    assert one.plan.order.word_factors == ()
    assert one.scores is not None
    assert one.scores.tolist() == other.scores.tolist()


@pytest.mark.parametrize(
    "given",
    [
        {"documents": "d1*"},
        {"inside": "//sec"},
        {"answers": "//p"},
        {"max_answers": 2},
        {"passages": True},
        {"word_budget": 30},
        {"group_by_article": True},
        {"max_per_article": 1},
    ],
)
def test_what_is_returned_does_not_change_the_factors(index: IndexReader, given: dict[str, object]) -> None:
    everywhere = answers_to(index, QUESTION, focus=0.1).plan.order.word_factors

    assert len(everywhere) == FEWEST_OF_QUESTION
    assert answers_to(index, QUESTION, focus=0.1, **given).plan.order.word_factors == everywhere


def test_feedback_is_a_stage_and_part_of_explanations(index: IndexReader) -> None:
    stages: list[str] = []
    settings = Settings.from_options(focus=0.1)
    best = search(index, QUESTION, settings, lambda name, value, seconds: stages.append(name))[0]
    found = explain(index, QUESTION, best.document, best.path, settings)

    assert stages.index("articles") < stages.index("feedback") < stages.index("matches")
    assert "feedback of 10 answers (" in str(found)
    counted = found.to_dict()["element"]["feedback"]
    assert counted["answers"] == N_ANSWERS
    assert set(counted["containing"]) == set(QUESTION.split())
    assert max(counted["factors"].values()) > 1


def test_an_index_without_any_answer_gives_no_feedback(tmp_path: Path) -> None:
    with index_of(tmp_path, {"d": "<a><p>harbour</p></a>"}) as reader:
        assert len(answers_to(reader, "sea fog tide lamp", focus=0)) == 0
