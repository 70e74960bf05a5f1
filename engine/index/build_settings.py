"""The settings of a build."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.collection.entities import Entities
from engine.collection.limits import Limits
from engine.collection.profile import Profile
from engine.collection.xml_reader import DEFAULT_ENTITIES
from engine.text.analyser import Analyser

# How a change of a document is noticed: if size or time differs, or by comparing the contents of all documents.
CHECKS = ("time", "content")


@dataclass(frozen=True)
class BuildSettings:
    """How an index is built; analyser and profile are None to use those of the existing index.

    images: whether images that documents refer to are read.
    """

    analyser: Analyser | None = None
    profile: Profile | None = None
    jobs: int = 1
    memory: int = 2**30  # bytes, over all processes
    stop_on_error: bool = False
    check: str = "time"  # one of CHECKS
    limits: Limits = field(default_factory=Limits)
    entities: Entities = DEFAULT_ENTITIES
    images: bool = True
