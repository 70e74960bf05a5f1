"""The settings of a build."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from engine.collection.entities.entity_options import EntityOptions, absolute
from engine.collection.limits import Limits
from engine.collection.profiles.profile import AUTO, Profile
from engine.collection.profiles.profile_files import load_profiles, with_attributes, with_split
from engine.records import dataclass
from engine.text.analyser import Analyser, make_analyser

if TYPE_CHECKING:
    from engine.collection.sources.document_entry import DocumentEntry
    from engine.indexing.workers.build_worker import BatchResult, ParseRules

# How a change of a document is noticed: if size or time differs, or by comparing the contents of all documents.
CHECKS = ("time", "content")
# Least memory that a build is asked to keep to, in bytes.
LEAST_MEMORY = 2**20


class BatchReader(Protocol):
    """A reader of batches of documents elsewhere than in processes of this machine."""

    def submit(
        self, entries: Sequence[DocumentEntry], rules: ParseRules, folder: Path, memory: int, *, is_alone: bool = True
    ) -> Callable[[], BatchResult]:
        """Take a batch, and return a function that waits for its result; as `build_worker.process_batch`."""


@dataclass(frozen=True)
class BuildSettings:
    """The settings of a build; None as analyser, profile or vectors, and entities not given, are those of the index.

    images: whether images that documents refer to are read. infer: whether the meaning of tags that no profile knows is
    inferred from their use. vectors: name of the encoder whose vectors the index has, "none" for none.
    reader: reads the documents in the place of `jobs` processes of this machine; each of its batches may take `memory`.
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
    infer: bool = True
    vectors: str | None = None
    reader: BatchReader | None = None


def requested_analyser(
    name: str | None, stem: str | None, stop: str | None, diacritics: str | None, camel_case: str | None
) -> Analyser | None:
    """Return the analyser with the given values, defaults in the place of None; None if all are None."""
    if all(each is None for each in (name, stem, stop, diacritics, camel_case)):
        return None
    return make_analyser(name or "default", stem, stop or "none", diacritics or "keep", camel_case or "keep")


def requested_profile(names: Sequence[str], attributes: str | None, split: str | None) -> Profile | None:
    """Return the profile of one or more names, with the attributes and tags that split files; None if none is given."""
    if not names and attributes is None and split is None:
        return None
    profile = load_profiles(names or (AUTO,))
    if split is not None:
        profile = with_split(profile, split)
    return profile if attributes is None else with_attributes(profile, attributes)


def requested_entities(file: str | Path | None, catalogs: Sequence[str | Path], undefined: str | None) -> EntityOptions:
    """Return the options on entities, whose files can be read; raises SettingsError otherwise."""
    options = EntityOptions(absolute(file), tuple(str(absolute(catalog)) for catalog in catalogs), undefined)
    options.read()
    return options
