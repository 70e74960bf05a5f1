"""The error for an index whose columns contradict each other although their checksums are right."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from engine.errors import INDEX_AGAIN, FoxirError, IndexFormatError

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")


def reads_columns(function: Callable[Arguments, Value]) -> Callable[Arguments, Value]:
    """Turn errors of arrays that a function raises while it reads an index into an IndexFormatError (decorator).

    Such an error means that a number of one column is beyond another one, as only a forged index has them. It keeps the
    error of the array as its cause, since it may also be a mistake of foxir.
    """

    @wraps(function)
    def checked(*arguments: Arguments.args, **options: Arguments.kwargs) -> Value:
        try:
            return function(*arguments, **options)
        except FoxirError:  # some are a ValueError, too
            raise
        except (IndexError, ValueError, OverflowError, ZeroDivisionError, StopIteration, MemoryError) as error:
            raise IndexFormatError(
                f"the numbers of the index do not fit together ({error}): {INDEX_AGAIN}; if foxir made this "
                "index, report it as an error of foxir."
            ) from error

    return checked
