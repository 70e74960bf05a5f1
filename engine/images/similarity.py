"""Scores of images for an example image: four groups of features, each relative to the example's score on itself.

Blocks: the sum, over the features that both have, of tf * log(1 / cf)^2, where tf is 1 and cf the share of the images
of the collection that have the feature; a feature that none has counts as if one had it. Histograms: the sum of the
smaller counts (intersection). The score is the mean of the groups. Source: Squire, Mueller, Mueller and Pun (2000),
section 4, the weighting that the thesis calls Classical IDF; all features are evaluated (no pruning).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from engine.arrays import FloatArray, Numbers
from engine.images.features import GROUP_BORDERS, Group, ImageFeatures
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
