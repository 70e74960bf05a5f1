"""A place in the text of a query, and the few moves that all rules of the grammar share."""

import re

from engine.errors import QueryError
from engine.nexi.complaint import complaint

MAX_DEPTH = 50
"""Parentheses and ``not`` may be nested so deep: far more than anybody writes, far less than Python can take."""

BLANKS = re.compile(r"\s*")
LETTERS = re.compile(r"[^\W\d_]+")
OPENED_BY = {")": "(", "]": "["}


class Cursor:
    """Where the parser stands in a query, and how deep in its parentheses."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.depth = 0

    def peek(self) -> str:
        """Return the next character that is no blank, moving up to it; empty at the end."""
        if match := BLANKS.match(self.text, self.position):
            self.position = match.end()
        return self.text[self.position : self.position + 1]

    def take(self, pattern: re.Pattern[str]) -> str:
        """Return what matches here and move behind it; empty, and no move, if nothing does."""
        self.peek()
        match = pattern.match(self.text, self.position)
        if match is None:
            return ""
        self.position = match.end()
        return match[0]

    def take_word(self, word: str) -> bool:
        """Move behind a word of the language, in any case, if it stands here; return whether it did."""
        begin = self.position
        if self.take(LETTERS).lower() == word:
            return True
        self.position = begin
        return False

    def close(self, bracket: str, opening: int, fix: str = "") -> None:
        """Move behind a closing bracket; complain, naming the opening one, if something else stands here."""
        if self.peek() == bracket:
            self.position += 1
            return
        expected = f"{bracket} was expected, for the {OPENED_BY[bracket]} at position {opening + 1}"
        raise self.error(f"{expected}, not {self.found()}", fix or f"Add {bracket} here, or remove what is too much.")

    def descend(self) -> None:
        """Count one more level of nesting; complain if it is too deep."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            message = f"parentheses and not are nested deeper than {MAX_DEPTH} levels"
            raise self.error(message, "Remove parentheses that change nothing.")

    def rest(self, stop: str) -> str:
        """Return the text from here to a character, for use in a proposal; cut if it is long."""
        return " ".join(self.text[self.position : self.position + 80].partition(stop)[0].split())

    def found(self) -> str:
        """Return the next word or character as a message shows it."""
        match = re.compile(r"\w{1,30}|.", re.DOTALL).match(self.text, self.position)
        return repr(match[0]) if match else "the end of the query"

    def error(self, message: str, fix: str, position: int | None = None) -> QueryError:
        """Return an error at a position, here if none is given."""
        return complaint(self.text, self.position if position is None else position, message, fix)
