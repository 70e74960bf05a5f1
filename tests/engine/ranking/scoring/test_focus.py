"""The focus of a query, and the default score by hand: what the adaptive ranking computes, step by step."""

from __future__ import annotations

import math
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings

from engine.errors import SettingsError
from engine.explain.explain import explain
from engine.index.reader import IndexReader
from engine.index.texts.opening import OPENING_WORDS
from engine.settings import Settings, default_settings
from tests.engine.ranking.scoring.test_reference import written
from tests.engine.similarity.random_input import collections, queries
from tests.engine.small_index import answers_to, grown_index, index_of
from tests.reference.similarity import Node, Unit, nodes, units_of
from tests.trust.soak import effort

DOCUMENTS = {
    "a": "<r><s><p>sea sea tide fog lamp lamp</p><p>lamp reef reef reef reef</p></s></r>",
    "b": "<r><s><p>tide lamp lamp lamp reef</p></s></r>",
    "c": "<r><p>lamp reef reef lamp reef lamp</p></r>",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    return index_of(tmp_path_factory.mktemp("focus"), DOCUMENTS)


def weight(n: int, n_t: int) -> float:
    return math.log(1 + (n - n_t + 0.5) / (n_t + 0.5))


def bm25(tf: int, words: int, mean: float) -> float:
    return 2.2 * tf / (1.2 * (0.25 + 0.75 * words / mean) + tf)


def opening(tf: int) -> float:
    return 2.2 * tf / (1.2 + tf)


def test_the_default_score_by_hand(index):
    # 3 documents of 11, 5 and 6 words, 4 leaves; sea in 1 document and 1 leaf, tide in 2 and 2
    mean = 22 / 3
    article = weight(3, 1) * bm25(2, 11, mean) + weight(3, 2) * bm25(1, 11, mean)
    article += 0.4 * (weight(3, 1) * opening(2) + weight(3, 2) * opening(1))  # each document is its opening
    x = article / 2.2 / math.log(3) / math.sqrt(2)
    focus = x**6 / (x**6 + 0.4**6)
    # in article a, of 2 leaves, sea and tide are in 1; blocks have (36 + 25 + 25 + 36) / 22 words, 0.8 of it count
    block = 0.8 * 122 / 22
    sea, tide = (weight(2, 1) ** focus * weight(4, n) ** (1 - focus) for n in (1, 2))
    evened = (weight(4, 1) + weight(4, 2)) / (sea + tide)

    def own(words: int) -> float:
        k = 1.4 * (0.2 + 0.8 * max(words / block, 1))
        return evened * (sea * 2.4 * 2 / (k + 2) + tide * 2.4 / (k + 1))

    expected = own(6) + 0.6 * focus * own(11) + 2.4 * focus * article

    found = next(iter(answers_to(index, "sea tide")))

    assert (found.document, found.path) == ("a", "/r[1]/s[1]/p[1]")
    assert found.score == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("focus", [0.3, 1.0])
def test_a_query_of_one_word_weighs_in_every_document_what_it_does_in_the_collection(tmp_path, focus):
    # storm is in each text of the first document, and in one of four of the second
    often = "<r><p>storm one</p><p>storm two</p><p>storm six</p><p>storm ten</p></r>"
    seldom = "<r><p>storm one</p><p>sea two</p><p>sea six</p><p>sea ten</p></r>"
    index = index_of(tmp_path, {"often": often, "seldom": seldom})

    answers = answers_to(
        index, "storm", answers="//p", focus=focus, article_weight=0, parent_weight=0, neighbour_weight=0
    )

    found = {(each.document, each.path): each.score for each in answers}

    assert found["often", "/r[1]/p[1]"] == pytest.approx(found["seldom", "/r[1]/p[1]"], rel=1e-12)


def test_the_focus_is_explained(index):
    why = explain(index, "sea tide", "a", "/r[1]/s[1]/p[1]", default_settings()).element

    assert why is not None
    focus = why.facts["focus"]
    x = (focus["best"] / math.sqrt(focus["words"])) ** 6
    assert focus["words"] == 2
    assert focus["value"] == pytest.approx(x / (x + 0.4**6))
    assert f"focus {focus['value']:.3f}" in why.description
    assert sum(part.value for part in why.details) == pytest.approx(why.value, rel=1e-12)


def test_a_focus_that_is_given_is_taken(index):
    alone = Settings.from_options(focus=0)
    why = explain(index, "sea tide", "a", "/r[1]/s[1]/p[1]", alone).element

    assert why is not None
    assert "focus" not in why.facts
    assert [part.value for part in why.find("article_part")] == [0]


def plain_opening(document: Unit) -> Counter[str]:
    """Return the first words of a document, leaf by leaf."""
    return Counter([word for node, _ in nodes(document.node) for word in node.words][:OPENING_WORDS])


def plain_focus(collection: list[Node], words: set[str]) -> float:
    """Return the focus, straight from its definition."""
    documents = units_of(collection, "D")
    known = sorted(word for word in words if any(word in each.terms for each in documents))
    if not known:
        return 0.0
    if len(documents) < 2:
        return 1.0
    n_t = {word: sum(word in each.terms for each in documents) for word in known}
    mean = sum(each.words for each in documents) / len(documents)
    n, openings = len(documents), [plain_opening(each) for each in documents]
    o_t = {word: sum(word in each for each in openings) for word in known}
    best = max(
        sum(weight(n, n_t[word]) * bm25(each.terms[word], each.words, mean) for word in known)
        + 0.4 * sum(weight(n, o_t[word]) * opening(opened[word]) for word in known)
        for each, opened in zip(documents, openings, strict=True)
    )
    x = best / 2.2 / math.log(len(documents)) / math.sqrt(len(known))
    return x**6 / (x**6 + 0.4**6)


@given(collections, collections, queries)
@hypothesis_settings(max_examples=effort(2, 1000, thorough=30), deadline=None)
def test_the_focus_equals_its_definition_whatever_the_index_went_through(before, collection, query):
    with grown_index([written(before), written(collection)]) as grown:
        for options in ({}, {"similarity": "okapi"}):
            plan = answers_to(grown, " ".join(query), **options).plan
            assert plan.order.focus == pytest.approx(plain_focus(collection, set(query)), rel=1e-9)


# The settings of scored elements: what they may be, what is refused, and in what words.


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("article_weight", -1, "article_weight = '-1': expected a number from 0 to 1e+06."),
        ("parent_weight", "nan", "parent_weight = 'nan': expected a number from 0 to 1."),
        ("focus", 2, "focus = '2': expected a number from 0 to 1, or auto."),
        ("coverage", "thick", "coverage = 'thick': expected a number from 0 to 100."),
        ("element_k1", -1, "element_k1 = '-1': expected a number from 0 to 1e+09."),
        ("element_mu", 5, "'element_mu' is not a parameter of adaptive, which has element_b, element_k1."),
        (
            "block_words",
            "0.5y",
            "block_words = '0.5y': expected a number of words (40), or a multiple of the collection's usual",
        ),
        ("max_words", -1, "max_words = '-1': expected"),
        ("max_articles", "few", "max_articles = 'few': expected"),
        ("min_words", "all", "min_words = 'all': expected a number of words (40), or a multiple"),
        ("passages", "yes", "passages = 'yes': expected true or false (on or off)."),
        ("group_by_article", "article", "group_by_article = 'article': expected true or false (on or off)."),
        ("word_budget", 0, "word_budget = '0': expected a whole number from 1 to 1,000,000,000, or all."),
        ("max_sentences", "all", "max_sentences = 'all': expected a whole number from 1 to 1,000."),
        ("max_sentences", 1001, "max_sentences = '1001': expected a whole number from 1 to 1,000."),
        ("element_similarity", "okapi", "element_similarity = 'okapi': scores whole documents"),
    ],
)
def test_what_is_not_legal_is_refused_in_plain_words(name, value, message):
    with pytest.raises(SettingsError, match="^" + re.escape(message)):
        Settings.from_options(**{name: value})


@pytest.mark.parametrize("name", ["max_answers", "max_sentences"])
@pytest.mark.parametrize("value", [10**10, "99999999999999999999", 10**400])
def test_counts_are_numbers_that_arrays_can_have(name, value):
    with pytest.raises(
        SettingsError, match=rf"^{name} = '\d+…?': expected a whole number from 1 to 1,000(,000,000)?\.$"
    ):
        Settings.from_options(**{name: value})


@pytest.mark.parametrize("name", ["max_matches", "max_articles", "max_per_article", "word_budget"])
@pytest.mark.parametrize("value", [10**10, 10**400])
def test_who_wants_more_than_any_number_says_all(name, value):
    with pytest.raises(
        SettingsError, match=rf"^{name} = '\d+…?': expected a whole number from 1 to 1,000,000,000, or all\.$"
    ):
        Settings.from_options(**{name: value})
