"""Types of NumPy arrays, named by what they contain, and operations that NumPy lacks or does more slowly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.kernels.table import compiled, native

Array = NDArray[Any]
FloatArray = NDArray[np.float64]
Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]
# The places of elements, leaves or documents in the columns of an index.
Rows = NDArray[np.int64]

AnyArray = TypeVar("AnyArray", bound=NDArray[Any])


def distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the distinct values, ascending; faster than `np.unique` on values that consist of a few sorted runs."""
    if len(values) < 2:
        return values
    ordered = values.copy()
    ordered.sort(kind="stable")  # NumPy's stable sort merges runs that are already sorted
    is_new = np.empty(len(ordered), np.bool_)
    is_new[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    return ordered.compress(is_new)


def is_among(values: NDArray[Any], ascending: NDArray[Any]) -> Mask:
    """Return a mask of the values that are among ascending ones; `np.isin` would sort these again.

    >>> is_among(np.array([7, 2, 9]), np.array([2, 7])).tolist()
    [True, True, False]
    """
    if not ascending.size:
        return np.zeros(values.shape, np.bool_)
    return np.asarray(ascending.take(ascending.searchsorted(values), mode="clip") == values)


def short_mantissas(values: FloatArray, bits: int) -> FloatArray:
    """Return the values with mantissas of some bits: floor(fraction (2^bits - 1)) / (2^bits - 1) 2^exponent.

    >>> short_mantissas(np.array([3.0, 1.0]), 7).round(6).tolist()
    [2.992126, 0.992126]
    """
    fraction, exponent = np.frexp(values)
    most = 2**bits - 1
    shortened: FloatArray = np.ldexp(np.floor(fraction * most) / most, exponent)
    return shortened


def mask_of(places: Any, size: int) -> Mask:
    """Return a mask, shape (size,), that is true at the given places, which may be in any order."""
    mask = np.zeros(size, np.bool_)
    mask[places] = True
    return mask


def places_of(mask: NDArray[Any]) -> NDArray[np.int64]:
    """Return the places of what is true or not 0, shape (n,): `np.flatnonzero` without its wrappers, a microsecond."""
    return mask.nonzero()[0]


def nth_highest(values: FloatArray, n: int) -> float:
    """Return the n-th highest of n or more values, n from 1."""
    return float(np.partition(values, len(values) - n)[len(values) - n])


def ranges(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the ranges `start, start + 1, ...` of the given lengths, concatenated.

    >>> ranges(np.array([10, 20]), np.array([2, 3])).tolist()
    [10, 11, 20, 21, 22]
    """
    ends = counts.cumsum()
    numbers: NDArray[np.int64] = (starts - ends + counts).repeat(counts)
    numbers += np.arange(len(numbers))
    return numbers


def _ranks_in_numpy(ascending: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.int64]:
    found: NDArray[np.int64] = np.searchsorted(ascending, values)
    return found


@compiled(_ranks_in_numpy)
def ranks_of(ascending: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of ascending numbers below each value: `np.searchsorted`, faster for ascending values.

    >>> ranks_of(np.array([2, 5, 5, 9]), np.array([1, 5, 6])).tolist()
    [0, 1, 3]
    """
    return np.frombuffer(native.ranks_of(ascending, values), np.int64)


def read_only(array: AnyArray) -> AnyArray:
    """Return the array itself, made read-only; later writes raise ValueError."""
    array.flags.writeable = False
    return array


def same_content(one: object, other: object) -> bool:
    """Return whether two values are equal; arrays, also inside tuples, lists and mappings, by shape and values."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and np.array_equal(one, other)
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return (
            type(one) is type(other)
            and len(one) == len(other)
            and all(same_content(*pair) for pair in zip(one, other, strict=True))
        )
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same_content(value, other[key]) for key, value in one.items())
    return bool(one == other)


class ArrayRecord:
    """Base of dataclasses with array fields (declared with `eq=False`): equal by content, not hashable."""

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        compared = (field.name for field in fields(self) if field.compare)  # type: ignore[arg-type]
        return all(same_content(getattr(self, name), getattr(other, name)) for name in compared)

    __hash__ = None  # type: ignore[assignment]
