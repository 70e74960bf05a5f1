"""The parser's position in a query, with the operations of all grammar rules; errors show it with a caret."""

from __future__ import annotations

import re
import unicodedata

from engine.errors import QueryError
from engine.notices import Message, Notice

# Characters of the query that are shown on either side of the position.
CONTEXT_CHARACTERS = 36

# Longest message or hint, in characters; parts of the query may be quoted in them.
MAX_MESSAGE = 160


def syntax_error_at(query: str, position: int, found_and_expected: str, fix: Message) -> QueryError:
    """Return an error that shows the query around a position with a caret below it, and a hint.

    >>> error = syntax_error_at("//sec[about(.//p information)]", 17, "no comma", "Write about(.//p, information).")
    >>> error.notice.fields["position"]
    18
    """
    begin, end = max(0, position - CONTEXT_CHARACTERS), min(len(query), position + CONTEXT_CHARACTERS)
    before = "..." if begin > 0 else ""
    after = "..." if end < len(query) else ""
    caret = " " * (len(before) + sum(map(_columns, query[begin:position]))) + "^"
    fields = {
        "position": position + 1,
        "mistake": _clipped(found_and_expected),
        "shown": f"{before}{_printable(query[begin:end])}{after}",
        "caret": caret,
        "fix": _clipped(fix) if isinstance(fix, str) else fix,
    }
    return QueryError(Notice("query_syntax", fields))


def _clipped(text: str) -> str:
    """Return a text without its middle if it is too long."""
    text = _printable(text)
    return text if len(text) <= MAX_MESSAGE else f"{text[: MAX_MESSAGE // 2]}...{text[-MAX_MESSAGE // 2 :]}"


def _printable(text: str) -> str:
    """Return a text of the same length without control characters, safe to print."""
    return "".join(character if character.isprintable() else "·" for character in text)


def _columns(character: str) -> int:
    """Return the terminal columns of a character: 0 for combining marks, 2 for wide characters, else 1."""
    if not character.isprintable():
        return 1
    return (
        0 if unicodedata.category(character) in ("Mn", "Me") else 1 + (unicodedata.east_asian_width(character) in "WF")
    )


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
