"""Colours of an image: 166 of them, the most frequent one of each block, and a histogram.

Source: Squire, Mueller, Mueller and Pun, Content-based query of image databases: inspirations from text retrieval,
Pattern Recognition Letters 21 (2000), section 3. Where it gives no borders, they are ours and listed below. All
arithmetic is in integers, so equal pixels give equal colours on every machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

SIDE = 256  # an image is scaled to SIDE x SIDE pixels
N_HUES, N_SATURATIONS, N_VALUES, N_GREYS = 18, 3, 3, 4
N_COLOURS = N_HUES * N_SATURATIONS * N_VALUES + N_GREYS  # 166; the greys are the last four
# Blocks per side, from blocks of 16 x 16 pixels to their three doublings; 340 blocks.
GRIDS = (16, 8, 4, 2)
N_BLOCKS = sum(grid * grid for grid in GRIDS)
# Of 255: a pixel whose largest and smallest channel differ by at most a tenth of the range is grey.
GREATEST_GREY = 25


def colour_numbers(pixels: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the colour of each pixel, from 0 to 165, in the shape of the image.

    A colour is (hue * 3 + saturation) * 3 + value. The 18 hues are sectors of 20 degrees, the first around red (our
    choice: primary colours lie in the middle of a sector); saturation, (max - min) / max, and value, max, are cut in
    thirds. A pixel is grey if max - min is at most a tenth of the range (our choice); greys are quarters of the value.

    Args:
        pixels: RGB, shape (..., 3).
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
    return colour.astype(np.int64)


def colours_and_modes(pixels: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Return how many pixels have each colour, shape (166,), and the most frequent colour of each block, shape (340,).

    Blocks are in the order of `GRIDS`, the smallest first, and row by row in each. Of equally frequent colours the one
    with the lowest number is taken.

    Args:
        pixels: RGB, shape (256, 256, 3).
    """
    finest = GRIDS[0]
    size = SIDE // finest
    rows = np.arange(SIDE) // size
    block = rows[:, None] * finest + rows[None, :]
    counts = np.bincount((block * N_COLOURS + colour_numbers(pixels)).ravel(), minlength=finest * finest * N_COLOURS)
    counts = counts.reshape(finest, finest, N_COLOURS)
    modes = []
    for grid in GRIDS:
        if grid != finest:
            counts = counts.reshape(grid, 2, grid, 2, N_COLOURS).sum(axis=(1, 3))
        modes.append(counts.argmax(axis=2).ravel())
    histogram: NDArray[np.int64] = counts.sum(axis=(0, 1))
    return histogram, np.concatenate(modes).astype(np.uint8)
