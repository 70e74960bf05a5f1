"""A small source, and the folder of its index."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.index.index_contents import FILES, write


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write(tmp_path / "source", FILES)


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "index"
