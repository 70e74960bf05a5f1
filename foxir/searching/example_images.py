"""Example images of a search as callers give them: values, files, bytes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from engine.errors import QueryError
from engine.index.reader import IndexReader
from engine.planning.plan import ExampleImage
from engine.ranking.search import plan_query
from engine.settings import Settings
from engine.system.files import plain_reason
from engine.system.platform import open_regular
from engine.wording import printable
from foxir import arguments
from foxir.arguments import PathLike

if TYPE_CHECKING:
    from engine.images.limits import ImageLimits
    from engine.images.reader import ImageReader

ImageInput: TypeAlias = PathLike | bytes | ExampleImage | Sequence[PathLike | bytes | ExampleImage]
# What an image is called that has no name.
UNNAMED = "the image"


def images_of(image: object) -> list[ExampleImage]:
    """Return the example images that a call names: a file or its bytes, one that was read, or several; None for none.

    Raises: TypeError; QueryError for an image that cannot be read; SettingsError without Pillow.
    """
    given: Sequence[object]
    if image is None or (isinstance(image, tuple) and not image):
        return []
    from engine.images.reader import ImageReader  # noqa: PLC0415  (most searches have no image)

    given = (
        [image]
        if isinstance(image, str | bytes | os.PathLike | ExampleImage)
        else arguments.items("image", image, "images")
    )
    with ImageReader() as reader:
        found = []
        for place, each in enumerate(given):
            if isinstance(each, ExampleImage):
                found.append(each)
            elif isinstance(each, bytes):
                found.append(example_image(UNNAMED, each, reader))
            else:
                name = "image" if len(given) == 1 else f"image[{place}]"
                path = arguments.path(name, each)
                found.append(example_image(str(path), _bytes_of(path, reader.limits), reader))
        return found


def examples_of_query(
    index: IndexReader, query: str, settings: Settings, images: Sequence[ExampleImage]
) -> Sequence[ExampleImage]:
    """Return the example images of a query: in its text, and beside it; raises QueryError."""
    plan = plan_query(index, query, settings, images)
    return () if plan.images is None else plan.images.examples


def example_image(name: str, data: bytes, reader: ImageReader) -> ExampleImage:
    """Return an image file as an example image; raises QueryError if it cannot be read."""
    from engine.images.decoding import ImageError  # noqa: PLC0415  (most searches have no image)

    try:
        return ExampleImage(printable(name), reader.features(data))
    except ImageError as error:
        raise QueryError(f"{printable(name)}: no example image: {printable(str(error))}. Name another file.") from None


def _bytes_of(path: Path, limits: ImageLimits) -> bytes:
    try:
        with open_regular(path, follow=True) as file:
            return file.read(limits.max_bytes + 1)
    except OSError as error:
        reason = plain_reason(path, error)
        raise QueryError(f"{path}: the example image cannot be read: {reason}. Name an image.") from None
