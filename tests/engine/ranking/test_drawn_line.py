"""The line that ARCHITECTURE.md draws is the one that a search takes, whether or not its index was read before."""

from __future__ import annotations

import pickle
import re
import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

from engine.answers.stage_recorder import Stage, search_stages
from engine.index.reader import IndexReader, open_reader
from engine.ranking import search as line
from engine.ranking.search import search
from engine.settings import Settings
from tests.engine.small_index import answers_to, index_of
from tests.trust.soak import some

ROOT = Path(__file__).parents[3]
DOCUMENTS = {
    f"d{number}": f"<a><title>Tide</title><s><h>lamp</h><p>sea tide {number}. A lamp.</p><p>sea</p></s></a>"
    for number in range(40)
}
# What chooses and scores; other packages read columns, once or again, and keep what they read.
OF_THE_LINE = ("engine/planning/", "engine/ranking/", "engine/structure/")
STAGES = ["plan", "articles", "bounds", "matches", "candidates", "selected", "answers"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(index_of(tmp_path_factory.mktemp("line"), DOCUMENTS).folder)


def drawn_stages() -> list[tuple[str, str]]:
    """Return the stages that ARCHITECTURE.md draws, in order, each with its file."""
    pipeline = (ROOT / "ARCHITECTURE.md").read_text("utf-8").partition("## The pipeline")[2].partition("## ")[0]
    return re.findall(r"^      \|  (\w+) +(engine/\S+\.py)", pipeline, re.MULTILINE)


def functions_by_stage(index: IndexReader, settings: Settings) -> Mapping[str, set[tuple[str, str]]]:
    """Return file and name of the functions of the engine that run in each stage of a search, and before it."""
    by_stage: dict[str, set[tuple[str, str]]] = defaultdict(set)
    since: set[tuple[str, str]] = set()

    def called(frame: FrameType, event: str, _: Any) -> None:
        name = Path(frame.f_code.co_filename)
        if event == "call" and name.is_relative_to(ROOT / "engine"):
            since.add((name.relative_to(ROOT).as_posix(), frame.f_code.co_qualname))

    def reported(stage: str, *_: Any) -> None:
        by_stage[stage] |= since
        since.clear()

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        search(index, "sea tide lamp", settings, reported)
    finally:
        sys.setprofile(before)
    return by_stage


@pytest.mark.long
def test_each_stage_runs_in_the_file_that_is_drawn(folder: Path) -> None:
    by_stage = functions_by_stage(open_reader(folder), Settings(max_answers=3))
    drawn = [(stage, file) for stage, file in drawn_stages() if stage not in ("semantic", "siblings")]

    assert [stage for stage, _ in drawn] == STAGES
    assert set(by_stage) == set(STAGES)
    for stage, file in drawn:
        assert file in {file for file, _ in by_stage[stage]}, f"{stage}: {file}"


@pytest.mark.parametrize("settings", some([Settings(max_answers=3), Settings(), Settings(unit="sentence")], 2), ids=str)
def test_a_cold_search_and_a_warm_one_take_the_same_line(folder: Path, settings: Settings) -> None:
    functions_by_stage(open_reader(folder), settings)  # what a process computes once, such as typed settings
    index = open_reader(folder)
    cold, warm = functions_by_stage(index, settings), functions_by_stage(index, settings)

    assert list(cold) == list(warm)
    for stage, functions in cold.items():
        for one, other in ((functions, warm[stage]), (warm[stage], functions)):
            assert {each for each in one - other if each[0].startswith(OF_THE_LINE)} == set(), stage


# The stages of a search: each value prints on one line, pickles, and is reported once per batch.


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
