"""The line that ARCHITECTURE.md draws is the one that a search takes, whether or not its index was read before."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from engine.index.reader import IndexReader, open_reader
from engine.ranking.search import search
from engine.settings import Settings
from tests.engine.small_index import index_of
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
    drawn = [(stage, file) for stage, file in drawn_stages() if stage != "semantic"]

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
