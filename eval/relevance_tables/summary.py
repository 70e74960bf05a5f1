"""Mean, least, greatest, median and standard deviation of a few numbers."""

import math
import statistics
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from eval.sheets import rounded


@dataclass(frozen=True)
class Summary:
    """The five numbers; all None of nothing. ``stdev`` is of a sample (n - 1), None for fewer than two numbers."""

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
        """Return the numbers under the names that the thesis gives them."""
        return (
            ("Mean", self.mean),
            ("Minimum", self.minimum),
            ("Maximum", self.maximum),
            ("Median", self.median),
            ("StDev", self.stdev),
        )


def summary(values: Iterable[float]) -> Summary:
    """Return the summary of some numbers.

    >>> summary([1, 2, 6]).mean, summary([1, 2, 6]).median, summary([]).mean
    (3.0, 2.0, None)
    """
    known = [float(value) for value in values]
    if not known:
        return Summary(0, None, None, None, None, None)
    mean = math.fsum(known) / len(known)
    stdev = math.sqrt(math.fsum((v - mean) ** 2 for v in known) / (len(known) - 1)) if len(known) > 1 else None
    return Summary(len(known), mean, min(known), max(known), statistics.median(known), stdev)
