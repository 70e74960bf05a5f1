"""Texture of an image: the energy of 12 Gabor filters in each of its 256 smallest blocks, in 10 bands.

Source: Squire, Mueller, Mueller and Pun (2000), section 3: real, circularly symmetric Gabor filters at three scales and
four orientations, applied to the value (the largest channel). The filter of centre frequency u0 and angle t is

    f(x, y) = exp(-(x^2 + y^2) / (2 s^2)) / (2 pi s^2) * cos(2 pi u0 (x cos t + y sin t))
    s = 3 sqrt(2 ln 2) / (2 pi u0)

It is a sum of two products of a row and a column filter, so it is applied as matrix products. The coefficients are
multiples of 2^-16 and the values integers: products and sums are exact, so no result depends on their order, on the
machine, or on the number of threads. The paper does not print the borders of the bands; ours rise by about sqrt(2).
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.arrays import FloatArray
from engine.images.colours import SIDE
from engine.records import NamedTuple

# Cycles per pixel, and pixels, of the filters of each scale.
FREQUENCIES = (0.375, 0.1875, 0.09375)
WIDTHS = (9, 17, 35)
N_ORIENTATIONS = 4  # of 0, 45, 90 and 135 degrees
N_FILTERS = len(FREQUENCIES) * N_ORIENTATIONS
GRID = 16  # blocks per side
N_TEXTURE_BLOCKS = GRID * GRID
# The lowest root mean square, on the scale of values from 0 to 255, of all bands but the first.
BAND_BORDERS = (2, 3, 4, 6, 8, 12, 16, 24, 32)
N_BANDS = len(BAND_BORDERS) + 1
# Coefficients are multiples of 1 / UNIT; responses are rounded to 1 / STEP before they are squared.
UNIT, STEP = 1 << 16, 1 << 8
# Rows that are filtered together, with what lies within reach of them: most of a filter's matrix is zero.
STRIP = 64


class _Scale(NamedTuple):
    """The row filters of one scale, shape (width,), each a multiple of 1 / UNIT, times UNIT."""

    plain: FloatArray
    cosine: FloatArray
    diagonal_cosine: FloatArray
    diagonal_sine: FloatArray


def row_filter(frequency: float, width: int, angle: float, *, is_sine: bool = False) -> FloatArray:
    """Return a row filter times UNIT, in whole numbers, shape (width,): a Gaussian times a cosine or sine.

    Args:
        frequency: of the filter, in cycles per pixel. angle: between the wave and the row, in radians.
    """
    deviation = 3 * math.sqrt(2 * math.log(2)) / (2 * math.pi * frequency)
    places = np.arange(width) - width // 2
    gaussian = np.exp(-(places**2) / (2 * deviation**2)) / (math.sqrt(2 * math.pi) * deviation)
    phase = 2 * math.pi * frequency * math.cos(angle) * places
    wave: FloatArray = np.sin(phase) if is_sine else np.cos(phase)
    return np.rint(gaussian * wave * UNIT)


@cache
def _scales() -> tuple[_Scale, ...]:
    upright, diagonal = math.pi / 2, math.pi / 4
    return tuple(
        _Scale(
            row_filter(frequency, width, upright),
            row_filter(frequency, width, 0),
            row_filter(frequency, width, diagonal),
            row_filter(frequency, width, diagonal, is_sine=True),
        )
        for frequency, width in zip(FREQUENCIES, WIDTHS, strict=True)
    )


@cache
def _strips(scale: int) -> list[tuple[slice, FloatArray]]:
    """Return for each strip of rows the rows within reach, and the matrix that filters them with all row filters.

    The matrix has shape (4 * STRIP, rows in reach). Beyond its edges the image is mirrored.
    """
    filters = np.stack(_scales()[scale])
    reach = WIDTHS[scale] // 2
    strips = []
    for first in range(0, SIDE, STRIP):
        low, high = max(first - reach, 0), min(first + STRIP + reach, SIDE)
        matrix = np.zeros((len(filters), STRIP, high - low))
        for row in range(STRIP):
            for shift in range(-reach, reach + 1):
                place = first + row + shift
                place = -1 - place if place < 0 else 2 * SIDE - 1 - place if place >= SIDE else place
                matrix[:, row, place - low] += filters[:, shift + reach]
        strips.append((slice(low, high), matrix.reshape(-1, high - low)))
    return strips


def _filtered(image: FloatArray, scale: int) -> FloatArray:
    """Return an image filtered along its columns by each of the four row filters: shape (4, 256, 256)."""
    strips = [(matrix @ image[rows]).reshape(4, STRIP, SIDE) for rows, matrix in _strips(scale)]
    return np.concatenate(strips, axis=1)


def _filtered_by(image: FloatArray, scale: int, number: int) -> FloatArray:
    """Return an image filtered along its columns by one of the row filters: shape (256, 256)."""
    first = number * STRIP
    return np.concatenate([matrix[first : first + STRIP] @ image[rows] for rows, matrix in _strips(scale)])


def energies(values: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the sum of the squared responses in each block, shape (12, 256), in units of 1 / STEP^2.

    Filters are in the order of the scales, from fine to coarse, and of the angles in each; blocks are row by row.

    Args:
        values: shape (256, 256), from 0 to 255.
    """
    found = np.empty((N_FILTERS, N_TEXTURE_BLOCKS), np.int64)
    image = values.astype(np.float64)
    for scale in range(len(FREQUENCIES)):
        # Transposed, so that the second pass filters along the rows; the responses are transposed, too.
        plain, cosine, diagonal_cosine, diagonal_sine = _filtered(image, scale).transpose(0, 2, 1)
        across, along = _filtered_by(plain, scale, 1), _filtered_by(cosine, scale, 0)
        even, odd = _filtered_by(diagonal_cosine, scale, 2), _filtered_by(diagonal_sine, scale, 3)
        for orientation, response in enumerate((across, even - odd, along, even + odd)):
            steps = np.rint(response * (STEP / UNIT**2))
            squares = np.square(steps).reshape(GRID, SIDE // GRID, GRID, SIDE // GRID).sum(axis=(1, 3))
            found[scale * N_ORIENTATIONS + orientation] = squares.T.ravel()
    return found


def bands(values: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the band of the root mean square of each filter in each block, from 0 to 9, shape (12, 256).

    Args:
        values: shape (256, 256), from 0 to 255.
    """
    pixels = (SIDE // GRID) ** 2
    borders = np.array([pixels * border**2 * STEP**2 for border in BAND_BORDERS])
    return np.searchsorted(borders, energies(values), side="right").astype(np.uint8)
