"""Features of images by the digest of their files, in the folder that FOXIR_IMAGE_CACHE names, if it is set."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from engine.files import open_regular, replace_file
from engine.images.features import ImageFeatures
from engine.images.worker import SIZE, features_from_bytes, features_to_bytes

VARIABLE = "FOXIR_IMAGE_CACHE"
# Part of the names, so that features of another definition are not found.
VERSION = "1"


def kept_features(data: bytes) -> ImageFeatures | None:
    """Return the cached features of an image file, None if there are none or the entry is damaged."""
    path = _path(data)
    if path is None:
        return None
    with suppress(OSError, ValueError):
        with open_regular(path) as file:
            raw = file.read(SIZE + DIGEST + 1)
        if _digest(raw[:SIZE]) == raw[SIZE:]:
            return features_from_bytes(raw[:SIZE])
    return None


def keep_features(data: bytes, features: ImageFeatures) -> None:
    """Keep the features of an image file, if the folder can be written to."""
    path = _path(data)
    if path is not None:
        raw = features_to_bytes(features)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, raw + _digest(raw), sync=False)


DIGEST = 16


def _digest(raw: bytes) -> bytes:
    return hashlib.blake2b(raw, digest_size=DIGEST).digest()


def _path(data: bytes) -> Path | None:
    folder = os.environ.get(VARIABLE)
    if not folder:
        return None
    name = hashlib.blake2b(data, digest_size=32).hexdigest()
    return Path(folder) / VERSION / name[:2] / name
