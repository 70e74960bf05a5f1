"""What is asked of which collection: those of `collections/*.toml`, or known items of any XML; stored in bench/data."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

import foxir
from bench.effectiveness.known_items import known_items, write_items
from bench.effectiveness.variants import PLAIN, Variant
from engine.errors import IndexFormatError
from engine.index.reader import IndexReader, open_reader
from engine.topics import Topic, read_topics
from engine.wording import counted
from eval.judgements.formats.read import read_assessments
from eval.judgements.judgements import Assessments
from foxir.chunks.collection import Collection

if TYPE_CHECKING:
    from engine.text.languages import Stemmer

CHECKOUT = Path(__file__).resolve().parents[2]
CACHE = CHECKOUT / "bench" / "data" / "effectiveness"
DATA = CHECKOUT.parent / "shared" / "data"
DESCRIBED = {file.stem: file for file in sorted(Path(__file__).with_name("collections").glob("*.toml"))}
NAMES = tuple(sorted(DESCRIBED, key=["trials", "citations", "tables", "contracts"].index))
PARAGRAPHS = ("p", "para", "simpara", "ip1")  # of any other XML: JATS and TEI, DocBook, INEX


@dataclass(frozen=True)
class Questions:
    """A collection, topics, judgements, and the groups of topics that have means of their own, the last one all.

    paragraphs: the tags of what the peers of paragraphs retrieve. entry_points: judgements of Best in Context.
    """

    name: str
    sources: Path
    topics: Sequence[Topic]
    assessments: Assessments
    entry_points: Assessments
    groups: Mapping[str, Sequence[int]]
    paragraphs: Sequence[str] = PARAGRAPHS
    title: str = ""
    folder: Path = field(default=CACHE)

    def judgements(self, task: str) -> Assessments:
        """Return what judges the answers to a task."""
        return self.entry_points if task == "best-in-context" else self.assessments

    def index(self, variant: Variant = PLAIN) -> IndexReader:
        """Return the index of the collection."""
        return index_of(self.sources, self.folder, self.name, variant)


def judged(name: str, data: Path = DATA) -> Questions | None:
    """Return the questions of a described collection; None, with a message on stderr, where its files are missing."""
    given = tomllib.loads(DESCRIBED[name].read_text(encoding="utf-8"))
    files = {key: data / given[key] for key in ("documents", "topics", "assessments", "entry_points")}
    missing = [str(file) for file in files.values() if not file.exists()]
    if missing:
        print(f"bench: {name} is left out: there is no {', '.join(missing)}.", file=sys.stderr, flush=True)
        return None
    topics = list(read_topics(files["topics"]))
    return Questions(
        name,
        files["documents"],
        topics,
        read_assessments(files["assessments"]),
        read_assessments(files["entry_points"]),
        _groups(topics, given["groups"]),
        given["paragraphs"],
        given["title"],
    )


def known_item_questions(sources: Path, seed: int) -> Questions:
    """Return the questions of known items: sections by headings (KH), sentences by words (KS); SystemExit if none."""
    if not sources.exists():
        raise SystemExit(f"bench: there is no {sources}: name a folder or an archive of XML.")
    name = f"{sources.name.partition('.')[0]}-{hashlib.sha256(str(sources.resolve()).encode()).hexdigest()[:6]}"
    items = known_items(Collection(index_of(sources, CACHE, name, PLAIN)), seed)
    if not items:
        raise SystemExit(f"bench: {sources} has neither headings nor sentences to make topics of.")
    topics_file, judgements = write_items(items, CACHE / f"{name}-topics-{seed}")
    topics, assessments = list(read_topics(topics_file)), read_assessments(judgements)
    groups = _groups(topics, ("KH", "KS"))
    return Questions(name, sources, topics, assessments, assessments, groups, title="known items", folder=CACHE)


def index_of(sources: Path, folder: Path, name: str, variant: Variant) -> IndexReader:
    """Return the index of some sources, built the first time and when foxir's format has changed."""
    index = folder / f"{name}-{variant.name}.foxir"
    if index.exists():
        try:
            return open_reader(index)
        except IndexFormatError:
            shutil.rmtree(index)
    folder.mkdir(parents=True, exist_ok=True)
    print(f"bench: indexing {sources} ({variant.title})", file=sys.stderr, flush=True)
    part = index.with_suffix(f".{os.getpid()}.foxir")  # another process may make the same
    report = foxir.build_index(sources, into=part, stem=cast("Stemmer", variant.stem), stop=variant.stop)
    if report.skipped:
        first = report.skipped[0]
        print(
            f"bench: {counted(len(report.skipped), 'document')} skipped: {first.file}:{first.line}: {first.reason}",
            file=sys.stderr,
        )
    if index.exists():
        shutil.rmtree(part)
    else:
        part.rename(index)
    return open_reader(index)


def _groups(topics: Sequence[Topic], kinds: Sequence[str]) -> Mapping[str, Sequence[int]]:
    """Return the numbers of topics of each kind that occurs, which is what a topic's name begins with, and of all."""
    of_kind = {
        kind: [n for n, topic in enumerate(topics) if topic.topic_id.rstrip("0123456789") == kind] for kind in kinds
    }
    return {**{kind: numbers for kind, numbers in of_kind.items() if numbers}, "all": list(range(len(topics)))}
