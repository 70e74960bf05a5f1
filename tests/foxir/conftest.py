"""The sample collection, indexed once, with a run and assessments of two topics."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import foxir

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Sample:
    """An open index of the sample collection, a closed one, its first four topics, and what was made from them."""

    folder: Path
    index: foxir.Index
    closed: foxir.Index
    topics: Path
    qrels: Path
    run: foxir.Run
    other: foxir.Run
    judged: foxir.Assessments
    table: foxir.ScoreTable
    comparison: foxir.RunComparison


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sample]:
    """An unstemmed index, so that words of queries stand in texts as they are; tests do not change it."""
    folder = tmp_path_factory.mktemp("sample")
    foxir.build_index(ROOT / "collections", into=folder / "sample.foxir", stem="none")
    topics, qrels = folder / "topics", folder / "qrels.txt"
    topics.mkdir()
    for number in range(1, 5):
        shutil.copy(ROOT / f"topics/co/t{number:02}.xml", topics)
    lines = (ROOT / "topics/qrels.txt").read_text().splitlines(keepends=True)
    qrels.write_text("".join(line for line in lines if line.split()[0] in {"1", "2", "3", "4"}))
    with foxir.open_index(folder / "sample.foxir") as closed:
        pass
    with foxir.open_index(folder / "sample.foxir") as index:
        run = index.run(topics, run_id="scored", only="1-2")
        other = index.run(topics, run_id="thesis", only="1-2", named="H-oCRE-MpE")
        judged = foxir.expand_assessments(qrels, index)
        table = foxir.score(judged, [run, other], "hixeval", only="1-2")
        comparison = foxir.compare(judged, [run, other], "AP", only="1-2")
        foxir.write_run(run, folder / "run.xml")
        yield Sample(folder, index, closed, topics, qrels, run, other, judged, table, comparison)


@pytest.fixture
def writable(sample: Sample, tmp_path: Path) -> Path:
    """A copy of the index, which a test may change."""
    return Path(shutil.copytree(sample.folder / "sample.foxir", tmp_path / "copy.foxir"))
