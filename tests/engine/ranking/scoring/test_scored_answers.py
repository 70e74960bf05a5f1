"""What scored answers promise: order, overlap, budgets, approaches that score otherwise, and what cannot be asked."""

from __future__ import annotations

import numpy as np
import pytest

from engine.errors import QueryError, SettingsError
from engine.explain.explain import explain
from engine.similarity.named_expressions import APPROACHES
from tests.engine.small_index import answers_to, index_of
from tests.foxir.commands.command import foxir, refused

DOCUMENTS = {
    "a": "<article><title>Sea</title><sec><p>The sea, a tide. Fog on the lamp.</p><p>A tide of fog</p></sec></article>",
    "b": "<article><sec><title>Lamp</title><p>Sea sea, light house. The light house.</p></sec><p>tide</p></article>",
    "c": "<article><sec><sec><p>light of the house</p></sec><p>A lamp. A lamp by the sea.</p></sec></article>",
    "d": "<article>reef</article>",
}
SCORED = {"rank_by": "score", "similarity": "okapi", "min_words": "0", "min_passage_words": "0", "word_budget": "all"}
OF_ELEMENTS = [name for name, each in APPROACHES.items() if each.expression[0] in "ETC"]
BY_INTERVALS = {"adaptive", "text-blocks", "local-bm25", "element-bm25", "multinomial"}


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    return index_of(tmp_path_factory.mktemp("scored"), DOCUMENTS)


def search(index, query, **settings):
    return answers_to(index, query, **{**SCORED, "passages": "off", "overlap": "keep", **settings})


def named(answers):
    return [(answer.document, answer.path) for answer in answers]


@pytest.mark.parametrize("name", OF_ELEMENTS)
@pytest.mark.parametrize("query", ["//sec/p", '//sec[.//title = "Lamp"]', "//p[about(., unheard)]"])
def test_elements_without_a_score_are_in_document_order(index, query, name):
    found = search(index, query, element_similarity=name)

    assert [score for score in found.scores.tolist() if score] == []
    assert found.elements.tolist() == sorted(found.elements.tolist())
    assert len(found) == {"//sec/p": 5, '//sec[.//title = "Lamp"]': 1, "//p[about(., unheard)]": 0}[query]
    for answer in found:
        why = explain(index, query, answer.document, answer.path, found.settings)
        assert why.outcome.rank == answer.rank


@pytest.mark.parametrize("name", OF_ELEMENTS)
def test_every_approach_of_elements_scores_them(index, name):
    found = search(index, "sea tide", element_similarity=name)

    assert len(found)
    assert np.isfinite(found.scores).all()
    assert found.scores.tolist() == sorted(found.scores.tolist(), reverse=True)


@pytest.mark.parametrize("name", OF_ELEMENTS)
def test_passages_need_an_approach_of_intervals(index, name):
    if name in BY_INTERVALS:
        assert len(search(index, "sea tide", element_similarity=name, passages="on"))
    else:
        with pytest.raises(SettingsError, match="passages need a calculated score of elements"):
            search(index, "sea tide", element_similarity=name, passages="on")


def test_passages_of_other_approaches_are_a_mistake_of_usage(index):
    refused(
        foxir("search", index.folder, "sea", "--rank-by", "score", "--element-similarity", "gpx", "--passages"),
        "passages need a calculated score of elements",
    )


@pytest.mark.parametrize("passages", ["off", "on"])
@pytest.mark.parametrize("query", ["unknown", '"tide sea"', "sea +unknown"])
def test_nothing_matches(index, query, passages):
    assert named(search(index, query, passages=passages)) == []


def test_a_document_of_one_word_is_an_answer(index):
    assert named(search(index, "reef")) == [("d", "/article[1]")]
    assert [(a.document, a.start, a.end) for a in search(index, "reef", passages="on")] == [("d", 0, 4)]


def test_where_all_elements_are_too_short_whole_articles_are_left(index):
    assert set(named(search(index, "sea", min_words="1000"))) == {(each, "/article[1]") for each in "abc"}


def test_tags_that_the_collection_lacks_are_no_answers(index):
    assert named(search(index, "sea", answers="//figure")) == []


def test_unwanted_words_are_in_no_answer(index):
    found = search(index, "sea -fog", min_leaf_words=0)

    assert ("a", "/article[1]/title[1]") in named(found)
    assert not {("a", "/article[1]"), ("a", "/article[1]/sec[1]")} & set(named(found))


def test_a_phrase_is_scored_where_it_occurs(index):
    found = search(index, '"light house"', answers="matching")

    assert named(found) == [("b", "/article[1]/sec[1]/p[1]")]
    sentences = search(index, '"light house"', passages="on", max_sentences=1, overlap="remove")
    assert [(answer.document, answer.path) for answer in sentences] == [("b", "/article[1]/sec[1]/p[1]")] * 2
    assert sentences.scores[0] >= sentences.scores[1]


def test_phrases_with_stop_words_in_other_places_are_terms_of_their_own(tmp_path):
    (tmp_path / "stop.txt").write_text("of", "utf-8")
    documents = {"d": "<a><p>sea of tide</p><p>sea tide</p><p>tide sea</p></a>"}
    index = index_of(tmp_path, documents, stop=str(tmp_path / "stop.txt"))
    settings = {"answers": "//p", "article_weight": 0, "parent_weight": 0, "min_words": "0"}

    both = search(index, '"sea of tide" "sea tide"', **settings)

    assert sorted(answer.path for answer in both) == ["/a[1]/p[1]", "/a[1]/p[2]"]
    assert min(both.scores) > 0
    assert [str(term) for term in both.query.wanted] == ['"sea * tide"', '"sea tide"']


def test_a_phrase_counts_as_its_words_where_weights_are_of_the_collection(index):
    found = search(index, '"light house"', element_similarity="element-bm25", answers="matching")
    words = search(index, "light house", element_similarity="element-bm25", answers="matching")

    of_words = dict(zip(named(words), words.scores.tolist(), strict=True))
    assert [of_words[answer] for answer in named(found)] == pytest.approx(found.scores.tolist())


def test_required_words_choose_articles(index):
    assert {document for document, _ in named(search(index, "+lamp sea"))} == {"a", "b", "c"}
    assert {document for document, _ in named(search(index, "+house sea"))} == {"b", "c"}


@pytest.mark.parametrize("passages", ["off", "on"])
@pytest.mark.parametrize("budget", [3, 7, 20, 1000])
def test_a_budget_is_never_exceeded(index, passages, budget):
    found = search(index, "sea tide lamp", word_budget=budget, passages=passages)

    assert len(found)
    texts = [index.text(int(d))[a:b] for d, (a, b) in zip(found.documents, found.spans.tolist(), strict=True)]
    assert sum(len(text.replace(",", " ").split()) for text in texts) <= budget


def test_a_budget_below_any_answer_says_how_many_words_are_needed(index):
    with pytest.raises(QueryError, match="the shortest answer has 4 words"):
        search(index, '"light of the house"', answers="matching", word_budget=1)


def test_the_first_matches_are_those_of_the_best_articles(index):
    everything = search(index, "sea", answers="matching")
    best = everything.ranked.documents[0]

    found = search(index, "sea", answers="matching", max_matches=1)

    assert len(found) == 1
    assert int(found.documents[0]) == int(best)


@pytest.mark.parametrize("passages", ["off", "on"])
def test_without_articles_ranked_scores_are_of_elements_alone(index, passages):
    found = search(index, "sea", approach="native", passages=passages, article_weight=4)
    own = search(index, "sea", passages=passages, article_weight=0)

    assert sorted(zip(named(found), found.scores.tolist(), strict=True)) == sorted(
        zip(named(own), own.scores.tolist(), strict=True)
    )


@pytest.mark.parametrize("reading", ["SS", "SV", "VS", "VV"])
def test_path_queries_are_answered_by_score(index, reading):
    found = search(index, "//article[about(., sea)]//sec[about(., lamp)]", reading=reading)

    assert len(found)
    assert found.scores.tolist() == sorted(found.scores.tolist(), reverse=True)
    if reading in ("SS", "SV"):
        assert {path.rsplit("/", 1)[1][:3] for _, path in named(found)} == {"sec"}


def test_passages_lie_in_strict_targets(index):
    found = search(index, "//sec[about(., sea)]", reading="SS", passages="on")

    assert len(found)
    assert all("/sec[" in path for _, path in named(found))


def test_answers_do_not_depend_on_the_order_of_the_input(index, tmp_path):
    other = index_of(tmp_path, dict(reversed(DOCUMENTS.items())))

    for settings in ({}, {"passages": "on"}, {"overlap": "remove"}):
        first, second = search(index, "sea tide lamp", **settings), search(other, "sea tide lamp", **settings)
        assert named(first) == named(second)
        assert first.scores.tolist() == second.scores.tolist()
