"""How are the hot steps of builds and searches fast?

In C, where they were compiled; NumPy computes the same, bit by bit, where not.

`native` is the compiled module; None where there was no compiler, or where the environment has FOXIR_PURE=1. Nothing
else decides between the two.
"""

from __future__ import annotations

import os
import warnings
from types import ModuleType

# Of the functions of C, KERNELS_VERSION there.
VERSION = 20


def _compiled() -> ModuleType | None:
    if os.environ.get("FOXIR_PURE", "0") not in ("", "0"):
        return None
    try:
        from engine.kernels import _native  # noqa: PLC0415 - it may not be there
    except ImportError:
        return None
    if getattr(_native, "VERSION", 0) != VERSION:
        message = "the compiled kernels are of another version of foxir: install it again (in a checkout, make setup)"
        warnings.warn(f"{message}; until then NumPy computes the same, slower.", RuntimeWarning, stacklevel=2)
        return None
    return _native


native = _compiled()
