"""A few documents written in a test, and an index of them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from engine.collection.ingest_report import IngestReport
from engine.collection.profiles.profile_files import load_profile
from engine.index.reader import IndexReader, open_reader
from engine.indexing.build import update_index
from engine.indexing.build_settings import BuildSettings
from engine.ranking import search as searching
from engine.settings import Settings
from engine.text.analyser import make_analyser
from tests.engine.check_answers import search
from tests.engine.joined_answers import JoinedAnswers


def build_index(
    *sources: str | Path,
    into: Path,
    profile: str = "auto",
    analyser: str = "default",
    stem: str = "none",
    stop: str = "none",
    infer: bool = True,
    vectors: str | None = None,
) -> IngestReport:
    """Index some sources, without stemming; an index that is there is brought up to date."""
    settings = BuildSettings(make_analyser(analyser, stem, stop), load_profile(profile), infer=infer, vectors=vectors)
    return update_index(into, [str(source) for source in sources], settings)


def index_of(
    folder: Path, documents: Mapping[str, str | bytes], *, profile: str = "none", **options: str
) -> IndexReader:
    """Write documents (id: markup) below a folder and return their index."""
    source = folder / "source"
    source.mkdir(parents=True, exist_ok=True)
    write(source, documents)
    build_index(source, into=folder / "index", profile=profile, **options)
    return open_reader(folder / "index")


def write(source: Path, documents: Mapping[str, str | bytes]) -> None:
    for document, markup in documents.items():
        file = source / f"{document}.xml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(markup.encode() if isinstance(markup, str) else markup)


@contextmanager
def grown_index(
    steps: Sequence[Mapping[str, str]],
    *,
    profile_text: str = "",
    stop_words: Sequence[str] = (),
    vectors: str | None = None,
) -> Iterator[IndexReader]:
    """Index the documents of the first step, then bring the index to each further one: added, changed, vanished."""
    with (
        tempfile.TemporaryDirectory() as name,
        patch("os.fsync", lambda _: None),
    ):  # many builds, and no power cut between them
        folder = Path(name)
        profile, stop = folder / "profile.toml", folder / "stop.txt"
        profile.write_text(profile_text, "utf-8")
        stop.write_text("\n".join(stop_words), "utf-8")
        source = folder / "source"
        source.mkdir()
        before: Mapping[str, str] = {}
        for step in steps:
            for document in before.keys() - step.keys():
                (source / f"{document}.xml").unlink()
            write(source, step)
            build_index(source, into=folder / "index", profile=str(profile), stop=str(stop), vectors=vectors)
            before = step
        yield open_reader(folder / "index")


def answers_to(index: IndexReader, query: str, **settings: Any) -> JoinedAnswers:
    """Return the answers to a query, checked; settings by name, the others have the engine's defaults."""
    return search(index, query, Settings.from_options(**settings))


def unchecked_answers(index: IndexReader, query: str, **settings: Any) -> JoinedAnswers:
    """Return the answers to a query, asked once: of a damaged index, in threads, or where calls are counted."""
    return JoinedAnswers(index, searching.search(index, query, Settings.from_options(**settings)))
