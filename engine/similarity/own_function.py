"""A similarity that is a function of the user: `module:function` scores elements, `D[module:function]` articles.

Letters of a Q-expression stand beside it, as coverage and headings need weights of terms; the score is the function's.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from engine.errors import ArgumentError, SettingsError
from engine.imported_function import imported_function
from engine.records import dataclass
from engine.similarity.expression import Calculated
from engine.similarity.parameters import ParameterValue
from engine.similarity.parser import parse_expression
from engine.similarity.registry import DOCUMENTS, ELEMENTS, ScoredContext
from engine.wording import shown_text

NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*"
WRITTEN = re.compile(rf"D\[(?P<documents>{NAME})\]|(?P<elements>{NAME})")
LETTERS: Mapping[ScoredContext, str] = {ELEMENTS: "E[CW-AJA-BAA]", DOCUMENTS: "D[CW-AEH-BAA]"}


@dataclass(frozen=True)
class OwnFunction(Calculated):
    """The scores of units by a function; its keyword-only parameters are those of the similarity.

    Two of these are computed by a search where the function has them: `focus`, that of the query, and `block`, the
    words of a text block.
    """

    function: str

    def __str__(self) -> str:
        return f"D[{self.function}]" if self.context == DOCUMENTS else self.function

    @property
    def defaults(self) -> Mapping[str, ParameterValue]:
        """The parameters with their defaults, in the order of the function."""
        return _keywords(self.function, self.loaded())

    @property
    def parameters(self) -> frozenset[str]:
        """Names of the parameters."""
        return frozenset(self.defaults)

    @property
    def is_monotone(self) -> bool:
        """Whether a bound is known, as of letters: never."""
        return False

    def loaded(self) -> Callable[..., Any]:
        """Return the function, as its module has it now. Raises: SettingsError."""
        try:
            return imported_function(self.function, "similarity")
        except ArgumentError as error:
            raise SettingsError(str(error)) from None

    def checked(self, name: str, value: Any, called: str) -> ParameterValue:
        """Return a parameter's value in the type of its default; raises SettingsError for any other.

        Args:
            called: the name in error messages.
        """
        known = self.defaults
        if name not in known:
            raise SettingsError(f"'{called}' is not a parameter of {self}, which has {', '.join(known) or 'none'}.")
        usual = known[name]
        if isinstance(usual, bool):
            if str(value).lower() not in ("true", "false"):
                raise SettingsError(f"{called} = {shown_text(value)}: expected true or false.")
            return str(value).lower() == "true"
        if isinstance(usual, str):
            return str(value)
        try:
            number = float(str(value))
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise SettingsError(f"{called} = {shown_text(value)}: expected a number.")
        return number


def own_function(text: str) -> OwnFunction | None:
    """Return the similarity that a text names if it has the form of a function's name; nothing is imported.

    >>> str(own_function("D[ranking.models:pl2]")), own_function("bm25")
    ('D[ranking.models:pl2]', None)
    """
    match = WRITTEN.fullmatch(text.strip())
    if match is None:
        return None
    name = match["documents"] or match["elements"]
    letters = parse_expression(LETTERS[DOCUMENTS if match["documents"] else ELEMENTS])
    if not isinstance(letters, Calculated):
        raise TypeError(f"{letters} is not calculated")
    return OwnFunction(letters.context, letters.combining, letters.term_weight, letters.unit, letters.query, name)


def _keywords(name: str, function: Callable[..., Any]) -> Mapping[str, ParameterValue]:
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise SettingsError(f"similarity {name}: its parameters cannot be read: {error}.") from None
    found: dict[str, ParameterValue] = {}
    for each in given:
        if each.kind is not inspect.Parameter.KEYWORD_ONLY:
            continue
        usual = each.default
        if not isinstance(usual, bool | int | float | str) or (isinstance(usual, float) and not math.isfinite(usual)):
            raise SettingsError(
                f"similarity {name}: its parameter {each.name} has no default that is a number, a bool or text: write "
                f"such as {each.name}=1.0 after the *."
            )
        found[each.name] = usual if isinstance(usual, bool | str) else float(usual)
    return found
