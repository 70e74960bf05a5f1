"""Many ranges of numbers as one array."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def ranges(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of all ranges start, start + 1, ... of the given lengths, one after the other."""
    ends = counts.cumsum()
    numbers: NDArray[np.int64] = (starts - ends + counts).repeat(counts)
    numbers += np.arange(len(numbers))
    return numbers
