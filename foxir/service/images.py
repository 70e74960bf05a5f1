"""Images of documents, from the files that they were indexed from."""

from __future__ import annotations

import os
from typing import NamedTuple

import numpy as np

from engine.collection.limits import DEFAULT_LIMITS
from engine.collection.sources.image_files import image_at
from engine.index.document_images import image_digest
from engine.index.reader import IndexReader
from foxir.service.indexes import Snapshot
from foxir.service.problems import not_found

# First bytes of a file, and its type; formats that no page can show are not answered.
MEDIA_TYPES = {
    b"\x89PNG": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
    b"BM": "image/bmp",
}


class ImageContent(NamedTuple):
    """The bytes of an image file and their type."""

    data: bytes
    media_type: str


def indexed_image(snapshot: Snapshot, document: str, key: str) -> ImageContent:
    """Return an image that a document refers to.

    Only images of the index are answered, from inside the source of the document, and only as they were when they were
    indexed.

    Raises: ProblemError 404 for any other.
    """
    reader = snapshot.reader
    number, images = reader.number(document), reader.images
    if number is None:
        raise not_found("there is no such document.")
    own = np.flatnonzero(images.counts & (images.documents == number)).tolist()
    image = next((each for each in own if images.key(each) == key), None)
    root = _root(reader, number)
    if image is None or root is None:
        raise not_found("there is no such image.")
    file = image_at(root, key)
    try:
        data = b"" if file is None else file.read(DEFAULT_LIMITS.max_image_bytes)
    except OSError:
        data = b""
    media_type = next((kind for first, kind in MEDIA_TYPES.items() if data.startswith(first)), None)
    if media_type is None or image_digest(data) != images.digest(image):
        raise not_found("the image is not there any more, or it has changed, or no page can show it.")
    return ImageContent(data, media_type)


def _root(reader: IndexReader, number: int) -> str | None:
    """Return the folder that images of a document are relative to; None where its source is a pattern or a list."""
    place, own = reader.locate(number)
    segment = reader.segments[place]
    source = segment.sources[int(segment.elements.column("source").slice(own, own + 1)[0])]
    if os.path.isdir(source):
        return source
    return os.path.dirname(source) if os.path.isfile(source) else None
