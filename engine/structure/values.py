"""The values that conditions look at: texts of elements, and attributes."""

from __future__ import annotations

import operator as operators
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from engine.analysis import Analyser
from engine.index.index import Index
from engine.nexi import Term
from engine.nexi.tree import Operator
from engine.query import QueryTerm, analyse
from engine.regions import Rows

NUMBER = re.compile(r"\s*[+-]?[0-9]+(\.[0-9]+)?\s*")
LONGEST_KEPT = 64  # characters of a text whose verdict is kept; longer ones hardly come up twice
OPERATORS: Mapping[Operator, Callable[[Any, Any], bool]] = {
    "=": operators.eq,
    "!=": operators.ne,
    "<": operators.lt,
    "<=": operators.le,
    ">": operators.gt,
    ">=": operators.ge,
}


def compares(text: str, operator: Operator, value: float | str) -> bool:
    """Return whether a text compares with a value.

    With a number, the whole text counts as one; a text that is none differs from every number (`!=`), and is neither
    smaller nor larger. With a string, texts compare by code point, case-sensitively, runs of white space being one
    blank and none at the ends.

    >>> compares(" 1999 ", ">", 1998.0), compares("May 1999", ">", 1998.0), compares("May\\n1999", "=", "May 1999")
    (True, False, True)
    """
    if isinstance(value, str):
        return OPERATORS[operator](" ".join(text.split()), " ".join(value.split()))
    if not NUMBER.fullmatch(text):
        return operator == "!="
    return OPERATORS[operator](float(text), value)


def element_texts(index: Index, rows: Rows) -> Iterator[str]:
    """Yield the texts of some elements, which are ascending."""
    documents = index.elements.document(rows)
    begins = np.flatnonzero(np.diff(documents, prepend=-1))
    places = rows - index.elements.root(documents)
    for document, begin, end in zip(
        documents[begins].tolist(), begins.tolist(), [*begins[1:].tolist(), len(rows)], strict=True
    ):
        segment, own = index.locate(document)
        yield from index.segments[segment].texts.of_elements(own, places[begin:end])


class Verdicts(dict[str, bool]):
    """Whether texts fit, each looked at once: most values, such as years, come up again and again."""

    def __init__(self, fits: Callable[[str], bool]) -> None:
        super().__init__()
        self._fits = fits

    def __missing__(self, text: str) -> bool:
        verdict = self._fits(text)
        if len(text) <= LONGEST_KEPT:
            self[text] = verdict
        return verdict


def attribute_holds_term(analyser: Analyser, terms: tuple[Term, ...], value: str, match: str) -> bool:
    """Return whether a value holds any of the terms (or), or all (and), and none that is unwanted."""
    words = analyser.terms(value)
    wanted: list[bool] = []
    for term in analyse(terms, analyser):
        if term.sign != "-":
            wanted.append(_holds(words, term))
        elif _holds(words, term):
            return False
    return bool(wanted) and (all(wanted) if match == "and" else any(wanted))


def _holds(words: list[str | None], term: QueryTerm) -> bool:
    begins = range(len(words) - max(term.places))
    places = list(zip(term.places, term.words, strict=True))
    return any(all(words[begin + place] == word for place, word in places) for begin in begins)
