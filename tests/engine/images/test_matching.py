"""Which blocks of an image match an example: copies, changed corners, and a slow count of the same."""

from __future__ import annotations

import numpy as np
import pytest

from engine.images.features import GROUP_BORDERS, N_COLOURS, features_of
from engine.images.similarity import matching_blocks, weighted_groups


class Weighted:
    """Eight images; the larger a feature's number is modulo 7, the fewer of them have it."""

    n_slots = n_images = 8

    def document_frequencies(self, features: np.ndarray) -> np.ndarray:
        return 8 - features % 7


def picture(seed: int, *, changed: slice = slice(0)) -> np.ndarray:
    random = np.random.default_rng(1)
    pixels = np.kron(random.integers(0, 256, (32, 32, 3)), np.ones((8, 8, 1))).astype(np.uint8)
    other = np.random.default_rng(seed).integers(0, 256, (256, 256, 3)).astype(np.uint8)
    pixels[changed, changed] = other[changed, changed]
    return pixels


def slow_blocks(example: np.ndarray, image: np.ndarray) -> np.ndarray:
    """Return the shares from the definition: feature by feature, block by block."""
    groups = weighted_groups(features_of(example), Weighted())  # type: ignore[arg-type]
    own = set(features_of(image).postings()[0].tolist())
    n_groups = sum(group.own_score > 0 for group in groups)
    shared, possible = np.zeros((16, 16)), np.zeros((16, 16))
    for number in (0, 2):
        for feature, weight in zip(groups[number].features.tolist(), groups[number].weights.tolist(), strict=True):
            if number == 0:
                block, grid = feature // N_COLOURS, 16
                while block >= grid * grid:
                    block, grid = block - grid * grid, grid // 2
            else:
                block, grid = (feature - GROUP_BORDERS[2]) // 10 % 256, 16
            part = weight / groups[number].own_score / n_groups
            width = 16 // grid
            for y in range(block // grid * width, (block // grid + 1) * width):
                for x in range(block % grid * width, (block % grid + 1) * width):
                    possible[y, x] += part / width**2
                    shared[y, x] += part / width**2 if feature in own else 0
    return np.where(possible > 0, shared / np.where(possible > 0, possible, 1), 0.0)


def test_a_copy_matches_in_every_block() -> None:
    groups = weighted_groups(features_of(picture(2)), Weighted())  # type: ignore[arg-type]

    assert matching_blocks(groups, features_of(picture(2))) == pytest.approx(1)


def test_blocks_equal_the_slow_count() -> None:
    example, image = picture(2), picture(3, changed=slice(0, 128))
    groups = weighted_groups(features_of(example), Weighted())  # type: ignore[arg-type]
    found = matching_blocks(groups, features_of(image))

    assert found == pytest.approx(slow_blocks(example, image))
    assert found[10:, 10:].min() > 0.9
    assert found[:6, :6].max() < 0.5


def test_features_that_all_images_have_match_nothing() -> None:
    class Same(Weighted):
        def document_frequencies(self, features: np.ndarray) -> np.ndarray:
            return np.full(len(features), 8)

    features = features_of(picture(2))

    assert not matching_blocks(weighted_groups(features, Same()), features).any()  # type: ignore[arg-type]
