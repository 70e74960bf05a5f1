"""The order by a reranker equals a slow one: the best answers scored one by one, and sorted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.errors import SettingsError
from engine.explain.explain import explain
from engine.index.reader import IndexReader
from engine.settings import Settings
from tests.engine.semantic import toy_reranker
from tests.engine.semantic.toy_reranker import by_length
from tests.engine.small_index import answers_to, index_of, unchecked_answers

MODULE = "tests.engine.semantic.toy_reranker"
LENGTH, CHANGING = f"{MODULE}:by_length", f"{MODULE}:changing"
DOCUMENTS = {
    "a": "<art><p>sea fog over the quay. The lamp is lit.</p><p>sea lamp</p><p>gulls,\n <b>sea</b>,  gulls</p></art>",
    "b": "<art><sec><p>fog, fog and sea</p><p>gulls</p></sec><p>the sea, the sea, and a bell</p></art>",
}
# Texts of the answers.
TEXTS = {
    ("a", "/art[1]/p[1]"): "sea fog over the quay. The lamp is lit.",
    ("a", "/art[1]/p[2]"): "sea lamp",
    ("a", "/art[1]/p[3]"): "gulls, sea, gulls",
    ("b", "/art[1]/sec[1]/p[1]"): "fog, fog and sea",
    ("b", "/art[1]/p[1]"): "the sea, the sea, and a bell",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> IndexReader:
    return index_of(tmp_path_factory.mktemp("reranked"), DOCUMENTS)


def described(answers: Any) -> list[tuple[str, str, float]]:
    return [(answer.document, answer.path, answer.score) for answer in answers]


@pytest.mark.parametrize("n_reranked", [1, 2, 3, 20])
@pytest.mark.parametrize("weight", [0.0, 0.5, 40])
def test_the_best_answers_are_scored_and_sorted(index, n_reranked, weight):
    plain = described(answers_to(index, "sea fog"))
    first, others = plain[:n_reranked], plain[n_reranked:]
    lengths = [len(TEXTS[document, path]) for document, path, _ in first]
    reach = (max(lengths) - min(lengths)) or 1
    shares = [round((length - min(lengths)) / reach, 6) for length in lengths]
    expected = [
        (document, path, score + weight * plain[0][2] * share)
        for (document, path, score), share in zip(first, shares, strict=True)
    ]
    expected = sorted([*expected, *others], key=lambda each: -each[2])
    options = {"reranker": LENGTH, "reranker_answers": n_reranked, "reranker_weight": weight}
    found = described(answers_to(index, "sea fog", **options))
    assert [each[:2] for each in found] == [each[:2] for each in expected]
    assert [each[2] for each in found] == pytest.approx([each[2] for each in expected], rel=1e-12)


@pytest.mark.parametrize("way", [{}, {"passages": True}, {"word_budget": 9}, {"max_answers": 2}])
def test_explained_scores_have_the_part_of_the_reranker(index, way):
    settings = Settings.from_options(reranker=by_length, **way)
    assert settings.reranker == LENGTH
    for rank, answer in enumerate(answers_to(index, "sea fog", reranker=LENGTH, **way), 1):
        why = explain(index, "sea fog", answer.document, answer.path, settings)
        nodes = [node for node in (why.element, *(passage.score for passage in why.passages)) if node]
        (node,) = (each for each in nodes if each.value == answer.score)
        (part,) = node.find("reranker")
        assert part.facts["reranker"] == LENGTH
        assert part.value == part.facts["weight"] * part.facts["best_score"] * part.facts["share"]
        assert sum(detail.value for detail in node.details) == pytest.approx(node.value, rel=1e-12)
        if not settings.passages:
            assert why.outcome.rank == rank


def test_it_gets_the_words_of_the_query_and_plain_texts(index):
    toy_reranker.taken()
    unchecked_answers(index, "//p[about(., sea fog)]", reranker=f"{MODULE}:remembers")
    ((query, texts),) = toy_reranker.taken()
    assert query == "sea fog"
    assert set(texts) <= set(TEXTS.values())


def test_a_query_without_answers_calls_nothing(index):
    assert not len(answers_to(index, "unheard", reranker=f"{MODULE}:raises"))


@pytest.mark.parametrize("name", ["raises", "not_a_number", "too_few", "of_text", "takes_texts"])
def test_a_failing_reranker_stops_the_search_unless_it_may_be_skipped(index, monkeypatch, name):
    monkeypatch.setattr(toy_reranker, "NOW", getattr(toy_reranker, name))
    with pytest.raises(SettingsError, match=f"reranker '{CHANGING}'.*semantic_failures"):
        unchecked_answers(index, "sea fog", reranker=CHANGING)
    found = unchecked_answers(index, "sea fog", reranker=CHANGING, semantic_failures="skip")
    assert described(found) == described(answers_to(index, "sea fog"))
    assert [notice.code for notice in found.notices] == ["by_words_alone"]


@pytest.mark.parametrize(
    ("name", "says"), [("raises_lines", "no model here "), ("raises_without_text", "its text raised ValueError ")]
)
def test_what_a_function_raises_is_told_in_one_line(index, name, says):
    with pytest.raises(SettingsError, match=f"the function raised _.*: {says}"):
        answers_to(index, "sea", reranker=f"{MODULE}:{name}")


@pytest.mark.parametrize("name", ["no.such:function", f"{MODULE}:absent"])
def test_a_reranker_that_cannot_be_imported_is_named(index, name):
    with pytest.raises(SettingsError, match=f"reranker {name}"):
        unchecked_answers(index, "sea fog", reranker=name)


def test_scores_of_any_size_are_shares(index, monkeypatch):
    monkeypatch.setattr(toy_reranker, "NOW", lambda _, texts: [(-1) ** place * 1e308 for place in range(len(texts))])
    found = unchecked_answers(index, "sea fog", reranker=CHANGING, reranker_weight=2)
    assert np.isfinite(found.scores).all()
    assert found.scores.max() <= 3 * answers_to(index, "sea fog").scores.max()


@pytest.mark.parametrize("given", [{"rank_by": "structure"}, {"approach": "fulltext"}])
def test_answers_without_scores_of_elements_are_refused(index, given):
    with pytest.raises(SettingsError, match=r"reranker = .*only scored elements"):
        answers_to(index, "sea", reranker=LENGTH, **given)


def test_skipped_elements_are_not_in_the_texts(tmp_path):
    with index_of(
        tmp_path, {"a": "<article><p>sea<script>fog()</script> and lamp</p></article>"}, profile="html"
    ) as html:
        toy_reranker.taken()
        unchecked_answers(html, "sea lamp", reranker=f"{MODULE}:remembers")
    ((_, texts),) = toy_reranker.taken()
    assert texts == ["sea and lamp"]


def test_the_best_answer_of_an_article_is_chosen_after_it(tmp_path):
    texts = ["sea fog", "sea fog bell", "sea fog bell over the quay"]
    documents = {name: f"<art>{''.join(f'<p>{text}</p>' for text in texts)}</art>" for name in "abc"}
    with index_of(tmp_path, documents) as index:
        options = {"reranker": LENGTH, "reranker_weight": 9}
        every = answers_to(index, "sea fog", **options, max_per_article=None)
        for most, n_answers in ((1, 2), (1, 9), (2, 3)):
            found = answers_to(index, "sea fog", **options, max_per_article=most, max_answers=n_answers)
            counts: dict[str, int] = {}
            expected = []
            for document, path, score in described(every):
                counts[document] = counts.get(document, 0) + 1
                if counts[document] <= most:
                    expected.append((document, path, score))
            assert described(found) == expected[:n_answers]


def test_parts_of_an_encoder_and_a_reranker_are_added_as_the_search_adds_them(tmp_path):
    toy = "tests.engine.semantic.toy_encoder:encode"
    with index_of(tmp_path, DOCUMENTS, vectors=toy) as index:
        weights = {"semantic_weight": 0.1, "reranker_weight": 0.7}
        for passages in (False, True):
            options = {"semantic": toy, "reranker": LENGTH, **weights, "passages": passages}
            for answer in answers_to(index, "sea fog", **options):
                why = explain(index, "sea fog", answer.document, answer.path, Settings.from_options(**options))
                nodes = [node for node in (why.element, *(passage.score for passage in why.passages)) if node]
                assert answer.score in [node.value for node in nodes]
