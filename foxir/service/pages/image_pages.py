"""Images of documents, from the files that they were indexed from."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import NamedTuple

import numpy as np

from engine.collection.limits import DEFAULT_LIMITS
from engine.collection.sources.image_files import image_at, is_in_compressed_tar
from engine.collection.sources.patterns import Exclusions
from engine.collection.sources.source_listing import resolve_source
from engine.errors import CollectionError
from engine.index.reader import IndexReader
from engine.indexing.document_images import image_digest
from engine.wording import printable
from foxir.service.http.problems import not_found
from foxir.service.indexes import Snapshot

# First bytes of a file, and its type; formats that no page can show are not answered.
MEDIA_TYPES = {
    b"\x89PNG": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
    b"BM": "image/bmp",
}
# Characters of the name of an image that is not shown, from its end.
MOST_OF_NAME = 42


# Shown in place of an image that cannot be shown, with its name and the reason.
NOT_SHOWN = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="360" height="64" font-family="sans-serif" font-size="14">'
    '<rect width="100%" height="100%" fill="#eee"/><text x="12" y="27" fill="#222">{name}</text>'
    '<text x="12" y="48" fill="#555">{reason}</text></svg>'
)


class ImageContent(NamedTuple):
    """The bytes of an image file and their type; `is_shown`: whether they are the image, and not why there is none."""

    data: bytes
    media_type: str
    is_shown: bool = True


def indexed_image(snapshot: Snapshot, document: str, key: str) -> ImageContent:
    """Return an image that a document refers to.

    Only images of the index are answered, from inside the source of the document, and only as they were when they were
    indexed; in the place of others of the index, a picture of the reason.

    Raises: ProblemError 404 for what is not an image of the index.
    """
    reader = snapshot.reader
    number, images = reader.number(document), reader.images
    if number is None:
        raise not_found("there is no such document.")
    own = np.flatnonzero(images.counts & (images.documents == number)).tolist()
    image = next((each for each in own if images.key(each) == key), None)
    if image is None:
        raise not_found("there is no such image.")
    if is_in_compressed_tar(key):
        return _not_shown(key, "in a compressed archive; shown from zip and tar")
    files = [data for root in _roots(reader, number) if (data := _read(root, key)) is not None]
    data = next((data for data in files if image_digest(data) == images.digest(image)), None)
    if data is None:
        return _not_shown(key, "changed since it was indexed" if files else "no longer there")
    media_type = next((kind for first, kind in MEDIA_TYPES.items() if data.startswith(first)), None)
    if media_type is None:
        return _not_shown(key, "in a format that pages do not show")
    return ImageContent(data, media_type)


def _not_shown(key: str, reason: str) -> ImageContent:
    name = key if len(key) <= MOST_OF_NAME else f"…{key[-MOST_OF_NAME:]}"
    picture = NOT_SHOWN.format(name=escape(printable(name)), reason=reason)
    return ImageContent(picture.encode("utf-8"), "image/svg+xml", is_shown=False)


def _read(root: str, key: str) -> bytes | None:
    """Return the bytes of an image below a folder, None if it cannot be read."""
    file = image_at(root, key)
    try:
        return None if file is None else file.read(DEFAULT_LIMITS.max_image_bytes)
    except OSError:
        return None


def _roots(reader: IndexReader, number: int) -> Sequence[str]:
    """Return the folders that images of a document may be relative to; several if a pattern or a list names them."""
    place, own = reader.locate(number)
    segment = reader.segments[place]
    source = segment.sources[int(segment.elements.column("source").slice(own, own + 1)[0])]
    if os.path.isdir(source):
        return [source]
    return [os.path.dirname(source)] if os.path.isfile(source) else _named_roots(source, reader.manifest.generation)


@lru_cache(maxsize=16)
def _named_roots(source: str, generation: int) -> Sequence[str]:
    """Return the folders of images of a list or a pattern, as they were when a generation was first asked for one."""
    try:
        resolved = resolve_source(source, Exclusions())
    except CollectionError:
        return ()
    return tuple(dict.fromkeys(resolved.folder_of_images(item.path) for item in resolved.items))
