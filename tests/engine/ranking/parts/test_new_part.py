"""A new part of the score is one file and one entry: search, bounds, explanations, learning and the page have it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from bench.settings_tables import table_of_parts
from engine.arrays import FloatArray
from engine.explain.explain import explain
from engine.index.reader import IndexReader
from engine.planning.plan import ByScore
from engine.ranking.articles import rank_articles
from engine.ranking.parts import catalogue
from engine.ranking.parts.part import ArticleEvidence, ElementEvidence, ExplainedElements, Explanation, InnerPart
from engine.ranking.score_parts import rescored, score_parts
from engine.ranking.scoring.article_bounds import article_bounds, reason_without_bounds
from engine.ranking.scoring.focus import focused
from engine.ranking.search import plan_query
from engine.settings import Settings
from foxir.tuning.judged_search import values_to_try
from tests.engine.check_answers import search
from tests.engine.small_index import index_of

DEEPEST = 9.0


class DepthPart(InnerPart):
    """A part that no one would add: the depth of an element. Its weight is a setting that elements do not use."""

    name = "depth"
    setting = "whole_weight"
    tried = (0, 0.5)
    formula = "depth(e): steps of the path of e"
    source = "nobody, 1900"

    def column(self, evidence: ElementEvidence) -> FloatArray:
        depths = np.ones(len(evidence.context.rows))
        for place, above in enumerate(evidence.context.parents.tolist()):  # parents come before their children
            if above != place:
                depths[place] = depths[above] + 1
        return depths

    def bound(self, articles: ArticleEvidence) -> FloatArray:
        return np.full(len(articles.alone), DEEPEST)

    def explain(self, explained: ExplainedElements, place: int) -> list[Explanation]:
        value = self.weight(explained.order) * explained.value(self, place)
        return [Explanation(self.name, value, "depth")]


@pytest.fixture
def part() -> Iterator[DepthPart]:
    added = DepthPart()
    catalogue.INNER.append(added)
    yield added
    catalogue.INNER.remove(added)


@pytest.fixture
def index(tmp_path) -> Iterator[IndexReader]:
    text = "<s><p>sea tide lamp fog</p><p>sea gale</p></s><s><s><p>tide reef</p></s></s>"
    documents = {f"d{number}": f"<a>{text * (1 + number % 2)}</a>" for number in range(4)}
    with index_of(tmp_path, documents) as reader:
        yield reader


def settings(weight: float) -> Settings:
    return Settings.from_options(whole_weight=weight, overlap="keep", min_words=0, min_leaf_words=0, focus=1)


def test_search_adds_it(index, part):
    plain, added = (
        {(each.document, each.path): each.score for each in search(index, "sea tide", settings(weight))}
        for weight in (0, 0.5)
    )
    depths = {key: key[1].count("/") for key in plain}
    assert added == pytest.approx({key: plain[key] + 0.5 * depths[key] for key in plain}, rel=1e-12)


def test_a_search_of_the_default_settings_adds_it(index, part):
    defaults = Settings.from_options(whole_weight=0.5, focus=1)
    found = [search(index, "sea tide", defaults) for _ in range(2)]  # of an index just opened, and of a warm one
    catalogue.INNER.remove(part)
    plain = search(index, "sea tide", defaults)
    catalogue.INNER.append(part)
    assert plain.scores is not None
    for each in found:
        assert each.scores is not None
        assert each.scores[0] > plain.scores[0]


@pytest.mark.long
def test_explanations_have_it_and_add_up(index, part):
    for answer in search(index, "sea tide", settings(0.5)):
        why = explain(index, "sea tide", answer.document, answer.path, settings(0.5)).element
        assert why is not None
        assert why.value == answer.score
        assert [each.value for each in why.details if each.name == "depth"] == [0.5 * answer.path.count("/")]


def test_bounds_and_pruning_have_it(index, part):
    plan = plan_query(index, "sea tide", replace(settings(0.5), max_answers=1))
    ranked = rank_articles(index, plan)
    order = focused(index, plan, ranked).order
    assert isinstance(order, ByScore)
    assert not reason_without_bounds(plan, order)
    bounds = [article_bounds(index, plan, each, ranked).highest for each in (order, replace(order, whole_weight=0.0))]
    assert all(each is None or len(each) == len(ranked) for each in bounds)
    evidence = ArticleEvidence(order, *np.ones((4, 2)))
    plain = catalogue.highest(evidence._replace(order=replace(order, whole_weight=0.0)))
    assert catalogue.highest(evidence).tolist() == (plain + 0.5 * DEEPEST).tolist()


def test_its_weight_is_learned(index, part):
    assert values_to_try(["whole_weight"]) == {"whole_weight": (0, 0.5)}
    parts = score_parts(index, "sea tide", settings(0), ["whole_weight"])
    found = rescored(parts, {"whole_weight": 0.5})
    answers = search(index, "sea tide", settings(0.5))
    assert found.scores is not None
    assert answers.scores is not None
    assert sorted(found.scores) == sorted(answers.scores)


def test_the_page_on_scoring_has_it(part):
    assert "| `whole_weight` | depth(e): steps of the path of e | nobody, 1900 |" in table_of_parts()
