"""The names of the heuristics, by the construction of the thesis."""

from __future__ import annotations

from itertools import product

SIXTEEN = tuple(
    "".join(letters) for first, second in (("Mm", "Pp"), ("Pp", "Mm")) for letters in product(first, second, "BE")
)
NAMES = (*SIXTEEN, "TPF", "PTF", "document")
