"""Whether two measures call the same pairs of runs significantly different.

Source: Ogilvie & Lalmas, Investigating the exhaustivity dimension in content-oriented XML element retrieval
evaluation, CIKM 2006, 3.4: with reject(Q) the pairs of runs that a test tells apart under Q,

    precision(Q1, Q2) = |reject(Q1) and reject(Q2)| / |reject(Q1)|
    recall(Q1, Q2)    = |reject(Q1) and reject(Q2)| / |reject(Q2)|
    F1                = 2 precision recall / (precision + recall)

Q2 is taken for the truth that Q1 predicts. Unlike rank correlation this does not care how runs are ordered that
neither measure can tell apart.
"""

from collections.abc import Set
from dataclasses import dataclass


@dataclass(frozen=True)
class Agreement:
    """How well the decisions of one measure predict those of another; None where there is nothing to divide by."""

    predicted: int
    truth: int
    common: int
    precision: float | None
    recall: float | None
    f1: float | None


def agreement_of_decisions(predicted: Set[tuple[str, str]], truth: Set[tuple[str, str]]) -> Agreement:
    """Return the agreement of two sets of significant pairs (better, worse).

    A pair that both tell apart but in opposite order counts as two different pairs.
    """
    common = len(predicted & truth)
    precision = common / len(predicted) if predicted else None
    recall = common / len(truth) if truth else None
    both = len(predicted) + len(truth)
    return Agreement(len(predicted), len(truth), common, precision, recall, 2 * common / both if both else None)
