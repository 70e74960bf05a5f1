"""Folds of cross-validation over topics."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray


def folds(n: int, seed: int, n_folds: int = 5) -> Iterator[NDArray[np.bool_]]:
    """Yield which topics are held out, fold by fold."""
    numbers = np.random.default_rng(seed).permutation(n) % n_folds
    for fold in range(n_folds):
        yield numbers == fold
