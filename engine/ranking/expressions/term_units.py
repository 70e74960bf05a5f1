"""Elements or windows of sentences with the query terms in them, for a Q-expression that needs no other terms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NoReturn

import numpy as np

from engine.arrays import FloatArray, Rows
from engine.records import NamedTuple
from engine.similarity.expression import Calculated
from engine.similarity.registry import QUERY
from engine.similarity.values import Pairs, Units

# Properties of a unit that depend on all its terms, not only on those of the query.
OF_ALL_TERMS = frozenset({"vector", "mean_vector", "distinct", "mean_distinct", "largest"})


class TermUnits(NamedTuple):
    """Elements or windows ("units") with the query terms in them, from which statistics are counted.

    rows: the element that each unit is, or is part of. documents: the documents of the matches, ascending.
    document: the place of each unit's document among them. pairs: terms in units, with their frequencies.
    n_leaves: per term, the leaves of each document that contain it.
    """

    rows: Rows
    documents: Rows
    document: Rows
    pairs: Pairs
    terms: Sequence[str]
    query_tf: FloatArray
    n_leaves: Sequence[Rows]

    def at(self, places: Rows) -> TermUnits:
        """Return the units at some places, which are different."""
        number = np.full(len(self.rows), -1)
        number[places] = np.arange(len(places))
        unit = number.take(self.pairs.unit)
        is_kept = unit >= 0
        pairs = Pairs(self.pairs.term.compress(is_kept), unit.compress(is_kept), self.pairs.tf.compress(is_kept))
        return self._replace(rows=self.rows.take(places), document=self.document.take(places), pairs=pairs)


@lru_cache(256)
def needs_all_terms(expression: Calculated) -> bool:
    """Return whether a component of the units reads a property that depends on all terms of a unit."""
    return any(
        OF_ALL_TERMS.intersection(component.reads)
        for _, context, component in expression.components
        if context != QUERY
    )


def measured(units: TermUnits, words: Rows) -> Units:
    """Return units of some lengths as the similarity reads them."""
    return Units(
        pairs=units.pairs,
        query_tf=units.query_tf,
        words=words.astype(np.float64),
        distinct=_not_counted,
        largest=_not_counted,
        vector=lambda _expression, _parameters: _not_counted(),
    )


def _not_counted() -> NoReturn:
    raise TypeError("an expression that needs all terms of a unit does not score intervals of words")
