"""Postings of features: for each feature of a segment the images that have it, and of histograms how often.

    image_feature              the features that some image has, ascending
    image_postings_of_feature  for each its first posting, then the number of postings
    image_posting              for each posting the number of the image, ascending in each feature
    image_count                for each posting of a histogram how often the image has the feature, in the same order

The columns of features are inverted a group of them at a time, so memory does not grow with the number of images times
their features.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from engine.array_types import Array, Mask
from engine.columns.checksum_writer import FolderWriter, PlainWriter
from engine.columns.dtypes import narrowest
from engine.columns.growing_column import GrowingColumnWriter
from engine.images.colours import N_COLOURS
from engine.images.features import GROUP_BORDERS
from engine.images.textures import N_BANDS, N_FILTERS, N_TEXTURE_BLOCKS
from engine.index.images.image_columns import WIDE, ImageColumns, image_pieces
from engine.records import NamedTuple

# Share of the memory that a group of columns may take.
SHARE = 8


class _Postings(NamedTuple):
    """Postings of consecutive features: their numbers, how many images have each, the images; of a bin, how often."""

    features: Array
    n_images: Array
    images: Array
    counts: Array | None = None


def write_image_postings(parts: Sequence[ImageColumns], writer: FolderWriter, memory: int) -> None:
    """Write the postings of the images of parts that follow one another.

    Args:
        memory: bytes that may be used; what is written does not depend on it.
    """
    used = np.concatenate([np.diff(np.asarray(part.of_image)) > 0 for part in parts])
    size = max(1, memory // SHARE // max(len(used), 1) // 8)  # columns that are in memory together
    n_postings = _count(parts, used)
    images = PlainWriter(writer, "image_posting", n_postings, dtype=narrowest(max(len(used) - 1, 0)))
    features, firsts, counts = (
        GrowingColumnWriter(writer, name) for name in ("image_feature", "image_postings_of_feature", "image_count")
    )
    firsts.append(np.zeros(1, np.int64))
    n_written = 0
    for found in _inverted(parts, used, size):
        features.append(found.features)
        firsts.append(np.cumsum(found.n_images) + n_written)
        images.append(found.images.astype(narrowest(max(len(used) - 1, 0))))
        n_written += len(found.images)
        if found.counts is not None:
            counts.append(found.counts)
    for file in (images, features, firsts, counts):
        file.finish()


def _count(parts: Sequence[ImageColumns], used: Mask) -> int:
    """Return the number of postings of all features."""
    n_postings = WIDE["modes"][0] * int(used.sum())
    for name in ("colours", "bands"):
        first = 0
        for piece in image_pieces(parts, name):
            kept = piece[used[first : first + len(piece)]]
            n_postings += int(np.count_nonzero(kept))
            if name == "bands":
                n_postings += sum(int(np.count_nonzero(_histogram(kept, filter_))) for filter_ in range(N_FILTERS))
            first += len(piece)
    return n_postings


def _inverted(parts: Sequence[ImageColumns], used: Mask, size: int) -> Iterator[_Postings]:
    """Yield the postings of all features, ascending, some features at a time."""
    images = np.flatnonzero(used)

    def columns(name: str, first: int, end: int) -> Iterator[Array]:
        for begin in range(first, end, size):
            block = slice(begin, min(begin + size, end))
            yield from np.concatenate([piece[:, block] for piece in image_pieces(parts, name)])[used].T

    first_colour, first_texture, first_bin = GROUP_BORDERS[1:4]
    for block, modes in enumerate(columns("modes", 0, WIDE["modes"][0])):
        yield _by_value(block * N_COLOURS, modes, images)
    for colour, pixels in enumerate(columns("colours", 0, N_COLOURS)):
        yield from _bin(first_colour + colour, pixels, images)
    for block, bands in enumerate(columns("bands", 0, WIDE["bands"][0])):
        is_set = bands > 0  # the lowest band is not a feature
        yield _by_value(first_texture + block * N_BANDS, bands[is_set], images[is_set])
    for filter_ in range(N_FILTERS):
        histogram = np.concatenate([_histogram(piece, filter_) for piece in image_pieces(parts, "bands")])[used]
        for band in range(N_BANDS):
            yield from _bin(first_bin + filter_ * N_BANDS + band, histogram[:, band], images)


def _by_value(first_feature: int, values: Array, images: Array) -> _Postings:
    """Return the postings of the features `first_feature + value`, where each image has one value."""
    order = values.argsort(kind="stable")
    n_images = np.bincount(values)
    present = np.flatnonzero(n_images)
    return _Postings(first_feature + present, n_images[present], images[order])


def _bin(feature: int, counts: Array, images: Array) -> Iterator[_Postings]:
    """Yield the postings of one bin of a histogram, if any image has it."""
    filled = np.flatnonzero(counts)
    if len(filled):
        yield _Postings(np.array([feature]), np.array([len(filled)]), images[filled], counts[filled])


def _histogram(bands: Array, filter_: int) -> Array:
    """Return in how many blocks a filter has each band, shape (n_images, 10)."""
    own = bands[:, filter_ * N_TEXTURE_BLOCKS : (filter_ + 1) * N_TEXTURE_BLOCKS]
    return np.stack([(own == band).sum(axis=1) for band in range(N_BANDS)], axis=1)
