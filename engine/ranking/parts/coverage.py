"""Coverage: how much of the query an element contains, a factor of its score and of that of its headings.

    factor(e) = covered(e) ^ coverage
    covered(e)    weight of the distinct query words in e, divided by that of all query words of the collection, 0 to 1

So repetitions of one word do not outweigh several words.
"""

from __future__ import annotations

from engine.arrays import FloatArray

SETTING = "coverage"
TRIED = (0, 0.1, 0.2, 0.4, 0.8, 1.6)


def coverage_factors(covered: FloatArray, exponent: float) -> FloatArray | None:
    """Return the factor for the share of the query that each unit contains; None where coverage does not count."""
    return covered**exponent if exponent else None


def times_coverage(scores: FloatArray, factors: FloatArray | None) -> FloatArray:
    """Return scores times their factors."""
    return scores if factors is None else scores * factors
