"""Images drawn in a test, and a reader of images that needs no process."""

from __future__ import annotations

import io
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from engine.images.decoding import ImageLimits, check_size_of_file, read_pixels
from engine.images.features import ImageFeatures, features_of
from engine.indexing import document_images


@lru_cache(64)  # an image takes a third of a second, and is in the indexes of many tests
def _features(data: bytes, limits: ImageLimits) -> ImageFeatures:
    check_size_of_file(len(data), limits)
    return features_of(read_pixels(data, limits))


class ReaderInProcess:
    """Computes features as `ImageReader` does, in this process."""

    def __init__(self, limits: ImageLimits | None = None) -> None:
        self.limits = limits or ImageLimits()

    def features(self, data: bytes) -> ImageFeatures:
        return _features(data, self.limits)

    def close(self) -> None:
        pass


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read images in this process: a process for each of many small builds would take most of the time."""
    monkeypatch.setattr(document_images, "ImageReader", ReaderInProcess)


def drawn(seed: int) -> bytes:
    """Return a small PNG of some shapes and stripes."""
    random = np.random.default_rng(seed)
    image = Image.new("RGB", (64, 48), tuple(random.integers(0, 256, 3).tolist()))
    draw = ImageDraw.Draw(image)
    for _ in range(3):
        x, y = random.integers(0, 40, 2).tolist()
        draw.ellipse((x, y, x + 20, y + 14), fill=tuple(random.integers(0, 256, 3).tolist()))
    for place in range(0, 64, int(random.integers(3, 12))):
        draw.line((place, 0, place, int(random.integers(5, 40))), fill="black")
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def write_files(folder: Path, files: dict[str, str | bytes]) -> Path:
    """Write files by name, and return the folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def article(*references: str, words: str = "lamp") -> str:
    """Return an article with a figure for each reference."""
    figures = "".join(
        f'<fig><graphic href="{each}"/><caption>{words} {n}</caption></fig>' for n, each in enumerate(references)
    )
    return f"<article><p>{words}</p>{figures}</article>"
