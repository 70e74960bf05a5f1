"""Runs a stage of a search: the time of the query is checked before, and its value is reported to an observer after.

`engine.answers.stage_recorder` is such an observer.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from engine.query_limits import check_time

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")
# Called after each stage with its name, its value and its seconds; for several batches of articles, once per batch.
Observer = Callable[[str, Any, float], None]


def run_stage(
    observe: Observer | None,
    name: str,
    function: Callable[Arguments, Value],
    *arguments: Arguments.args,
    **options: Arguments.kwargs,
) -> Value:
    """Return the value of a stage, and report it with its time."""
    check_time()
    if observe is None:
        return function(*arguments, **options)
    began = time.perf_counter()
    value = function(*arguments, **options)
    observe(name, value, time.perf_counter() - began)
    return value
