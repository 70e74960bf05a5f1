"""Every two neighbouring stretches of texts, of several sizes, with the query terms in them.

Stretches have 2^bits words; the next longer ones consist of 2^STEP of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Rows, ranges
from engine.index.postings.term_stretches import HIGHEST_FREQUENCY
from engine.records import NamedTuple

# log2 of the words of the shortest stretches of a text, and by how much it grows. Of several that were tried, these
# took the least time for the bounds and for articles that are searched for nothing.
SHORTEST_BITS, STEP = 8, 2


class StretchPairs(NamedTuple):
    """Every two neighbouring stretches of texts, with the terms in them.

    tf: shape (n_terms, n_units), HIGHEST_FREQUENCY or more for any frequency from there on; document: the place of each
    unit's document; first: the first unit of each document. fewest: words of an element that lies in a unit, and in
    none of shorter stretches, at least.
    """

    tf: NDArray[Any]
    document: Rows
    first: Rows
    fewest: int


def of_all_sizes(tf: NDArray[np.uint16], n: Rows, *, spans_leaves: bool) -> list[StretchPairs]:
    """Return the pairs of the shortest stretches, and of longer ones up to those of the longest text.

    Args:
        tf: frequencies in the shortest stretches, shape (n_terms, n_stretches). n: their number in each document, an
            empty last one included.
        spans_leaves: whether what lies in long stretches can be short.
    """
    fewest = fewest_words(n, spans_leaves=spans_leaves)
    found = [_of_two(tf, n, fewest[0])]
    for each in fewest[1:]:
        tf, n = _joined(tf, n)
        found.append(_of_two(tf, n, each))
    return found


def fewest_words(n: Rows, *, spans_leaves: bool) -> list[int]:
    """Return, by size, the fewest words of an element that fits in a pair of such stretches, but in no smaller one."""
    fewest, bits = [1], SHORTEST_BITS
    while n.max() > 2:  # one stretch, and the empty one
        n = _n_joined(n)
        fewest.append(1 if spans_leaves else 1 + (1 << bits))
        bits += STEP
    return fewest


def _of_two(tf: NDArray[np.uint16], n: Rows, fewest: int) -> StretchPairs:
    """Return each stretch with the next one of the same document; the last ones are empty."""
    end = n.cumsum()
    of_two = tf.copy()
    of_two[:, :-1] += tf[:, 1:]
    of_two[:, end - 1] = 0
    return StretchPairs(of_two, np.arange(len(n)).repeat(n), end - n, fewest)


def _n_joined(n: Rows) -> Rows:
    """Return the number of stretches of 2^STEP stretches in each document, the empty last one included."""
    return -(-(n - 1) // (1 << STEP)) + 1


def _joined(tf: NDArray[np.uint16], n: Rows) -> tuple[NDArray[np.uint16], Rows]:
    """Return stretches of 2^STEP stretches, and their number in each document; the last ones are empty, too."""
    size, n_joined = 1 << STEP, _n_joined(n)
    end = n.cumsum()
    places = np.minimum(ranges(end - n, n_joined * size), (end - 1).repeat(n_joined * size))
    joined = tf.take(places, axis=1)
    for _ in range(STEP):
        joined = joined[:, ::2] + joined[:, 1::2]
    return np.minimum(joined, HIGHEST_FREQUENCY), n_joined
