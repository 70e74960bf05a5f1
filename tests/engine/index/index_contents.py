"""Helpers that create collections and indexes for the tests of building and reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from pathlib import Path
from random import Random

from engine.collection.ingest_report import IngestReport
from engine.collection.profiles.profile_files import load_profile
from engine.index.reader import IndexReader, open_reader
from engine.indexing.build import BuildSettings, update_index
from engine.text.analyser import Analyser
from tests.reference.inverted_index import Contents, contents, contents_of_index

NONE = load_profile("none")
SETTINGS = BuildSettings(Analyser(), NONE)
WORDS = ["sea", "tide", "lamp", "light-house", "fog", "keeper's", "night", "1823", "Straße", "été", "𝒜", "rock", "of"]
FILES = {
    "a": "<article><sec>sea tide<p>tide</p></sec><p>lamp</p></article>",
    "b/c": "<article><p>Sea</p>sea <p>the fog</p></article>",
    "b/d": "<article/>",
    "é": "<x:article xmlns:x='urn:x'><x:p>Straße 𝒜</x:p> tide</x:article>",
}

Files = Mapping[str, str]


def write(source: Path, files: Files) -> Path:
    """Make the folder hold just these documents (id: markup)."""
    wanted = {source / f"{document}.xml": markup for document, markup in files.items()}
    source.mkdir(exist_ok=True)
    for path in source.rglob("*.xml"):
        if path not in wanted:
            path.unlink()
    for path, markup in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(markup, encoding="utf-8")
    return source


def random_files(n_documents: int, seed: int = 7) -> dict[str, str]:
    """Return documents of some hundred words; what they hold follows from the seed."""
    random = Random(seed)
    return {f"{random.choice('abc')}/{number:03}": _random_article(random) for number in range(n_documents)}


def _random_article(random: Random) -> str:
    sections = []
    for _ in range(random.randint(1, 4)):
        paragraphs = [" ".join(random.choices(WORDS, k=random.randint(0, 30))) for _ in range(random.randint(0, 5))]
        sections.append(f"<sec><title>{random.choice(WORDS)}</title><p>{'</p><p>'.join(paragraphs)}</p></sec>")
    return f"<article>{' <br/> '.join(sections)}</article>"


def update(index: Path, *sources: Path | str, forget: Sequence[Path | str] = ()) -> IngestReport:
    return update_index(index, list(map(str, sources)), SETTINGS, forget=list(map(str, forget)))


def all_bytes(index: Path) -> dict[str, bytes]:
    """Return every file of an index that must not vary."""
    paths = [path for path in index.rglob("*") if path.is_file() and path.name not in ("ingest.json", "lock")]
    return {path.relative_to(index).as_posix(): path.read_bytes() for path in paths}


def expected(*collections: Files, analyser: Analyser | None = None) -> Contents:
    """Return what an index of the documents holds, the slow way."""
    together = {document: markup for files in collections for document, markup in files.items()}
    batch = [(document, markup.encode()) for document, markup in sorted(together.items())]
    return contents(batch, NONE, analyser or Analyser())


def found(index: Path | IndexReader) -> Contents:
    """Return what an index holds; its statistics must be those of what it holds."""
    opened = index if isinstance(index, IndexReader) else open_reader(index)
    contents = contents_of_index(opened)
    assert_statistics(opened, contents)
    return contents


def assert_statistics(index: IndexReader, contents: Contents) -> None:
    documents = contents.documents.values()
    statistics = index.manifest.statistics
    assert statistics.documents == index.n_documents == len(documents)
    assert statistics.elements == sum(len(document.elements) for document in documents)
    assert statistics.tokens == sum(document.length for document in documents)
    weights = sorted((document.weight for document in documents), reverse=True)
    assert statistics.mean_weight == (fsum(weights) / len(weights) if weights else 0)
