"""The stages of a search: each value prints on one line, pickles, and is reported once per batch."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.answers.stage_recorder import Stage, search_stages
from engine.index.reader import IndexReader
from engine.ranking import search as line
from engine.settings import Settings
from tests.engine.small_index import answers_to, index_of

NAMES = ["plan", "articles", "matches", "candidates", "selected", "answers"]
WITH_BOUNDS = ["plan", "articles", "bounds", *NAMES[2:]]
KINDS: dict[str, dict[str, Any]] = {
    "scored elements": {},
    "passages": {"passages": True, "max_sentences": 2},
    "budget": {"word_budget": 6},
    "by tag": {"answers": "//(p|s)"},
    "by structure": {"rank_by": "structure", "answers": "nCRE"},
    "matching": {"rank_by": "structure", "answers": "matching", "max_matches": 3, "operator": "and"},
    "native": {"rank_by": "structure", "approach": "native"},
    "whole articles": {"approach": "fulltext", "similarity": "D[BB-ABF-BAA]"},
}
QUERIES = ["sea tide", "//s[about(., sea)]//p"]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    folder: Path = tmp_path_factory.mktemp("stages")
    documents = {
        f"d{number}": "<a><s><p>sea tide. A lamp.</p><p>sea</p></s><s><p>tide lamp fog</p></s></a>"
        for number in range(3)
    }
    return index_of(folder, documents)


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_stage_has_a_line_a_count_and_a_time(index: IndexReader, kind: str, query: str) -> None:
    settings = Settings.from_options(**KINDS[kind])
    answers, stages = search_stages(index, query, settings)

    ranks_by_score = settings.rank_by == "score" and settings.approach != "fulltext"
    assert [stage.name for stage in stages] == WITH_BOUNDS
    assert ranks_by_score != ("answers are in the order of articles" in stages[2].value)
    assert all("\n" not in stage.value and len(stage.value) < 300 for stage in stages)
    assert [stage.count is None for stage in stages] == [True, *[False] * (len(stages) - 1)]
    assert all(stage.milliseconds >= 0 and stage.n_batches == 1 for stage in stages)
    assert stages[-1].count == len(answers) == len(answers_to(index, query, **KINDS[kind]))
    assert sum(stage.milliseconds for stage in stages) <= answers.seconds * 1000


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_value_pickles_and_is_frozen(index: IndexReader, kind: str, query: str) -> None:
    values: list[Any] = []
    line.search(index, query, Settings.from_options(**KINDS[kind]), lambda _name, value, _seconds: values.append(value))

    for value in values:
        again = pickle.loads(pickle.dumps(value))
        assert (type(again), repr(again)) == (type(value), repr(value))
        with pytest.raises(AttributeError):
            value.anything = 1


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("kind", KINDS)
def test_values_are_equal_by_content_and_not_hashable(index: IndexReader, kind: str, query: str) -> None:
    settings = Settings.from_options(**KINDS[kind])
    one: dict[str, Any] = {}
    two: dict[str, Any] = {}
    other: dict[str, Any] = {}
    for text, values in ((query, one), (query, two), ("fog", other)):
        line.search(index, text, settings, lambda name, value, _, values=values: values.update({name: value}))  # type: ignore[misc]

    assert one == two
    assert one["answers"] != other["answers"]
    assert one["articles"] != replace(one["articles"], scores=one["articles"].scores + 1)
    assert one["selected"] != replace(one["selected"], rows=np.append(one["selected"].rows, 0))
    for name in NAMES[1:]:
        assert one[name] != "another type"
        with pytest.raises(TypeError, match=f"unhashable type: '{type(one[name]).__name__}'"):
            hash(one[name])


def test_a_separator_in_a_value_does_not_cut_it() -> None:
    stage = Stage("plan", "Plan('a ... b')", "Plan('a ... b')", 2, 1, 1.0).followed_by("Plan('c')", 3, 0.5)

    assert (stage.first, stage.last) == ("Plan('a ... b')", "Plan('c')")
    assert stage == Stage("plan", "Plan('a ... b')", "Plan('c')", 5, 2, 1.5)
    assert stage.to_dict()["value"] == "Plan('a ... b') ... Plan('c')"


def test_batches_of_articles_add_up(index: IndexReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.ranking.batches.FEWEST_ARTICLES", 1)
    settings = Settings.from_options(rank_by="structure", answers="matching", operator="and", max_answers=3)
    answers, stages = search_stages(index, "sea tide", settings)
    matches = stages[3]

    assert matches.n_batches > 1
    assert matches.value.count(" ... ") == 1
    assert matches.count == stages[5].count == len(answers) == 3
