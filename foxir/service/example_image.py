"""An example image as text that an address can carry: its features, from which the image cannot be made again.

So nothing that is uploaded is stored, every page of a search with an image has an address, and all processes of a
service, also those of tomorrow, answer it.
"""

from __future__ import annotations

import base64
import binascii
import struct
import zlib
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from engine.collection.limits import DEFAULT_LIMITS
from engine.errors import SettingsError
from engine.images.decoding import ImageError, check_size_of_file
from engine.images.features import (
    GREATEST_GREY,
    GRIDS,
    N_BANDS,
    N_COLOURS,
    N_GREYS,
    N_HUES,
    N_SATURATIONS,
    N_VALUES,
    SIDE,
    ImageFeatures,
)
from engine.images.reader import ImageReader
from engine.images.worker import SIZE, features_from_bytes, features_to_bytes
from engine.indexing.document_images import image_limits
from engine.planning.plan import ExampleImage
from engine.wording import printable
from foxir.service.http.problems import ProblemError

# Characters of an example image as text; noise, the worst of real images, has 1,900.
LONGEST = 8_000
GRID = GRIDS[0]


def read_example(file: BinaryIO, n_bytes: int) -> ImageFeatures:
    """Return the features of an uploaded image file, decoded in a process of its own within the limits of an index.

    Raises: ProblemError 422 for what is not an image, is damaged or exceeds a limit; 501 without Pillow.
    """
    limits = image_limits(DEFAULT_LIMITS)
    try:
        check_size_of_file(n_bytes, limits)
        data = file.read(limits.max_bytes + 1)
        with ImageReader(limits) as reader:
            return reader.features(data)
    except ImageError as error:
        raise ProblemError(422, f"the image cannot be searched with: {printable(str(error))}.", "image") from None
    except SettingsError as error:
        raise ProblemError(501, f"this service cannot read images: {error}.", "image") from None


def image_text(features: ImageFeatures) -> str:
    """Return the features of an image as text, of letters, digits, - and _."""
    return base64.urlsafe_b64encode(zlib.compress(features_to_bytes(features), 9)).decode("ascii").rstrip("=")


def example_of(text: str) -> ExampleImage:
    """Return the example image of a text that `image_text` made; raises ProblemError 422 for any other."""
    wrong = ProblemError(422, "image: not the text of an example image, as /api/example-image returns it.", "image")
    if len(text) > LONGEST:
        raise wrong
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        features = features_from_bytes(zlib.decompressobj().decompress(packed, SIZE + 1))
    except (ValueError, binascii.Error, zlib.error):
        raise wrong from None
    colours = features.colours
    if features.modes.max() >= N_COLOURS or features.bands.max() >= N_BANDS:
        raise wrong
    if colours.min() < 0 or colours.max() > SIDE * SIDE or colours.sum() != SIDE * SIDE:
        raise wrong
    return ExampleImage("the example image", features)


def mosaic(features: ImageFeatures) -> str:
    """Return the colours of an image's 256 smallest blocks as a PNG of 16 x 16 pixels, in an address (data:)."""
    rows = colour_values(features.modes[: GRID * GRID]).reshape(GRID, GRID * 3)
    raw = b"".join(b"\0" + row.tobytes() for row in rows)  # each row begins with the number of its filter
    head = struct.pack(">IIBBBBB", GRID, GRID, 8, 2, 0, 0, 0)  # 8 bits a channel, RGB
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b""))
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}"


def colour_values(colours: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return RGB in the middle of each colour, numbers among the 166 (`engine.images.features`), shape (n, 3)."""
    number = colours.astype(np.int64)
    grey = (number - (N_COLOURS - N_GREYS) + 0.5) * 255 / N_GREYS
    rest, value = np.divmod(number, N_VALUES)
    hue, saturation = np.divmod(rest, N_SATURATIONS)
    least = GREATEST_GREY + 2  # below it colours are grey
    top = np.maximum((value + 0.5) * 255 / N_VALUES, np.where(saturation == 0, N_SATURATIONS * least + 1, 0))
    chroma = np.maximum(top * (saturation + 0.5) / N_SATURATIONS, least)
    sector = (hue * 6 / N_HUES)[:, None]
    # Each channel is full within a third of the circle around its hue, and falls to the lowest a third further on.
    distance = np.abs((sector - np.array([0.0, 2.0, 4.0]) + 3) % 6 - 3)
    channels = top[:, None] - chroma[:, None] * np.clip(distance - 1, 0, 1)
    found = np.where((number >= N_COLOURS - N_GREYS)[:, None], grey[:, None], channels)
    return np.clip(np.round(found), 0, 255).astype(np.uint8)
