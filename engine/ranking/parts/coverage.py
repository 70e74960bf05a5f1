"""Coverage: how much of the query an element contains, a factor of its score and of that of its headings.

    factor(e) = covered(e) ^ coverage
    covered(e)    weight of the distinct query words in e, divided by that of all query words of the collection, 0 to 1

So repetitions of one word do not outweigh several words. An element after a heading that has the only query words has
the coverage of its headings.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import FloatArray, Rows, mask_of
from engine.ranking.scoring.term_weights import TermWeights
from engine.similarity.values import Pairs, ratio

SETTING = "coverage"
TRIED = (0, 0.1, 0.2, 0.4, 0.8, 1.6)


def coverage_factors(covered: FloatArray, exponent: float) -> FloatArray | None:
    """Return the factor for the share of the query that each unit contains; None where coverage does not count."""
    return covered**exponent if exponent else None


def times_coverage(scores: FloatArray, factors: FloatArray | None) -> FloatArray:
    """Return scores times their factors."""
    return scores if factors is None else scores * factors


def with_coverage_of_headings(
    factors: FloatArray, headed: Rows, of_headings: FloatArray, weights: TermWeights, pairs: Pairs, exponent: float
) -> FloatArray:
    """Return the factors of elements, of those without a query word those of their headings.

    Args:
        headed: places of the elements after headings. of_headings: weight of the query words in headings, of each
            element. pairs: terms in elements.
    """
    bare = headed.compress(~mask_of(pairs.unit, len(factors)).take(headed))
    of_query = np.broadcast_to(weights.of_query, weights.of_terms.shape[1])
    group = bare * 0 if weights.group is None else weights.group.take(bare)
    shares = np.minimum(ratio(of_headings.take(bare), of_query.take(group)), 1.0)
    found = factors.copy()
    found[bare] = shares**exponent
    return found
