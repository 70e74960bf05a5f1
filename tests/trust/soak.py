"""The effort of tests that draw examples: seconds by default, more in `make test-thorough`, minutes in `make soak`."""

from __future__ import annotations

import os
from typing import TypeVar

Number = TypeVar("Number", int, float)

SOAKING = bool(os.environ.get("FOXIR_SOAK"))
THOROUGH = bool(os.environ.get("FOXIR_THOROUGH"))
MINUTES = float(os.environ.get("FOXIR_SOAK_MINUTES", "10"))  # that the longest test takes under `make soak`


def effort(quick: Number, soaking: Number, *, thorough: Number | None = None) -> Number:
    """Return the first number by default, `thorough` (if given) in `make test-thorough`, the second in `make soak`."""
    if SOAKING:
        return soaking
    return thorough if THOROUGH and thorough is not None else quick
