"""Explained scores are those of the search, and their parts add up to them."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import example, given, reject
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from engine.errors import SettingsError
from engine.explain.element_explanation import ElementExplanation
from engine.explain.explain import explain
from engine.index.reader import IndexReader
from engine.ranking.parts.inheritance import MOST_LEVELS
from engine.settings import Settings
from engine.similarity.parser import parse_expression
from tests.engine.check_answers import explained, search
from tests.engine.explain.adding_up import assert_adds_up
from tests.engine.similarity.random_input import calculated_expressions
from tests.engine.small_index import answers_to, grown_index, index_of
from tests.reference.nexi_random import PROFILE, STOP_WORDS
from tests.trust.soak import effort, in_turn

QUERIES = ["fresnel lens cleaning", "tide -prediction", "+lens clockwork", '"dead reckoning" error', "lens lens light"]
SIMILARITIES = [
    *("text-blocks", "element-bm25", "gpx", "xfirm", "leaf-bm25", "result-fusion", "multinomial"),
    *("fragments", "E[DP-AGJ-BAJ]"),
]

WEIGHTS = [
    {"article_weight": 0.5, "focus": 1, "answers": "//(p|sec|item)"},
    {"parent_weight": 0.7, "coverage": 0.3},
    {"neighbour_weight": 0.3, "heading_weight": 0.7, "article_weight": 0.1},
]


def explained_answers(index: IndexReader, query: str, **options: object) -> list[ElementExplanation]:
    """Return explanations of answers to a query, which have the ranks and scores of the search, and add up."""
    settings = Settings.from_options(**options)
    explanations = explained(index, query, settings, (), search(index, query, settings).columns, most=30)
    assert explanations or options.get("passages")
    return explanations


@pytest.mark.parametrize(("similarity", "query"), in_turn(SIMILARITIES, QUERIES))
def test_parts_of_elements_add_up(query, similarity, index):
    for each in explained_answers(index, query, element_similarity=similarity):
        own = next(each.element.find("element_score"))
        assert own.details or not own.value  # some similarities score leaves only


@pytest.mark.parametrize(("given_settings", "query"), in_turn(WEIGHTS, ["//sec[about(., fresnel lens)]", *QUERIES]))
def test_weighted_parts_add_up_exactly(query, given_settings, index):
    explanations = explained_answers(index, query, **given_settings)
    names = {part.name for each in explanations for part in each.element.details}
    assert names >= {"element_score", "context", "article_part"}


def test_terms_are_counted_in_the_element(index):
    settings = Settings.from_options(answers="//p")
    for answer in search(index, "fresnel lens cleaning", settings)[:20]:
        element = explain(index, "fresnel lens cleaning", answer.document, answer.path, settings).element
        assert element is not None
        terms = list(next(element.find("element_score")).find("term"))
        assert terms
        for term in terms:
            assert term.facts["tf"] == index.analyser.terms(answer.text).count(term.facts["term"]) > 0


def test_the_context_is_the_elements_above_with_falling_weights(index):
    settings = Settings.from_options(parent_weight=0.25, focus=1)
    for answer in search(index, "tide", settings)[:10]:
        element = explain(index, "tide", answer.document, answer.path, settings).element
        assert element is not None
        steps = answer.path.split("/")[1:]
        above = ["/" + "/".join(steps[:n]) for n in range(len(steps) - 1, 1, -1)]
        context = list(element.find("context"))
        assert [part.facts["path"] for part in context] == above
        assert [part.facts["weight"] for part in context] == [0.25**n for n in range(1, len(above) + 1)]


@hypothesis_settings(max_examples=effort(2, 3000, thorough=500), deadline=None)
@given(calculated_expressions("E"), st.sampled_from(QUERIES), st.sampled_from([0, 0.5]), st.integers(1, 3))
@example(parse_expression("E[DM-AFI-BAA]"), QUERIES[0], 0, 1)  # the length of a passage adds to its score
@example(parse_expression("E[AG-AAA-AAA]"), QUERIES[0], 0.5, 1)  # words in most elements weigh less than nothing
@pytest.mark.long
def test_parts_of_passages_add_up_under_any_expression(index, expression, query, coverage, sentences):
    options = {"element_similarity": str(expression), "coverage": coverage, "max_sentences": sentences}
    try:
        explained_answers(index, query, passages=True, heading_weight=0, max_answers=40, **options)
    except SettingsError:
        reject()  # letters that cannot be combined, or an expression that does not score passages


# The inner element as a whole scores more than the sentence of it that is returned, but contains a better answer.
WHOLE_IS_DROPPED = {
    "a": "<article><sec><sec>of of<sec/>sea<sec>sea lamp</sec></sec></sec></article>",
    "b": "<article><sec><sec>sea sea<sec>sea<sec/>2003 of öl sea<sec/>öl   öl sea<sec/>2003</sec>sea<sec/>sea<sec/>"
    "1998 sea sea</sec></sec></article>",
}


@pytest.mark.parametrize("most", [20, 1])
def test_the_score_is_that_of_the_answer_where_a_better_passage_is_dropped(most, monkeypatch):
    monkeypatch.setattr("engine.explain.explain.MOST_PASSAGES", most)
    settings = Settings.from_options(passages=True, max_sentences=2)
    with grown_index([WHOLE_IS_DROPPED], profile_text=PROFILE, stop_words=STOP_WORDS) as index:
        wanted = "a", "/article[1]/sec[1]/sec[1]"
        answer = next(each for each in search(index, "sea", settings) if (each.document, each.path) == wanted)
        explained = explain(index, "sea", *wanted, settings)

    best, *_, shown = explained.passages
    assert best.outcome.reason == "overlap"
    assert best.score.value > answer.score
    assert (shown.sentences, shown.outcome.rank) == (answer.sentences, answer.rank)
    assert (explained.score, explained.outcome.rank) == (answer.score, answer.rank)


def test_an_element_outside_the_lengths_has_a_score_all_the_same(index):
    settings = Settings.from_options(min_words=200)
    best = search(index, "fresnel lens", Settings.from_options(max_words=60))[0]

    explained = explain(index, "fresnel lens", best.document, best.path, settings)

    assert explained.outcome.reason == "min_words"
    assert explained.score == best.score


def test_the_native_approach_has_no_article_scores(index):
    settings = Settings.from_options(approach="native", rank_by="structure")

    article = explain(index, "fresnel lens", "ieee/na/1998/n1012", "/article[1]", settings).article

    assert article.value is None
    terms = [(term.facts["term"], term.facts["tf"], term.value) for term in article.find("term")]
    assert terms == [("fresnel", 3, None), ("lens", 11, None)]


def test_passages_need_an_expression_that_scores_intervals(index):
    settings = Settings.from_options(element_similarity="gpx", passages=True)
    with pytest.raises(SettingsError, match="passages need a calculated score"):
        explain(index, "lens", "ieee/na/1998/n1012", "/article[1]", settings)


@pytest.mark.parametrize(
    "given", [{}, {"passages": True}, {"answers": "nCRE", "heuristic": "TPF"}, {"similarity": "gpx"}]
)
def test_text_and_json_are_renderings_of_one_tree(given, index: IndexReader):
    settings = Settings.from_options(**given)
    best = search(index, "fresnel lens xyzzy", settings)[0]

    explained = explain(index, "fresnel lens xyzzy", best.document, best.path, settings)

    text, plain = str(explained), explained.to_dict()
    trees = [explained.article, *(tree for tree in [explained.element] if tree)]
    for node in (found for tree in trees for found in tree.walk()):
        assert node.description in text
        if node.value is not None:
            assert f"{node.value:.6f}  {node.description}" in text
    assert plain["outcome"]["description"] in text
    assert plain["article"] == explained.article.to_dict()
    assert "xyzzy: in no document" in text
    assert pickle.loads(pickle.dumps(explained)) == explained


def test_an_explanation_has_a_line_as_repr_and_no_hash(index: IndexReader):
    settings = Settings.from_options()
    best = search(index, "fresnel lens", settings)[0]
    explained = explain(index, "fresnel lens", best.document, best.path, settings)

    assert repr(explained) == f"ElementExplanation('fresnel lens', {best.document!r}, {best.path!r}, rank=1)"
    with pytest.raises(TypeError, match="unhashable type: 'ElementExplanation'"):
        hash(explained)


def test_function_words_that_are_not_searched_for_are_named(index: IndexReader):
    query, settings = "how is the fresnel lens cleaned", Settings.from_options()
    best = search(index, query, settings)[0]
    path = "//sec[about(., how is the lens)]"

    explained = explain(index, query, best.document, best.path, settings)
    kept = explain(index, query, best.document, best.path, Settings.from_options(function_words="keep"))

    assert explained.dropped_words == ("how", "is", "the")
    assert "function words that are not searched for: how, is, the\n" in str(explained)
    assert kept.dropped_words == ()
    assert explain(index, path, best.document, best.path, settings).dropped_words == ("how", "is", "the")


@pytest.mark.parametrize("depth", [49, 50, 51, 52, 400])
def test_a_context_of_many_levels_adds_up(tmp_path, depth):
    words = "the lamp of the old lighthouse burned all night above the reef"
    index = index_of(tmp_path, {"d": f"<s>{f'<s><p>{words}</p>' * depth}{'</s>' * depth}</s>", "e": f"<s>{words}</s>"})
    path = "/s[1]" * (depth + 1) + "/p[1]"
    options = {"parent_weight": 0.9, "focus": 1, "overlap": "keep", "min_words": 0, "max_answers": 2000}
    answers = answers_to(index, "lamp reef", **options)

    explained = explain(index, "lamp reef", "d", path, Settings.from_options(**options))

    assert explained.element is not None
    assert explained.element.value == next(each.score for each in answers if (each.document, each.path) == ("d", path))
    assert_adds_up(explained.element)
    assert str(explained)
    assert json.loads(json.dumps(explained.to_dict()))["score"] == explained.score
    (last,) = [each for each in explained.element.find("context") if "and all above" in each.description] or [None]
    assert (last is None) == (depth <= MOST_LEVELS)
