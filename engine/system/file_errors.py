"""The reasons for which a file that a user names cannot be read or written, in plain words."""

from __future__ import annotations

import errno
import os
from itertools import islice
from pathlib import Path

from engine.wording.did_you_mean import nearest

# Names of a folder among which one that is similar to a missing one is looked for.
MOST_NAMES = 1000


def plain_reason(path: str | os.PathLike[str], error: OSError) -> str:
    """Return the reason of an error with a file or folder, as a clause: `there is no such file, but 'topics.txt'`."""
    place = Path(path)
    if error.strerror and error.strerror != os.strerror(error.errno or 0):  # in plain words already
        return error.strerror
    if error.errno == errno.ENOENT:
        return missing(place)
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        return not_a_folder(place) or error.strerror or str(error)
    reasons = {
        errno.EISDIR: "it is a folder, not a file",
        errno.EACCES: "you have no permission for it",
        errno.EPERM: "you have no permission for it",
        errno.ELOOP: "it is a link that leads to itself",
    }
    return reasons.get(error.errno or 0) or error.strerror or str(error)


def unwritable(path: str | os.PathLike[str], error: OSError) -> str:
    """Return the message about a file that cannot be written: the reason and the remedy."""
    advice = "Free disk space" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "Choose another place"
    return f"{os.fspath(path)}: cannot be written: {plain_reason(path, error)}. {advice}."


def missing(place: Path, what: str = "file") -> str:
    """Return the reason for a missing file or folder, with the thing that is there in its place."""
    if not (place.parent.is_dir() or place.is_symlink()):
        return f"there is no folder '{place.parent}'"
    return f"there is no such {what}{in_place_of(place)}"


def in_place_of(place: Path) -> str:
    """Return a clause on the thing in place of a missing file: a link, no folder, a similar name; else ""."""
    if place.is_symlink():
        return f", but a link to '{place.readlink()}', which is not there"
    folder = place.parent
    if not folder.is_dir():
        return f", for there is no folder '{folder}'"
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, MOST_NAMES)]
    except OSError:
        return ""
    near = nearest(place.name, names, cutoff=0.8)
    return f", but '{folder / near}'" if near else ""


def not_a_folder(place: Path) -> str:
    """Return the first part of a path that is no folder, "" if there is none."""
    for part in (*reversed(place.parents), place):
        if part.is_symlink() and not part.exists():
            return f"'{part}' is a link to '{part.readlink()}', which is not there"
        if part.exists() and not part.is_dir():
            return f"'{part}' is a file, not a folder"
    return ""
