"""Ratios and means, None where there is nothing to divide by."""

from __future__ import annotations

import math
from collections.abc import Iterable


def ratio(part: float, whole: float) -> float | None:
    """Return part / whole, None if the whole is 0.

    >>> ratio(1, 4), ratio(0, 0)
    (0.25, None)
    """
    return part / whole if whole else None


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are not None, None without any; the sum is exact.

    >>> mean([0.25, None, 0.75]), mean([None])
    (0.5, None)
    """
    known = [value for value in values if value is not None]
    return ratio(math.fsum(known), len(known))
