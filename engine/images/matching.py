"""What two images have in common: the features that they share, with what each adds to the score, and their blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.images.colours import GRIDS, N_COLOURS, N_GREYS, N_SATURATIONS, N_VALUES, SIDE
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
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the features of one group that an example shares with an image, and what each adds to the image's score.

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
    """Return the shared features of a group that add most to an image's score, and the sum of what the others add."""
    features, parts = shared_features(group, groups, image)
    order = np.lexsort((features, -parts))
    best = [
        SharedFeature(int(features[place]), float(parts[place]), *_described(int(features[place])))
        for place in order[:n_most].tolist()
    ]
    return best, float(sum(parts[order[n_most:]].tolist()))


def matching_blocks(groups: Sequence[WeightedGroup], image: ImageFeatures) -> NDArray[np.float64]:
    """Return what the features of each of the 256 smallest blocks add to the score of an image, shape (16, 16).

    The parts of larger blocks are spread evenly over the smallest ones inside.
    """
    strengths = np.zeros((GRID, GRID))
    for group in (Group.COLOUR_BLOCKS, Group.TEXTURE_BLOCKS):
        for feature, part in zip(*(column.tolist() for column in shared_features(group, groups, image)), strict=True):
            left, top, side = _block(feature) or (0, 0, SIDE)
            size = SIDE // GRID
            rows, columns = slice(top // size, (top + side) // size), slice(left // size, (left + side) // size)
            strengths[rows, columns] += part / (side // size) ** 2
    return strengths


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
