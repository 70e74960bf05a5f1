"""The sample collection, indexed once, with a run and expanded judgements."""

from pathlib import Path

import pytest

from tests.engine.cli.command import COLLECTIONS, TOPICS, foxir


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of the sample collection; tests only read it."""
    folder = tmp_path_factory.mktemp("sample") / "sample.foxir"
    assert foxir("index", COLLECTIONS, "--into", folder).status == 0
    return folder


@pytest.fixture(scope="session")
def sample_run(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("run") / "usual.xml"
    assert foxir("run", sample, TOPICS / "co", "--out", file).status == 0
    return file


@pytest.fixture(scope="session")
def judged(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judged") / "assessments"
    assert foxir("expand", TOPICS / "qrels.txt", "--index", sample, "--out", folder).status == 0
    return folder


@pytest.fixture(scope="session")
def empty_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("empty")
    (folder / "source").mkdir()
    assert foxir("index", folder / "source", "--into", folder / "empty.foxir").status == 0
    return folder / "empty.foxir"
