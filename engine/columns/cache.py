"""A least-recently-used cache, bounded by the size of its values."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

from engine.threads import Lock

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

# Default capacity: eight-byte numbers, 32 MiB in total.
CAPACITY = 2**22
# Largest capacity of what is cached of the documents with a word, and its numbers for each document of the index.
LARGEST, OF_DOCUMENT = 2**24, 2**10


def capacity_for(n_documents: int) -> int:
    """Return the capacity of a cache of columns over documents, in numbers of eight bytes: 32 to 128 MiB."""
    return min(max(CAPACITY, OF_DOCUMENT * n_documents), LARGEST)


class SizedCache(Generic[Key, Value]):
    """Values by key; the least recently used ones are dropped where their sizes exceed the capacity.

    Safe from several threads; two that miss at the same time may both compute the value. A value that is found is
    moved without the lock, as each operation of an OrderedDict is atomic.

    Args:
        size: returns the size of a value; capacity: the largest total size.
        keeps_newest: whether the value that was computed last is cached even if it is larger than that.
    """

    def __init__(self, size: Callable[[Value], int], capacity: int = CAPACITY, *, keeps_newest: bool = False) -> None:
        self._size, self._left = size, capacity
        self._fewest = 1 if keeps_newest else 0
        self._values: OrderedDict[Key, Value] = OrderedDict()  # least recently used first
        self._lock = Lock()

    def find(self, key: Key) -> Value | None:
        """Return the value of a key, None if it is not cached."""
        try:
            cached = self._values[key]
            self._values.move_to_end(key)
        except KeyError:
            return None
        return cached

    def get(self, key: Key, compute: Callable[[], Value]) -> Value:
        """Return the value of a key, computed if it is not cached."""
        try:
            cached = self._values[key]
            self._values.move_to_end(key)
        except KeyError:
            computed = compute()
        else:
            return cached
        self.add([(key, computed)])
        return computed

    def add(self, found: Iterable[tuple[Key, Value]]) -> None:
        """Cache values that were computed for their keys; those that are cached already remain as they are."""
        with self._lock.own:
            for key, value in found:
                if key not in self._values:
                    self._values[key] = value
                    self._left -= self._size(value)
            self._drop()

    def replace(self, key: Key, value: Value) -> None:
        """Cache a value in place of the one that its key has, if any."""
        with self._lock.own:
            if key in self._values:
                self._left += self._size(self._values.pop(key))
            self._values[key] = value
            self._left -= self._size(value)
            self._drop()

    def _drop(self) -> None:
        while self._left < 0 and len(self._values) > self._fewest:
            self._left += self._size(self._values.popitem(last=False)[1])
