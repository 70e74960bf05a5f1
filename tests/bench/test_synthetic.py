"""Synthetic collections: well-formed, as large as asked for, decided by the seed, with names that do not clash."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from bench.synthetic import write_collection

COLLECTIONS = Path(__file__).resolve().parents[2] / "collections"
SAMPLES = sorted(COLLECTIONS.rglob("*.xml"))[:5]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("synthetic")
    for name, seed in (("one", 1), ("again", 1), ("two", 2)):
        write_collection(SAMPLES, folder / name, seed, 60_000)
    return folder


def contents(folder: Path) -> list[bytes]:
    return [file.read_bytes() for file in sorted(folder.iterdir())]


def test_documents_have_the_trees_and_the_lengths_of_the_samples(made: Path) -> None:
    def shape(root: etree._Element) -> list[tuple[object, int]]:
        return [(element.tag, len((element.text or "").split())) for element in root.iter(etree.Element)]

    samples = [shape(etree.parse(sample).getroot()) for sample in SAMPLES]
    assert all(shape(etree.fromstring(raw)) in samples for raw in contents(made / "one"))
    assert sum(map(len, contents(made / "one"))) >= 60_000


def test_the_seed_decides_all_but_the_names(made: Path) -> None:
    assert contents(made / "one") == contents(made / "again") != contents(made / "two")
    assert {file.name for file in (made / "one").iterdir()}.isdisjoint(file.name for file in (made / "two").iterdir())
