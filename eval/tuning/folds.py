"""Random folds of topics of almost equal size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np

from engine.errors import MeasureError

T = TypeVar("T")


def shuffled(topics: Sequence[str], seed: int) -> tuple[str, ...]:
    """Return the topics in a random order that depends on the seed only, not on their given order."""
    ordered = sorted(topics)
    return tuple(ordered[i] for i in np.random.default_rng(seed).permutation(len(ordered)).tolist())


def topics_in_random_order(
    judged: Iterable[str], chosen: Sequence[str] | None, seed: int, n_folds: int
) -> tuple[str, ...]:
    """Return the chosen topics, all judged ones if None, each once in a random order; enough of them for the folds.

    Raises: MeasureError as `dealt_folds`.
    """
    topics = shuffled(list(judged) if chosen is None else list(dict.fromkeys(chosen)), seed)
    dealt_folds(topics, n_folds)
    return topics


def dealt_folds(topics: Sequence[T], n_folds: int) -> tuple[tuple[T, ...], ...]:
    """Return the topics assigned to folds in turn, so that the sizes of folds differ by at most one.

    >>> dealt_folds(["a", "b", "c", "d", "e"], 2)
    (('a', 'c', 'e'), ('b', 'd'))

    Raises: MeasureError for fewer than two folds, and for fewer topics than folds.
    """
    if n_folds < 2:
        raise MeasureError(f"folds={n_folds}: expected 2 or more, as each fold is scored by what the others choose.")
    if len(topics) < 2:
        raise MeasureError(
            f"found {len(topics)} topic with relevance: tuning needs two or more, one to choose by and one to test."
        )
    if len(topics) < n_folds:
        raise MeasureError(
            f"found {len(topics)} topics with relevance for {n_folds} folds: use fewer folds, or judge more topics."
        )
    return tuple(tuple(topics[i::n_folds]) for i in range(n_folds))
