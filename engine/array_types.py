"""Types of NumPy arrays, named by what they contain."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
FloatArray = NDArray[np.float64]
Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]
# The places of elements, leaves or documents in the columns of an index.
Rows = NDArray[np.int64]
