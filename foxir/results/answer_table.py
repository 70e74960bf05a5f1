"""Answers as small tables: text for terminals, HTML for notebooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import islice
from typing import Protocol

from engine import preview_table
from engine.errors import FoxirError
from engine.presentation.snippets import Snippet
from engine.wording import printable, shortened

NAMES = ("rank", "score", "document", "path", "snippet")
# Characters of a line of text.
WIDTH = 120
# Characters of a document id and of a path.
LONGEST_DOCUMENT, LONGEST_PATH = 24, 38


class ShownAnswer(Protocol):
    """One answer, as far as a table shows it."""

    @property
    def rank(self) -> int:
        """Rank, from 1."""

    @property
    def score(self) -> float:
        """Score of the answer for its query."""

    @property
    def document(self) -> str:
        """Document id."""

    @property
    def path(self) -> str:
        """Path of the element, such as /article[1]/sec[2]."""

    @property
    def snippet(self) -> Snippet:
        """Extract of the text around the query's words."""


def text_table(title: str, answers: Sequence[ShownAnswer]) -> str:
    """Return a title and one line for each of the first answers: rank, score, document, path, snippet."""
    rows = [[*_cells(each), snippet.text if snippet else ""] for each, snippet in _with_snippets(answers)]
    title, *lines = preview_table.text_table(title, NAMES, rows, len(answers), right=("rank", "score")).split("\n")
    return "\n".join([title, *(shortened(line, WIDTH) for line in lines)])


def html_table(title: str, answers: Sequence[ShownAnswer]) -> str:
    """Return the `text_table` as an HTML table: all text escaped, query terms in the snippets in bold."""
    rows = [
        [*map(preview_table.html_cell, _cells(each)), _bold(snippet) if snippet else ""]
        for each, snippet in _with_snippets(answers)
    ]
    return preview_table.html_table(title, NAMES, rows, len(answers))


def _cells(answer: ShownAnswer) -> list[str]:
    """Return rank, score, document and path, the less specific begin of a long path as an ellipsis."""
    path = printable(answer.path)
    if len(path) > LONGEST_PATH:
        path = "…" + path[1 - LONGEST_PATH :]
    document = shortened(printable(answer.document), LONGEST_DOCUMENT)
    return [str(answer.rank), f"{answer.score:.4f}", document, path]


def _with_snippets(answers: Sequence[ShownAnswer]) -> Iterator[tuple[ShownAnswer, Snippet | None]]:
    """Yield the first answers with their snippets; None from where the index cannot be read, as after it was closed."""
    is_readable = True
    for answer in islice(answers, preview_table.MOST_ROWS):
        snippet = None
        if is_readable:
            try:
                snippet = answer.snippet
            except FoxirError:
                is_readable = False
        yield answer, snippet


def _bold(snippet: Snippet) -> str:
    parts, last = [], 0
    for start, end in snippet.marks:
        parts += [escape(snippet.text[last:start]), f"<b>{escape(snippet.text[start:end])}</b>"]
        last = end
    return "".join([*parts, escape(snippet.text[last:])])
