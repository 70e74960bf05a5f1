"""A program that calls everything public with a value of a wrong type for each parameter, and with a wrong name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, get_type_hints

import foxir
from foxir.evaluation.scoring import ScoringKeywords
from foxir.searching.search_settings import SearchKeywords

HEAD = """from __future__ import annotations
from typing import Any, cast
import foxir
class Wrong: ...
def wrong(right: Any) -> None:
"""
SELF = ("self", "cls")


def calls() -> Iterator[str]:
    """Yield wrong calls, each an expression; `right` has type Any in them."""
    for name in foxir.__all__:
        public = getattr(foxir, name)
        if not callable(public) or (isinstance(public, type) and issubclass(public, Exception)):
            continue
        yield from wrong_calls(f"foxir.{name}", public)
        for method, member in vars(public).items() if isinstance(public, type) else ():
            if not method.startswith("_") and inspect.isroutine(each := getattr(public, method)) and callable(each):
                is_of_class = isinstance(member, classmethod | staticmethod)
                owner = f"foxir.{name}" if is_of_class else f"cast(foxir.{name}, right)"
                yield from wrong_calls(f"{owner}.{method}", getattr(public, method))
    for keyword in get_type_hints(SearchKeywords):
        if keyword.isidentifier() and keyword != "lambda":
            yield f"foxir.make_settings({keyword}=Wrong())"


def wrong_calls(call: str, function: Callable[..., Any]) -> Iterator[str]:
    """Yield a call for each parameter with a wrong value of it alone, and one with a keyword that it does not have."""
    parameters = [each for each in inspect.signature(function).parameters.values() if each.name not in SELF]
    needed = [each for each in parameters if each.default is each.empty and each.kind is not each.VAR_KEYWORD]
    for wrong in parameters:
        if wrong.kind is not wrong.VAR_KEYWORD:
            given = needed if wrong in needed else [*needed, wrong]
            yield f"{call}({', '.join(_argument(each, 'Wrong()' if each is wrong else 'right') for each in given)})"
    keywords = ScoringKeywords.__annotations__ if "ScoringKeywords" in str(inspect.signature(function)) else ()
    for keyword in (*(f"{name}=Wrong()" for name in keywords), "no_such_name=1"):
        yield f"{call}({', '.join([*(_argument(each, 'right') for each in needed), keyword])})"


def _argument(parameter: inspect.Parameter, value: str) -> str:
    is_positional = parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL)
    is_needed = parameter.default is parameter.empty and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    return value if is_positional or is_needed else f"{parameter.name}={value}"


def program() -> str:
    """Return the program, a wrong call on each line that is indented."""
    return HEAD + "".join(f"    {call}\n" for call in calls())
