"""Elements of an open index as a tree: what contains an answer, what it contains, and its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, NoReturn, get_args

import numpy as np
from numpy.typing import NDArray

from engine.columns.checked_folder import all_read_columns
from engine.errors import FoxirError
from engine.index.locator import element_paths
from engine.index.reader import IndexReader
from engine.presentation.breadcrumbs import breadcrumbs
from engine.presentation.readable_text import readable_text
from engine.structure.inline_elements import n_words
from engine.wording import printable
from foxir import arguments


class ElementSource(NamedTuple):
    """Place of an element in its source: the file, the line from 1, and its XML as it was written."""

    file: str
    line: int
    xml: str

    def __repr__(self) -> str:
        return f"ElementSource({self.file!r}, line={self.line}, characters={len(self.xml)})"


@all_read_columns
class Element:
    """An element of a document in an open index.

    >>> element = index.element("jats/fx-006", "/article[1]/body[1]/sec[1]")   # doctest: +SKIP
    >>> element.next.text                                                       # doctest: +SKIP

    `parent`, `children`, `previous` and `next` are the elements around it; inline elements (emphasis, links) belong to
    the text of their parents and are none of them. Elements are equal if document, path and generation are.
    """

    __slots__ = ("_manifest", "_reader", "row")

    def __init__(self, reader: IndexReader, row: int) -> None:
        if not isinstance(reader, IndexReader):
            raise arguments.refuse_type("reader", reader, "an IndexReader (Index.element returns elements)")
        self._reader = reader
        self.row = arguments.count("row", row, lowest=0, highest=int(reader.elements.row_base[-1]) - 1)
        self._manifest = reader.manifest

    @property
    def document(self) -> str:
        """Document id."""
        return self._reader.ids[self.number]

    @property
    def path(self) -> str:
        """Path from the root: `/article[1]/body[1]/sec[2]`."""
        return element_paths(self._reader, self._rows)[0]

    @property
    def tag(self) -> str:
        """Name of the element."""
        return self._reader.elements.tags[int(self._reader.elements.tag(self._rows)[0])]

    @property
    def start(self) -> int:
        """First character (code point) in the document's text."""
        return self._span[0]

    @property
    def end(self) -> int:
        """One past the last character."""
        return self._span[1]

    @property
    def words(self) -> int:
        """Number of words, stop words included."""
        return int(n_words(self._reader, self._rows)[0])

    @property
    def text(self) -> str:
        """Text of the element, white space as in the document: the characters from `start` to `end`."""
        start, end = self._span
        return self._reader.text(self.number)[start:end]

    @property
    def readable_text(self) -> str:
        """Text for readers and models: in lines, white space collapsed; a row of a table is one: `Cause | Remedy`."""
        return readable_text(self._reader, self.number, self.row, *self._span)

    @property
    def breadcrumb(self) -> list[str]:
        """Titles of the document and of the sections down to the element."""
        return breadcrumbs(self._reader, np.array([self.number]), self._rows)[0]

    def source(self) -> ElementSource:
        """Return the place of the element in its source, and its XML as written.

        Raises: CollectionError if the source is not there any more, or has changed since it was indexed.
        """
        from engine.presentation.source_documents import SourceDocuments  # noqa: PLC0415  (it imports the reader of XML)

        with SourceDocuments(self._reader) as sources:
            found = sources.document(self.number)
            return ElementSource(found.file, found.line(self.row), found.xml(self.row))

    @property
    def parent(self) -> Element | None:
        """The nearest element around it that is not inline; None for the root."""
        elements = self._reader.elements
        above = elements.parent(self._rows)
        return None if above[0] == self.row else Element(self._reader, int(elements.nearest_non_inline(above)[0]))

    @property
    def children(self) -> tuple[Element, ...]:
        """The elements directly inside it, in document order."""
        return tuple(Element(self._reader, row) for row in self._children.tolist())

    @property
    def previous(self) -> Element | None:
        """The element before it with the same parent; None for the first."""
        return self._sibling(-1)

    @property
    def next(self) -> Element | None:
        """The element after it with the same parent; None for the last."""
        return self._sibling(1)

    def to_dict(self, *, text: bool = False) -> dict[str, Any]:
        """Return document, path, start, end, words and breadcrumb; with `text`, `text` and `readable_text` too."""
        row: dict[str, Any] = {name: getattr(self, name) for name in ("document", "path", "start", "end", "words")}
        row["breadcrumb"] = self.breadcrumb
        with_text = arguments.flag("text", text)
        return {**row, "text": self.text, "readable_text": self.readable_text} if with_text else row

    @property
    def _rows(self) -> NDArray[np.int64]:
        return np.array([self.row])

    @property
    def number(self) -> int:
        """Number of the document in the index."""
        return int(self._reader.elements.document(self._rows)[0])

    @property
    def _span(self) -> tuple[int, int]:
        start, end = self._reader.spans(self.number, self._rows)[0].tolist()
        return start, end

    @property
    def _children(self) -> NDArray[np.int64]:
        elements = self._reader.elements
        below = np.arange(self.row + 1, int(elements.end(self._rows)[0]))
        children = below[elements.parent(below) == self.row]
        shown: NDArray[np.int64] = children[~elements.is_inline(children)]
        return shown

    def _sibling(self, step: int) -> Element | None:
        parent = self.parent
        if parent is None:
            return None
        siblings = parent._children
        place = int(np.searchsorted(siblings, self.row, side="left" if step < 0 else "right")) + min(step, 0)
        return Element(self._reader, int(siblings[place])) if 0 <= place < len(siblings) else None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Element):
            return NotImplemented
        return self.row == other.row and self._manifest == other._manifest

    def __hash__(self) -> int:
        return hash(self.row)

    def __repr__(self) -> str:
        try:
            return printable(f"Element({self.document!r}, {self.path!r})")
        except FoxirError:  # a repr is for tracebacks, too
            return f"Element(row {self.row} of a closed index)"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{self!r} cannot be pickled: pickle its document and path, which Index.element takes.")


NeighbourName = Literal["parent", "children", "previous", "next"]


def neighbours_of(
    element: Element, names: Sequence[str], *, text: bool = False, readable: bool = False
) -> dict[str, Any]:
    """Return the neighbours of an element by name: a dictionary each (`Element.to_dict`), None where there is none.

    `children` are a list.

    Args:
        names: some of parent, children, previous, next.
        text: whether each has its text; readable: whether that is the readable one alone.

    Raises: ArgumentError for another name.
    """
    found: dict[str, Any] = {}
    for name in arguments.texts("neighbours", names):
        value = getattr(element, arguments.choice("neighbours", name, get_args(NeighbourName)))
        if name == "children":
            found[name] = [_plain(child, text=text, readable=readable) for child in value]
        else:
            found[name] = None if value is None else _plain(value, text=text, readable=readable)
    return found


def _plain(element: Element, *, text: bool, readable: bool) -> dict[str, Any]:
    return {**element.to_dict(), "text": element.readable_text} if text and readable else element.to_dict(text=text)
