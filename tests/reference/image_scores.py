"""Scores of images for an example, one feature at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.images.features import GROUP_BORDERS, ImageFeatures


def terms_of(features: ImageFeatures) -> dict[int, int]:
    """Return how often an image has each feature, from the description of the numbers of features."""
    found: dict[int, int] = {}
    for block, mode in enumerate(features.modes.tolist()):
        found[block * 166 + mode] = 1
    for colour, pixels in enumerate(features.colours.tolist()):
        if pixels:
            found[56_440 + colour] = pixels
    for filter_, blocks in enumerate(features.bands.tolist()):
        for block, band in enumerate(blocks):
            if band:
                found[56_606 + (filter_ * 256 + block) * 10 + band] = 1
            bin_ = 87_326 + filter_ * 10 + band
            found[bin_] = found.get(bin_, 0) + 1
    return found


def score(example: ImageFeatures, image: ImageFeatures, collection: Sequence[ImageFeatures]) -> float:
    """Return the score of an image; the collection contains it."""
    wanted, has, all_terms = terms_of(example), terms_of(image), [terms_of(each) for each in collection]
    of_groups = []
    for group in range(4):
        own = shared = 0.0
        for feature in sorted(wanted):
            if not GROUP_BORDERS[group] <= feature < GROUP_BORDERS[group + 1]:
                continue
            if group % 2:
                own += wanted[feature]
                shared += min(wanted[feature], has.get(feature, 0))
            else:
                frequency = sum(feature in terms for terms in all_terms)
                weight = math.log(len(collection) / max(frequency, 1)) ** 2
                own += weight
                shared += weight if feature in has else 0.0
        if own > 0:
            of_groups.append(shared / own)
    return sum(of_groups) / len(of_groups)
