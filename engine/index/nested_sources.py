"""Sources that lie inside one another: a file or folder below an indexed folder is not a source of its own."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.collection.sources.file_names import is_document, is_hidden
from engine.errors import CollectionError


class Coverage(NamedTuple):
    """The sources to read by key, without those that another one covers, and the notices on these."""

    sources: dict[str, str]
    notices: list[str]


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
            found.notices.append(f"{source} is part of the source {folder}, which is brought up to date as a whole.")
            continue
        if inner := next((each for each in known if _contains(key, each)), None):
            raise CollectionError(
                f"{source} contains {inner}, a source of this index, whose documents would be indexed twice: add "
                f"--remove {inner}, or name other folders."
            )
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
