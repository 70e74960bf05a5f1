"""A small source, the folder of its index, and builds that do not wait for a disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.engine.index.index_contents import FILES, write


@pytest.fixture
def unsynced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many builds, and no power cut between them."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write(tmp_path / "source", FILES)


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "index"
