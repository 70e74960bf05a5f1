"""The steps with a version in C and one of NumPy, and which of the two runs; nothing else asks whether kernels exist.

A step is the version in C, made with `compiled`, above it that of NumPy, which gives the same bits:

    @compiled(_lengths_in_numpy)
    def lengths(begins: Numbers, ends: Numbers) -> Numbers:
        return np.frombuffer(native.lengths(begins, ends), np.int64)

Where C does not pay or cannot tell, the version in C calls the other one.
"""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

# Of the functions of C, KERNELS_VERSION there.
VERSION = 25

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Version = Callable[Arguments, Result]

# The versions of each step in C and of NumPy, by the step's module and name.
TABLE: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {}


def _loaded() -> ModuleType | None:
    """Return the compiled module; None where there was no compiler, or where the environment has FOXIR_PURE=1."""
    if os.environ.get("FOXIR_PURE", "0") not in ("", "0"):
        return None
    try:
        from engine.kernels import _native  # noqa: PLC0415 - it may not be there
    except ImportError:
        return None
    if getattr(_native, "VERSION", 0) != VERSION:
        message = "the compiled kernels are of another version of foxir: install it again (in a checkout, make setup)"
        warnings.warn(f"{message}; until then NumPy computes the same, slower.", RuntimeWarning, stacklevel=2)
        return None
    return _native


if TYPE_CHECKING:
    from engine.kernels import _native

    native = _native  # only versions in C use it, which run where it is there
else:
    native = _loaded()

_runs_c = native is not None


def has_kernels() -> bool:
    """Return whether steps run in C."""
    return _runs_c


@contextmanager
def without_kernels() -> Iterator[None]:
    """Run steps in NumPy, in all threads."""
    global _runs_c  # noqa: PLW0603 - the one switch
    before, _runs_c = _runs_c, False
    try:
        yield
    finally:
        _runs_c = before


def limit_kernels(n_bytes: int, deadline: float, exceeded: Callable[[str], NoReturn]) -> None:
    """Let steps in this thread run until a time of `time.monotonic`, and those in C take so many bytes.

    Beyond that they call `exceeded` with "memory" or "time": steps in C at any time, others before they begin. A
    time of 0.0 and -1 bytes are no limit.
    """
    _limits.deadline, _limits.exceeded = deadline, exceeded
    if native is not None:
        native.set_limits(n_bytes, deadline, exceeded)


class _Limits(threading.local):
    """When steps in a thread have to end, and what raises the error then."""

    deadline = 0.0
    exceeded: Callable[[str], NoReturn]


_limits = _Limits()


def compiled(
    in_numpy: Version[Arguments, Result],
) -> Callable[[Version[Arguments, Result]], Version[Arguments, Result]]:
    """Return a decorator of the C version of a step; its result runs C where kernels exist, else NumPy."""

    def step_of(in_c: Version[Arguments, Result]) -> Version[Arguments, Result]:
        TABLE[f"{in_c.__module__}.{in_c.__qualname__}"] = in_c, in_numpy

        @wraps(in_c)
        def step(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
            if 0 < _limits.deadline < time.monotonic():
                _limits.exceeded("time")
            return in_c(*args, **kwargs) if _runs_c else in_numpy(*args, **kwargs)

        return step

    return step_of
