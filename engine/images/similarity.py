"""Scores of images for an example image: four groups of features, each relative to the example's score on itself.

Blocks: the sum, over the features that both have, of tf * log(1 / cf)^2, where tf is 1 and cf the share of the images
of the collection that have the feature; a feature that none has counts as if one had it. Histograms: the sum of the
smaller counts (intersection). The score is the mean of the groups. Source: Squire, Mueller, Mueller and Pun (2000),
section 4, the weighting that the thesis calls Classical IDF; all features are evaluated (no pruning).

Explanations list the shared features of two images, with the share of each in the score, and their blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.arrays import FloatArray, Numbers
from engine.images.features import (
    GRID,
    GRIDS,
    GROUP_BORDERS,
    N_BANDS,
    N_BLOCKS,
    N_COLOURS,
    N_GREYS,
    N_ORIENTATIONS,
    N_SATURATIONS,
    N_TEXTURE_BLOCKS,
    N_VALUES,
    SIDE,
    WIDTHS,
    Group,
    ImageFeatures,
)
from engine.records import NamedTuple

# Features whose postings are added together. Sums are added in this order whatever the segments are, so that equal
# images have equal scores in every division of the collection.
FEATURES_AT_A_TIME = 32
# Shares of the groups in the score; a group in which the example has no score is left out.
GROUP_WEIGHTS = (1.0, 1.0, 1.0, 1.0)


class ImageCollection(Protocol):
    """The images of a collection, by their postings; `engine.index.images.image_store.Images`."""

    n_slots: int
    n_images: int

    def document_frequencies(self, features: Numbers) -> Numbers:
        """Return how many images have each feature."""

    def weighted_sums(self, features: Numbers, weights: FloatArray) -> FloatArray:
        """Return for each image the sum of the weights of the features that it has."""

    def intersections(self, features: Numbers, counts: Numbers) -> FloatArray:
        """Return for each image the sum of the smaller counts."""


class WeightedGroup(NamedTuple):
    """The features of an example in one group, ascending; their weights (of blocks), or counts (of bins).

    own_score: the score of the example on itself.
    """

    features: Numbers
    weights: FloatArray
    own_score: float


def weighted_groups(example: ImageFeatures, collection: ImageCollection) -> list[WeightedGroup]:
    """Return the four groups of an example's features with their weights in a collection."""
    numbers, counts = example.postings()
    borders = np.searchsorted(numbers, GROUP_BORDERS)
    groups = []
    for group in Group:
        own = slice(int(borders[group]), int(borders[group + 1]))
        features = numbers[own]
        if group.is_histogram:
            weights = counts[own].astype(np.float64)
        else:
            weights = block_weights(collection.document_frequencies(features), collection.n_images)
        groups.append(WeightedGroup(features, weights, _sum_as_postings_are_added(weights)))
    return groups


def _sum_as_postings_are_added(weights: FloatArray) -> float:
    """Return the sum in the order in which `ImageCollection.weighted_sums` adds, so that a copy scores exactly 1."""
    total = 0.0
    for first in range(0, len(weights), FEATURES_AT_A_TIME):
        total += float(np.add.accumulate(weights[first : first + FEATURES_AT_A_TIME])[-1])
    return total


def block_weights(frequencies: Numbers, n_images: int) -> FloatArray:
    """Return ln(1 / cf)^2 of features, cf the share of images that have one; at least one image counts as having it."""
    weights: FloatArray = np.log(max(n_images, 1) / np.maximum(frequencies, 1)) ** 2
    return weights


def group_scores(groups: Sequence[WeightedGroup], collection: ImageCollection) -> FloatArray:
    """Return the score of each image in each group, from 0 to 1, shape (n_slots, 4); 0 where the example has none."""
    scores = np.zeros((collection.n_slots, len(groups)))
    for number, group in enumerate(groups):
        if group.own_score <= 0:
            continue
        if Group(number).is_histogram:
            found = collection.intersections(group.features, group.weights.astype(np.int64))
        else:
            found = collection.weighted_sums(group.features, group.weights)
        scores[:, number] = found / group.own_score
    return scores


def mean_of_groups(scores: FloatArray, groups: Sequence[WeightedGroup]) -> FloatArray:
    """Return the weighted mean of the scores in the groups in which the example has one, shape (n_images,).

    Args:
        scores: shape (n_images, 4).
    """
    shares = group_shares(groups)
    total = np.zeros(len(scores))
    for number, share in enumerate(shares):  # in this order, whatever the library does with a product of matrices
        total += share * scores[:, number]
    return total


def group_shares(groups: Sequence[WeightedGroup]) -> list[float]:
    """Return the share of each group in the score; together they are 1."""
    weights = [weight if group.own_score > 0 else 0.0 for weight, group in zip(GROUP_WEIGHTS, groups, strict=True)]
    return [weight / sum(weights) for weight in weights]


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
