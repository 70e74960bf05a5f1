"""What is asked of which collection: the trials beside the checkout, or known items of any XML; kept in bench/data."""

from __future__ import annotations

import hashlib
import shutil
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.effectiveness.collection import Collection
from bench.effectiveness.known_items import known_items, write_items
from engine.errors import IndexFormatError
from engine.index.build import build_index
from engine.index.reader import IndexReader, open_reader
from engine.topics import Topic, read_topics
from eval.judgements import Assessments, read_assessments

CHECKOUT = Path(__file__).resolve().parents[2]
CACHE = CHECKOUT / "bench" / "data" / "effectiveness"
TRIALS = CHECKOUT.parent / "shared" / "data" / "trials"


@dataclass(frozen=True)
class Questions:
    """A collection, topics, judgements, and the groups of topics that have means of their own, the last one all."""

    name: str
    sources: Path
    topics: Sequence[Topic]
    assessments: Assessments
    groups: Mapping[str, Sequence[int]]

    def index(self, stem: str) -> IndexReader:
        """Return the index of the collection."""
        return index_of(self.sources, self.name, stem)


def trials() -> Questions:
    """Return the questions of the trials: 150 narrow topics (EI), 60 broad ones (EIB); SystemExit without the data."""
    if not (TRIALS / "collection.tar.xz").exists():
        raise SystemExit(f"bench: there is no {TRIALS / 'collection.tar.xz'}: name other XML with --known-items.")
    CACHE.mkdir(parents=True, exist_ok=True)
    files = TRIALS / "topics.xml", TRIALS / "assessments"
    return _questions("trials", _unpacked(TRIALS / "collection.tar.xz"), *files, ("EI", "EIB"))


def known_item_questions(sources: Path, seed: int) -> Questions:
    """Return the questions of known items: sections by headings (KH), sentences by words (KS); SystemExit if none."""
    if not sources.is_dir():
        raise SystemExit(f"bench: {sources} is no folder of XML.")
    CACHE.mkdir(parents=True, exist_ok=True)
    name = f"{sources.name}-{hashlib.sha256(str(sources.resolve()).encode()).hexdigest()[:6]}"
    items = known_items(Collection(index_of(sources, name, "none")), seed)
    if not items:
        raise SystemExit(f"bench: {sources} has neither headings nor sentences to make topics of.")
    return _questions(name, sources, *write_items(items, CACHE / f"{name}-topics-{seed}"), ("KH", "KS"))


def index_of(sources: Path, name: str, stem: str) -> IndexReader:
    """Return the index of some sources, built the first time and when foxir's format has changed."""
    folder = CACHE / f"{name}-{stem}.foxir"
    if folder.exists():
        try:
            return open_reader(folder)
        except IndexFormatError:
            shutil.rmtree(folder)
    build_index(sources, into=folder, stem=stem)
    return open_reader(folder)


def _questions(name: str, sources: Path, topics: Path, judgements: Path, kinds: Sequence[str]) -> Questions:
    """Return questions; the kind of a topic is what its name begins with before the number."""
    read = list(read_topics(topics))
    assessments = read_assessments(judgements)
    of_kind = {
        kind: [n for n, topic in enumerate(read) if topic.topic_id.rstrip("0123456789") == kind] for kind in kinds
    }
    groups = {kind: numbers for kind, numbers in of_kind.items() if numbers}
    return Questions(name, sources, read, assessments, {**groups, "all": list(range(len(read)))})


def _unpacked(archive: Path) -> Path:
    """Return the folder of documents that an archive is unpacked to, once."""
    folder = CACHE / f"{archive.parent.name}-{archive.name.partition('.')[0]}"
    if not folder.exists():
        work = folder.with_name(f"{folder.name}.part")
        with tarfile.open(archive) as members:
            members.extractall(work, filter="data")
        work.rename(folder)
    inside = list(folder.iterdir())
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else folder
