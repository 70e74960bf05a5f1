"""Runs a stage of a search: the time of the query is checked before, and its value is reported to an observer after.

The observer belongs to the context of the search (`contextvars`), as its limits do: stages know nothing of it.
`engine.answers.stage_recorder` is such an observer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

from engine.query_limits import check_time

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")
# Called after each stage with its name, its value and its seconds; for several batches of articles, once per batch.
Observer = Callable[[str, Any, float], None]

_observer: ContextVar[Observer | None] = ContextVar("observer of a search", default=None)


@contextmanager
def observed(observe: Observer | None) -> Iterator[None]:
    """Report the stages that run in this context to an observer; to nobody if it is None."""
    token = _observer.set(observe)
    try:
        yield
    finally:
        _observer.reset(token)


def run_stage(
    name: str, function: Callable[Arguments, Value], *arguments: Arguments.args, **options: Arguments.kwargs
) -> Value:
    """Return the value of a stage, and report it with its time; a value of None is that of a stage without effect."""
    check_time()
    observe = _observer.get()
    if observe is None:
        return function(*arguments, **options)
    began = time.perf_counter()
    value = function(*arguments, **options)
    if value is not None:
        observe(name, value, time.perf_counter() - began)
    return value
