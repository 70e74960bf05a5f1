"""Cross-validation over random folds of topics: every topic is scored under settings chosen without it.

With the checks before a choice of settings, and the notices after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from engine.errors import MeasureError
from engine.notices import Notice
from engine.wording import shown
from eval.judgements.judgements import Assessments
from eval.numbers import FloatArray
from eval.scoring.notices import NAMED_ALIKE
from eval.statistics.mean_estimate import ConfidenceInterval
from eval.tuning.cross_validated import Fold
from eval.tuning.score_matrix import ScoreMatrix
from eval.tuning.scorer import MeasureScorer
from eval.tuning.selection import HalvingRound, Method, TopicColumns, by_grid, by_halving, means

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


@dataclass(frozen=True)
class Choices:
    """The selected points: the best one on all topics, and for each fold the best one on the topics of the other folds.

    ``everything`` are the columns of all topics, ascending; ``folds`` and ``others`` those inside and outside each
    fold. ``held_out`` is the value of every topic under the point selected without its fold, in the same order.
    """

    best: int
    of_folds: tuple[int, ...]
    rungs: tuple[HalvingRound, ...]
    everything: TopicColumns
    folds: tuple[TopicColumns, ...]
    others: tuple[TopicColumns, ...]
    held_out: FloatArray


def cross_validate(
    matrix: ScoreMatrix, n_points: int, topics: TopicColumns, n_folds: int, method: Method, seed: int
) -> Choices:
    """Return the points selected on all topics, and on the topics outside each fold, among the first ``n_points``.

    Args:
        topics: columns of the score matrix, in the order in which they are assigned to folds.
        seed: of the random order that breaks ties in successive halving.
    """
    folds = [np.array(part, np.int64) for part in dealt_folds(topics.tolist(), n_folds)]
    others = [topics[~np.isin(topics, fold)] for fold in folds]
    samples = [topics, *others]
    selection = by_grid(matrix, n_points, samples) if method == "grid" else by_halving(matrix, n_points, samples, seed)
    require(matrix, zip(selection.chosen, [topics, *folds], strict=True))
    best, *of_folds = selection.chosen
    held_out = np.full(len(matrix.topics), np.nan)
    for point, fold in zip(of_folds, folds, strict=True):
        held_out[fold] = matrix.values[point, fold]
    everything = np.sort(topics)
    return Choices(
        best, tuple(of_folds), selection.rungs, everything, tuple(folds), tuple(others), held_out[everything]
    )


def require(
    matrix: ScoreMatrix, pairs: Iterable[tuple[int, TopicColumns]], stage: str = "held out", *, may_lack: bool = False
) -> None:
    """Compute the scores of points on topics that are not known yet."""
    wanted = np.zeros(matrix.known.shape, np.bool_)
    for point, topics in pairs:
        wanted[point, topics] = True
    matrix.require(wanted, stage, may_lack=may_lack)


def in_order(topics: Sequence[str], assessments: Assessments) -> tuple[str, ...]:
    """Return the topics in the order of the judgements."""
    wanted = set(topics)
    return tuple(topic for topic in assessments.topics if topic in wanted)


def require_common_documents(matrix: ScoreMatrix, assessments: Assessments, topics: Sequence[str]) -> None:
    """Raise MeasureError if the base settings return documents, but none that is judged for its topic."""
    if matrix.is_judged or matrix.document is None:
        return
    judged = next((document for topic in topics for document in assessments.topics[topic].documents), "none")
    raise MeasureError(
        f"no judged document is returned under the base settings: {assessments.source} judges {shown(judged)}, the "
        f"answers are from {shown(matrix.document)}. {NAMED_ALIKE}"
    )


def require_relevance(scoring: MeasureScorer, n_asked: int, n_used: int) -> None:
    """Raise MeasureError if the measure under its options is undefined for all topics."""
    if not n_used:
        options = ", ".join(f"{name}={value}" for name, value in scoring.options.items() if value is not None)
        raise MeasureError(
            f"none of {n_asked} topics has relevance under {scoring.family}:{scoring.measure} ({options}): choose "
            "another measure, or other options of it."
        )


def described_folds(matrix: ScoreMatrix, choices: Choices, assessments: Assessments) -> Iterator[Fold]:
    """Yield each fold with its choice and its means."""
    for point, fold, others in zip(choices.of_folds, choices.folds, choices.others, strict=True):
        trained, held_out = (float(means(matrix.values, np.array([point]), part)[0]) for part in (others, fold))
        topics = in_order([matrix.topics[i] for i in fold.tolist()], assessments)
        yield Fold(topics, matrix.points[point], trained, held_out)


def unused_topics(matrix: ScoreMatrix, used: TopicColumns, assessments: Assessments) -> Iterator[Notice]:
    """Yield a notice on topics without relevance."""
    unused = in_order([topic for i, topic in enumerate(matrix.topics) if i not in set(used.tolist())], assessments)
    if unused:
        yield Notice("topics_without_relevance", {"topics": unused})


def noise_notices(gain: ConfidenceInterval, level: float) -> Iterator[Notice]:
    """Yield a notice if the gain is not significantly above 0."""
    if gain.low <= 0:
        fields = {"mean": gain.mean, "level": level, "low": gain.low, "high": gain.high}
        yield Notice("gain_in_noise" if gain.high >= 0 else "loss", fields, "doubt")
