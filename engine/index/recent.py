"""What was looked up last, kept for the next time."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

ROOM = 2**22
"""So many numbers are kept, 32 MiB of them."""


class Recent(Generic[Key, Value]):
    """Values by key: those asked for last, as many as there is room for.

    Args:
        size: how much room a value takes; room: how much there is, for all together.
    """

    def __init__(self, size: Callable[[Value], int], room: int = ROOM) -> None:
        self._size, self._left = size, room
        self._kept: dict[Key, Value] = {}  # the one asked for last comes last
        self._lock = Lock()

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made where it is not kept."""
        with self._lock:
            if key in self._kept:
                self._kept[key] = known = self._kept.pop(key)
                return known
        made = make()
        with self._lock:
            if key not in self._kept:
                self._kept[key] = made
                self._left -= self._size(made)
            while self._left < 0:
                self._left += self._size(self._kept.pop(next(iter(self._kept))))
        return made
