"""How hard the tests of trust try: a little by default, for minutes under `make soak`."""

import os
from typing import TypeVar

Number = TypeVar("Number", int, float)

SOAKING = bool(os.environ.get("FOXIR_SOAK"))
MINUTES = float(os.environ.get("FOXIR_SOAK_MINUTES", "10"))  # that the longest test takes under `make soak`


def effort(quick: Number, soaking: Number) -> Number:
    """Return the first number by default, the second under `make soak`."""
    return soaking if SOAKING else quick
