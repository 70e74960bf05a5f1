"""Searching and measuring by one index that can go to other processes, each of which opens it once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from engine.errors import IndexFormatError
from engine.index.geometry import IndexGeometry
from engine.index.index import Index, open_index
from engine.runs import Run
from engine.settings import Settings
from engine.topic_run import run_topics
from engine.topics import Topic


@dataclass(frozen=True)
class Generation:
    """One generation of the index in a folder."""

    folder: Path
    digest: str

    @property
    def index(self) -> Index:
        """The index, open.

        Raises: IndexFormatError when the folder holds another generation by now.
        """
        return _opened(self)


def generation_of(index: Index) -> Generation:
    """Return the generation that is open, by its number and a digest of its manifest."""
    content = json.dumps(asdict(index.manifest), sort_keys=True).encode()
    digest = hashlib.sha256(content).hexdigest()[:16]
    return Generation(index.folder.resolve(), f"generation {index.manifest.generation}, {digest}")


@cache
def _opened(generation: Generation) -> Index:
    index = open_index(generation.folder)
    if (found := generation_of(index).digest) != generation.digest:
        raise IndexFormatError(
            f"{generation.folder}: was brought up to date meanwhile ({generation.digest}, now {found}): scores over "
            "both cannot be compared; begin anew."
        )
    return index


class GenerationGeometry(IndexGeometry):
    """Lengths, spans and offsets of the documents of one generation."""

    def __init__(self, generation: Generation) -> None:
        super().__init__(generation.index)
        self._generation = generation

    def __reduce__(self) -> tuple[type[GenerationGeometry], tuple[Generation]]:
        """Return how another process makes it."""
        return GenerationGeometry, (self._generation,)


@dataclass(frozen=True)
class IndexSearch:
    """Answers topics under changes of some settings."""

    generation: Generation
    topics: Mapping[str, Topic]
    base: Settings
    with_offsets: bool

    def settings(self, changes: Mapping[str, Any]) -> Settings:
        """Return the settings with changes.

        Raises: SettingsError.
        """
        return Settings.from_options(self.base, **changes)

    def __call__(self, changes: Mapping[str, Any], topics: Sequence[str]) -> Run:
        """Return the answers to some topics; the notices of the run name those that cannot be answered."""
        run, problems = run_topics(
            self.generation.index,
            [self.topics[topic] for topic in topics],
            self.settings(changes),
            run_id="tuned",
            with_offsets=self.with_offsets,
        )
        return replace(run, notices=tuple(map(str, problems)))
