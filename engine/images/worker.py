"""The process that decodes images: it can crash, hang or be ended without harm to its caller.

It reads requests from its standard input and writes answers to its standard output. A request is a length (8 bytes,
little-endian) and the bytes of an image file; an answer is a letter, a length and a content: the features (F), or the
name of the limit that the image exceeds, if any, and on a new line why there are none (E).
"""

from __future__ import annotations

import struct
import sys
from typing import BinaryIO

import numpy as np

from engine.images.decoding import ImageError, read_pixels
from engine.images.features import N_BLOCKS, N_COLOURS, N_FILTERS, N_TEXTURE_BLOCKS, ImageFeatures, features_of
from engine.images.limits import ImageLimits
from engine.system.platform import limit_memory

LENGTH = struct.Struct("<Q")
FEATURES, ERROR = b"F", b"E"
# Bytes that the process may map: an image of 32 million pixels takes up to 400 MB while it is decoded.
MOST_MEMORY = 2 << 30
_PARTS = (N_BLOCKS, N_FILTERS * N_TEXTURE_BLOCKS, 8 * N_COLOURS)
SIZE = sum(_PARTS)  # of an image's features, in bytes


def features_to_bytes(features: ImageFeatures) -> bytes:
    """Return features as bytes of a fixed number."""
    return features.modes.tobytes() + features.bands.tobytes() + features.colours.astype("<i8").tobytes()


def features_from_bytes(raw: bytes) -> ImageFeatures:
    """Return the features that `features_to_bytes` wrote.

    Raises: ValueError if their number is wrong.
    """
    if len(raw) != SIZE:
        raise ValueError(f"{len(raw)} bytes of features: expected {SIZE}")
    modes, bands = raw[: _PARTS[0]], raw[_PARTS[0] : -_PARTS[2]]
    return ImageFeatures(
        np.frombuffer(modes, np.uint8).copy(),
        np.frombuffer(raw[-_PARTS[2] :], "<i8").astype(np.int64),
        np.frombuffer(bands, np.uint8).reshape(N_FILTERS, N_TEXTURE_BLOCKS).copy(),
    )


def serve(requests: BinaryIO, answers: BinaryIO, limits: ImageLimits) -> None:
    """Answer requests until there are no more."""
    while len(header := requests.read(LENGTH.size)) == LENGTH.size:
        data = requests.read(LENGTH.unpack(header)[0])
        try:
            kind, content = FEATURES, features_to_bytes(features_of(read_pixels(data, limits)))
        except ImageError as error:
            kind, content = ERROR, f"{error.limit}\n{error}".encode("utf-8", "replace")
        answers.write(kind + LENGTH.pack(len(content)) + content)
        answers.flush()


def main() -> None:
    """Run the process; its arguments are the limits on bytes, pixels and sides."""
    limit_memory(MOST_MEMORY)
    max_bytes, max_pixels, max_side = map(int, sys.argv[1:])
    serve(sys.stdin.buffer, sys.stdout.buffer, ImageLimits(max_bytes, max_pixels, max_side))


if __name__ == "__main__":
    main()
