"""Services over the sample collection and over hostile documents, which no test changes; indexes to judge."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.foxir.conftest import Sample
from tests.foxir.service.desk import Assessor, desk, judged_index
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


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index and topics, built once."""
    return judged_index(tmp_path_factory.mktemp("judged")).parent


@pytest.fixture
def folder(prepared: Path, tmp_path: Path) -> Path:
    """A folder with a copy of the index and the topics."""
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture
def changing(tmp_path: Path) -> Path:
    """A folder whose sources are its own, so that its index can be brought up to date."""
    return judged_index(tmp_path).parent


@pytest.fixture
def ana(folder: Path) -> Iterator[Assessor]:
    """The service over that folder, as the assessor ana uses it."""
    with desk(folder) as found:
        yield found
