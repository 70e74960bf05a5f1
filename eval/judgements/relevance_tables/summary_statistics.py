"""Summary statistics of numbers: mean, minimum, maximum, median and standard deviation."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from eval.output.tables import rounded


@dataclass(frozen=True)
class SummaryStatistics:
    """The five statistics, all None without numbers; ``stdev`` of a sample (n - 1), None for fewer than two numbers."""

    n: int
    mean: float | None
    minimum: float | None
    maximum: float | None
    median: float | None
    stdev: float | None

    def to_dict(self) -> dict[str, float | None]:
        """Return the numbers by name."""
        return {name: rounded(value) for name, value in asdict(self).items()}

    def rows(self) -> tuple[tuple[str, float | None], ...]:
        """Return the statistics under their names in the thesis."""
        return (
            ("Mean", self.mean),
            ("Minimum", self.minimum),
            ("Maximum", self.maximum),
            ("Median", self.median),
            ("StDev", self.stdev),
        )


def summary(values: Iterable[float]) -> SummaryStatistics:
    """Return the summary statistics of numbers.

    >>> summary([1, 2, 6]).mean, summary([1, 2, 6]).median, summary([]).mean
    (3.0, 2.0, None)
    """
    known = [float(value) for value in values]
    if not known:
        return SummaryStatistics(0, None, None, None, None, None)
    mean = math.fsum(known) / len(known)
    stdev = math.sqrt(math.fsum((v - mean) ** 2 for v in known) / (len(known) - 1)) if len(known) > 1 else None
    return SummaryStatistics(len(known), mean, min(known), max(known), statistics.median(known), stdev)
