"""The sample collection, indexed once for the tests of a process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.index.reader import IndexReader, open_reader
from tests.engine.small_index import build_index

COLLECTIONS = Path(__file__).parents[2] / "collections"


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexReader]:
    folder = tmp_path_factory.mktemp("sample") / "sample.foxir"
    build_index(COLLECTIONS, into=folder)
    with open_reader(folder) as reader:
        yield reader
