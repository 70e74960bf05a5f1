"""Statistics over runs: significance of differences, correlation and reliability of measures."""

from __future__ import annotations

from eval.statistics.measure_correlation import Correlations, correlate
from eval.statistics.reliability import Reliability, reliability
from eval.statistics.run_comparison import RunComparison, compare
from eval.statistics.testing_options import SignificanceTesting

__all__ = ["Correlations", "Reliability", "RunComparison", "SignificanceTesting", "compare", "correlate", "reliability"]
