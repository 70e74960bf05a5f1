"""The images of a document as its pages show them: addresses, matches of an example, the files they are from."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import NamedTuple
from urllib.parse import urlencode

import numpy as np

import foxir
from engine.arrays import FloatArray
from engine.collection.limits import DEFAULT_LIMITS
from engine.collection.sources.image_files import image_at, is_in_compressed_tar
from engine.collection.sources.patterns import Exclusions
from engine.collection.sources.source_listing import resolve_source
from engine.errors import CollectionError
from engine.images.similarity import matching_blocks, weighted_groups
from engine.index.reader import IndexReader
from engine.indexing.document_images import image_digest
from engine.planning.plan import ExampleImage
from engine.wording import printable
from foxir.searching.example_images import examples_of_query
from foxir.service.example_image import image_text
from foxir.service.http.problems import not_found
from foxir.service.http.root_path import root_path
from foxir.service.indexes import Snapshot
from foxir.service.json.requests import SearchRequest
from foxir.service.pages.document_view import DocumentView

# Levels of a block: 0 (nothing matches) to 9 (all).
LEVELS = 9
Blocks = Sequence[Sequence[float]]


@dataclass(frozen=True)
class ShownImage:
    """An image of a document.

    address: of its file. similar: of a search for images like it. blocks: how far each matches the example of a query.
    """

    key: str
    address: str
    similar: str
    blocks: Blocks | None


def image_address(document: str, key: str, index: str) -> str:
    """Return the address of an image that a document refers to."""
    given = {"document": document, "path": key, "index": index}
    return f"{root_path()}/image?{urlencode({name: value for name, value in given.items() if value})}"


def similar_address(snapshot: Snapshot, request: SearchRequest, number: int) -> str:
    """Return the address of a search for images like one of the index: by its path where that means no other."""
    images = snapshot.reader.images
    key, index = images.key(number), request.index
    given = SearchRequest(index=index)
    if not any(sign in key for sign in " \"'()[]\t"):
        named = images.named(key)
        if {images.digest(each) for each in named.tolist()} == {images.digest(number)}:
            return given.address("/", q=f"src:{key}")
    return given.address("/", image=image_text(images.features(number)))


def document_images(snapshot: Snapshot, view: DocumentView, request: SearchRequest) -> dict[int, list[ShownImage]]:
    """Return place -> images of the elements of a document that refer to any."""
    numbers = image_numbers(view)
    if not numbers:
        return {}
    images = view.reader.images
    groups = [weighted_groups(each.features, images) for each in example_images(view, request)]

    def shown(number: int) -> ShownImage:
        features = images.features(number)
        found = [matching_blocks(each, features) for each in groups]
        key = images.key(number)
        return ShownImage(
            key,
            image_address(view.document, key, request.index),
            similar_address(snapshot, request, number),
            rounded(np.mean(found, axis=0)) if found else None,
        )

    known = {number: shown(number) for number in {each for several in numbers.values() for each in several}}
    return {place: [known[number] for number in several] for place, several in numbers.items()}


def image_numbers(view: DocumentView) -> dict[int, list[int]]:
    """Return place -> numbers of the images that an element refers to."""
    if not view.reader.images.n_images:
        return {}
    rows, images = view.reader.images.references
    first, end = np.searchsorted(rows, [view.first_row, view.first_row + len(view)]).tolist()
    found: dict[int, list[int]] = {}
    for row, number in zip(rows[first:end].tolist(), images[first:end].tolist(), strict=True):
        found.setdefault(row - view.first_row, []).append(number)
    return found


def example_images(view: DocumentView, request: SearchRequest) -> Sequence[ExampleImage]:
    """Return the example images of a query, none for one that cannot be read."""
    if request.is_empty:
        return ()
    try:
        return examples_of_query(view.reader, request.query, request.settings(), request.images())
    except foxir.FoxirError:
        return ()


def rounded(blocks: FloatArray) -> Blocks:
    """Return blocks as rows of numbers with four places."""
    found: list[list[float]] = np.round(blocks, 4).tolist()
    return found


def overlay_rectangles(blocks: Blocks) -> list[tuple[int, int, int, int]]:
    """Return the covers of unlike blocks: x, y and width in blocks, and a level.

    The level is from 0, nothing matches, to 8; blocks that match wholly are not covered. Neighbours of one level are
    one rectangle.
    """
    found: list[tuple[int, int, int, int]] = []
    for y, row in enumerate(blocks):
        for x, share in enumerate(row):
            level = round(LEVELS * share)
            if level == LEVELS:
                continue
            if found and found[-1][1] == y and found[-1][3] == level and found[-1][0] + found[-1][2] == x:
                x_first, _, width, _ = found.pop()
                found.append((x_first, y, width + 1, level))
            else:
                found.append((x, y, 1, level))
    return found


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
