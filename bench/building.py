"""Building an index of the whole corpus: foxir on one core and on all, beside FTS5 with every leaf as a document."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.corpus import Corpus
from bench.processes import Usage, run

FOXIR = Path(sys.executable).with_name("foxir")
DONE, PARTLY = 0, 1  # exit statuses: all documents were read, or some were left out
FTS5 = Path(__file__).with_name("peers") / "fts5.py"


@dataclass(frozen=True)
class Contender:
    """A way to build: its command, what it makes, and how to read from its output what it took in."""

    name: str
    command: tuple[str | Path, ...]
    made: Path
    read_counts: Callable[[str], dict[str, int]]


@dataclass(frozen=True)
class Build:
    """One build: what it used, what it made."""

    usage: Usage
    size_bytes: int
    counts: dict[str, int]  # documents, units (leaves that hold words), skipped


@dataclass(frozen=True)
class Indexes:
    """What the builds leave for the queries."""

    foxir: Path
    leaves: Path
    articles: Path


def contenders(corpus: Corpus, work: Path) -> tuple[list[Contender], Indexes]:
    """Return the ways to build, foxir's first, and where their results will lie."""
    indexes = Indexes(work / "corpus.foxir", work / "leaves.sqlite", work / "articles.sqlite")

    def foxir(index: Path) -> tuple[str | Path, ...]:
        return (FOXIR, "index", index, *corpus.folders, "--json", "--quiet")

    cores = len(os.sched_getaffinity(0))
    ways = [
        Contender("foxir, 1 job", (*foxir(work / "one.foxir"), "--jobs", "1"), work / "one.foxir", _of_foxir),
        Contender(f"foxir, {cores} jobs", (*foxir(indexes.foxir), "--jobs", str(cores)), indexes.foxir, _of_foxir),
        Contender(
            "FTS5, leaf = document",
            (sys.executable, FTS5, indexes.leaves, *corpus.folders),
            indexes.leaves,
            json.loads,
        ),
    ]
    return ways, indexes


def _of_foxir(output: str) -> dict[str, int]:
    report = json.loads(output)
    return {"documents": report["documents"], "units": report["leaves"], "skipped": len(report["skipped"])}


def build(contender: Contender) -> Build:
    """Build anew and return what it took; files are in the page cache, nothing of an earlier build is there."""
    _remove(contender.made)
    usage = run(contender.command, accepted=(DONE, PARTLY))
    return Build(usage, size_of(contender.made), contender.read_counts(usage.output))


def build_articles(corpus: Corpus, indexes: Indexes) -> None:
    """Build the database of whole articles that article ranking is measured beside; the build is not measured."""
    _remove(indexes.articles)
    run((sys.executable, FTS5, indexes.articles, *corpus.folders, "--unit", "article"), watch_memory=False)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
