"""The description of a segment, `segment.json`: names, counts, and the checksums of all its files."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from engine.columns.checksum_writer import BLOCK
from engine.errors import INDEX_AGAIN, IndexFormatError, foreign_content
from engine.records import dataclass
from engine.system.files import read_regular

DESCRIPTION = "segment.json"
FOLDERS = ("articles", "elements")
# Bytes of a column's header, and of the distance to a parent.
HEADER, WIDEST_PARENT = 128, 4

_COUNTS = ("n_documents", "n_elements", "n_leaf_postings", "n_terms", "n_tokens", "n_words")
_LISTS = ("languages", "profiles", "sources", "tags")
_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.]*")

# Size and checksums by file name.
Files = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class SegmentCounts:
    """The counts of a segment, and the lists of names that are too small for columns."""

    lists: dict[str, list[str]]  # tags, sources, profiles and languages, which columns refer to by number
    n_documents: int
    n_elements: int
    n_leaf_postings: int
    n_terms: int
    n_tokens: int
    n_words: int


@dataclass(frozen=True)
class Description(SegmentCounts):
    """The description of a segment: its counts, and size and checksums of all its files."""

    articles: Files
    elements: Files

    def to_bytes(self) -> bytes:
        """Return the content of the file."""
        return json.dumps(vars(self), sort_keys=True).encode()


def read_description(folder: Path, digest: str) -> Description:
    """Return the description of the segment in a folder.

    Args:
        digest: the expected SHA-256.
    Raises: IndexFormatError if it is missing, damaged or inconsistent, or the segment is behind a link.
    """
    path = folder / DESCRIPTION
    try:
        for inside in (folder.parent, folder, *(folder / name for name in FOLDERS)):
            if inside.is_symlink():
                raise IndexFormatError(f"{inside}: a link, and an index contains none: replace it by what it leads to.")
        raw = read_regular(path)
    except PermissionError as error:
        raise IndexFormatError(f"{error.filename}: cannot be read: {error.strerror}.") from None
    except OSError as error:
        raise IndexFormatError(f"{path}: cannot be read ({error.strerror}): {INDEX_AGAIN}.") from None
    if hashlib.sha256(raw).hexdigest() != digest:
        raise IndexFormatError(f"{path}: does not match its checksum: the file is damaged, {INDEX_AGAIN}.")
    return parse_description(path, raw)


def parse_description(path: Path | str, raw: bytes) -> Description:
    """Return the description that a file contains; messages name the path; raises IndexFormatError."""
    try:
        content = json.loads(raw)
        _check(content)
        return Description(**content)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise foreign_content(path, error) from None


def _check(content: dict[str, Any]) -> None:
    """Raise an error for values that foxir never writes; the description may come from a stranger."""
    for name in _COUNTS:
        if type(content[name]) is not int or content[name] < 0:
            raise ValueError(f"{name}: {content[name]!r}")
    for name in _LISTS:
        values = content["lists"][name]
        if type(values) is not list or not all(isinstance(value, str) for value in values):
            raise ValueError(f"{name}: no list of names")
    for folder in FOLDERS:
        for name, entry in content[folder].items():
            if not _FILE_NAME.fullmatch(name):
                raise ValueError(f"{name!r} is not a valid name of a file of a segment")
            size, checksums = entry["size"], entry["crc32"]
            if type(size) is not int or not all(type(checksum) is int for checksum in checksums):
                raise ValueError(f"{name!r} has a size or checksums that are not numbers")
            if size < 0 or len(checksums) != -(-size // BLOCK):
                raise ValueError(f"{name!r} has {len(checksums)} checksums for {size} bytes")
    # Signed or wider distances could lead from a parent to a later row, and following them would never end.
    if content["elements"]["parent.npy"]["size"] > HEADER + WIDEST_PARENT * content["n_elements"]:
        raise ValueError("'parent.npy' has wider numbers than a document has elements")
