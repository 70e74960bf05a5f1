"""Answers as small tables: text for terminals, HTML for notebooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import islice
from typing import Protocol

from engine.errors import FoxirError
from engine.printable import printable
from engine.retrieval.snippets import Snippet

# Answers that a table shows.
MOST_ROWS = 10
# Characters of a line of text.
WIDTH = 120
# Characters of a document id and of a path.
LONGEST_DOCUMENT, LONGEST_PATH = 24, 38


class Shown(Protocol):
    """One answer, as far as a table shows it."""

    @property
    def rank(self) -> int:
        """Rank, from 1."""

    @property
    def score(self) -> float:
        """Score."""

    @property
    def document(self) -> str:
        """Document id."""

    @property
    def path(self) -> str:
        """Path."""

    @property
    def snippet(self) -> Snippet:
        """Snippet."""


def text_table(title: str, answers: Sequence[Shown]) -> str:
    """Return a title and one line for each of the first answers: rank, score, document, path, snippet."""
    rows = [
        [str(each.rank), f"{each.score:.4f}", *_place(each), printable(snippet.text if snippet else "")]
        for each, snippet in _with_snippets(answers)
    ]
    names = ["rank", "score", "document", "path", "snippet"]
    widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
    lines = [printable(title)]
    for rank, score, document, path, snippet in [names, *rows] if rows else []:
        line = f"{rank:>{widths[0]}}  {score:>{widths[1]}}  {document:<{widths[2]}}  {path:<{widths[3]}}  {snippet}"
        lines.append(shortened(line.rstrip(), WIDTH))
    return "\n".join([*lines, *_more(answers)])


def html_table(title: str, answers: Sequence[Shown]) -> str:
    """Return the same as an HTML table, all text escaped, with query terms in the snippets in bold."""
    names = "".join(f"<th>{name}</th>" for name in ("rank", "score", "document", "path", "snippet"))
    rows = "".join(
        f"<tr><td>{each.rank}</td><td>{each.score:.4f}</td>"
        + "".join(f"<td>{escape(text)}</td>" for text in _place(each))
        + f"<td>{_bold(snippet) if snippet else ''}</td></tr>\n"
        for each, snippet in _with_snippets(answers)
    )
    more = "".join(f"<p>{escape(line)}</p>" for line in _more(answers))
    table = f"<table>\n<thead><tr>{names}</tr></thead>\n<tbody>\n{rows}</tbody></table>" if rows else ""
    return f"<p>{escape(printable(title))}</p>{table}{more}"


def shortened(text: str, most: int) -> str:
    """Return text cut to a number of characters, with an ellipsis if it is cut."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _place(answer: Shown) -> tuple[str, str]:
    """Return document and path, the less specific begin of a long path as an ellipsis."""
    path = printable(answer.path)
    if len(path) > LONGEST_PATH:
        path = "…" + path[1 - LONGEST_PATH :]
    return shortened(printable(answer.document), LONGEST_DOCUMENT), path


def _with_snippets(answers: Sequence[Shown]) -> Iterator[tuple[Shown, Snippet | None]]:
    """Yield the first answers with their snippets; None from where the index cannot be read, as after it was closed."""
    is_readable = True
    for answer in islice(answers, MOST_ROWS):
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


def _more(answers: Sequence[Shown]) -> list[str]:
    left = len(answers) - MOST_ROWS
    return [f"and {left} more"] if left > 0 else []
