"""Finds the image files that documents refer to: in the folders of their sources, and nowhere else."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from engine.collection.sources.document_entry import DocumentEntry
from engine.files import open_regular

# Tried in this order where a reference has none of them; some publishers leave the extension out.
EXTENSIONS = (".jpg", ".png", ".gif", ".jpeg", ".tif", ".tiff", ".webp", ".bmp")
# http://, file:, data: and the like; nothing is fetched.
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")


class ImageFile(NamedTuple):
    """An image file: its path relative to the folder of its source, with `/`, and its absolute path."""

    key: str
    path: str

    def read(self, limit: int) -> bytes:
        """Return the bytes of the file, at most one more than the limit; raises OSError if it cannot be read."""
        with open_regular(self.path, follow=True) as file:
            return file.read(limit + 1)


class ImageFiles:
    """Finds image files; each folder is listed once, so that references to missing files cost little."""

    def __init__(self) -> None:
        self._names: dict[str, frozenset[str]] = {}

    def find(self, entry: DocumentEntry, reference: str) -> ImageFile | None:
        """Return the image that a document refers to, None if there is no such file inside its source.

        A reference is relative to the file of the document; one that begins with / is relative to the folder of the
        source. Links are followed if they lead to a file inside that folder.
        """
        root = entry.root
        if not root or _SCHEME.match(reference):
            return None
        base = root if reference.startswith("/") else os.path.dirname(entry.byte_range.path)
        for name in _spellings(reference):
            path = os.path.normpath(os.path.join(base, name.lstrip("/")))
            if _is_inside(path, root) and os.path.basename(path) in self._listed(os.path.dirname(path)):
                real = os.path.realpath(path)
                if os.path.isfile(real) and _is_inside(real, os.path.realpath(root)):
                    return ImageFile(os.path.relpath(path, root).replace(os.sep, "/"), real)
        return None

    def _listed(self, folder: str) -> frozenset[str]:
        names = self._names.get(folder)
        if names is None:
            try:
                names = frozenset(os.listdir(folder))
            except (OSError, ValueError):
                names = frozenset()
            self._names[folder] = names
        return names


def image_at(root: str, key: str) -> ImageFile | None:
    """Return the image of a key that `ImageFiles.find` gave, None if it is no longer there."""
    path = os.path.join(root, key)
    real = os.path.realpath(path)
    return ImageFile(key, real) if os.path.isfile(real) and _is_inside(real, os.path.realpath(root)) else None


def _spellings(reference: str) -> Iterator[str]:
    """Yield the names that a reference may mean: as written, and without percent signs, fragment and query."""
    written = reference.strip().replace("\\", "/")
    names = list(dict.fromkeys([written, unquote(written), unquote(re.split("[?#]", written)[0])]))
    for name in names:
        if posixpath.basename(name) not in ("", ".", ".."):
            yield name
            if not name.lower().endswith(EXTENSIONS):
                yield from (f"{name}{extension}" for extension in EXTENSIONS)


def _is_inside(path: str, folder: str) -> bool:
    return path.startswith(folder if folder.endswith(os.sep) else f"{folder}{os.sep}")
