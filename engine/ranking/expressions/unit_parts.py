"""What the score of one element, or of one interval of words, consists of; for explanations."""

from __future__ import annotations

from collections.abc import Sequence

from engine.records import NamedTuple


class UnitParts(NamedTuple):
    """The score is (the sum of the terms x factor + addend) x coverage, computed in this order.

    terms: names, frequencies and parts, in the order in which they are added.
    """

    terms: Sequence[tuple[str, int, float]]
    factor: float = 1.0
    addend: float = 0.0
    coverage: float = 1.0
