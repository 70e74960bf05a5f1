"""One service over the sample collection and one over hostile documents, which tests read and do not change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.foxir.conftest import Sample
from tests.foxir.service.living import client, hostile_index


@pytest.fixture(scope="module")
def web(sample: Sample) -> Iterator[TestClient]:
    """A service over the sample collection."""
    with client(sample.folder / "sample.foxir") as found:
        yield found


@pytest.fixture(scope="module")
def hostile_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of the hostile documents."""
    return hostile_index(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="module")
def hostile(hostile_folder: Path) -> Iterator[TestClient]:
    """A service over the hostile documents."""
    with client(hostile_folder) as found:
        yield found
