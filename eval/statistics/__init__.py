"""Statistics over runs: significance of differences, correlation and reliability of measures."""

from __future__ import annotations

from eval.statistics.decision_agreement import DecisionAgreement, agreement_of_decisions
from eval.statistics.measure_correlation import Correlations, correlate
from eval.statistics.multiple_comparisons import CORRECTIONS, adjusted_p_values
from eval.statistics.rank_correlation import kendall, spearman
from eval.statistics.reliability import Reliability, reliability
from eval.statistics.run_comparison import RunComparison, compare
from eval.statistics.score_series import ScoreSeries, series_of
from eval.statistics.significance_tests import TESTS, SignificanceResult, significance
from eval.statistics.testing_options import SignificanceTesting

__all__ = [
    "CORRECTIONS",
    "TESTS",
    "Correlations",
    "DecisionAgreement",
    "Reliability",
    "RunComparison",
    "ScoreSeries",
    "SignificanceResult",
    "SignificanceTesting",
    "adjusted_p_values",
    "agreement_of_decisions",
    "compare",
    "correlate",
    "kendall",
    "reliability",
    "series_of",
    "significance",
    "spearman",
]
