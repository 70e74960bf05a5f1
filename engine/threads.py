"""Values computed once, and locks, that a process forked beside running threads can use.

A fork copies the locks that other threads hold at that moment, and nobody gives those back in the child. Where a child
finds a lock, it is new; values computed once take none.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

if TYPE_CHECKING:
    from functools import cached_property as cached_property  # noqa: PLC0414 - which other modules take from here
else:

    class cached_property:  # noqa: N801 - in the place of the one of functools, which has a lock in Python 3.11
        """A property that is computed once an instance, or once by each of the threads that ask at the same time."""

        def __init__(self, compute: Any) -> None:
            self.func, self.attrname, self.__doc__ = compute, None, compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self.attrname = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            values = instance.__dict__
            try:
                return values[self.attrname]
            except KeyError:
                return values.setdefault(self.attrname, self.func(instance))


class Lock:
    """A lock that a forked process finds free; what it protects may then lack the last step of another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        _locks.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def renew(self) -> None:
        """Make it free."""
        self._lock = threading.Lock()


_locks: WeakSet[Lock] = WeakSet()


def _renew_all() -> None:
    for lock in list(_locks):
        lock.renew()


os.register_at_fork(after_in_child=_renew_all)
