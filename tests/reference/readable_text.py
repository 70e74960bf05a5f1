"""The readable text of an element the slow and obvious way: a tree of strings, written line by line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.presentation.readable_text import AFTER, BEFORE
from engine.presentation.snippets import runs_together
from engine.presentation.text_blocks import BLOCKS, BREAKS, PHRASES

WHITE = " \t\r\n"
# Empty inline elements that end a word, in the tests.
ENDING = {"lb"}
TABLES, ROWS, PREFORMATTED = {"table"}, {"tr", "row"}, {"pre"}


@dataclass
class Node:
    """An element: its tag, and its texts and elements in order."""

    tag: str
    content: list[Node | str] = field(default_factory=list)

    def markup(self) -> str:
        """Return it as XML."""
        inside = "".join(part if isinstance(part, str) else part.markup() for part in self.content)
        return f"<{self.tag}>{inside}</{self.tag}>"

    def text(self) -> str:
        """Return all text in it."""
        return "".join(part if isinstance(part, str) else part.text() for part in self.content)

    def below(self) -> Iterator[Node]:
        """Yield all elements in it."""
        for part in self.content:
            if isinstance(part, Node):
                yield part
                yield from part.below()


def own_text(node: Node, inline: set[str]) -> str:
    """Return the text of an element outside of the elements in it, but for inline ones."""
    return "".join(
        part if isinstance(part, str) else own_text(part, inline) if part.tag in inline else "" for part in node.content
    )


def is_listing(node: Node) -> bool:
    return node.tag in PREFORMATTED


def is_regular_row(node: Node) -> bool:
    """Return whether an element is a row that is written in one line."""
    return node.tag in ROWS and not any(
        below.tag in TABLES | ROWS or (is_listing(below) and "\n" in below.text().strip()) for below in shown(node)
    )


def shown(node: Node) -> Iterator[Node]:
    """Yield the elements in one, but for those in listings."""
    for part in node.content:
        if isinstance(part, Node):
            yield part
            if not is_listing(part):
                yield from shown(part)


def is_block(node: Node, inline: set[str]) -> bool:
    """Return whether an element is on lines of its own wherever it is."""
    if node.tag in inline:
        return False
    known = BLOCKS | TABLES | ROWS | PREFORMATTED
    if node.tag in known:
        return True
    return any(below.tag in known - inline for below in shown(node))


class Writer:
    """Lines of cells of words; what is between two of them is decided when the second one comes."""

    def __init__(self) -> None:
        self.lines: list[str] = []  # finished ones
        self.cells: list[str] = [""]
        self.is_row = self.is_blank = self.is_border = self.is_block_border = False

    def text(self, text: str) -> None:
        """Write text."""
        if not self.cells and text.strip():  # in a row, before its first cell
            self.cells.append("")
        for character in text:
            if character in WHITE:
                self.is_blank = True
                continue
            before = self.cells[-1] if self.cells else ""
            if before:
                if self.is_block_border:
                    self.cells[-1] += " " if before[-1] in BEFORE or character in AFTER else "; "
                elif self.is_blank or (self.is_border and runs_together(before[-1] + character, 1)):
                    self.cells[-1] += " "
            self.cells[-1] += character
            self.is_blank = self.is_border = self.is_block_border = False

    def end_line(self) -> None:
        if self.is_row:  # a block in a cell
            self.is_block_border = True
            return
        self.lines += [cell for cell in self.cells if cell]
        self.cells, self.is_blank, self.is_border = [""], False, False

    def row(self) -> None:
        self.end_line()
        self.is_row, self.cells = True, []

    def cell(self) -> None:
        self.cells.append("")
        self.is_blank = self.is_border = self.is_block_border = False

    def end_row(self) -> None:
        self.is_row = False
        if any(self.cells):
            line = "|".join(f" {cell} " if cell else " " for cell in self.cells)
            self.lines.append(line.strip())
        self.cells, self.is_blank, self.is_border, self.is_block_border = [""], False, False, False


def readable(root: Node, inline: set[str]) -> str:
    """Return the readable text of a whole document."""
    writer = Writer()
    write(root, writer, inline, flows=False)
    writer.end_line()
    return "\n".join(writer.lines)


def write(node: Node, writer: Writer, inline: set[str], *, flows: bool, around: Node | None = None) -> None:
    """Write an element.

    Args:
        flows: whether it is in a line of text. around: of an inline element, the nearest one around that is not.
    """
    if is_listing(node):
        lines = node.text().split("\n")
        while lines and not lines[0].strip():
            lines.pop(0)
        listing = "\n".join(lines).rstrip()
        if writer.is_row:
            writer.end_line()
            exactly(writer, listing.strip())
        elif listing:
            writer.lines.append(listing)
        return
    if is_regular_row(node):
        writer.row()
    flows = flows or bool(own_text(node, inline).strip())
    for part in node.content:
        if isinstance(part, str):
            writer.text(part)
        else:
            child(part, around or node, writer, inline, flows=flows)
    if is_regular_row(node):
        writer.end_row()


def child(part: Node, node: Node, writer: Writer, inline: set[str], *, flows: bool) -> None:
    """Write an element in another one."""
    if part.tag in ENDING:
        writer.is_border = True
    elif part.tag in inline:
        write(part, writer, inline, flows=flows, around=node)
    elif writer.is_row and is_regular_row(node):
        writer.cell()
        write(part, writer, inline, flows=False)
        writer.is_blank = True
    elif part.tag in BREAKS and writer.is_row:
        writer.is_blank = True
    elif part.tag in BREAKS:
        writer.end_line()
    elif not is_block(part, inline) and (flows or part.tag in PHRASES):
        writer.is_border = True
        write(part, writer, inline, flows=True)
        writer.is_border = True
    elif is_regular_row(part):
        write(part, writer, inline, flows=False)
    else:
        writer.end_line()
        write(part, writer, inline, flows=False)
        writer.end_line()


def exactly(writer: Writer, listing: str) -> None:
    """Write a listing of one line in a cell."""
    if listing:
        writer.text(listing[0])
        writer.cells[-1] += listing[1:]
    writer.end_line()
