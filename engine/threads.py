"""Values computed once, and locks, that a process forked beside running threads can use.

A fork copies the locks that other threads hold at that moment, and nobody gives those back in the child. Where a child
finds a lock, it is new; values computed once take none; a fork waits for imports in other threads.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

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
        self._by_fork: dict[int, threading.Lock] = {}  # a forked process has a lock of its own

    @property
    def own(self) -> threading.Lock:
        """The lock of this process: `with lock.own`. Python gives it back whenever an interrupt arrives."""
        return self._by_fork.get(_n_forks) or self._by_fork.setdefault(_n_forks, threading.Lock())


_n_forks = 0  # of this process and those it was forked from


# Seconds for which a fork waits for other threads to end their imports, and after which threads take turns meanwhile.
LONGEST_IMPORT, NO_TURNS = 10.0, 60.0


def _await_imports() -> None:
    """Wait until no other thread imports: its module would be half made in the child, and locked there for ever.

    No thread takes turns from then on, until the fork has happened.
    """
    global _interval  # noqa: PLW0603 - of the process, as what it keeps
    if (interval := sys.getswitchinterval()) != NO_TURNS:  # else another thread forks, too
        _interval = interval
    until = time.monotonic() + LONGEST_IMPORT
    while True:
        sys.setswitchinterval(NO_TURNS)
        if not _others_import() or time.monotonic() > until:
            return
        sys.setswitchinterval(_interval)
        time.sleep(0.001)


def _others_import() -> bool:
    """Return whether a thread beside this one is in the middle of an import."""
    locks: Any = getattr(sys.modules["_frozen_importlib"], "_module_locks", {})  # by module, a reference to each
    owners = {getattr(reference(), "owner", None) for reference in list(locks.values())}
    return bool(owners - {None, threading.get_ident()})


def _take_turns() -> None:
    sys.setswitchinterval(_interval)


def _after_in_child() -> None:
    global _n_forks  # noqa: PLW0603 - of the process
    _take_turns()
    _n_forks += 1


_interval = sys.getswitchinterval()
if sys.platform != "win32":
    os.register_at_fork(before=_await_imports, after_in_parent=_take_turns, after_in_child=_after_in_child)
