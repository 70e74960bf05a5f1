"""Parsing Q-expressions; errors show the position and the letters that are legal there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal, TypeVar

from engine.errors import SettingsError
from engine.similarity.expression import Calculated, Expression, Fused, Propagated, Side
from engine.similarity.registry import (
    COMBINING,
    CONTEXTS,
    DOCUMENTS,
    ELEMENTS,
    FREQUENCY,
    LEAVES,
    LENGTH,
    METHOD,
    PROPAGATION,
    QUERY,
    TABLES,
    TERM_WEIGHT,
    Component,
    Context,
    ScoredContext,
    legal,
)

BEGINNINGS: Mapping[ScoredContext | Literal["C"], str] = {
    DOCUMENTS: "documents, calculated: D[BB-ABF-BAA]",
    LEAVES: "text nodes, calculated: T[AA-AAA-BAA]",
    ELEMENTS: "element nodes, calculated: E[DM-AFI-BAA]",
    "C": "element nodes, constructed: C[FC]--T[EA-AHA-AAA]",
}
CONSTRUCTED: Mapping[Literal["F", "G"], str] = {
    "F": "scores of text nodes, propagated: C[FC]--T[EA-AHA-AAA]",
    "G": "scores of elements, fused with their documents': C[G-]--D[BB-ACC-BCC]--E[BD-ACC-BCC]",
}
# most characters of a text that an error shows; no expression is as long
LONGEST = 200

Letter = TypeVar("Letter", bound=str)


def parse_expression(text: str) -> Expression:
    """Return the value of a Q-expression; spaces around it are ignored.

    Raises: SettingsError with the text, a caret, the letters that are legal there and their meaning.

    >>> str(parse_expression("E[DM-AFI-BAA]"))
    'E[DM-AFI-BAA]'
    """
    cursor = _Cursor(text.strip())
    begin = cursor.letter(BEGINNINGS, "what is scored")
    found = _constructed(cursor) if begin == "C" else _calculated(cursor, begin)
    cursor.end()
    return found


class _Cursor:
    """A position in the text, moved forward by reading signs and letters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0

    def sign(self, expected: str, example: str) -> None:
        """Read an expected sign."""
        if not self.text.startswith(expected, self.place):
            raise self.error(f"expected '{expected}', as in {example}")
        self.place += len(expected)

    def letter(self, legal_here: Mapping[Letter, str], what: str) -> Letter:
        """Read and return one of the letters that are legal here."""
        found = self.text[self.place : self.place + 1]
        letter = next((letter for letter in legal_here if letter == found), None)
        if letter is None:
            raise self.error(f"{_capital(found, legal_here)}expected a letter for {what}", legal_here)
        self.place += 1
        return letter

    def component(self, table: str, context: Context) -> str:
        """Read and return a letter of a table that is legal in a context."""
        letters = legal(table, context)
        what = f"the {table} of {CONTEXTS[context]}"
        found = self.text[self.place : self.place + 1]
        if found not in letters:
            elsewhere = TABLES[table].get(found)
            known = f"{found} ({elsewhere.line}) is not for {CONTEXTS[context]}; " if elsewhere else ""
            known = known or _capital(found, letters)
            raise self.error(f"{known}expected a letter for {what}", _meanings(letters, context))
        self.place += 1
        return found

    def end(self) -> None:
        """Raise unless the text ends here."""
        if self.place < len(self.text):
            raise self.error("expected the end of the expression")

    def error(self, message: str, letters: Mapping[Any, str] | None = None, place: int | None = None) -> SettingsError:
        """Return the error at this place."""
        at = self.place if place is None else place
        shown = "".join(each if each.isprintable() else "·" for each in self.text[:LONGEST])
        found = f"found '{shown[at]}'" if at < len(shown) else "found the end"
        lines = [f"Q-expression, position {at + 1}: {found}, {message}.", f"  {shown}", f"  {' ' * at}^"]
        lines += [f"  {letter}  {meaning}" for letter, meaning in (letters or {}).items()]
        return SettingsError("\n".join(lines))


def _capital(found: str, letters: Collection[str]) -> str:
    """Return a hint for a lower-case letter whose capital is legal, else nothing."""
    return "letters are capitals; " if found and found not in letters and found.upper() in letters else ""


def _meanings(letters: Mapping[str, Component], context: Context) -> dict[str, str]:
    return {letter: f"{each.line}: {each.formulas[context]}" for letter, each in letters.items()}


def _calculated(cursor: _Cursor, context: ScoredContext) -> Calculated:
    example = BEGINNINGS[context].rpartition(" ")[2]
    cursor.sign("[", example)
    combining, term_weight = cursor.component(COMBINING, context), cursor.component(TERM_WEIGHT, context)
    cursor.sign("-", example)
    unit = _side(cursor, context)
    if unit.frequency == "E" and unit.length in "BE":
        raise cursor.error(
            f"Okapi's relative term frequency, E, is made of the length, and the length {unit.length} of weights that "
            "are made of that frequency: expected another length, or another frequency",
            _meanings({k: v for k, v in legal(LENGTH, context).items() if k not in "BE"}, context),
            place=cursor.place - 1,
        )
    cursor.sign("-", example)
    query = _side(cursor, QUERY)
    cursor.sign("]", example)
    return Calculated(context, combining, term_weight, unit, query)


def _side(cursor: _Cursor, context: Context) -> Side:
    return Side(*(cursor.component(table, context) for table in (METHOD, FREQUENCY, LENGTH)))


def _constructed(cursor: _Cursor) -> Propagated | Fused:
    cursor.sign("[", "C[FC]--T[EA-AHA-AAA]")
    kind = cursor.letter(CONSTRUCTED, "how scores are constructed")
    example = CONSTRUCTED[kind].rpartition(" ")[2]
    if kind == "F":
        function = cursor.component(PROPAGATION, ELEMENTS)
        cursor.sign("]--", example)
        return Propagated(function, _part(cursor, LEAVES, example))
    cursor.sign("-]--", example)
    document = _part(cursor, DOCUMENTS, example)
    cursor.sign("--", example)
    return Fused(document, _part(cursor, ELEMENTS, example))


def _part(cursor: _Cursor, context: ScoredContext, example: str) -> Calculated:
    cursor.letter({context: f"{CONTEXTS[context]}: {example}"}, "the scores it is constructed from")
    return _calculated(cursor, context)
