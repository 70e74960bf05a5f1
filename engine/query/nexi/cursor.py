"""The parser's position in a query, with the operations of all grammar rules."""

from __future__ import annotations

import re

from engine.errors import QueryError
from engine.notices import Message
from engine.query.nexi.syntax_error import syntax_error_at

# Depth of nested parentheses and `not`: more than any real query has, less than Python's recursion limit.
MAX_DEPTH = 50

BLANKS = re.compile(r"\s*")
LETTERS = re.compile(r"[^\W\d_]+")
OPENED_BY = {")": "(", "]": "["}


class Cursor:
    """The parser's position in a query, and the depth of nesting there."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.depth = 0

    def peek(self) -> str:
        """Skip blanks and return the next character without consuming it; "" at the end."""
        if match := BLANKS.match(self.text, self.position):
            self.position = match.end()
        return self.text[self.position : self.position + 1]

    def take(self, pattern: re.Pattern[str]) -> str:
        """Consume and return what the pattern matches here; "" if it does not match."""
        self.peek()
        match = pattern.match(self.text, self.position)
        if match is None:
            return ""
        self.position = match.end()
        return match[0]

    def is_before(self, pattern: re.Pattern[str]) -> bool:
        """Return whether the pattern matches here, without consuming it."""
        self.peek()
        return pattern.match(self.text, self.position) is not None

    def take_word(self, word: str) -> bool:
        """Consume a keyword of the language, in upper or lower case; return whether it was here."""
        begin = self.position
        if self.take(LETTERS).lower() == word:
            return True
        self.position = begin
        return False

    def close(self, bracket: str, opening: int, fix: str = "") -> None:
        """Consume a closing bracket; raises QueryError, with the position of the opening one, if it is missing."""
        if self.peek() == bracket:
            self.position += 1
            return
        expected = f"{bracket} was expected, for the {OPENED_BY[bracket]} at position {opening + 1}"
        raise self.error(f"{expected}, not {self.found()}", fix or f"Add {bracket} here, or remove the surplus text.")

    def descend(self) -> None:
        """Enter one more level of nesting; raises QueryError if it is too deep."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            message = f"parentheses and not are nested deeper than {MAX_DEPTH} levels"
            raise self.error(message, "Remove redundant parentheses.")

    def rest(self, stop: str) -> str:
        """Return the text from here to a character, for a suggestion; at most 80 characters."""
        return " ".join(self.text[self.position : self.position + 80].partition(stop)[0].split())

    def found(self) -> str:
        """Return the next word or character, quoted for a message."""
        match = re.compile(r"\w{1,30}|.", re.DOTALL).match(self.text, self.position)
        return repr(match[0]) if match else "the end of the query"

    def error(self, message: str, fix: Message, position: int | None = None) -> QueryError:
        """Return an error at a position, by default the current one."""
        return syntax_error_at(self.text, self.position if position is None else position, message, fix)
