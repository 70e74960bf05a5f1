"""`foxir show`: a document, an element or a stretch of text, as text or as the XML it was read from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from engine.errors import QueryError
from engine.index.elements.element_lookup import number_of, row_of, smallest_element, stretch_of
from engine.index.reader import IndexReader
from engine.presentation.readable_text import readable_parts
from engine.wording import counted
from foxir.results.elements import Element
from foxir.terminal.command_class import FoxirCommand, count_option, headed_option
from foxir.terminal.console import print_json
from foxir.terminal.control_characters import visible, visible_line
from foxir.terminal.exit_status import DONE
from foxir.terminal.options.options import OUTPUT, index_argument, json_option, open_filled_index


@dataclass(frozen=True)
class ShownText:
    """The shown stretch: characters of a document, and the smallest element around them."""

    index: IndexReader
    number: int
    row: int
    start: int
    end: int

    @property
    def element(self) -> Element:
        """The element."""
        return Element(self.index, self.row)

    @property
    def is_element(self) -> bool:
        """Whether it is the whole element."""
        return (self.start, self.end) == (self.element.start, self.element.end)

    def texts(self, context: int) -> tuple[str, str, str]:
        """Return the text with its context, in characters before and after it."""
        text = self.index.text(self.number)
        before = text[max(0, self.start - context) : self.start]
        return before, text[self.start : self.end], text[self.end : self.end + context]

    def readable_texts(self, context: int) -> tuple[str, str, str]:
        """Return the `texts` for readers: in lines, with one line for each row of a table."""
        root = int(self.index.elements.root(np.array([self.number]))[0])
        length = int(self.index.spans(self.number, np.array([root]))[0, 1])
        edges = max(0, self.start - context), self.start, self.end, min(length, self.end + context)
        before, text, after = readable_parts(self.index, self.number, root if context else self.row, edges)
        return before, text, after

    def to_dict(self, context: int) -> dict[str, Any]:
        """Return the document of `--json`; `words` is None of a stretch inside an element."""
        element = self.element
        before, text, after = self.texts(context)
        return {
            "document": element.document,
            "path": element.path,
            "profile": self.index.profile_of(self.number).name,
            "start": self.start,
            "end": self.end,
            "words": element.words if self.is_element else None,
            "breadcrumb": element.breadcrumb,
            "before": before,
            "text": text,
            "after": after,
        }


def find_text(index: IndexReader, document: str, place: str | None) -> ShownText:
    """Return the element or stretch at a place; the root without one.

    Raises: QueryError for a document or a place that is not in the index.
    """
    number = number_of(index, document)
    stretch = stretch_of(index, number, place or "")
    if stretch is not None:
        return ShownText(index, number, smallest_element(index, number, *stretch), *stretch)
    row = int(index.elements.root(np.array([number]))[0]) if place is None else _row(index, document, place)
    return ShownText(index, number, row, *index.spans(number, np.array([row]))[0].tolist())


def _row(index: IndexReader, document: str, place: str) -> int:
    """Return the row of the element at a path or with an id; raises QueryError."""
    try:
        return row_of(index, document, place)
    except QueryError as error:
        if place.startswith("/"):
            raise
        raise QueryError(f"{error} OFFSET:LENGTH, such as 5456:27, is a stretch of text.") from None


@click.command(name="show", cls=FoxirCommand)
@index_argument
@click.argument("document", metavar="DOCUMENT")
@click.argument("place", required=False, metavar="[PATH|ID|OFFSET:LENGTH]")
@headed_option(OUTPUT, "--text", "text_only", is_flag=True, help="Print the text alone, without a heading.")
@headed_option(OUTPUT, "--xml", "as_xml", is_flag=True, help="Print the XML of the element as written in the source.")
@count_option(OUTPUT, "--context", minimum=0, default=0, help="Number of characters to print before and after it.")
@json_option
def command(
    index: Path, document: str, place: str | None, text_only: bool, as_xml: bool, context: int, as_json: bool
) -> int:
    """Show a document, one of its elements, or a stretch of its text.

    DOCUMENT and PATH are as 'foxir search' prints them; a step without a number is the first of its name. ID is an
    xml:id or id. OFFSET:LENGTH are characters of the document's text; --xml then prints the smallest element around
    them. The text is that of the index; --xml reads the source, which must not have changed since.

    \b
    Examples:
      foxir show demo.foxir jats/fx-006 '/article[1]/body[1]/sec[5]/p[1]'
      foxir show demo.foxir jats/fx-006 /article/body/sec --text
      foxir show demo.foxir jats/fx-006 s3a
      foxir show demo.foxir jats/fx-006 5456:27 --context 80
      foxir show demo.foxir jats/fx-006 '/article[1]/body[1]/sec[5]/p[1]' --xml
    """
    if as_xml and text_only:
        raise click.UsageError("--xml and --text are two forms of the same element: choose one.")
    if as_xml and context:
        raise click.UsageError("--context adds text before and after, which --xml does not print: leave one out.")
    opened = open_filled_index(index)
    shown = find_text(opened.reader, document, place)
    if as_xml:
        source = shown.element.source()
        if as_json:
            print_json({**shown.to_dict(0), **source._asdict()})
        else:
            click.echo(visible(source.xml))
    elif as_json:
        print_json(shown.to_dict(context))
    else:
        if not text_only:
            click.echo(_heading(shown))
        before, text, after = (visible(part) for part in shown.readable_texts(context))
        marked = click.style(text, bold=True) if before or after else text
        click.echo(f"{before}{marked}{after}")
    return DONE


def _heading(shown: ShownText) -> str:
    """Return the place of the text, in lines as those of 'foxir search'."""
    element = shown.element
    head = f"{click.style(visible_line(element.document), bold=True)} {visible_line(element.path)}"
    facts = f"characters {shown.start}-{shown.end}"
    if shown.is_element:
        facts += f" · {counted(element.words, 'word')}"
    facts += f" · profile {shown.index.profile_of(shown.number).name}"
    lines = [head, click.style(f"     {visible_line(facts)}", dim=True)]
    if element.breadcrumb:
        lines.append("     " + " › ".join(map(visible_line, element.breadcrumb)))
    return "\n".join([*lines, ""])
