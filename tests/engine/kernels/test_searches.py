"""Whole searches have the same answers and scores with the kernels as without them, bit by bit."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.index.reader import IndexReader
from engine.kernels import table
from engine.kernels.table import has_kernels, native, without_kernels
from engine.topics import read_topics

ROOT = Path(__file__).resolve().parents[3]
TOPICS = sorted((ROOT / "topics/co").glob("*.xml"))

needs_kernels = pytest.mark.skipif(not has_kernels(), reason="no kernels were compiled")


@pytest.fixture(scope="module")
def index(sample: IndexReader) -> IndexReader:
    return sample


def queries() -> list[str]:
    return [topic.title for path in TOPICS for topic in read_topics(path).topics]


def test_without_kernels_where_the_environment_says_so() -> None:
    command = [sys.executable, "-c", "from engine.kernels.table import has_kernels; print(has_kernels())"]
    done = subprocess.run(command, env={**os.environ, "FOXIR_PURE": "1"}, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@needs_kernels
def test_kernels_of_another_version_are_not_called_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "VERSION", 0)

    with pytest.warns(RuntimeWarning, match="make setup"):
        assert runpy.run_path(table.__file__)["native"] is None


@needs_kernels
def test_positions_as_without_kernels(index: IndexReader) -> None:
    terms = sorted({*("fog", "signal", "unknown"), *(word for query in queries() for word in query.casefold().split())})
    documents = index.live_documents[::2]

    found = index.elements.occurrences_of_each(terms, documents, positions=True)
    with without_kernels():
        expected = index.elements.occurrences_of_each(terms, documents, positions=True)

    assert sum(len(of_term.rows) for of_term in found) > 100
    for one, other in zip(found, expected, strict=True):
        for column, same in zip(one, other, strict=True):
            assert column is not None
            np.testing.assert_array_equal(column, same)
