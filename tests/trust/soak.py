"""The effort of the tests of trust: small by default, minutes for each test under `make soak`."""

from __future__ import annotations

import os
from typing import TypeVar

Number = TypeVar("Number", int, float)

SOAKING = bool(os.environ.get("FOXIR_SOAK"))
MINUTES = float(os.environ.get("FOXIR_SOAK_MINUTES", "10"))  # that the longest test takes under `make soak`


def effort(quick: Number, soaking: Number) -> Number:
    """Return the first number by default, the second under `make soak`."""
    return soaking if SOAKING else quick
