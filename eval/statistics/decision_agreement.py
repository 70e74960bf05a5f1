"""Agreement of two measures about the pairs of runs that differ significantly.

Source: Ogilvie & Lalmas, Investigating the exhaustivity dimension in content-oriented XML element retrieval
evaluation, CIKM 2006, 3.4: with reject(Q) the pairs of runs that differ significantly under Q,

    precision(Q1, Q2) = |reject(Q1) and reject(Q2)| / |reject(Q1)|
    recall(Q1, Q2)    = |reject(Q1) and reject(Q2)| / |reject(Q2)|
    F1                = 2 precision recall / (precision + recall)

Q2 is taken as the truth that Q1 predicts. Unlike rank correlation, this is independent of the order of runs that do
not differ significantly under either measure.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from eval.ratios import ratio


@dataclass(frozen=True)
class DecisionAgreement:
    """Precision, recall and F1 of the significant pairs of one measure as predictions of another; None if undefined."""

    predicted: int
    truth: int
    common: int
    precision: float | None
    recall: float | None
    f1: float | None


def agreement_of_decisions(predicted: Set[tuple[str, str]], truth: Set[tuple[str, str]]) -> DecisionAgreement:
    """Return the agreement of two sets of significant pairs (better, worse).

    A pair that is significant under both but in opposite order counts as two different pairs.
    """
    common = len(predicted & truth)
    n_predicted, n_true = len(predicted), len(truth)
    precision, recall = ratio(common, n_predicted), ratio(common, n_true)
    return DecisionAgreement(n_predicted, n_true, common, precision, recall, ratio(2 * common, n_predicted + n_true))
