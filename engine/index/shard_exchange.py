"""The exchange of a search over one of several shards with those over the others.

A search over all shards is one search in each, which stops where it needs what others know: totals over the collection,
which depend on the index alone, or a value of this query that is combined from all shards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Value = TypeVar("Value")
Reply = TypeVar("Reply")

# A total over all shards by name and arguments, such as ("term", "sea"); see `engine.shards.shard_counts`.
Key: TypeAlias = tuple[Any, ...]


class Exchange(Protocol):
    """The connection of the search over one shard to the others.

    number: of this shard among those that answer, from 0; n_shards: how many answer.
    """

    number: int
    n_shards: int

    def totals(self, keys: Sequence[Key]) -> list[Any]:
        """Return totals over all shards; may be asked for by any shard at any time."""

    def combine(self, combiner: Callable[[Sequence[Value]], Reply], value: Value) -> Reply:
        """Return `combiner` of the values of all shards, in their order.

        Every shard asks for the same in the same order; the combiner is a function of a module.
        """


class Alone:
    """The exchange of a search over the whole index: there is nobody else."""

    number, n_shards = 0, 1

    def totals(self, keys: Sequence[Key]) -> list[Any]:
        """Raise TypeError: a whole index has its totals itself."""
        raise TypeError("a whole index asks nobody for totals")

    def combine(self, combiner: Callable[[Sequence[Value]], Reply], value: Value) -> Reply:
        """Return `combiner` of the only value."""
        return combiner([value])


ALONE = Alone()


def summed(found: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the sums of the columns of all shards: a combiner."""
    sums: NDArray[np.int64] = np.sum(found, axis=0)
    return sums
