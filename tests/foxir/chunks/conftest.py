"""Four small documents, as retrievers of chunks see them."""

from __future__ import annotations

from pathlib import Path

import pytest

import foxir
from engine.index.reader import open_reader
from foxir.chunks.collection import Collection

ARTICLE = """<article><title>Tides of {n}</title>
<section><title>Moon {n}</title><para>{first} Then more.</para><para>{second}</para></section></article>"""


def write_articles(folder: Path) -> list[Path]:
    """Write four documents and return their files."""
    for n in range(4):
        first = f"The moon number {n} raises alpha{n} beta{n} gamma{n} delta{n} epsilon{n} zeta{n} water twice a day."
        second = " ".join(f"word{n}x{m}" for m in range(30)) + "."
        (folder / f"d{n}.xml").write_text(ARTICLE.format(n=n, first=first, second=second), encoding="utf-8")
    return sorted(folder.glob("d*.xml"))


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    """Return the documents of an index without stemming."""
    foxir.build_index(*write_articles(tmp_path), into=tmp_path / "i.foxir", stem="none")
    return Collection(open_reader(tmp_path / "i.foxir"))
