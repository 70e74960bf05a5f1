"""Reads the images that documents refer to, while the documents are read; none that a segment has is decoded again."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from queue import SimpleQueue

import numpy as np

from engine.collection.limits import Limits
from engine.collection.markup.attributes import ImageReferences
from engine.collection.sources.document_entry import DocumentEntry, Skipped
from engine.collection.sources.image_files import ImageFile, ImageFiles, NoImageFile
from engine.columns.checked_folder import reads_columns
from engine.errors import IndexFormatError
from engine.images.decoding import ImageError
from engine.images.features import ImageFeatures
from engine.images.limits import ImageLimits
from engine.images.reader import ImageReader, can_read_images
from engine.index.images.image_columns import DIGEST_BYTES, FoundImage, ImageColumns, has_images, read_features
from engine.index.segment import Segment
from engine.progress import Progress, counting
from engine.records import NamedTuple, dataclass
from engine.threads import cached_property
from engine.wording import printable

# Images whose features are remembered, as several documents may refer to one.
MOST_REMEMBERED = 256


@dataclass(frozen=True)
class ImageRules:
    """How the images of documents are read.

    n_processes: that decode them side by side. known: folders and digests of segments whose images need no decoding.
    """

    n_processes: int = 1
    known: tuple[tuple[Path, str], ...] = ()


class _ReadImage(NamedTuple):
    """An image file that was read: the digest of its bytes, and its features; None and the reason if it was refused."""

    digest: bytes
    features: ImageFeatures | None
    reason: str = ""


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

    def __init__(self, limits: Limits, rules: ImageRules, progress: Progress) -> None:
        self.counts: Counter[str] = Counter()
        self.refused: list[Skipped] = []
        self._limits = image_limits(limits)
        self._rules = rules
        self._progress = progress
        self._readers = [ImageReader(self._limits) for _ in range(rules.n_processes)]
        self._files = ImageFiles(limits)
        self._remembered: dict[str, _ReadImage] = {}
        self._seen: set[str] = set()
        self._reported: set[tuple[str, str]] = set()
        self._can_read = can_read_images()

    @cached_property
    def _known(self) -> KnownImages:
        return KnownImages(self._rules.known)

    def __enter__(self) -> DocumentImages:
        return self

    def __exit__(self, *_: object) -> None:
        for reader in self._readers:
            reader.close()

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
        read = self._read_all({file.path: file for images in found for file in images}.values())
        return ImageColumns.of(
            [
                [self._image(entry, file, rows, read[file.path]) for file, rows in images.items()]
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

    def _image(self, entry: DocumentEntry, file: ImageFile, rows: list[int], read: _ReadImage) -> FoundImage:
        if file.path not in self._seen:
            self._seen.add(file.path)
            if read.features is None:
                self._refuse(entry, file.key, read.reason)
            else:
                self.counts["read"] += 1
        return FoundImage(file.key, read.digest, read.features, rows)

    def _read_all(self, files: Collection[ImageFile]) -> dict[str, _ReadImage]:
        """Return what was read of files, by path; those of the last call are not read again."""
        new = [file for file in files if file.path not in self._remembered]
        advance = counting(self._progress, "reading images", len(new))
        read = {file.path: self._remembered[file.path] for file in files if file.path in self._remembered}
        for file, each in zip(new, self._read_side_by_side(new), strict=True):
            read[file.path] = each
            advance(1)
        self._remembered = dict([*self._remembered.items(), *read.items()][-MOST_REMEMBERED:])
        return read

    def _read_side_by_side(self, files: Sequence[ImageFile]) -> Iterator[_ReadImage]:
        if not files:
            return
        known = self._known
        if len(self._readers) == 1 or len(files) == 1:
            yield from (self._read(file, self._readers[0], known) for file in files)
            return
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  (most collections have no images)

        idle: SimpleQueue[ImageReader] = SimpleQueue()
        for reader in self._readers:
            idle.put(reader)

        def read(file: ImageFile) -> _ReadImage:
            reader = idle.get()
            try:
                return self._read(file, reader, known)
            finally:
                idle.put(reader)

        with ThreadPoolExecutor(len(self._readers)) as threads:
            yield from threads.map(read, files)

    def _read(self, file: ImageFile, reader: ImageReader, known: KnownImages) -> _ReadImage:
        data = b""
        try:
            data = file.read(self._limits.max_bytes)
            digest = image_digest(data)
            return _ReadImage(digest, known.features(digest) or reader.features(data))
        except (ImageError, OSError) as error:
            return _ReadImage(image_digest(data), None, _reason(error))


def _reason(error: ImageError | OSError) -> str:
    """Return the reason for not reading an image, and the option that would read it."""
    if isinstance(error, OSError):
        return f"cannot be read: {error.strerror}"
    return f"{error} (limit {error.limit}=N)" if error.limit else str(error)


class KnownImages:
    """The images of segments, each given as its folder and digest.

    A segment that cannot be opened has none: it may be on another machine.
    """

    @reads_columns
    def __init__(self, segments: Sequence[tuple[Path, str]]) -> None:
        self._folders = []
        keys, used = [np.empty(0, np.uint64)], [np.empty(0, np.bool_)]
        for folder, digest in segments:
            try:
                elements = Segment.open(folder, digest).elements
            except IndexFormatError:
                continue
            if has_images(elements):
                self._folders.append(elements)
                keys.append(_keys(elements.column("image_digest").all()))
                used.append(np.diff(elements.column("references_of_image").all().astype(np.int64)) > 0)
        self._first = np.cumsum([0, *map(len, keys[1:])])
        joined = np.concatenate(keys)
        images = np.flatnonzero(np.concatenate(used))  # others were refused
        self._images = images[joined[images].argsort(kind="stable")]
        self._sorted_keys = joined[self._images]

    @reads_columns
    def features(self, digest: bytes) -> ImageFeatures | None:
        """Return the features of the image whose file has a digest; None for an unknown one."""
        key = _keys(np.frombuffer(digest, np.uint8).reshape(1, -1))
        first, end = (int(self._sorted_keys.searchsorted(key, side)[0]) for side in ("left", "right"))
        for image in self._images[first:end].tolist():
            number = int(np.searchsorted(self._first, image, side="right")) - 1
            folder, place = self._folders[number], image - int(self._first[number])
            if folder.column("image_digest").slice(place, place + 1).tobytes() == digest:
                return read_features(folder, place)
        return None


def _keys(digests: np.ndarray) -> np.ndarray:
    """Return the first eight bytes of each digest as a number."""
    return np.ascontiguousarray(digests[:, :8]).view(np.uint64)[:, 0]
