"""Whole searches have the same answers and scores with the kernels as without them, bit by bit."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from engine import kernels
from engine.index.reader import IndexReader, open_reader
from engine.ranking.scoring import pruning_choice
from engine.settings import Settings
from engine.topics import read_topics
from tests.engine.joined_answers import JoinedAnswers, search
from tests.engine.small_index import build_index
from tests.trust.soak import effort

ROOT = Path(__file__).resolve().parents[3]
TOPICS = sorted((ROOT / "topics/co").glob("*.xml"))
COLUMNS = ("elements", "article", "scores", "rsv", "sentences")

# The first half has every pair of two values.
CASES = sorted(product([3, 1500], [False, True], [False, True]), key=lambda case: (case[0] == 3) ^ case[1] ^ case[2])

needs_kernels = pytest.mark.skipif(kernels.native is None, reason="no kernels were compiled")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexReader]:
    folder = tmp_path_factory.mktemp("index")
    build_index(ROOT / "collections", into=folder / "sample.foxir")
    with open_reader(folder / "sample.foxir") as opened:
        yield opened


def queries() -> list[str]:
    return [topic.title for path in TOPICS for topic in read_topics(path).topics]


def bits(index: IndexReader, query: str, settings: Settings) -> list[Any]:
    columns = search(index, query, settings).columns
    found = (getattr(columns, name) for name in COLUMNS)
    return [None if column is None else np.ascontiguousarray(column).tobytes() for column in found]


@needs_kernels
@pytest.mark.parametrize(("n_answers", "passages", "bounded"), CASES[: effort(4, 8, thorough=8)])
def test_as_without_kernels(index: IndexReader, n_answers: int, *, passages: bool, bounded: bool) -> None:
    settings = Settings.from_options(max_answers=n_answers, passages=passages, focus=0.8 if bounded else "auto")
    n_different = 0
    with pytest.MonkeyPatch.context() as patched:
        if bounded:
            patched.setattr(pruning_choice, "FEWEST_LEAVES", 0)
        for query in queries():
            found = bits(index, query, settings)
            with patch.object(kernels, "native", None):
                expected = bits(index, query, settings)
            assert found == expected, query
            n_different += len(found[0]) > 0
    assert n_different > 5


def test_without_kernels_where_the_environment_says_so() -> None:
    command = [sys.executable, "-c", "from engine import kernels; print(kernels.native)"]
    done = subprocess.run(command, env={**os.environ, "FOXIR_PURE": "1"}, capture_output=True, text=True, check=True)
    assert done.stdout == "None\n"


@needs_kernels
def test_kernels_of_another_version_are_not_called_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["engine.kernels._native"], "VERSION", 0)

    with pytest.warns(RuntimeWarning, match="make setup"):
        assert kernels._compiled() is None


@needs_kernels
def test_positions_as_without_kernels(index: IndexReader) -> None:
    terms = sorted({*("fog", "signal", "unknown"), *(word for query in queries() for word in query.casefold().split())})
    documents = index.live_documents[::2]

    found = index.elements.occurrences_of_each(terms, documents, positions=True)
    with patch.object(kernels, "native", None):
        expected = index.elements.occurrences_of_each(terms, documents, positions=True)

    assert sum(len(of_term.rows) for of_term in found) > 100
    for one, other in zip(found, expected, strict=True):
        for column, same in zip(one, other, strict=True):
            assert column is not None
            np.testing.assert_array_equal(column, same)


@needs_kernels
def test_snippets_are_those_without_kernels(index: IndexReader) -> None:
    n_marks = 0
    for query in [*queries(), '+light "fog signal" 日', "a*"]:
        answers = search(index, query, Settings.from_options(syntax="keywords")).columns
        places = np.arange(min(len(answers), 20))
        joined = JoinedAnswers(index, answers)
        found = joined.snippets_at(places)
        with patch.object(kernels, "native", None):
            expected = joined.snippets_at(places)
        assert found == expected
        n_marks += sum(len(each.marks) for each in found)
    assert n_marks > 100
