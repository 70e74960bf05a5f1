from __future__ import annotations

import pytest

from engine.index.reader import IndexReader


@pytest.fixture(scope="session")
def index(sample: IndexReader) -> IndexReader:
    return sample
