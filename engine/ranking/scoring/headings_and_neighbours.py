"""The text around an element: the headings above it, and the elements beside it.

    headings(e)    weight of the distinct query words in the headings whose scope e is in, see `heading_scopes`
    neighbours(e)  the higher element score of the elements directly before and after e, of the same parent, that have
                   NEIGHBOUR_BLOCKS (`context`) text blocks or more, as e has

Headings of the root are in the score of the article. Both are bounded: headings(e) by the weight of the whole query,
neighbours(e) by the highest element score.
"""

from __future__ import annotations

import numpy as np

from engine import kernels
from engine.array_types import FloatArray, Rows
from engine.arrays import distinct, places_of
from engine.index.elements.containment import is_member
from engine.index.elements.heading_scopes import Scopes
from engine.ranking.scoring.term_weights import TermWeights
from engine.similarity.values import Pairs


def heading_scores(pairs: Pairs, weights: TermWeights, scopes: Scopes, n: int) -> FloatArray:
    """Return for each of n elements the weight of the distinct terms in the headings whose scope it is in.

    Between two borders of scopes all elements are in the same ones.

    Args:
        pairs: terms in elements.
    """
    if kernels.native is not None:
        of_terms = weights.of_terms
        given = pairs.term, pairs.unit, *scopes, weights.group, of_terms, of_terms.shape[1], n
        return np.frombuffer(kernels.native.heading_scores(*given), np.float64)
    number = np.full(n, -1)
    number[scopes.headings] = np.arange(len(scopes.headings))
    heading = number.take(pairs.unit)
    is_in_one = heading >= 0
    heading, term = heading.compress(is_in_one), pairs.term.compress(is_in_one)
    if not len(heading):
        return np.zeros(n)
    first, end = scopes.first.take(heading), scopes.end.take(heading)
    borders = distinct(np.concatenate([first, end]))
    shape = len(weights.of_terms), len(borders)
    of_term = term * len(borders)
    begun, ended = (
        np.bincount(of_term + borders.searchsorted(each), minlength=shape[0] * shape[1]) for each in (first, end)
    )
    in_scope = places_of((begun - ended).reshape(shape).cumsum(axis=1).ravel() > 0)
    terms, places = np.divmod(in_scope, len(borders))
    group = 0 if weights.group is None else weights.group.take(borders.take(places))
    found = np.bincount(places, weights.of_terms[terms, group], len(borders))
    lengths = np.empty(len(borders) + 1, np.int64)
    lengths[0], lengths[-1] = borders[0], n - borders[-1]
    np.subtract(borders[1:], borders[:-1], out=lengths[1:-1])
    return np.append(0.0, found).repeat(lengths)


def heading_terms(place: int, pairs: Pairs, scopes: Scopes) -> Rows:
    """Return the terms in the headings whose scope an element is in, ascending."""
    headings = scopes.headings.compress((scopes.first <= place) & (place < scopes.end))
    return distinct(pairs.term.compress(is_member(pairs.unit, headings)))


def best_neighbours(scores: FloatArray, left: Rows, right: Rows) -> tuple[FloatArray, Rows]:
    """Return for each element the better score of its neighbours, 0 without one, and the place of that one, or -1.

    Args:
        left, right: places of neighbours, of those directly after others in `right`.
    """
    best, place = np.zeros(len(scores)), np.full(len(scores), -1)
    best[right], place[right] = scores[left], left
    is_better = scores[right] > best[left]
    best[left[is_better]], place[left[is_better]] = scores[right[is_better]], right[is_better]
    return best, place
