"""The sources of a build: which are read now, which the new generation remembers, and the documents in them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from engine.collection.limits import Limits
from engine.collection.sources import SourceListing, open_sources, source_key
from engine.collection.sources.exclusions import is_exclusion
from engine.errors import CollectionError
from engine.index.manifest import Manifest
from engine.index.nested_sources import cover_sources
from engine.index.remembered_sources import check_is_there
from engine.progress import Progress


def wanted_sources(
    old: Manifest, sources: Sequence[str], forget: Sequence[str]
) -> tuple[list[str], tuple[str, ...], list[str]]:
    """Return the sources to read now, the keys of all sources of the new generation, and notices on covered sources.

    Exclusions apply to all sources: where they change, all are read.
    """
    gone = {source_key(source) for source in forget}
    if unknown := sorted(gone - set(old.sources)):
        known = ", ".join(old.sources) or "none"
        raise CollectionError(f"unknown source '{unknown[0]}': the sources of this index are {known}.")
    kept = [source for source in old.sources if source not in gone]
    exclusions = dict.fromkeys(source for source in (*kept, *sources) if is_exclusion(source))
    remembered = [source for source in kept if not is_exclusion(source)]
    given = {source_key(source): source for source in sources if not is_exclusion(source)}
    if not given and not remembered and not gone:
        raise CollectionError("no source: name files, folders, patterns or archives to index.")
    keys, notices = cover_sources(given, remembered)
    wanted = list(keys.values())
    if exclusions.keys() != set(filter(is_exclusion, old.sources)):
        wanted += [source for source in remembered if source not in keys]
    elif not wanted and not gone:
        wanted = remembered
    for source in wanted:
        if source in old.sources:
            check_is_there(source)
    new = [key for key in (*keys, *exclusions) if key not in kept]
    return [*wanted, *exclusions], (*kept, *new), notices


def listing_of(
    wanted: Sequence[str], limits: Limits, work: Path, progress: Progress
) -> AbstractContextManager[SourceListing]:
    """Return the documents of some sources, which can be read until the context ends."""
    return open_sources(
        wanted,
        limits=limits,
        temporary_folder=work,
        progress=lambda archive, done, total: progress(f"unpacking {Path(archive).name}", done, total),
    )
