"""A query takes at most 1.2 times the memory and time that its settings allow, whatever the shape of documents."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from foxir import build_index
from tests.trust.bounded_queries import ALL, WAYS, WORDS
from tests.trust.soak import effort

ROOT = Path(__file__).parents[2]
LIMIT = 16  # MiB
TIMES = ["0.2"] if effort(True, False, thorough=False) else ["0.02", "0.05", "0.1", "0.2", "0.4", "0.8"]
# What a search takes beside its intermediate results, and what the allocator keeps.
BESIDE = 12 << 20
SHAPES = ("deep", "wide", "dense")


def document(shape: str) -> str:
    """Return a document of many elements inside one another, beside one another, or with many words each."""
    size = effort(1, 8)
    if shape == "deep":
        return "<a>" + ("<a>" * 990 + ALL + "</a>" * 990) * (25 * size) + "</a>"
    if shape == "wide":
        return "<a>" + f"<p>{WORDS[0]} {WORDS[1]}</p><p>{WORDS[2]}</p>" * (40_000 * size) + "</a>"
    return "<a>" + ("<s>" + f"<p><q>{ALL}</q> {ALL}</p>" * 20 + "</s>") * (60 * size) + "</a>"


@pytest.fixture(scope="module", params=SHAPES)
def index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "source").mkdir()
    (folder / "source" / "d.xml").write_text(document(request.param), "utf-8")
    report = build_index(folder / "source", into=folder / "index")
    assert report.documents == 1
    return folder / "index"


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the most memory of one search is not known")
@pytest.mark.long
def test_a_query_takes_no_more_memory_and_no_more_time_than_it_may(index: Path) -> None:
    command = [sys.executable, "-m", "tests.trust.bounded_queries", str(index), f"{LIMIT}M", *TIMES]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]

    assert [name for name, *_ in found] == list(WAYS)
    assert {name: size >> 20 for name, size, *_ in found if size > 1.2 * (LIMIT << 20) + BESIDE} == {}
    assert {name: late for name, _, _, late in found if max(late) > 0.05} == {}
    assert "QueryLimitError" in {error for _, _, error, _ in found}
