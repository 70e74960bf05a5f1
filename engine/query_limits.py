"""The limits of a running query, or of other work: the memory of its intermediate results, and its time.

The stages of a search reserve the memory of their values before they take it, and check the time where they may take
long; kernels count the memory that they take, and read the clock themselves. Limits belong to the context of a call
(`contextvars`), so queries in several threads do not share them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import NoReturn

from engine.errors import QueryLimitError, QueryTimeError
from engine.kernels.table import limit_kernels
from engine.system.byte_sizes import format_bytes

# bytes of a number in an array
NUMBER = 8


@dataclass
class _Limits:
    """max_bytes, max_seconds: None for no limit; reserved: numbers in the intermediate results so far."""

    max_bytes: int | None
    max_seconds: float | None
    deadline: float
    reserved: int = 0

    def stay_within(self, other: _Limits) -> None:
        """Take over what is narrower."""
        if other.max_seconds is not None and (self.max_seconds is None or other.deadline < self.deadline):
            self.max_seconds, self.deadline = other.max_seconds, other.deadline
        left = None if other.max_bytes is None else other.max_bytes - other.reserved * NUMBER
        if left is not None and (self.max_bytes is None or left < self.max_bytes):
            self.max_bytes, self.reserved = other.max_bytes, other.reserved

    def tell_kernels(self) -> None:
        """Let kernels in this thread take what is left."""
        left = -1 if self.max_bytes is None else max(self.max_bytes - self.reserved * NUMBER, 0)
        limit_kernels(left, 0.0 if self.max_seconds is None else self.deadline, _exceeded)


_UNLIMITED = _Limits(None, None, 0.0)
_limits: ContextVar[_Limits | None] = ContextVar("limits of a query", default=None)


@contextmanager
def limited(max_bytes: int | None, max_seconds: float | None) -> Iterator[None]:
    """Limit the memory and time of the query that runs in this context; None for no limit.

    Within other limits, those of them that are narrower stay.
    """
    before = _limits.get()
    limits = _Limits(max_bytes, max_seconds, time.monotonic() + (max_seconds or 0.0))
    if before is not None:
        limits.stay_within(before)
    token = _limits.set(limits)
    limits.tell_kernels()
    try:
        yield
    finally:
        _limits.reset(token)
        (before or _UNLIMITED).tell_kernels()


def reserve(n_numbers: int) -> None:
    """Count the numbers of an intermediate result towards the memory limit; raises QueryLimitError beyond it, or late.

    What is negative is given back.
    """
    check_time()
    limits = _limits.get()
    if limits is None or limits.max_bytes is None:
        return
    limits.reserved += n_numbers
    if limits.reserved * NUMBER > limits.max_bytes:
        _exceeded("memory")
    limits.tell_kernels()


def check_time() -> None:
    """Raise QueryTimeError if the running query takes longer than it may."""
    limits = _limits.get()
    if limits is not None and limits.max_seconds is not None and time.monotonic() > limits.deadline:
        _exceeded("time")


def _exceeded(limit: str) -> NoReturn:
    """Raise the error of the limit on memory or on time, which kernels exceed, too."""
    limits = _limits.get() or _UNLIMITED
    if limit == "time":
        raise QueryTimeError(
            f"the query takes longer than max_seconds = {limits.max_seconds or 0:g}: leave out its most frequent "
            "words, or raise max_seconds."
        )
    raise QueryLimitError(
        f"the query needs more than max_query_memory = {format_bytes(limits.max_bytes or 0)}: leave out its most "
        "frequent words, search fewer articles (max_articles), or raise max_query_memory."
    )
