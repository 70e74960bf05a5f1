"""The images of a document as its pages show them: their addresses, and where they match the example of a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

import numpy as np

import foxir
from engine.arrays import FloatArray
from engine.images.similarity import matching_blocks, weighted_groups
from engine.planning.plan import ExampleImage
from foxir.searching.example_images import examples_of_query
from foxir.service.example_image import image_text
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
    return f"/image?{urlencode({name: value for name, value in given.items() if value})}"


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
    """Return what covers the blocks that do not match: x, y and width in blocks, and a level.

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
