"""One open index answers several threads as it answers one, also while it is refreshed or replaced."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import PIPE
from threading import Barrier, Event
from typing import Any

import pytest

import foxir
from tests.foxir.conftest import ROOT, Sample
from tests.trust.soak import effort

pytestmark = pytest.mark.usefixtures("hasty_threads")
N_THREADS = effort(2, 8, thorough=8)
QUERIES = ("fog signal range", "+lens clockwork", '"fog signal"')
PATH_QUERIES = ("//sec[about(., fog signal)]//p", "//article[about(., lens)]//sec[about(., cleaning)]")
WAYS: dict[str, dict[str, Any]] = {
    "elements": {},
    "passages": {"passages": True, "max_sentences": 3},
    "structure": {"named": "H-oCRE-MpE"},
    "target": {"named": "H-SS-oCRE-MpE"},
    "articles": {"approach": "fulltext", "similarity": "dirichlet"},
    "budget": {"word_budget": 200},
    "expression": {"similarity": "gpx"},
}


def calls_of(index: foxir.Index) -> dict[str, Callable[[], object]]:
    """Return calls whose results can be compared."""
    calls: dict[str, Callable[[], object]] = {}

    def search(query: str, settings: dict[str, Any]) -> object:
        answers = index.search(query, **settings)
        texts = [(answer.text, answer.snippet, answer.breadcrumb, answer.words) for answer in answers[:5]]
        first = [answer.to_dict() for answer in answers[: effort(5, 20, thorough=20)]]
        return first, len(answers), answers.paths, answers.spans.tolist(), texts

    def explain(query: str, settings: dict[str, Any]) -> object:
        best = index.search(query, **settings)[0]
        return index.explain(query, best.document, best.path, **settings)

    for way, settings in WAYS.items():
        for query in (*QUERIES, *PATH_QUERIES) if way != "target" else PATH_QUERIES:
            calls[f"{way}: {query}"] = lambda query=query, settings=settings: search(query, settings)  # type: ignore[misc]
        query = PATH_QUERIES[0] if way == "target" else QUERIES[0]
        calls[f"explain {way}"] = lambda query=query, settings=settings: explain(query, settings)  # type: ignore[misc]
    for document in index.documents[:4]:
        calls[f"text {document}"] = lambda document=document: index.text(document)  # type: ignore[misc]
        calls[f"length {document}"] = lambda document=document: index.locator.length(document)  # type: ignore[misc]
    return calls


def in_threads(work: Sequence[Callable[[], object]]) -> list[object]:
    """Return the results of functions that start at the same time, a thread each; raises the first error."""
    barrier = Barrier(len(work))

    def begin(function: Callable[[], object]) -> object:
        barrier.wait()
        return function()

    with ThreadPoolExecutor(len(work)) as pool:
        return [future.result() for future in [pool.submit(begin, function) for function in work]]


@pytest.fixture(scope="module")
def expected(sample: Sample) -> dict[str, object]:
    return {name: call() for name, call in calls_of(sample.index).items()}


@pytest.mark.parametrize("seed", range(effort(1, 20, thorough=2)))
@pytest.mark.long
def test_threads_get_what_one_thread_gets(sample: Sample, expected: dict[str, object], seed: int) -> None:
    with foxir.open_index(sample.index.folder) as index:  # nothing is cached yet
        calls = calls_of(index)

        def all_calls(number: int) -> dict[str, object]:
            names = random.Random(f"{seed} {number}").sample(sorted(calls), len(calls))
            return {name: calls[name]() for name in names}

        found = in_threads([lambda number=number: all_calls(number) for number in range(N_THREADS)])  # type: ignore[misc]

    for results in found:
        for name, result in expected.items():
            assert results[name] == result, name  # type: ignore[index]


def test_threads_score_over_one_index(sample: Sample) -> None:
    def scores() -> object:
        return foxir.score(ROOT / "topics/qrels.txt", sample.run, "hixeval", only="1-2", index=sample.index)

    expected = scores()

    assert in_threads([scores] * 4) == [expected] * 4


BUILD = """
import sys
from pathlib import Path
import foxir
index, source = map(Path, sys.argv[1:])
for number in range(3):
    (source / f"new{number}.xml").write_text(f"<a><p>fog signal range {number}</p></a>")
    foxir.build_index(into=index)
    print("built", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.long
def test_threads_search_while_the_index_is_refreshed_and_another_process_replaces_it(tmp_path: Path) -> None:
    source, folder = tmp_path / "source", tmp_path / "index"
    source.mkdir()
    for number in range(20):
        (source / f"old{number}.xml").write_text(f"<a><p>fog signal {number}</p><p>range of a lamp</p></a>")
    foxir.build_index(source, into=folder, profile="none")
    done = Event()
    with foxir.open_index(folder) as index:

        def search() -> set[int]:
            generations = set()
            while not done.is_set():
                answers = index.search("fog signal range")
                new = {document for document in answers.documents if document.startswith("new")}
                assert len(new) == answers.generation.number - 1
                assert all("fog signal range" in answer.text for answer in answers if answer.document in new)
                generations.add(answers.generation.number)
            return generations

        def refresh() -> set[int]:
            while not done.is_set():
                index.refresh()
            return set()

        def build() -> set[int]:
            command = [sys.executable, "-c", BUILD, str(folder), str(source)]
            try:
                with subprocess.Popen(command, cwd=ROOT, stdin=PIPE, stdout=PIPE, text=True) as process:
                    assert process.stdin
                    assert process.stdout
                    for generation in (2, 3, 4):
                        assert process.stdout.readline() == "built\n"
                        deadline = time.monotonic() + 60
                        while index.generation.number < generation and time.monotonic() < deadline:
                            time.sleep(0.01)
                        process.stdin.write("\n")
                        process.stdin.flush()
            finally:
                done.set()
            return set()

        found = in_threads([*[search] * 6, refresh, refresh, build])
        index.refresh()

        assert len(set().union(*found)) > 1  # type: ignore[arg-type]
        assert index.generation.number == 4
        assert "new2" in index
