"""Features of images, slowly and plainly: pixel by pixel, with two-dimensional filters in floating point."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from functools import cache

import numpy as np


@cache
def colour(red: int, green: int, blue: int) -> int:
    """Return the colour of a pixel by the hue in degrees, as an exact fraction."""
    highest, lowest = max(red, green, blue), min(red, green, blue)
    if highest - lowest <= 25:
        return 162 + 4 * highest // 256
    spread = Fraction(highest - lowest)
    if highest == red:
        degrees = 60 * (green - blue) / spread
    elif highest == green:
        degrees = 60 * (blue - red) / spread + 120
    else:
        degrees = 60 * (red - green) / spread + 240
    hue = math.floor((degrees + 10) / 20) % 18
    saturation = min(math.floor(3 * spread / highest), 2)
    return (hue * 3 + saturation) * 3 + 3 * highest // 256


def modes(pixels: np.ndarray) -> list[int]:
    """Return the most frequent colour of each block of 16, 32, 64 and 128 pixels."""
    found = []
    for size in (16, 32, 64, 128):
        for top in range(0, 256, size):
            for left in range(0, 256, size):
                block = pixels[top : top + size, left : left + size].reshape(-1, 3).tolist()
                counts = Counter(colour(*pixel) for pixel in block)
                found.append(min(counts, key=lambda number: (-counts[number], number)))
    return found


def root_mean_squares(values: np.ndarray) -> np.ndarray:
    """Return the root mean square of the 12 filters in the 256 blocks, from the formula of the filter."""
    found = []
    for frequency, width in ((0.375, 9), (0.1875, 17), (0.09375, 35)):
        reach = width // 2
        mirrored = np.pad(values.astype(float), reach, mode="symmetric")
        deviation = 3 * math.sqrt(2 * math.log(2)) / (2 * math.pi * frequency)
        for degrees in (0, 45, 90, 135):
            angle = math.radians(degrees)
            response = np.zeros((256, 256))
            for down in range(-reach, reach + 1):
                for right in range(-reach, reach + 1):
                    gaussian = math.exp(-(right**2 + down**2) / (2 * deviation**2)) / (2 * math.pi * deviation**2)
                    phase = 2 * math.pi * frequency * (right * math.cos(angle) + down * math.sin(angle))
                    moved = mirrored[reach + down : reach + down + 256, reach + right : reach + right + 256]
                    response += gaussian * math.cos(phase) * moved
            squares = (response**2).reshape(16, 16, 16, 16).mean(axis=(1, 3))
            found.append(np.sqrt(squares).ravel())
    return np.array(found)
