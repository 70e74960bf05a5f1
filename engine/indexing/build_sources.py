"""The sources of a build: those to read, those to remember, and the documents in them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from engine.collection.limits import Limits
from engine.collection.sources.exclusions import is_exclusion
from engine.collection.sources.file_names import is_document, is_hidden
from engine.collection.sources.source_listing import SourceListing, open_sources, source_key
from engine.errors import CollectionError
from engine.index.manifest import Manifest
from engine.index.remembered_sources import check_is_there
from engine.notices import Notice
from engine.progress import Progress
from engine.records import NamedTuple


def wanted_sources(
    old: Manifest, sources: Sequence[str], forget: Sequence[str]
) -> tuple[list[str], tuple[str, ...], list[Notice]]:
    """Return the sources to read now, the keys of all sources of the new generation, and notices on covered sources.

    Exclusions apply to all sources: where they change, all are read.
    """
    gone = {source_key(source) for source in forget}
    if unknown := sorted(gone - set(old.sources)):
        raise CollectionError(Notice("unknown_source", {"source": unknown[0], "known": old.sources}))
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
    """Return the documents of sources, which can be read until the context ends."""
    return open_sources(
        wanted,
        limits=limits,
        temporary_folder=work,
        progress=lambda archive, done, total: progress(f"unpacking {Path(archive).name}", done, total),
    )


class Coverage(NamedTuple):
    """The sources to read by key, without those that another one covers, and the notices on these."""

    sources: dict[str, str]
    notices: list[Notice]


def cover_sources(given: Mapping[str, str], known: Sequence[str]) -> Coverage:
    """Return the given sources, each replaced by the known or given folder that contains it.

    Args:
        given: sources by key. known: keys of the other sources that the index keeps.
    Raises: CollectionError for a folder that contains a known source, whose documents would be indexed twice.
    """
    found = Coverage({}, [])
    for key, source in given.items():
        folder = min((each for each in (*known, *given) if _contains(each, key)), key=len, default=None)  # outermost
        if folder is not None:
            found.sources.setdefault(folder, given.get(folder, folder))
            found.notices.append(Notice("part_of_source", {"source": source, "whole": folder}))
            continue
        if inner := next((each for each in known if _contains(key, each)), None):
            raise CollectionError(Notice("contains_source", {"source": source, "inner": inner}))
        found.sources.setdefault(key, source)
    return found


def _contains(folder: str, source: str) -> bool:
    """Return whether a folder contains another source, given their keys: a folder, or a file that is read below it."""
    if folder == source or not os.path.isdir(folder) or not os.path.exists(source):
        return False
    above, below = os.path.realpath(folder), os.path.realpath(source)
    inside = above.rstrip("/") + "/"
    if not below.startswith(inside) or is_hidden(below.removeprefix(inside)):
        return False
    return os.path.isdir(source) or is_document(os.path.basename(source))
