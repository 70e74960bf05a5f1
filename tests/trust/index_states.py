"""States of an index on disk, compared by their bytes: many interrupted writes leave the same files."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tests.engine.index.index_contents import found
from tests.reference.inverted_index import Contents
from tests.trust.damaged_index import files_of

_contents: dict[bytes, Contents] = {}


def fingerprint(folder: Path) -> bytes:
    """Return a hash of the names and bytes of everything below a folder."""
    return _hash(folder, sorted(folder.rglob("*")))


def contents_of_state(index: Path) -> Contents:
    """Return the contents of an index; the files of its generation, which determine them, are read slowly only once."""
    state = _hash(index, files_of(index))
    if state not in _contents:
        _contents[state] = found(index)
    return _contents[state]


def _hash(folder: Path, paths: list[Path]) -> bytes:
    files = [(str(path.relative_to(folder)), path.read_bytes() if path.is_file() else None) for path in paths]
    return hashlib.sha256(repr(files).encode()).digest()
