"""A query takes at most 1.2 times the memory and time that its settings allow, whatever the shape of documents."""

from __future__ import annotations

import gc
import json
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from foxir import QueryLimitError, build_index, open_index
from tests.engine.semantic import toy_encoder, toy_reranker
from tests.trust.bounded_queries import ALL, WAYS, WORDS, error
from tests.trust.soak import effort

ROOT = Path(__file__).parents[2]
LIMIT = 16  # MiB
TIMES = ["0.2"] if effort(True, False, thorough=False) else ["0.02", "0.05", "0.1", "0.2", "0.4", "0.8"]
# What a search takes beside its intermediate results, and what the allocator keeps.
BESIDE = 12 << 20
ENCODER, RERANKER = f"{toy_encoder.__name__}:encode", f"{toy_reranker.__name__}:by_length"
SHAPES = ("deep", "wide", "mixed", "dense", "distinct", "many")


def documents(shape: str) -> list[str]:
    """Return one document of many elements or words (`document`), or of words that all differ, or many with fields."""
    size = effort(1, 8)
    if shape == "distinct":
        return ["<a>" + "".join(f"<p>x{number}q {WORDS[number % 64]}</p>" for number in range(40_000 * size)) + "</a>"]
    if shape == "many":
        name = "<contrib contrib-type='author'><name><surname>S{}</surname></name></contrib>"
        names = f"<contrib-group>{name}</contrib-group>"
        front = f"<front><article-meta>{names}<pub-date><year>19{{}}</year></pub-date></article-meta></front>"
        body = f"<body>{f'<p>{ALL}</p>' * 6}</body>"
        return [
            f"<article>{front.format(number % 90, 10 + number % 89)}{body}</article>" for number in range(800 * size)
        ]
    return [document(shape, size)]


def document(shape: str, size: int) -> str:
    if shape == "deep":
        return "<a>" + ("<a>" * 990 + ALL + "</a>" * 990) * (25 * size) + "</a>"
    if shape == "wide":
        return "<a>" + f"<p>{WORDS[0]} {WORDS[1]}</p><p>{WORDS[2]}</p>" * (40_000 * size) + "</a>"
    if shape == "mixed":  # an element with much text of its own between others
        return "<a>" + f"{WORDS[0]} {WORDS[1]}<p>{WORDS[2]}</p>" * (150_000 * size) + "</a>"
    return "<a>" + ("<s>" + f"<p><q>{ALL}</q> {ALL}</p>" * 20 + "</s>") * (60 * size) + "</a>"


def built(folder: Path, made: Sequence[str], vectors: str = ENCODER) -> Path:
    """Return the folder of an index of documents: `d`, `d1`, `d2` and so on."""
    (folder / "source").mkdir()
    for number, markup in enumerate(made):
        (folder / "source" / f"d{number or ''}.xml").write_text(markup, "utf-8")
    report = build_index(folder / "source", into=folder / "index", stem="english", vectors=vectors)
    assert report.documents == len(made)
    return folder / "index"


@pytest.fixture(scope="module")
def nested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A document of nested elements, each with 1,500 blocks."""
    text = f"<p>{WORDS[0]} {' '.join(['fog sea lamp'] * 33)}</p>" * 2_250
    return built(tmp_path_factory.mktemp("nested"), ["<a>" * 400 + text + "</a>" * 400])


@pytest.fixture(scope="module", params=SHAPES)
def index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp(request.param), documents(request.param), vectors="none")


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


def test_an_element_is_looked_up_within_the_memory_of_its_explanation(tmp_path: Path) -> None:
    folder = built(tmp_path, ["<a>" + "<p>fog</p>" * 100_000 + "</a>"], vectors="none")
    with open_index(folder) as opened:
        opened.explain("sea", "d", "/a[1]")
        tracemalloc.start()
        try:
            with suppress(QueryLimitError):
                opened.explain("sea", "d", "/a[1]", max_query_memory="1M")
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()

    assert most < 1.2 * (1 << 20) + (1 << 20)


@pytest.mark.parametrize(
    "by", [{"semantic": ENCODER, "semantic_answers": 10_000}, {"reranker": RERANKER, "reranker_answers": 10_000}]
)
def test_the_meaning_of_answers_that_overlap_takes_no_more_memory_than_a_query_may(
    by: dict[str, Any], nested: Path
) -> None:
    with open_index(nested) as opened:
        error(opened, WORDS[0], **by)  # what is imported and cached once
        tracemalloc.start()
        try:
            error(opened, WORDS[0], overlap="keep", max_query_memory="8M", **by)
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()

    assert most < 1.2 * (8 << 20) + (2 << 20)


@pytest.mark.long
def test_the_nearest_blocks_of_a_wide_document_take_no_more_time_than_a_query_may(tmp_path: Path) -> None:
    folder = built(tmp_path, ["<a>" + f"<p>{WORDS[0]} {WORDS[1]} fog</p>" * effort(200_000, 1_000_000) + "</a>"])
    with open_index(folder) as opened:
        error(opened, WORDS[0], semantic=ENCODER, semantic_blocks=1)
        began = time.process_time()
        error(opened, WORDS[0], semantic=ENCODER, semantic_blocks=10_000, max_seconds=0.5, max_query_memory="8G")
        seconds = time.process_time() - began

    assert seconds < 1.2 * 0.5 + 0.05


class Interrupted(BaseException):
    """What the signal of a timer raises."""


@pytest.mark.skipif(not hasattr(signal, "ITIMER_PROF"), reason="no timer counts the time that a process computes")
@pytest.mark.long
def test_an_interrupt_ends_a_query_within_a_fifth_of_a_second(index: Path) -> None:
    def interrupt(*_: object) -> None:
        raise Interrupted

    late = dict[str, float]()
    gc.collect()  # an interrupt is lost in what Python calls when an object of another test ends
    callbacks = gc.callbacks[:]
    gc.callbacks.clear()  # or in the one of hypothesis
    before = signal.signal(signal.SIGPROF, interrupt)
    try:
        with open_index(index) as opened:
            for name, (query, settings) in WAYS.items():
                if "synonyms" in settings:  # a file of `bounded_queries`
                    continue
                for seconds in (0.02, 0.1, 0.3):
                    began = time.process_time()
                    with suppress(Interrupted):
                        signal.setitimer(signal.ITIMER_PROF, seconds)
                        error(opened, query, max_query_memory="8G", **settings)
                        signal.setitimer(signal.ITIMER_PROF, 0)
                        began = time.process_time()
                    late[name] = max(late.get(name, 0.0), time.process_time() - began - seconds)
    finally:
        signal.signal(signal.SIGPROF, before)
        gc.callbacks[:] = callbacks

    assert len(late) == len(WAYS) - 1
    assert {name: seconds for name, seconds in late.items() if seconds > 0.2} == {}
