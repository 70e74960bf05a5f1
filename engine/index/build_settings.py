"""The settings of a build."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from engine.collection.entity_options import EntityOptions
from engine.collection.limits import Limits
from engine.collection.profile import Profile
from engine.text.analyser import Analyser

if TYPE_CHECKING:
    from engine.collection.sources import DocumentEntry
    from engine.index.build_worker import BatchResult, ParseRules

# How a change of a document is noticed: if size or time differs, or by comparing the contents of all documents.
CHECKS = ("time", "content")


class BatchReader(Protocol):
    """What reads batches of documents elsewhere than in processes of this machine."""

    def submit(
        self, entries: Sequence[DocumentEntry], rules: ParseRules, folder: Path, memory: int, *, is_alone: bool = True
    ) -> Callable[[], BatchResult]:
        """Take a batch, and return what waits for its result; all as of `engine.index.build_worker.process_batch`."""


@dataclass(frozen=True)
class BuildSettings:
    """How an index is built; analyser and profile are None, and entities not given, to use those of the existing index.

    images: whether images that documents refer to are read. reader: reads the documents in the place of `jobs`
    processes of this machine; each of its batches may take `memory`.
    """

    analyser: Analyser | None = None
    profile: Profile | None = None
    jobs: int = 1
    memory: int = 2**30  # bytes, over all processes
    stop_on_error: bool = False
    check: str = "time"  # one of CHECKS
    limits: Limits = field(default_factory=Limits)
    entities: EntityOptions = field(default_factory=EntityOptions)
    images: bool = True
    reader: BatchReader | None = None
