"""The shared features of two images, with the share of each in the score, and their blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import FloatArray
from engine.images.colours import GRIDS, N_BLOCKS, N_COLOURS, N_GREYS, N_SATURATIONS, N_VALUES, SIDE
from engine.images.features import GROUP_BORDERS, Group, ImageFeatures
from engine.images.similarity import WeightedGroup, group_shares
from engine.images.textures import GRID, N_BANDS, N_ORIENTATIONS, N_TEXTURE_BLOCKS, WIDTHS

HUES = (
    *("red", "red-orange", "orange", "yellow-orange", "yellow-green", "yellow-green", "green", "green", "green-cyan"),
    *("cyan", "cyan-blue", "blue", "blue", "violet-blue", "violet", "magenta", "magenta-pink", "pink"),
)
SATURATIONS, VALUES = ("pale", "muted", "full"), ("dark", "medium", "bright")
GREYS = ("black", "dark grey", "light grey", "white")


class SharedFeature(NamedTuple):
    """A feature that an example and an image share.

    part: what it adds to the image's score. description: the feature in words.
    block: its block in the image scaled to 256 x 256 pixels: left, top, side; None of a bin of a histogram.
    """

    feature: int
    part: float
    description: str
    block: tuple[int, int, int] | None


def shared_features(
    group: Group, groups: Sequence[WeightedGroup], image: ImageFeatures
) -> tuple[NDArray[np.int64], FloatArray]:
    """Return the features of one group that an example shares with an image, and the addition of each to its score.

    Args:
        groups: of the example.
    """
    own = groups[group]
    if own.own_score <= 0:
        return np.empty(0, np.int64), np.empty(0)
    numbers, counts = image.postings()
    shared, place, found = np.intersect1d(own.features, numbers, assume_unique=True, return_indices=True)
    weights = np.minimum(own.weights[place], counts[found]) if group.is_histogram else own.weights[place]
    return shared, group_shares(groups)[group] * weights / own.own_score


def strongest_features(
    group: Group, groups: Sequence[WeightedGroup], image: ImageFeatures, n_most: int
) -> tuple[list[SharedFeature], float]:
    """Return the shared features of a group that add most to an image's score, and the sum of the others' additions."""
    features, parts = shared_features(group, groups, image)
    order = np.lexsort((features, -parts))
    best = [
        SharedFeature(int(features[place]), float(parts[place]), *_described(int(features[place])))
        for place in order[:n_most].tolist()
    ]
    return best, float(sum(parts[order[n_most:]].tolist()))


def matching_blocks(groups: Sequence[WeightedGroup], image: ImageFeatures) -> FloatArray:
    """Return how far an image matches an example in each of the 256 smallest blocks, from 0 to 1, shape (16, 16).

    What the features of a block that both have add to the score, divided by what all those of the example there would
    add; larger blocks count evenly in the smallest ones inside. 0 where the example has but features that all images
    have.

    Args:
        groups: of the example.
    """
    shared, possible = np.zeros((GRID, GRID)), np.zeros((GRID, GRID))
    for group, share in zip(Group, group_shares(groups), strict=True):
        own = groups[group]
        if not group.is_histogram and own.own_score > 0:
            shared += _by_block(group, *shared_features(group, groups, image))
            possible += _by_block(group, own.features, share * own.weights / own.own_score)
    return np.divide(shared, possible, out=np.zeros_like(shared), where=possible > 0)


def _by_block(group: Group, features: NDArray[np.int64], parts: FloatArray) -> FloatArray:
    """Return the sum of the additions of a group's features in each of the smallest blocks, shape (16, 16)."""
    if group is Group.TEXTURE_BLOCKS:
        blocks = (features - GROUP_BORDERS[group]) // N_BANDS % N_TEXTURE_BLOCKS
        strengths: FloatArray = np.bincount(blocks, parts, N_TEXTURE_BLOCKS).astype(np.float64)
        return strengths.reshape(GRID, GRID)
    sums = np.bincount(features // N_COLOURS, parts, N_BLOCKS)
    total, first = np.zeros((GRID, GRID)), 0
    for grid in GRIDS:
        width = GRID // grid
        inside = np.ones((width, width)) / width**2
        total += np.kron(sums[first : first + grid * grid].reshape(grid, grid), inside)
        first += grid * grid
    return total


def colour_name(colour: int) -> str:
    """Return a colour in words: `full bright red`."""
    if colour >= N_COLOURS - N_GREYS:
        return GREYS[colour - (N_COLOURS - N_GREYS)]
    rest, value = divmod(colour, N_VALUES)
    hue, saturation = divmod(rest, N_SATURATIONS)
    return f"{SATURATIONS[saturation]} {VALUES[value]} {HUES[hue]}"


def _described(feature: int) -> tuple[str, tuple[int, int, int] | None]:
    """Return a feature in words, and its block."""
    group = Group(int(np.searchsorted(GROUP_BORDERS, feature, side="right")) - 1)
    own, block = feature - GROUP_BORDERS[group], _block(feature)
    where = "" if block is None else f" at ({block[0]}, {block[1]}), {block[2]} x {block[2]}"
    if group in (Group.COLOUR_BLOCKS, Group.COLOUR_HISTOGRAM):
        return f"{colour_name(own % N_COLOURS)}{where}", block
    number, band = divmod(own, N_BANDS)
    filter_ = number // N_TEXTURE_BLOCKS if group is Group.TEXTURE_BLOCKS else number
    scale, orientation = divmod(filter_, N_ORIENTATIONS)
    angle = 180 // N_ORIENTATIONS * orientation
    return f"waves at {angle} degrees, width {WIDTHS[scale]}, band {band} of {N_BANDS - 1}{where}", block


def _block(feature: int) -> tuple[int, int, int] | None:
    """Return the block of a feature: left, top, side in pixels; None of a bin of a histogram."""
    if feature < GROUP_BORDERS[1]:
        block = feature // N_COLOURS
        for grid in GRIDS:
            if block < grid * grid:
                side = SIDE // grid
                return block % grid * side, block // grid * side, side
            block -= grid * grid
    if GROUP_BORDERS[2] <= feature < GROUP_BORDERS[3]:
        block = (feature - GROUP_BORDERS[2]) // N_BANDS % N_TEXTURE_BLOCKS
        return block % GRID * (SIDE // GRID), block // GRID * (SIDE // GRID), SIDE // GRID
    return None
