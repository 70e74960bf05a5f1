"""Distinct values of an array, without what `np.unique` loads and does beyond that."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the distinct values, ascending."""
    if len(values) < 2:
        return values
    ordered = values.copy()
    ordered.sort(kind="stable")  # quick where runs are in order, as they mostly are
    is_new = np.empty(len(ordered), np.bool_)
    is_new[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    return ordered.compress(is_new)
