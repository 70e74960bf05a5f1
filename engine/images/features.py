"""The features of an image: 87,446 in all, in four groups, of which an image has about three thousand.

    number            group
         0 -  56,439  colour blocks       block * 166 + colour: the most frequent colour of each of 340 blocks
    56,440 -  56,605  colour histogram    how many of 65,536 pixels have each of 166 colours
    56,606 -  87,325  texture blocks      (filter * 256 + block) * 10 + band; the lowest band is never set
    87,326 -  87,445  texture histogram   filter * 10 + band: in how many of 256 blocks the filter has each band

A feature is a term of the image, as a word of a document: that of a block occurs once, a bin as often as counted.

Colours: 166, the most frequent one of each block, and a histogram. Source: Squire, Mueller, Mueller and Pun,
Content-based query of image databases: inspirations from text retrieval, Pattern Recognition Letters 21 (2000), section
3. Where it gives no borders, they are ours and listed below. All
arithmetic is in integers, so equal pixels give equal colours on every machine.

Texture: the energy of 12 Gabor filters in each of the 256 smallest blocks, in 10 bands. Source: section 3; the filters
are real and circularly symmetric, at three scales and four orientations, applied to the value (the largest channel).
The filter of centre frequency u0 and angle t is

    f(x, y) = exp(-(x^2 + y^2) / (2 s^2)) / (2 pi s^2) * cos(2 pi u0 (x cos t + y sin t))
    s = 3 sqrt(2 ln 2) / (2 pi u0)

It is a sum of two products of a row and a column filter, so it is applied as matrix products. The coefficients are
multiples of 2^-16 and the values integers: products and sums are exact, so no result depends on their order, on the
machine, or on the number of threads. The paper does not print the borders of the bands; ours rise by about sqrt(2).
"""

from __future__ import annotations

import math
from enum import IntEnum
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import ArrayRecord, FloatArray
from engine.kernels.table import compiled, native
from engine.records import NamedTuple, dataclass

SIDE = 256  # an image is scaled to SIDE x SIDE pixels
N_HUES, N_SATURATIONS, N_VALUES, N_GREYS = 18, 3, 3, 4
N_COLOURS = N_HUES * N_SATURATIONS * N_VALUES + N_GREYS  # 166; the greys are the last four
# Blocks per side, from blocks of 16 x 16 pixels to their three doublings; 340 blocks.
GRIDS = (16, 8, 4, 2)
N_BLOCKS = sum(grid * grid for grid in GRIDS)
# Of 255: a pixel whose largest and smallest channel differ by at most a tenth of the range is grey.
GREATEST_GREY = 25


def _colours_in_numpy(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the colour of each pixel.

    A colour is (hue * 3 + saturation) * 3 + value. The 18 hues are sectors of 20 degrees, the first around red (our
    choice: primary colours lie in the middle of a sector); saturation, (max - min) / max, and value, max, are cut in
    thirds. A pixel is grey if max - min is at most a tenth of the range (our choice); greys are quarters of the value.
    """
    channels = pixels.astype(np.int32)
    red, green, blue = channels[..., 0], channels[..., 1], channels[..., 2]
    value = np.maximum(np.maximum(red, green), blue)
    chroma = value - np.minimum(np.minimum(red, green), blue)
    divisor = np.maximum(chroma, 1)
    # Hue in sectors is 3 * (difference / chroma + 2 * channel) where the channel is the largest: half a sector more,
    # and the floor of it is the number of the sector.
    is_red, is_green = value == red, value == green
    difference = np.where(is_red, green - blue, np.where(is_green, blue - red, red - green))
    turn = np.where(is_red, 0, np.where(is_green, 6, 12))
    hue = ((6 * difference + chroma) // (2 * divisor) + turn) % N_HUES
    saturation = np.minimum(N_SATURATIONS * chroma // np.maximum(value, 1), N_SATURATIONS - 1)
    third = N_VALUES * value // 256
    grey = N_COLOURS - N_GREYS + N_GREYS * value // 256
    colour: NDArray[Any] = np.where(
        chroma <= GREATEST_GREY, grey, (hue * N_SATURATIONS + saturation) * N_VALUES + third
    )
    return colour.astype(np.uint8)


@compiled(_colours_in_numpy)
def colour_numbers(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the colour of each pixel, from 0 to 165, in the shape of the image.

    Args:
        pixels: RGB, shape (..., 3).
    """
    return np.frombuffer(native.pixel_colours(pixels), np.uint8).reshape(pixels.shape[:-1])


def colours_and_modes(pixels: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Return how many pixels have each colour, shape (166,), and the most frequent colour of each block, shape (340,).

    Blocks are in the order of `GRIDS`, the smallest first, and row by row in each. Of equally frequent colours the one
    with the lowest number is taken.

    Args:
        pixels: RGB, shape (256, 256, 3).
    """
    finest = GRIDS[0]
    bins = _first_bins() + colour_numbers(pixels)
    counts = np.bincount(bins.ravel(), minlength=finest * finest * N_COLOURS).reshape(finest, finest, N_COLOURS)
    modes = []
    for grid in GRIDS:
        if grid != finest:
            counts = counts.reshape(grid, 2, grid, 2, N_COLOURS).sum(axis=(1, 3))
        modes.append(counts.argmax(axis=2).ravel())
    histogram: NDArray[np.int64] = counts.sum(axis=(0, 1))
    return histogram, np.concatenate(modes).astype(np.uint8)


@cache
def _first_bins() -> NDArray[np.int64]:
    """Return the bin of each pixel's block for the first colour, shape (256, 256)."""
    rows = np.arange(SIDE) // (SIDE // GRIDS[0])
    return (rows[:, None] * GRIDS[0] + rows) * N_COLOURS


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
STRIP = 16


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


def _energies_in_numpy(values: NDArray[np.uint8]) -> NDArray[np.int64]:
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


@compiled(_energies_in_numpy)
def energies(values: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the sum of the squared responses in each block, shape (12, 256), in units of 1 / STEP^2."""
    halves = [np.stack(filters)[:, width // 2 :] for filters, width in zip(_scales(), WIDTHS, strict=True)]
    found = [native.texture_energies(values, half) for half in halves]
    return np.frombuffer(b"".join(found), np.int64).reshape(N_FILTERS, N_TEXTURE_BLOCKS)


def bands(values: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the band of the root mean square of each filter in each block, from 0 to 9, shape (12, 256).

    Args:
        values: shape (256, 256), from 0 to 255.
    """
    pixels = (SIDE // GRID) ** 2
    borders = np.array([pixels * border**2 * STEP**2 for border in BAND_BORDERS])
    return np.searchsorted(borders, energies(values), side="right").astype(np.uint8)


class Group(IntEnum):
    """The groups of features, in the order of their numbers."""

    COLOUR_BLOCKS = 0
    COLOUR_HISTOGRAM = 1
    TEXTURE_BLOCKS = 2
    TEXTURE_HISTOGRAM = 3

    @property
    def is_histogram(self) -> bool:
        """Whether the features are counts."""
        return self in (Group.COLOUR_HISTOGRAM, Group.TEXTURE_HISTOGRAM)

    @property
    def title(self) -> str:
        """The name in messages: `colour blocks`."""
        return self.name.lower().replace("_", " ")


GROUP_SIZES = (N_BLOCKS * N_COLOURS, N_COLOURS, N_FILTERS * N_TEXTURE_BLOCKS * N_BANDS, N_FILTERS * N_BANDS)
# First feature of each group, then the number of features.
GROUP_BORDERS = (0, *np.cumsum(GROUP_SIZES).tolist())


@dataclass(frozen=True, eq=False)
class ImageFeatures(ArrayRecord):
    """The features of one image, as small arrays from which the numbers of all are computed.

    modes: the most frequent colour of each block, uint8, shape (340,). colours: pixels of each colour, int64, shape
    (166,). bands: the band of each filter in each block, uint8, shape (12, 256).
    """

    modes: NDArray[np.uint8]
    colours: NDArray[np.int64]
    bands: NDArray[np.uint8]

    def postings(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the numbers of the features that the image has, ascending, and how often it has each."""
        colour_blocks = np.arange(N_BLOCKS) * N_COLOURS + self.modes
        colours = np.flatnonzero(self.colours)
        flat = self.bands.ravel().astype(np.int64)
        set_blocks = np.flatnonzero(flat)
        counts = texture_histogram(self.bands)
        filled = np.flatnonzero(counts)
        _, histogram, textures, texture_bins, _ = GROUP_BORDERS
        numbers = [
            colour_blocks,
            histogram + colours,
            textures + set_blocks * N_BANDS + flat[set_blocks],
            texture_bins + filled,
        ]
        ones = [np.ones(len(colour_blocks), np.int64), np.ones(len(set_blocks), np.int64)]
        return np.concatenate(numbers), np.concatenate([ones[0], self.colours[colours], ones[1], counts[filled]])


def texture_histogram(of_bands: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return in how many blocks each filter has each band, shape (120,): filter * 10 + band."""
    bins = np.arange(N_FILTERS)[:, None] * N_BANDS + of_bands.reshape(N_FILTERS, N_TEXTURE_BLOCKS)
    return np.bincount(bins.ravel(), minlength=N_FILTERS * N_BANDS)


def features_of(pixels: NDArray[np.uint8]) -> ImageFeatures:
    """Return the features of an image.

    Args:
        pixels: RGB, shape (256, 256, 3).
    """
    if pixels.shape != (SIDE, SIDE, 3) or pixels.dtype != np.uint8:
        raise ValueError(f"pixels of {pixels.dtype}, shape {pixels.shape}: expected uint8, ({SIDE}, {SIDE}, 3)")
    colours, modes = colours_and_modes(pixels)
    red, green, blue = np.moveaxis(pixels, -1, 0)  # pixels.max(axis=2) is slow
    return ImageFeatures(modes, colours, bands(np.maximum(np.maximum(red, green), blue)))
