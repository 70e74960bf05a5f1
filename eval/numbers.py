"""Numbers of the evaluation: types of arrays, ratios and means without a division by 0, tolerances of comparisons."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

IntArray: TypeAlias = npt.NDArray[np.int64]
FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]


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


def total(values: Iterable[float | None]) -> float | None:
    """Return the sum of the values that are not None, None without any."""
    known = [value for value in values if value is not None]
    return math.fsum(known) if known else None


def geometric_mean(values: Iterable[float | None]) -> float | None:
    """Return the geometric mean of the values that are not None, all above 0; None without any.

    >>> round(geometric_mean([0.5, None, 0.125]), 12)
    0.25
    """
    logarithm = mean(None if value is None else math.log(value) for value in values)
    return None if logarithm is None else math.exp(logarithm)


# How the values of a measure by topic become that of a run.
Summary: TypeAlias = Literal["mean", "sum", "geometric mean"]
SUMMARIES: Mapping[Summary, Callable[[Iterable[float | None]], float | None]] = {
    "mean": mean,
    "sum": total,
    "geometric mean": geometric_mean,
}

# Relative tolerance of comparisons between sums of float64 numbers. Adding the same n terms in another order changes a
# sum by less than n * 1.2e-16 of its value, so up to some 8,000 terms stay within it; levels of recall are 0.01 apart.
TOLERANCE = 1e-12

# Decimal places after which values up to 10 are rounded before they are compared for equality: the same fraction
# computed in two ways, 3 * (2/9) and 2 * (1/3), is one value.
DECIMALS = 12
