"""The inverse document frequency of BM25, as one number."""

from __future__ import annotations

import math


def idf(n: int, n_t: int) -> float:
    """Return ln(1 + (n - n_t + 0.5)/(n_t + 0.5)): the weight of a term that n_t of n documents, or leaves, contain.

    Never negative. Source: Robertson & Zaragoza 2009, 3.2; 1 is added inside the logarithm as in Lucene's
    BM25Similarity.
    """
    return math.log(1 + (n - n_t + 0.5) / (n_t + 0.5))
