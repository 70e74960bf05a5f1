"""What is in a figure scores less than a text that says the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from engine.answers.answer_columns import AnswerColumns
from engine.explain.explain import explain
from engine.index.reader import IndexReader
from engine.settings import Settings
from tests.engine.small_index import answers_to, grown_index

LONG = "and so on for many words that say nothing of it at all " * 3
DOCUMENTS = {
    "a": f"<a><s><h>The fog</h><p>A lamp in the fog {LONG}</p><fig><cap>A lamp in the fog {LONG}</cap></fig></s></a>",
    "b": f"<a><p>A buoy {LONG}</p><figure><img><d>A reef in the tide {LONG}</d></img></figure></a>",
    "c": f"<a><p>Keel {LONG}</p></a>",
}
TEXT, CAPTION = "/a[1]/s[1]/p[1]", "/a[1]/s[1]/fig[1]/cap[1]"
PLAIN = {"neighbour_weight": 0, "parent_weight": 0, "article_weight": 0, "overlap": "keep", "min_words": 1}


@pytest.fixture(scope="module")
def index() -> Iterator[IndexReader]:
    with grown_index([DOCUMENTS], profile_text='titles = ["h"]\n') as reader:
        yield reader


def scores(found: AnswerColumns) -> dict[str, float]:
    assert found.scores is not None
    return dict(zip(found.paths, found.scores.tolist(), strict=True))


@pytest.mark.parametrize("weight", [0, 0.4, 1])
def test_a_share_of_its_text_and_headings_counts(index: IndexReader, weight: float) -> None:
    found = scores(answers_to(index, "lamp fog", **PLAIN, figure_weight=weight))

    assert found[CAPTION] == pytest.approx(weight * found[TEXT])
    assert found[TEXT] > 0


def test_the_text_comes_first(index: IndexReader) -> None:
    assert answers_to(index, "lamp fog").paths[0] == TEXT


def test_a_figure_is_found_where_nothing_else_says_it(index: IndexReader) -> None:
    assert answers_to(index, "reef tide").paths[0].startswith("/a[1]/figure[1]")


@pytest.mark.parametrize("settings", [{"element_similarity": "text-blocks"}, {"figure_weight": 1}])
def test_it_counts_in_full_under_other_rankings(index: IndexReader, settings: dict[str, Any]) -> None:
    found = scores(answers_to(index, "lamp fog", **PLAIN, **settings))

    assert found[CAPTION] == pytest.approx(found[TEXT])


def test_who_asks_for_figures_compares_these_alone(index: IndexReader) -> None:
    full, less = (scores(answers_to(index, "//cap[about(., lamp)]", figure_weight=weight)) for weight in (1, 0.5))

    assert full == less


def test_the_explanation_says_so(index: IndexReader) -> None:
    explained, other = (explain(index, "lamp fog", "a", path, Settings.from_options()) for path in (CAPTION, TEXT))
    assert explained.summed is not None
    assert other.summed is not None

    (part,) = explained.summed.find("figure")
    (own,), (headings,) = (list(explained.summed.find(name)) for name in ("element_score", "headings"))
    assert part.value == pytest.approx(-0.3 * ((own.value or 0) + (headings.value or 0)))
    assert part.facts["weight"] == pytest.approx(-0.3)
    assert not list(other.summed.find("figure"))
