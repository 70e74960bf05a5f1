"""Similarities and parts of the score that are functions of the user: scores, explanations, bounds, mistakes."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from engine.answers.topic_run import run_topics
from engine.errors import ArgumentError, FoxirError, FunctionError, QueryTimeError, SettingsError
from engine.explain.explain import explain
from engine.index.reader import IndexReader
from engine.planning.plan import ByScore
from engine.ranking.expressions import own_scores
from engine.ranking.score_parts import rescored, score_parts
from engine.ranking.scoring.article_bounds import reason_without_bounds
from engine.ranking.scoring.focus import focused
from engine.ranking.search import begin_search, plan_query
from engine.settings import Settings
from engine.topics import Topic
from tests.engine.check_answers import WAYS, search
from tests.engine.ranking import own_functions
from tests.engine.ranking.own_functions import HERE
from tests.engine.small_index import index_of

TEXT = "<s><p>sea tide lamp fog sea</p><p>sea gale rope</p></s><s><s><p>tide reef buoy mist</p></s></s>"


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> Iterator[IndexReader]:
    documents = {f"d{number}": f"<a>{TEXT * (1 + number % 2)}</a>" for number in range(4)}
    documents["d5"] = "<a><p>lamp only</p></a>"
    with index_of(tmp_path_factory.mktemp("own"), documents) as reader:
        yield reader


def settings(**given) -> Settings:
    return Settings.from_options(min_words=0, min_leaf_words=0, overlap="keep", parent_weight=0, **given)


def scores(index, text, chosen):
    return {(each.document, each.path): each.score for each in search(index, text, chosen, ways=WAYS)}


@pytest.mark.long
def test_a_function_scores_as_the_expression_with_its_formula(index):
    for given in ({}, {"coverage": 0.5, "heading_weight": 1.0}, {"passages": True}):
        own = scores(index, "sea tide", settings(similarity=own_functions.bm25, element_k1=2, **given))
        expression = settings(similarity="E[CW-AJA-BAA]", element_k1=2, element_b=0.75, element_floor=0, **given)
        assert own == pytest.approx(scores(index, "sea tide", expression), rel=1e-12)


def test_a_function_of_documents_ranks_articles(index):
    own = begin_search(index, "sea tide", settings(similarity=f"D[{HERE}:bm25]", k1=0.9)).ranked
    usual = begin_search(index, "sea tide", settings(similarity="bm25", k1=0.9)).ranked

    assert own.documents.tolist() == usual.documents.tolist()
    assert own.scores.tolist() == pytest.approx(usual.scores.tolist(), rel=1e-12)
    search(index, "sea tide", settings(similarity=f"D[{HERE}:bm25]"), ways=WAYS)


def test_columns_say_what_the_index_says(index):
    own_functions.seen.clear()
    search(index, "sea tide sea zebra", settings(similarity=own_functions.recorded, max_articles=1), ways=())
    (columns,) = own_functions.seen

    assert (columns.query, columns.terms, columns.query_tf.tolist()) == ("sea tide sea zebra", ("sea", "tide"), [2, 1])
    assert columns.document_frequency.tolist() == [4, 4]
    assert columns.collection_frequency.tolist() == [18, 12]  # d1 and d3 have the text twice
    assert (columns.n_documents, columns.n_texts) == (5, len(columns.lengths))
    whole = int(columns.lengths.argmax())
    assert columns.lengths[whole] == columns.document_lengths[whole]
    assert columns.tf[whole].tolist() == columns.document_tf[whole].tolist()
    assert columns.tf.shape == columns.document_tf.shape == (columns.n_texts, columns.n_terms)
    assert (columns.tf.sum(axis=1) > 0).all()
    assert columns.element_frequency.min() >= 4
    assert columns.n_elements > 5
    assert columns.block_words > 0
    assert columns.n_words == 12 * 6 + 2


@pytest.mark.long
def test_other_columns_are_the_same_in_batches_shards_and_without_kernels(index):
    for name in ("of_documents", "negative", "focused"):
        scores(index, "sea tide lamp", settings(similarity=f"{HERE}:{name}", max_answers=3))


def test_it_is_one_part_of_an_explanation(index):
    chosen = settings(similarity=own_functions.bm25, coverage=0.5, score_parts={own_functions.early: 2})
    why = explain(index, "sea tide", "d1", "/a[1]/s[1]/p[2]", chosen).element
    assert why is not None
    (part,) = why.find("function")
    (added,) = why.find("own_part")

    assert part.facts == {"function": f"{HERE}:bm25", "tf": {"sea": 1}}
    assert added.facts == {"function": f"{HERE}:early", "weight": 2.0}
    assert added.value == 2 * (1 - 5 / 24)


def test_the_focus_is_a_parameter_where_the_function_has_it(index):
    adapting = Settings.from_options(similarity=own_functions.focused)

    assert (adapting.similarity, adapting.coverage) == ("bm25", 0.2)
    assert Settings.from_options(similarity=own_functions.bm25).coverage == 0
    with pytest.raises(SettingsError, match="'element_focus' is not a parameter"):
        Settings.from_options(similarity=own_functions.focused, element_focus=1)


def test_parameters_are_those_of_the_function():
    found = Settings.from_options(similarity=f"{HERE}:bm25", element_k1="2")

    assert found.element_parameters == {"k1": 2.0}
    assert (found.element_similarity, found.rank_by) == (f"{HERE}:bm25", "score")
    assert Settings.from_options(**found.all_values()) == found
    assert found.to_dict()["element_b"] == 0.75
    for given, says in (
        ({"element_c": 1}, "'element_c' is not a parameter of .*bm25, which has element_b, element_k1"),
        ({"element_k1": "many"}, "element_k1 = 'many': expected a number"),
        ({"k2": 1}, "'k2' is no setting, and .*bm25 has the parameters element_b, element_k1"),
        ({"similarity": f"D[{HERE}:nothing]", "k2": 1}, "D.*nothing. has no parameters: those after a "),
    ):
        with pytest.raises(SettingsError, match=says):
            Settings.from_options(**{"similarity": own_functions.bm25, **given})


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nothing", "returned nan for text 0 of"),
        ("endless", "returned inf for text 0 of"),
        ("huge", "returned 1e.308 for text 0 of .*, so that their sums are finite"),
        ("shape", r"returned an array of shape \(\d+,\): expected one number for each of \d+ texts"),
        ("of_two", r": missing a required argument: 'df': expected a function of one .*def score\(columns, \*"),
        ("matrix", r"returned an array of shape \(\d+, 2\)"),
        ("words", "returned list of <U1"),
        ("masked", "returned MaskedArray of float64"),
        ("raises", r"raised KeyError: 'lamp' \(.*own_functions.py:\d+\)"),
        ("leaves", "raised SystemExit: 3"),
    ],
)
def test_a_wrong_result_is_one_error_that_names_function_and_query(index, name, says):
    with pytest.raises(FunctionError, match=f"query 'sea tide': similarity {HERE}:{name} ?{says}"):
        search(index, "sea tide", settings(similarity=f"{HERE}:{name}"), ways=())
    with pytest.raises(FunctionError, match=f"query 'sea tide': similarity {HERE}:{name} ?{says}"):
        search(index, "sea tide", settings(similarity=f"D[{HERE}:{name}]"), ways=())


@pytest.mark.parametrize("given", [{"similarity": "leaving:f"}, {"score_parts": "leaving:f"}], ids=str)
def test_a_module_that_exits_is_an_error(index, tmp_path, monkeypatch, given):
    (tmp_path / "leaving.py").write_text("import sys\nsys.exit(5)\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(FoxirError, match=r"leaving:f: SystemExit: 5: expected module:function"):
        search(index, "sea tide", settings(**given), ways=())


@pytest.mark.parametrize("given", [{"similarity": f"{HERE}:slow"}, {"score_parts": f"{HERE}:slow"}], ids=str)
def test_the_time_of_a_query_ends_once_a_function_returns(index, given):
    search(index, "sea tide", settings(**given), ways=())  # fills the caches
    with pytest.raises(QueryTimeError, match="takes longer than max_seconds"):
        search(index, "sea tide", settings(**given, max_seconds=0.04), ways=())


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (f"{HERE}:nosuch", "has no attribute 'nosuch'"),
        ("no.such.module:f", "ModuleNotFoundError"),
        (f"{HERE}:NOT_A_FUNCTION", "expected a function, got 3"),
        (f"{HERE}:without_default", "its parameter k1 has no default"),
    ],
)
def test_what_is_no_similarity_is_refused_at_once(name, says):
    with pytest.raises(SettingsError, match=says):
        Settings.from_options(similarity=name)


def test_a_function_without_a_name_is_refused():
    for each in (lambda columns: columns.lengths, partial(own_functions.only_sea)):
        with pytest.raises(ArgumentError, match=r"^a (lambda|partial) has no name in a module, .* 'def' at the top"):
            Settings.from_options(similarity=each)


def test_a_run_loses_only_the_topics_that_fail(index):
    topics = [Topic(topic_id=name, query_type="CO", title=name) for name in ("lamp", "sea", "tide")]
    run, problems = run_topics(index, topics, settings(similarity=own_functions.only_sea), run_id="r")

    assert list(run.rankings) == ["lamp", "tide"]
    assert [(each.topic_id, "query 'sea': similarity" in str(each.notice)) for each in problems] == [("sea", True)]


def test_a_part_from_outside_is_added(index):
    plain = scores(index, "sea tide", settings())
    chosen = settings(score_parts=f"{HERE}:deep^0.5, {HERE}:early")
    found = scores(index, "sea tide", chosen)

    deep = {key: key[1].count("/") + key[1].rpartition("/")[2].startswith("p[") for key in plain}
    assert found.keys() == plain.keys()
    assert all(0 < found[key] - plain[key] - 0.5 * deep[key] < 1 + 1e-9 for key in plain)
    assert chosen.to_dict()["score_parts"] == f"{HERE}:deep^0.5, {HERE}:early^1"
    assert Settings.from_options(**chosen.all_values()) == chosen
    assert "score_parts" not in settings().to_dict()


def test_a_part_has_a_bound_where_it_says_so(index):
    for name, has_bound in (("early", True), ("deep", False)):
        plan = plan_query(index, "sea tide", settings(score_parts=f"{HERE}:{name}"))
        plan = focused(index, plan, begin_search(index, "sea tide", plan.settings).ranked)
        assert isinstance(plan.order, ByScore)
        assert bool(reason_without_bounds(plan, plan.order)) is not has_bound


def test_weights_are_learned_beside_it(index):
    chosen = settings(score_parts=f"{HERE}:early^3")
    parts = score_parts(index, "sea tide", chosen, ["coverage"])
    expected = search(index, "sea tide", replace(chosen, coverage=0.7))
    found = rescored(parts, {"coverage": 0.7}).scores

    assert found is not None
    assert expected.scores is not None
    assert sorted(found) == sorted(expected.scores)


@pytest.mark.parametrize(
    ("part", "says"),
    [
        ("too_high", "returned .* expected 1 at most, its highest"),
        ("part_without_numbers", "returned nan for text 0 of"),
        ("huge", "returned 1e.308 for text 0 of .*, so that their sums are finite"),
        ("raises", "raised KeyError"),
    ],
)
def test_a_wrong_part_is_one_error_that_names_function_and_query(index, part, says):
    with pytest.raises(FunctionError, match=f"query 'sea': part {HERE}:{part} {says}"):
        search(index, "sea", settings(score_parts=f"{HERE}:{part}"), ways=())


def test_parts_of_installed_packages_have_names(index, monkeypatch):
    entry = importlib.metadata.EntryPoint("begins", f"{HERE}:early", "foxir.parts")
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [entry])

    by_name = scores(index, "sea", settings(score_parts={"begins": 2}))
    assert by_name == scores(index, "sea", settings(score_parts={own_functions.early: 2}))
    with pytest.raises(SettingsError, match=r"part begin: did you mean 'begins'.* installed are begins"):
        search(index, "sea", settings(score_parts="begin"))


@pytest.mark.parametrize("text", ["", "a:b^x", "a:b^-1", "a:b:c", "a:b, a:b^2", "a b", "a:b^9999999"])
def test_what_names_no_parts_is_refused(text):
    with pytest.raises(SettingsError, match=r"score_parts = .*expected names with weights"):
        Settings.from_options(score_parts=text)


def test_many_texts_are_given_one_after_the_other_and_scored_alike(index):
    chosen = settings(similarity=own_functions.bm25)
    expected = scores(index, "sea tide lamp", chosen)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(own_scores, "MOST_CELLS", 4)
        own_functions.seen.clear()
        assert scores(index, "sea tide lamp", chosen) == expected
    assert np.isfinite(list(expected.values())).all()
