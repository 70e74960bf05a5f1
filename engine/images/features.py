"""The features of an image: 87,446 in all, in four groups, of which an image has about three thousand.

    number            group
         0 -  56,439  colour blocks       block * 166 + colour: the most frequent colour of each of 340 blocks
    56,440 -  56,605  colour histogram    how many of 65,536 pixels have each of 166 colours
    56,606 -  87,325  texture blocks      (filter * 256 + block) * 10 + band; the lowest band is never set
    87,326 -  87,445  texture histogram   filter * 10 + band: in how many of 256 blocks the filter has each band

A feature is a term of the image, as a word of a document: that of a block occurs once, a bin as often as counted.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from engine.arrays import ArrayRecord
from engine.images.colours import N_BLOCKS, N_COLOURS, SIDE, colours_and_modes
from engine.images.textures import N_BANDS, N_FILTERS, N_TEXTURE_BLOCKS, bands
from engine.records import dataclass


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
    return ImageFeatures(modes, colours, bands(pixels.max(axis=2)))
