"""The error for a place without an index: its content, and the command that makes an index."""

from __future__ import annotations

import shlex
from pathlib import Path

from engine.collection.ingest_report import REPORT
from engine.collection.sources.file_names import archive_kind, is_document
from engine.errors import IndexFormatError
from engine.index.file_names import MANIFEST, SEGMENTS
from engine.index.write_lock import LOCK
from engine.system.files import missing


def other_files(folder: Path) -> set[str]:
    """Return the names in a folder that are not of an index; hidden files do not count.

    Raises: OSError if the folder cannot be read.
    """
    return {path.name for path in folder.iterdir() if not path.name.startswith(".")} - {LOCK, SEGMENTS, REPORT}


def missing_index(place: Path) -> IndexFormatError:
    """Return the error for a place without an index, with its content and the command that makes one."""
    if place.is_file():
        found = "it is a file"
        is_source = is_document(place.name) or archive_kind(str(place)) is not None
        advice = _command(Path(place.name.split(".")[0] or "index"), place) if is_source else "An index is a folder."
    elif place.is_dir():
        found = f"it has no {MANIFEST}"
        named = place if place.name not in ("", "..") else place.resolve()
        advice = _command(named, place) if _has_others(place) else _make(f"{shlex.quote(str(place))} SOURCE")
    elif place.exists():
        found, advice = "it is neither a file nor a folder", "An index is a folder."
    else:
        found, advice = missing(place, "folder"), _make(f"{shlex.quote(str(place))} SOURCE")
        if (meant := place.with_name(f"{place.name}.foxir")).is_dir():
            found, advice = f"there is no such folder, but '{meant}'", f"Did you mean {shlex.quote(str(meant))}?"
    return IndexFormatError(f"{place}: not a foxir index: {found}. {advice}")


def _command(stem: Path, source: Path) -> str:
    return _make(f"{shlex.quote(f'{stem}.foxir')} {shlex.quote(str(source))}")


def _make(arguments: str) -> str:
    return f"Make one: foxir index {arguments}"


def _has_others(folder: Path) -> bool:
    try:
        return bool(other_files(folder))
    except OSError:
        return False
