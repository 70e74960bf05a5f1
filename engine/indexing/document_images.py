"""Reads the images that documents refer to, while the documents are read."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

import numpy as np

from engine.collection.limits import Limits
from engine.collection.markup.attributes import ImageReferences
from engine.collection.sources.document_entry import DocumentEntry, Skipped
from engine.collection.sources.image_files import ImageFile, ImageFiles, NoImageFile
from engine.images.decoding import ImageError
from engine.images.features import ImageFeatures
from engine.images.limits import ImageLimits
from engine.images.reader import ImageReader, can_read_images
from engine.index.images.image_columns import DIGEST_BYTES, FoundImage, ImageColumns
from engine.records import NamedTuple
from engine.wording import printable

# Images whose features are remembered, as several documents may refer to one.
MOST_REMEMBERED = 256


class _ReadImage(NamedTuple):
    """An image file that was read: the digest of its bytes, and its features, None if it was refused."""

    digest: bytes
    features: ImageFeatures | None


def image_digest(data: bytes) -> bytes:
    """Return the digest of an image file."""
    return hashlib.blake2b(data, digest_size=DIGEST_BYTES).digest()


def image_limits(limits: Limits) -> ImageLimits:
    """Return the limits on images among those on documents."""
    return ImageLimits(
        limits.max_image_bytes, limits.max_image_pixels, limits.max_image_side, float(limits.max_image_seconds)
    )


class DocumentImages:
    """Reads the images of the documents of a batch.

    counts: how many files were `read` or `refused`; how many references are to files that are `missing`, that lead
    `elsewhere`, or that are `unread` because Pillow is not installed. refused: why, for the report.
    """

    def __init__(self, limits: Limits) -> None:
        self.counts: Counter[str] = Counter()
        self.refused: list[Skipped] = []
        self._reader = ImageReader(image_limits(limits))
        self._files = ImageFiles(limits)
        self._known: dict[str, _ReadImage] = {}
        self._seen: set[str] = set()
        self._reported: set[tuple[str, str]] = set()
        self._can_read = can_read_images()

    def __enter__(self) -> DocumentImages:
        return self

    def __exit__(self, *_: object) -> None:
        self._reader.close()

    def columns(
        self, references: ImageReferences, first_rows: np.ndarray, entries: Sequence[DocumentEntry]
    ) -> ImageColumns | None:
        """Return the images of documents; None if no reference leads to a file.

        Args:
            first_rows: row of each document's root, then the number of rows.
        """
        if not len(references.rows):
            return None
        document = np.searchsorted(first_rows, references.rows, side="right") - 1
        found: list[dict[ImageFile, list[int]]] = [{} for _ in entries]
        for number, row, value in zip(document.tolist(), references.rows.tolist(), references.values, strict=True):
            file = self._files.find(entries[number], value)
            if isinstance(file, NoImageFile):
                self._leave_out(entries[number], file)
            elif not self._can_read:
                self.counts["unread"] += 1
            else:
                found[number].setdefault(file, []).append(row - int(first_rows[number]))
        return ImageColumns.of(
            [
                [self._image(entry, file, rows) for file, rows in images.items()]
                for entry, images in zip(entries, found, strict=True)
            ]
        )

    def _leave_out(self, entry: DocumentEntry, file: NoImageFile) -> None:
        """Count a reference to no image file; a refused file is reported once, with the reason."""
        if file.kind != "refused":
            self.counts[file.kind] += 1
        elif (file.key, entry.source) not in self._reported:
            self._reported.add((file.key, entry.source))
            self._refuse(entry, file.key, file.reason)

    def _refuse(self, entry: DocumentEntry, key: str, reason: str) -> None:
        self.counts["refused"] += 1
        name = f"{key} (an image of {entry.name})"
        self.refused.append(Skipped(printable(name), 0, f"the image is left out: {printable(reason)}"))

    def _image(self, entry: DocumentEntry, file: ImageFile, rows: list[int]) -> FoundImage:
        read = self._known.get(file.path)
        if read is None:
            read = self._read(entry, file)
            if len(self._known) >= MOST_REMEMBERED:
                del self._known[next(iter(self._known))]
            self._known[file.path] = read
        return FoundImage(file.key, read.digest, read.features, rows)

    def _read(self, entry: DocumentEntry, file: ImageFile) -> _ReadImage:
        is_new = file.path not in self._seen
        self._seen.add(file.path)
        data = b""
        try:
            data = file.read(self._reader.limits.max_bytes)
            features = self._reader.features(data)
        except (ImageError, OSError) as error:
            reason = _reason(error)
            if is_new:
                self._refuse(entry, file.key, reason)
            return _ReadImage(image_digest(data), None)
        self.counts["read"] += is_new
        return _ReadImage(image_digest(data), features)


def _reason(error: ImageError | OSError) -> str:
    """Return the reason for not reading an image, and the option that would read it."""
    if isinstance(error, OSError):
        return f"cannot be read: {error.strerror}"
    return f"{error} (limit {error.limit}=N)" if error.limit else str(error)
