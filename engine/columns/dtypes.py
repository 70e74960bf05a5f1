"""The number types of columns: as narrow as their values allow, little-endian on every platform."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.array_types import Array


def narrow(values: Array) -> Array:
    """Return non-negative values in the narrowest unsigned dtype that can represent them all."""
    return values.astype(narrowest(int(values.max(initial=0))), copy=False)


def narrowest(largest: int) -> np.dtype[Any]:
    """Return the narrowest unsigned dtype, little-endian, for numbers up to `largest`."""
    return np.dtype(
        "<u1" if largest < 1 << 8 else "<u2" if largest < 1 << 16 else "<u4" if largest < 1 << 32 else "<u8"
    )


def little_endian(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype as columns are written: numbers little-endian on every platform."""
    return dtype.newbyteorder("<")
