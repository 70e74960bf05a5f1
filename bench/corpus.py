"""The XML that is measured on: named sources, unpacked once, or a synthetic collection where there is no data."""

from __future__ import annotations

import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.synthetic import write_collection

CHECKOUT = Path(__file__).resolve().parents[1]
CACHE = Path(__file__).resolve().with_name("data")
TRIALS = CHECKOUT.parent / "shared/data/trials"
DEFAULT_SOURCES = (TRIALS / "collection.tar.xz", CHECKOUT.parent / "shared/data/speed/docbook-php-manual.tar.xz")


@dataclass(frozen=True)
class Corpus:
    """Folders of XML; `files` are all their documents, sorted by path."""

    folders: tuple[Path, ...]
    files: tuple[Path, ...]
    sizes: tuple[int, ...]  # bytes of each file
    origin: str

    @property
    def n_bytes(self) -> int:
        """Bytes of all files."""
        return sum(self.sizes)

    def warm(self) -> None:
        """Read every file once, so that all contenders find them in the page cache."""
        for path in self.files:
            path.read_bytes()


def open_corpus(sources: Sequence[Path], seed: int, synthetic_bytes: int) -> Corpus:
    """Return the corpus of some folders or tar archives; without any, the default ones, else a synthetic one.

    Raises: SystemExit when a named source is not there.
    """
    if missing := [source for source in sources if not source.exists()]:
        raise SystemExit(f"bench: source '{missing[0]}' is not there: name folders or tar archives of XML.")
    chosen = list(sources) or [source for source in DEFAULT_SOURCES if source.exists()]
    if not chosen:
        return _corpus([_synthetic(seed, synthetic_bytes)], f"synthetic, made of collections/ with seed {seed}")
    folders = [source if source.is_dir() else _unpacked(source) for source in chosen]
    return _corpus(folders, ", ".join(f"{source.parent.name}/{source.name}" for source in chosen))


def trial_reports() -> list[Path]:
    """Return the trial reports, sorted; none where the data is missing."""
    return sorted(_unpacked(DEFAULT_SOURCES[0]).rglob("*.xml")) if DEFAULT_SOURCES[0].exists() else []


def _corpus(folders: Sequence[Path], origin: str) -> Corpus:
    files = [path for folder in folders for path in sorted(folder.rglob("*.xml"))]
    if not files:
        raise SystemExit(f"bench: no .xml file in {', '.join(map(str, folders))}.")
    return Corpus(tuple(folders), tuple(files), tuple(path.stat().st_size for path in files), origin)


def _unpacked(archive: Path) -> Path:
    """Return the folder an archive is unpacked to, unpacking it the first time."""
    folder = CACHE / f"{archive.parent.name}-{archive.name.partition('.')[0]}"
    if not folder.exists():
        work = folder.with_name(f"{folder.name}.part")
        with tarfile.open(archive) as members:
            members.extractall(work, filter="data")
        work.rename(folder)
    inside = list(folder.iterdir())
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else folder


def _synthetic(seed: int, n_bytes: int) -> Path:
    folder = CACHE / f"synthetic-{seed}-{n_bytes}"
    if not folder.exists():
        write_collection(sorted((CHECKOUT / "collections").rglob("*.xml")), folder, seed, n_bytes)
    return folder
