"""A user's function, named on the command line as `module:function`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import signature
from typing import Any

import numpy as np

from engine.arrays import FloatArray
from engine.errors import ArgumentError, FunctionError
from engine.query_limits import check_time
from engine.wording import shown

# Kinds of NumPy's data types: bool, signed and unsigned integers, floats.
REAL = frozenset("biuf")
# The largest number of a text: the sum of any with their weights is finite.
LARGEST = 1e200


def imported_function(name: str, what: str) -> Callable[..., Any]:
    """Return the function that `module:function` names; modules of the working directory are found, too.

    Raises: ArgumentError for what cannot be imported, or is not a function, with the reason.
    """
    module, _, attribute = name.partition(":")
    here = os.getcwd()
    if here not in sys.path:
        sys.path.append(here)
    try:
        function = getattr(import_module(module), attribute)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a user's module may raise anything
        raise ArgumentError(f"{what} {name}: {_told(error)}: expected module:function, importable here.") from None
    if not callable(function):
        raise ArgumentError(f"{what} {name}: expected a function, got {shown(function)}.")
    found: Callable[..., Any] = function
    return found


def _told(error: BaseException) -> str:
    """Return an error of a user's code in one line: its text may have several, or be an error itself."""
    try:
        text = " ".join(str(error).split())
    except Exception as inner:
        text = f"its text raised {type(inner).__name__}"
    return f"{type(error).__name__}: {text}"


def called(function: Callable[..., Any], name: str, *arguments_given: Any, **keywords: Any) -> Any:
    """Return the result of a user's function; `name` is its name in messages.

    Raises: ArgumentError, with the place in the function's code, for anything that it raises; that is its cause.
        KeyboardInterrupt.
    """
    try:
        return function(*arguments_given, **keywords)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        import traceback  # noqa: PLC0415  (only for the message)

        frames = traceback.extract_tb(error.__traceback__)[1:]
        where = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
        raise ArgumentError(f"{name} raised {_told(error)}{where}.") from error


def column_of(
    function: Callable[..., Any], name: str, query: str, columns: Any, n_texts: int, **keywords: Any
) -> FloatArray:
    """Return the numbers that a user's function computes of the columns of some texts, float64, shape (n_texts,).

    Args:
        name: of the function in messages.
    Raises: FunctionError that names the function and the query, for what the function raises, and for anything but
        one number a text, up to LARGEST; QueryTimeError once it returns.
    """
    try:
        _check_call(function, name, columns, keywords)
        given = called(function, name, columns, **keywords)
        check_time()  # which nothing can do while the function runs
        array = called(np.asarray, f"{name}: its {type(given).__name__}", given)
    except ArgumentError as error:
        raise FunctionError(f"query {shown(query)}: {error}") from error
    expected = f"expected one number for each of {n_texts} texts"
    if isinstance(given, np.ma.MaskedArray) or array.dtype.kind not in REAL:
        raise FunctionError(
            f"query {shown(query)}: {name} returned {type(given).__name__} of {array.dtype}: {expected}."
        )
    if array.shape != (n_texts,):
        raise FunctionError(f"query {shown(query)}: {name} returned an array of shape {array.shape}: {expected}.")
    found: FloatArray = array.astype(np.float64)
    is_legal = np.abs(found) <= LARGEST
    if not is_legal.all():
        place = int(np.flatnonzero(~is_legal)[0])
        raise FunctionError(
            f"query {shown(query)}: {name} returned {found[place]} for text {place} of {n_texts}: expected numbers "
            f"from -{LARGEST:g} to {LARGEST:g}, so that their sums are finite."
        )
    return found


def _check_call(function: Callable[..., Any], name: str, columns: Any, keywords: Mapping[str, Any]) -> None:
    """Raise ArgumentError for a function that does not take columns alone, beside keywords."""
    try:
        signature(function).bind(columns, **keywords)
    except TypeError as error:
        raise ArgumentError(
            f"{name}: {error}: expected a function of one argument, the columns, with parameters such as slope=0.2 "
            "after a *: def score(columns, *, slope=0.2)."
        ) from None
    except ValueError:  # a function of C without a signature
        return


def name_of(function: Callable[..., Any] | str) -> str:
    """Return the name of a function as `imported_function` reads it; a name as it is.

    Raises: ArgumentError for a function that no module has under its name, such as a lambda.
    """
    if isinstance(function, str):
        return function
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    if getattr(sys.modules.get(str(module)), name, None) is not function:
        kind = "lambda" if name.endswith("<lambda>") else type(function).__name__
        raise ArgumentError(
            f"a {kind} has no name in a module, by which settings keep functions: define what it does by 'def' at the "
            "top of a module, and give that function."
        )
    return f"{module}:{name}"
