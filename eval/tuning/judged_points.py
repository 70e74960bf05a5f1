"""Steps of every choice of settings on judged topics: checks before it, folds and notices after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from engine.errors import MeasureError
from engine.notices import Notice
from engine.wording import shown
from eval.judgements.judgements import Assessments
from eval.scoring.notices import NAMED_ALIKE
from eval.statistics.confidence_interval import ConfidenceInterval
from eval.tuning.cross_validated import Fold
from eval.tuning.cross_validation import Choices
from eval.tuning.score_matrix import ScoreMatrix
from eval.tuning.scorer import MeasureScorer
from eval.tuning.selection import TopicColumns, means


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
    """Yield what each fold chose, with its means."""
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
