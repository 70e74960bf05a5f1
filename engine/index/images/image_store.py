"""The images of an open index, across its segments: the elements that refer to them, features and postings.

Images are numbered through all segments. An image counts once for each document that refers to it; those of deleted
documents, and those that could not be read, count nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import FloatArray, Mask, Numbers
from engine.columns.checked_folder import reads_columns
from engine.images.features import GROUP_BORDERS, ImageFeatures
from engine.images.similarity import FEATURES_AT_A_TIME
from engine.index.images.image_columns import has_images, read_features
from engine.index.segment import Segment
from engine.query_limits import check_time
from engine.threads import cached_property


class Images:
    """The images of segments; arrays have shape (n_slots,), slots of deleted and unreadable images included."""

    @reads_columns
    def __init__(
        self, segments: Sequence[Segment], row_base: Numbers, document_base: Numbers, live: Mask | None
    ) -> None:
        self._segments = [
            _SegmentImages(segment, int(rows), int(documents), live)
            for segment, rows, documents in zip(segments, row_base[:-1], document_base[:-1], strict=True)
            if has_images(segment.elements)
        ]
        self._base = np.cumsum([0, *(len(segment.counts) for segment in self._segments)])
        self._first_documents = document_base
        self.n_slots = int(self._base[-1])
        self.counts: Mask = _joined([segment.counts for segment in self._segments], np.bool_)
        self.documents: Numbers = _joined([segment.documents for segment in self._segments])
        self.n_images = int(self.counts.sum())

    def first_image(self, segment: int) -> int:
        """Return the number of the first image of a segment, or of the next segment's if it has none."""
        return int(np.searchsorted(self.documents, self._first_documents[segment]))

    @cached_property
    @reads_columns
    def references(self) -> tuple[Numbers, Numbers]:
        """The elements that refer to images, ascending, and the image of each; an element may refer to several."""
        rows = _joined([segment.rows for segment in self._segments])
        bases = zip(self._segments, self._base.tolist(), strict=False)
        images = _joined([segment.image_of_reference + base for segment, base in bases])
        kept = np.flatnonzero(self.counts[images])
        order = kept[np.lexsort((images[kept], rows[kept]))]
        return rows[order], images[order]

    @reads_columns
    def key(self, image: int) -> str:
        """Return the path of an image, relative to the folder of its source."""
        segment, local = self._locate(image)
        return segment.folder.strings("image_keys")[local].decode()

    @reads_columns
    def digest(self, image: int) -> bytes:
        """Return the digest of the file of an image."""
        segment, local = self._locate(image)
        return segment.folder.column("image_digest").slice(local, local + 1).tobytes()

    @reads_columns
    def features(self, image: int) -> ImageFeatures:
        """Return the features of an image."""
        segment, local = self._locate(image)
        return read_features(segment.folder, local)

    @reads_columns
    def named(self, reference: str) -> Numbers:
        """Return the images whose path is, or ends with, that of a reference, in the order of their numbers.

        Names are compared as written, without `/` and `./` at the beginning.
        """
        wanted = reference.strip()
        while wanted.startswith(("/", "./", "../")):
            wanted = wanted.partition("/")[2]
        if not wanted:
            return np.empty(0, np.int64)
        encoded = wanted.encode("utf-8", "surrogateescape")
        below = (b"/" + encoded, b"!" + encoded)  # the second in an archive
        found = [
            base + number
            for segment, base in zip(self._segments, self._base.tolist(), strict=False)
            for number, key in enumerate(segment.folder.strings("image_keys").all())
            if key == encoded or key.endswith(below)
        ]
        numbers = np.array(found, np.int64)
        return numbers[self.counts[numbers]]

    def document_frequencies(self, features: Numbers) -> Numbers:
        """Return the number of images with each of the features (ascending), shape (n_features,)."""
        frequencies = np.zeros(len(features), np.int64)
        for segment in self._segments:
            frequencies += segment.document_frequencies(features)
        return frequencies

    def weighted_sums(self, features: Numbers, weights: FloatArray) -> FloatArray:
        """Return for each image the sum of the weights of those features (ascending) that it has."""
        return _joined([segment.weighted_sums(features, weights) for segment in self._segments], np.float64)

    def intersections(self, features: Numbers, counts: Numbers) -> FloatArray:
        """Return for each image the sum of the smaller counts of bins (ascending): its own, and the given ones."""
        return _joined([segment.intersections(features, counts) for segment in self._segments], np.float64)

    def _locate(self, image: int) -> tuple[_SegmentImages, int]:
        number = int(np.searchsorted(self._base, image, side="right")) - 1
        return self._segments[number], image - int(self._base[number])


class _SegmentImages:
    """The images of one segment."""

    def __init__(self, segment: Segment, row_base: int, document_base: int, live: Mask | None) -> None:
        self.folder = segment.elements
        of_document = self._pointers("images_of_document", len(self.folder.column("image_digest")))
        self._of_image = self._pointers("references_of_image", len(self.folder.column("image_reference")))
        if len(of_document) != segment.n_documents + 1:
            raise ValueError(f"images of {len(of_document) - 1} documents, where there are {segment.n_documents}")
        local = np.repeat(np.arange(segment.n_documents), np.diff(of_document))
        self.documents = local + document_base
        self.counts = np.diff(self._of_image) > 0
        if live is not None:
            self.counts &= live[self.documents]
        self._has_deleted = live is not None and not live[self.documents].all()
        self._first_rows = segment.first_row
        self._row_base = row_base
        self._documents_here = local

    @cached_property
    def image_of_reference(self) -> Numbers:
        """The image of each reference."""
        return np.repeat(np.arange(len(self.counts)), np.diff(self._of_image))

    @cached_property
    def rows(self) -> Numbers:
        """The element of each reference, through all segments."""
        reference = self.folder.column("image_reference").all().astype(np.int64)
        document = self._documents_here[self.image_of_reference]
        if np.any(reference >= np.diff(self._first_rows)[document]):
            raise ValueError("a reference to an image is in no element of its document")
        rows: Numbers = reference + self._first_rows[document] + self._row_base
        return rows

    def document_frequencies(self, features: Numbers) -> Numbers:
        frequencies = np.zeros(len(features), np.int64)
        known, place = self._known(features)
        if not self._has_deleted:
            frequencies[known] = self._n_postings[place]
            return frequencies
        for some in _some(len(known)):
            images, sizes = self._postings(place[some])
            before = np.concatenate([[0], np.cumsum(self.counts[images])])
            ends = np.cumsum(sizes)
            frequencies[known[some]] = before[ends] - before[ends - sizes]
        return frequencies

    def weighted_sums(self, features: Numbers, weights: FloatArray) -> FloatArray:
        sums = np.zeros(len(self.counts))
        for some in _some(len(features)):  # of the given features, not of those that are here: see FEATURES_AT_A_TIME
            known, place = self._known(features[some])
            if len(known):
                images, sizes = self._postings(place)
                sums += np.bincount(images, np.repeat(weights[some][known], sizes), len(sums))
        return sums

    def intersections(self, features: Numbers, counts: Numbers) -> FloatArray:
        sums = np.zeros(len(self.counts))  # of whole numbers, so their order does not matter
        for some in _some(len(features)):
            known, place = self._known(features[some])
            if len(known):
                images, sizes = self._postings(place)
                column = self.folder.column("image_count")
                first = self._first_count[place]
                found = np.concatenate(column.slices(first, first + sizes))
                sums += np.bincount(images, np.minimum(found, np.repeat(counts[some][known], sizes)), len(sums))
        return sums

    @cached_property
    def _features(self) -> Numbers:
        return self.folder.column("image_feature").all().astype(np.int64)

    @cached_property
    def _first(self) -> Numbers:
        return self._pointers("image_postings_of_feature", len(self.folder.column("image_posting")))

    @cached_property
    def _n_postings(self) -> Numbers:
        return np.diff(self._first)

    @cached_property
    def _first_count(self) -> Numbers:
        """Of each feature of a histogram the place of its first count."""
        group = np.searchsorted(GROUP_BORDERS, self._features, side="right") - 1
        n_counts = np.where(group % 2 == 1, self._n_postings, 0)
        return np.cumsum(n_counts) - n_counts

    def _pointers(self, name: str, n_entries: int) -> Numbers:
        """Return a column of first entries and their number at the end; they never fall, and end with all entries."""
        pointers: Numbers = self.folder.column(name).all().astype(np.int64)
        if not len(pointers) or pointers[0] or pointers[-1] != n_entries or np.any(np.diff(pointers) < 0):
            raise ValueError(f"{name}: does not lead through {n_entries:,} entries")
        return pointers

    def _known(self, features: Numbers) -> tuple[Numbers, Numbers]:
        """Return the numbers of the given features that the segment has, and their places among its features."""
        place = np.searchsorted(self._features, features)
        inside = np.flatnonzero(place < len(self._features))
        known = inside[self._features[place[inside]] == features[inside]]
        return known, place[known]

    def _postings(self, places: Numbers) -> tuple[NDArray[Any], Numbers]:
        """Return the images with each feature, one feature after the other, and the number of images of each."""
        check_time()
        sizes = self._n_postings[places]
        first = self._first[places]
        return np.concatenate(self.folder.column("image_posting").slices(first, first + sizes)), sizes


def _some(n_features: int) -> Iterator[slice]:
    """Yield the features in slices of bounded size."""
    for first in range(0, n_features, FEATURES_AT_A_TIME):
        yield slice(first, first + FEATURES_AT_A_TIME)


def _joined(columns: Sequence[NDArray[Any]], dtype: type[np.generic] = np.int64) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype), *columns])
