"""Sharded indexes for tests, and everything that can be compared of two indexes of the same documents."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from engine.collection.profiles.profile_files import load_profile
from engine.errors import QueryError
from engine.explain.explain import explain
from engine.index.reader import IndexReader, open_reader
from engine.indexing.build import update_index
from engine.indexing.build_settings import BuildSettings
from engine.settings import Settings
from engine.text.analyser import make_analyser
from tests.engine.small_index import answers_to, write

Steps = Sequence[Mapping[str, str]]


@contextmanager
def grown(
    folder: Path, steps: Steps, n_shards: int | None, profile: str = "none", vectors: str | None = None
) -> Iterator[Path]:
    """Yield an index that was brought to each step in turn: documents added, changed and vanished."""
    index, source = folder / f"{n_shards}.foxir", folder / f"source of {n_shards}"
    source.mkdir()
    settings = BuildSettings(make_analyser(), load_profile(profile), vectors=vectors)
    before: Mapping[str, str] = {}
    with patch("os.fsync", lambda _: None):  # many builds, and no power cut between them
        for step in steps:
            for document in before.keys() - step.keys():
                (source / f"{document}.xml").unlink()
            write(source, step)
            update_index(index, [str(source)], settings, n_shards=None if before else n_shards)
            before = step
    yield index


@contextmanager
def pair(steps: Steps, n_shards: int) -> Iterator[tuple[IndexReader, Path]]:
    """Yield an index, open, and the folder of a sharded one that was brought through the same steps."""
    with (
        tempfile.TemporaryDirectory() as folder,
        grown(Path(folder), steps, None) as whole,
        grown(Path(folder), steps, n_shards) as parts,
        open_reader(whole) as one,
    ):
        yield one, parts


def everything(index: IndexReader, query: str, settings: Mapping[str, Any], *, explained: int = 2) -> Any:
    """Return all columns of the answers to a query, with texts and some explanations; of an error, its message."""
    try:
        found = answers_to(index, query, **settings)
    except QueryError as error:
        return str(error)
    places = list(zip(found.document_ids, found.paths, strict=True))
    why = [
        explain(index, query, document, path, Settings.from_options(**settings)).to_dict()
        for document, path in list(dict.fromkeys(places))[:explained]
    ]
    return {
        "places": places,
        "rsv": found.rsv.tolist(),
        "scores": None if found.scores is None else found.scores.tolist(),
        "sentences": None if found.sentences is None else found.sentences.tolist(),
        "spans": found.spans.tolist(),
        "articles": [(answer.article_rank, answer.article_score) for answer in found],
        "notices": found.notices,
        "snippets": [answer.snippet.marked() for answer in found[:3]],
        "why": why,
    }
