"""Limits on the images that are read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ImageLimits:
    """The largest images that are read: bytes of the file, pixels, pixels of the longer side, seconds of decoding."""

    max_bytes: int = 32 << 20
    max_pixels: int = 32_000_000
    max_side: int = 20_000
    seconds: float = 10.0
