"""Statistics over runs: which differences are real, and which measures say the same."""

from eval.statistics.compare import Comparison, compare
from eval.statistics.correction import CORRECTIONS, adjusted
from eval.statistics.correlate import Correlations, correlate
from eval.statistics.correlation import kendall, spearman
from eval.statistics.decisions import Agreement, agreement_of_decisions
from eval.statistics.reliability import Reliability, reliability
from eval.statistics.series import Series, series_of
from eval.statistics.significance import TESTS, Outcome, significance

__all__ = [
    "CORRECTIONS",
    "TESTS",
    "Agreement",
    "Comparison",
    "Correlations",
    "Outcome",
    "Reliability",
    "Series",
    "adjusted",
    "agreement_of_decisions",
    "compare",
    "correlate",
    "kendall",
    "reliability",
    "series_of",
    "significance",
    "spearman",
]
