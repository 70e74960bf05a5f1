"""A user's function, named on the command line as `module:function`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from engine.errors import ArgumentError
from engine.wording import shown


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
    except Exception as error:  # a user's module may raise anything
        raise ArgumentError(
            f"{what} {name}: {type(error).__name__}: {error}: expected module:function, importable here."
        ) from None
    if not callable(function):
        raise ArgumentError(f"{what} {name}: expected a function, got {shown(function)}.")
    found: Callable[..., Any] = function
    return found


def called(function: Callable[..., Any], name: str, *arguments_given: Any) -> Any:
    """Return the result of a user's function; `name` is its name in messages.

    Raises: ArgumentError, with the place in the function's code, for anything that it raises; that is its cause.
        KeyboardInterrupt.
    """
    try:
        return function(*arguments_given)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        import traceback  # noqa: PLC0415  (only for the message)

        frames = traceback.extract_tb(error.__traceback__)[1:]
        where = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
        raise ArgumentError(f"{name} raised {type(error).__name__}: {error}{where}.") from error


def name_of(function: Callable[..., Any] | str) -> str:
    """Return the name of a function as `imported_function` reads it; a name as it is.

    Raises: ArgumentError for a function that no module has under its name, such as a lambda.
    """
    if isinstance(function, str):
        return function
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    if getattr(sys.modules.get(str(module)), name, None) is not function:
        raise ArgumentError(
            f"{shown(function)} has no name in a module, by which settings keep it: give a function of a module that "
            "calls it."
        )
    return f"{module}:{name}"
