"""The sample collection, indexed once, with a run and expanded judgements; judgements of passages in a file."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from tests.foxir.commands.command import COLLECTIONS, TOPICS, Demonstration, foxir
from tests.foxir.commands.evaluation_files import QRELS


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of the sample collection, unstemmed, so that words of queries stand in texts; tests only read it."""
    folder = tmp_path_factory.mktemp("sample") / "sample.foxir"
    assert foxir("index", folder, COLLECTIONS, "--stem", "none").status == 0
    return folder


@pytest.fixture(scope="session")
def sample_run(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("run") / "usual.xml"
    assert foxir("run", sample, TOPICS / "co", "--out", file).status == 0
    return file


@pytest.fixture(scope="session")
def judged(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judged") / "assessments"
    assert foxir("judgements", "to-elements", TOPICS / "qrels.txt", "--index", sample, "--out", folder).status == 0
    return folder


@pytest.fixture(scope="session")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> Demonstration:
    """What `foxir demo` makes and prints; tests of it may add files to its folder."""
    folder = tmp_path_factory.mktemp("demonstration")
    with contextlib.chdir(folder):
        outcome = foxir("demo")
    return Demonstration(folder, outcome, sorted(file.name for file in folder.iterdir()))


@pytest.fixture(scope="session")
def empty_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("empty")
    (folder / "source").mkdir()
    assert foxir("index", folder / "empty.foxir", folder / "source").status == 1
    return folder / "empty.foxir"


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    file = tmp_path / "qrels.txt"
    file.write_text(QRELS)
    return file
