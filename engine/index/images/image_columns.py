"""Images of documents in columns, from the batch to the open segment, and postings of their features.

    images_of_document       for each document the number of its first image, then the number of images
    references_of_image      for each image the number of its first reference, then the number of references
    image_reference          for each reference the row of its element, counted from the root
    image_keys               for each image its path, relative to the folder of its source
    image_digest             for each image the digest of its file
    image_modes, image_bands, image_colours   for each image its features, see `engine.images.features`

An image counts once for each document that refers to it. One that could not be read has no references: its digest tells
whether the file has changed since. A segment without images has none of these files.

Postings have for each feature of a segment the images that have it, and of histograms how often.

    image_feature              the features that some image has, ascending
    image_postings_of_feature  for each its first posting, then the number of postings
    image_posting              for each posting the number of the image, ascending in each feature
    image_count                for each posting of a histogram how often the image has the feature, in the same order

The columns of features are inverted a group of them at a time, so memory does not grow with the number of images times
their features.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.arrays import Array, Mask
from engine.columns.checked_folder import CheckedFolder
from engine.columns.folder_writer import FolderWriter, GrowingColumnWriter, PlainWriter, StringsWriter, narrowest
from engine.columns.sliced import SlicedColumn, SlicedStrings
from engine.images.features import (
    GROUP_BORDERS,
    N_BANDS,
    N_BLOCKS,
    N_COLOURS,
    N_FILTERS,
    N_TEXTURE_BLOCKS,
    ImageFeatures,
)
from engine.records import NamedTuple, dataclass

DIGEST_BYTES = 16
# Columns of one row per image, their widths and number types.
WIDE: dict[str, tuple[int, np.dtype[Any]]] = {
    "digest": (DIGEST_BYTES, np.dtype("u1")),
    "modes": (N_BLOCKS, np.dtype("u1")),
    "bands": (N_FILTERS * N_TEXTURE_BLOCKS, np.dtype("u1")),
    "colours": (N_COLOURS, np.dtype("<u4")),
}
# Images that are read at a time: 4 KB each.
IMAGES_AT_A_TIME = 1 << 12


@dataclass(frozen=True)
class FoundImage:
    """An image of a document.

    rows: elements that refer to it, counted from the root. features: None if the file could not be read.
    """

    key: str
    digest: bytes
    features: ImageFeatures | None
    rows: Sequence[int]


@dataclass(frozen=True)
class ImageColumns:
    """The images of documents, in their order; see the module. Columns may be spilled."""

    of_document: Any  # shape (n_documents + 1,)
    of_image: Any  # shape (n_images + 1,)
    reference: Any  # shape (n_references,)
    keys: Sequence[bytes]
    digest: Any  # shape (n_images, 16)
    modes: Any  # shape (n_images, 340)
    bands: Any  # shape (n_images, 3072)
    colours: Any  # shape (n_images, 166)

    def __len__(self) -> int:
        return len(self.digest)

    @classmethod
    def of(cls, documents: Sequence[Sequence[FoundImage]]) -> ImageColumns | None:
        """Return the columns of the images of documents; None if there is none."""
        images = [image for found in documents for image in found]
        if not images:
            return None
        unread = ImageFeatures(
            np.zeros(N_BLOCKS, np.uint8),
            np.zeros(N_COLOURS, np.int64),
            np.zeros((N_FILTERS, N_TEXTURE_BLOCKS), np.uint8),
        )
        features = [image.features or unread for image in images]
        rows = [image.rows if image.features is not None else () for image in images]
        return cls(
            of_document=np.cumsum([0, *map(len, documents)]),
            of_image=np.cumsum([0, *map(len, rows)]),
            reference=np.array([row for own in rows for row in own], np.int64),
            keys=[image.key.encode("utf-8", "surrogateescape") for image in images],
            digest=np.frombuffer(b"".join(image.digest for image in images), np.uint8).reshape(-1, DIGEST_BYTES),
            modes=np.stack([each.modes for each in features]),
            bands=np.stack([each.bands.ravel() for each in features]),
            colours=np.stack([each.colours for each in features]).astype(WIDE["colours"][1]),
        )

    @classmethod
    def read(cls, folder: CheckedFolder) -> ImageColumns:
        """Return the columns of a segment that has images, which are read slice by slice."""
        return cls(
            of_document=SlicedColumn.plain(folder, "images_of_document", np.int64),
            of_image=SlicedColumn.plain(folder, "references_of_image", np.int64),
            reference=SlicedColumn.plain(folder, "image_reference"),
            keys=SlicedStrings.of(folder, "image_keys"),
            **{name: SlicedColumn.plain(folder, f"image_{name}") for name in WIDE},
        )

    def save(self, folder: Path) -> None:
        """Spill the images to a new folder, for `load`."""
        folder.mkdir()
        for name in ("of_document", "of_image", "reference", *WIDE):
            np.save(folder / f"{name}.npy", getattr(self, name))
        SlicedStrings.save(folder / "keys", self.keys)

    @classmethod
    def load(cls, folder: Path) -> ImageColumns | None:
        """Return spilled images, None if there is no such folder; everything stays on disk."""
        if not folder.exists():
            return None
        names = ("of_document", "of_image", "reference", *WIDE)
        columns = {name: SlicedColumn.npy(folder / f"{name}.npy") for name in names}
        return cls(**columns, keys=SlicedStrings.spilled(folder / "keys"))


def has_images(folder: CheckedFolder) -> bool:
    """Return whether a segment has images."""
    return folder.has("images_of_document.npy")


def read_features(folder: CheckedFolder, image: int) -> ImageFeatures:
    """Return the features of an image of a segment."""
    modes, colours, bands = (
        folder.column(f"image_{name}").slice(image, image + 1)[0] for name in ("modes", "colours", "bands")
    )
    return ImageFeatures(
        modes.copy(), colours.astype(np.int64), bands.reshape(N_FILTERS, N_TEXTURE_BLOCKS).astype(np.uint8)
    )


def image_pieces(parts: Sequence[ImageColumns], name: str) -> Iterator[Array]:
    """Yield a wide column of parts that follow one another, a bounded number of images at a time."""
    for part in parts:
        for first in range(0, len(part), IMAGES_AT_A_TIME):
            yield getattr(part, name)[first : first + IMAGES_AT_A_TIME]


def write_image_columns(parts: Sequence[tuple[ImageColumns | None, int]], writer: FolderWriter) -> None:
    """Write the images of consecutive documents as the columns of a segment.

    Args:
        parts: of each part its images and its number of documents.
    """
    documents, references = (
        GrowingColumnWriter(writer, name) for name in ("images_of_document", "references_of_image")
    )
    rows, keys = GrowingColumnWriter(writer, "image_reference"), StringsWriter(writer, "image_keys")
    for pointers in (documents, references):
        pointers.append(np.zeros(1, np.int64))
    n_images = n_references = 0
    for part, n_documents in parts:
        if part is None:
            documents.append(np.full(n_documents, n_images))
            continue
        documents.append(np.asarray(part.of_document[1:]) + n_images)
        references.append(np.asarray(part.of_image[1:]) + n_references)
        rows.append(np.asarray(part.reference))
        keys.append(part.keys)
        n_images += len(part)
        n_references += len(part.reference)
    for file in (documents, references, rows, keys):
        file.finish()
    with_images = [part for part, _ in parts if part is not None]
    for name, (width, dtype) in WIDE.items():
        column = writer.start_column(f"image_{name}", dtype, (n_images, width))
        for piece in image_pieces(with_images, name):
            column.append(piece)
        writer.finish(column)


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
    """Yield the postings of all features, ascending, a group of features at a time."""
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
