"""The types of settings in Python: numbers and flags, not their text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any

from engine.settings.definitions import KINDS, PREFIX
from engine.settings.kinds.length import Length
from engine.settings.kinds.number_types import Count, LengthKind, MemorySizeKind, Number
from engine.settings.kinds.selector_types import AnswersKind, TagsKind
from engine.settings.kinds.tag_selector import TagSelector
from engine.settings.kinds.value_types import EncoderKind, Flag, Kind
from engine.similarity.parameters import PARAMETERS
from engine.wording.shown_values import shown

# The types of a value, and how a message calls them; of a kind of settings the first entry that fits, else text.
_TYPES: Mapping[type[Kind], tuple[tuple[Any, ...], str]] = {
    Flag: ((bool,), "bool"),
    MemorySizeKind: ((Integral, str), 'int or a size such as "512M"'),
    Count: ((Integral,), "int"),
    Number: ((Real,), "float"),
    LengthKind: ((Real, str, Length), 'int, a multiple such as "0.5x" or Length'),
    AnswersKind: ((str, TagSelector), "str or TagSelector"),
    TagsKind: ((str, TagSelector), "str or TagSelector"),
    EncoderKind: ((str, Callable), "str or a function"),
}
_TEXT = ((str,), "str")


def check_types(options: Mapping[str, Any]) -> None:
    """Raise TypeError for the first option whose value has a type that a caller from Python does not mean.

    Text is legal where a setting is text, and the word for None (`max_matches="all"`). Unknown names are not checked.
    """
    for name, value in options.items():
        types, expected, absent = _expected(name)
        if absent is not None and (value is None or value == absent):
            continue
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            none = "" if absent is None else f', None or "{absent}"'
            raise TypeError(f"{name}: expected {expected}{none}, got {type(value).__name__} {shown(value)}.")


def _expected(name: str) -> tuple[tuple[Any, ...], str, str | None]:
    """Return the types of an option, their names, and the word that denotes None; of an unknown one, any type."""
    if kind := KINDS.get(name):
        types, expected = next((found for each, found in _TYPES.items() if isinstance(kind, each)), _TEXT)
        return types, expected, kind.absent
    if name == "preset":
        return (*_TEXT, None)
    legal = PARAMETERS.get(name.removeprefix(PREFIX))
    if legal is None:
        return (object, bool), "", None
    if isinstance(legal[0], str):
        return (*_TEXT, None)
    return (*(((bool,), "bool") if isinstance(legal[0], bool) else ((Real,), "float")), None)
