"""Tests of conditions on texts of elements and attribute values."""

from __future__ import annotations

import operator as operators
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.collection.markup.long_values import beginning, comparable
from engine.query.nexi.tree import Operator, Term
from engine.query.query_terms import QueryTerm, analyse
from engine.text.alternative_terms import term_matches
from engine.text.analyser import Analyser

NUMBER = re.compile(r"\s*[+-]?[0-9]+(\.[0-9]+)?\s*")
# longest text, in characters, whose test result is cached; longer ones rarely repeat
LONGEST_CACHED = 64
OPERATORS: Mapping[Operator, Callable[[Any, Any], bool]] = {
    "=": operators.eq,
    "!=": operators.ne,
    "<": operators.lt,
    "<=": operators.le,
    ">": operators.gt,
    ">=": operators.ge,
    "exists": lambda _text, _value: True,
}


def compares(text: str, operator: Operator, value: float | str) -> bool:
    """Return whether the comparison of a text with a value is true.

    Args:
        text: of an element, or the stored value of an attribute.

    With a number, the whole text is parsed as a number; a text that is not a number satisfies `!=` only. With a string,
    texts are compared by code point, case-sensitively, with white space collapsed and stripped.

    >>> compares(" 1999 ", ">", 1998.0), compares("May 1999", ">", 1998.0), compares("May\\n1999", "=", "May 1999")
    (True, False, True)
    """
    if isinstance(value, str):
        return OPERATORS[operator](*comparable(text, value))
    if not NUMBER.fullmatch(text):
        return operator == "!="
    return OPERATORS[operator](float(text), value)


class CachedTests(dict[str, bool]):
    """Results of a test by text, computed on first lookup: most values, such as years, occur many times."""

    def __init__(self, fits: Callable[[str], bool]) -> None:
        super().__init__()
        self._fits = fits

    def __missing__(self, text: str) -> bool:
        is_fitting = self._fits(text)
        if len(text) <= LONGEST_CACHED:
            self[text] = is_fitting
        return is_fitting


def attribute_contains_terms(analyser: Analyser, terms: tuple[Term, ...], value: str, *, needs_all: bool) -> bool:
    """Return whether a stored value contains any of the terms (or), or all (and), and no unwanted one."""
    words = analyser.text_terms(beginning(value))
    wanted: list[bool] = []
    for term in analyse(terms, analyser):
        if term.sign != "-":
            wanted.append(_contains(words, term))
        elif _contains(words, term):
            return False
    return bool(wanted) and (all(wanted) if needs_all else any(wanted))


def _contains(words: Sequence[frozenset[str]], term: QueryTerm) -> bool:
    begins = range(len(words) - max(term.places))
    places = list(zip(term.places, term.words, strict=True))
    return any(all(term_matches(word, words[begin + place]) for place, word in places) for begin in begins)
