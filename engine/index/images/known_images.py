"""The features of the images in segments, found by the digests of their files: no build decodes an image again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.columns.checked_folder import reads_columns
from engine.errors import IndexFormatError
from engine.images.features import ImageFeatures
from engine.index.images.image_columns import has_images, read_features
from engine.index.segment import Segment


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
