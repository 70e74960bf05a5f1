"""Folds of topics, dealt out like cards."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from engine.errors import MeasureError

T = TypeVar("T")


def shuffled(topics: Sequence[str], seed: int) -> tuple[str, ...]:
    """Return the topics in a random order, the same for one seed in whatever order they were given."""
    ordered = sorted(topics)
    return tuple(ordered[i] for i in np.random.default_rng(seed).permutation(len(ordered)).tolist())


def dealt(topics: Sequence[T], n_folds: int) -> tuple[tuple[T, ...], ...]:
    """Return the topics dealt out to folds in turn, so that no two differ by more than one.

    >>> dealt(["a", "b", "c", "d", "e"], 2)
    (('a', 'c', 'e'), ('b', 'd'))

    Raises: MeasureError for fewer than two folds, and for fewer topics than folds.
    """
    if n_folds < 2:
        raise MeasureError(f"folds={n_folds}: expected 2 or more, each is scored by what the others choose.")
    if len(topics) < 2:
        raise MeasureError(
            f"found {len(topics)} topic with relevance: tuning needs two or more, one to choose by and one to test."
        )
    if len(topics) < n_folds:
        raise MeasureError(
            f"found {len(topics)} topics with relevance for {n_folds} folds: use fewer folds, or judge more topics."
        )
    return tuple(tuple(topics[i::n_folds]) for i in range(n_folds))
