"""Cross-validation written out: for every fold, every point, every topic."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

# A mapping from topic to score for each point.
Scores = Sequence[Mapping[str, float]]


def folds_of(topics: Sequence[str], n_folds: int, seed: int) -> list[list[str]]:
    cards = [sorted(topics)[i] for i in np.random.default_rng(seed).permutation(len(topics))]
    folds: list[list[str]] = [[] for _ in range(n_folds)]
    for number, card in enumerate(cards):
        folds[number % n_folds].append(card)
    return folds


def best_point(scores: Scores, topics: Sequence[str]) -> int:
    best, highest = 0, -math.inf
    for point, of_topic in enumerate(scores):
        mean = math.fsum(of_topic[topic] for topic in topics) / len(topics)
        if mean > highest:
            best, highest = point, mean
    return best


def cross_validated(scores: Scores, topics: Sequence[str], n_folds: int, seed: int) -> tuple[int, list[int], float]:
    """The best point of all topics, that of each fold's others, and the mean of topics held out."""
    choices, held_out = [], []
    for fold in folds_of(topics, n_folds, seed):
        others = [topic for topic in topics if topic not in fold]
        choices.append(best_point(scores, others))
        held_out += [scores[choices[-1]][topic] for topic in fold]
    return best_point(scores, topics), choices, math.fsum(held_out) / len(topics)
