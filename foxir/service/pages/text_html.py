"""A document's text as HTML in which the text nodes, in order, are exactly the text: offsets can be counted in it.

Every block is a `div`, because browsers rearrange other elements that are nested in ways HTML forbids; tables and lists
are marked as such by ARIA roles.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise

from engine.presentation.snippets import runs_together
from foxir.service.pages.document_view import DocumentPart, DocumentView

# Inline tags -> elements of HTML.
_INLINE = {
    "em": "italic it i em emph emphasis hi foreign foreignphrase citetitle firstterm term mentioned varname var cite",
    "strong": "bold b strong guilabel guibutton",
    "sub": "sub subscript msub",
    "sup": "sup super superscript msup",
    "code": "monospace code tt literal command filename function option parameter constant methodname classname",
}
# Blocks -> roles of ARIA and classes of the style sheet.
_BLOCKS = {
    "table": "table informaltable",
    "rowgroup": "thead tbody tfoot",
    "row": "tr row",
    "cell": "td entry cell",
    "columnheader": "th",
    "list": "list ul ol itemizedlist orderedlist simplelist variablelist listItems",
    "listitem": "item li listitem list-item varlistentry def-item",
    "p": "p para simpara ip1 ip2 ip3 s abstract",
    "figure": "fig figure mediaobject",
    "quote": "disp-quote blockquote quote cit",
    "code-block": "programlisting screen preformat code-block",
    "note": "note fn footnote caution warning tip important",
    "formula": "disp-formula formula equation",
}


def _by_tag(kinds: Mapping[str, str]) -> dict[str, str]:
    return {tag: kind for kind, tags in kinds.items() for tag in tags.split()}


INLINE = _by_tag(_INLINE)
BLOCKS = _by_tag(_BLOCKS)

# The role that an element must have around it to have its own: a row outside of a table is a plain block.
PARENTS = {
    "rowgroup": ("table",),
    "row": ("table", "rowgroup"),
    "cell": ("row",),
    "columnheader": ("row",),
    "listitem": ("list",),
}


# Words of a block that is shown beside others of its kind: names, numbers and dates of a heading.
BIT = 4

# Words of an element that is shown in the line of the text around it, and characters of the punctuation after it.
PHRASE, LONGEST_MARK = 50, 3


def role_of(view: DocumentView, place: int, roles: dict[int, str]) -> str:
    """Return and remember the role of a block, "" for none and for inline elements; `sub` and `sup` are in the line."""
    if view.is_inline[place]:
        return ""
    tag = view.tags[place]
    role = "heading" if tag in view.title_tags else BLOCKS.get(tag, "")
    if INLINE.get(tag) in ("sub", "sup") and place and view.ends[place] == place + 1:
        role = INLINE[tag]
    if role in ("", "heading") and place and _is_phrase(view, place):
        role = "phrase"
    if not role and place and view.words[place] <= BIT and view.ends[place] == place + 1:
        role = "bit"
    if role in PARENTS and (place == 0 or roles.get(view.parents[place]) not in PARENTS[role]):
        role = ""
    if role == "list" and not all(
        BLOCKS.get(view.tags[child]) == "listitem" and not view.is_inline[child] for child in view.children(place)
    ):
        role = "items"
    if role == "table" and not _is_regular(view, place):
        role = "tabular"
    roles[place] = role
    return role


def _is_phrase(view: DocumentView, place: int) -> bool:
    """Return whether nothing but a punctuation mark follows an element in its parent, as in a list of references."""
    parent, after = view.parents[place], view.ends[place]
    stop = view.starts[after] if after < view.ends[parent] else view.stops[parent]
    between = view.text[view.stops[place] : stop].strip()
    return 0 < len(between) <= LONGEST_MARK and not any(map(str.isalnum, between)) and view.words[place] <= PHRASE


def _is_regular(view: DocumentView, table: int) -> bool:
    """Return whether a table has nothing but rows of cells in it."""
    rows = [
        row
        for child in view.children(table)
        for row in (view.children(child) if BLOCKS.get(view.tags[child]) == "rowgroup" else [child])
    ]
    return bool(rows) and all(
        BLOCKS.get(view.tags[row]) == "row"
        and view.children(row)
        and all(BLOCKS.get(view.tags[cell]) in ("cell", "columnheader") for cell in view.children(row))
        for row in rows
    )


# A blank that the style sheet shows; it is not text, so that no offset changes.
GAP = '<span class="gap"></span>'
_ARIA = ("table", "rowgroup", "row", "cell", "columnheader", "list", "listitem")


@dataclass(frozen=True)
class TextMarks:
    """Marks in the text.

    spans: start, end and class ("" for query words), ascending, without overlap.
    focus: the characters that an address leads to. element: the place of the
    element that it leads to. heat: place -> 0 (cold) to 9. images: place -> the
    images that an element refers to, as HTML without text. link: returns the address of the page on an element's score.
    """

    spans: Sequence[tuple[int, int, str]] = ()
    focus: tuple[int, int] | None = None
    element: int | None = None
    heat: Mapping[int, int] = field(default_factory=dict)
    scores: Mapping[int, float] = field(default_factory=dict)
    images: Mapping[int, Sequence[str]] = field(default_factory=dict)
    link: Callable[[int], str] | None = None


def text_html(view: DocumentView, part: DocumentPart, marks: TextMarks) -> str:
    """Return a part of a document as HTML; everything that comes from the document is escaped."""
    out: list[str] = []
    pieces = _Pieces(view.text, part, marks)
    stack: list[tuple[int, int, str]] = []  # end of the subtree, of the text, and the closing tag
    roles: dict[int, str] = {}
    cursor, level = part.start, 1
    for place in [*_above(view, part.first), *range(part.first, part.end)]:
        while stack and stack[-1][0] <= place:
            _, stop, closing = stack.pop()
            out.append(pieces.between(cursor, stop))
            out.append(closing)
            cursor = max(cursor, stop)
        start, stop = view.starts[place], view.stops[place]
        out.append(pieces.between(cursor, start))
        cursor = max(cursor, start)
        role = role_of(view, place, roles)
        images = () if place < part.first else marks.images.get(place, ())
        if start == stop and not images and role not in ("cell", "columnheader"):
            if view.ends_words[place] and 0 < start < len(view.text) and runs_together(view.text, start):
                out.append(GAP)
            continue
        level = min(level + 1, 6, 1 + _depth(view, place)) if role == "heading" else level
        opening, closing = _tags(view, place, role, marks, level=level, is_repeated=place < part.first)
        out += [opening, *images]
        stack.append((view.ends[place], min(stop, part.stop), closing))
    while stack:
        _, stop, closing = stack.pop()
        out.append(pieces.between(cursor, stop))
        out.append(closing)
        cursor = max(cursor, stop)
    return "".join(out)


def _above(view: DocumentView, place: int) -> list[int]:
    """Return the ancestors of an element, from the root."""
    above: list[int] = []
    while place:
        place = view.parents[place]
        above.append(place)
    return above[::-1]


def _tags(
    view: DocumentView, place: int, role: str, marks: TextMarks, *, level: int, is_repeated: bool
) -> tuple[str, str]:
    """Return the opening and the closing tag of an element.

    level: of a heading, at most one below the heading before it.
    is_repeated: whether it began in an earlier part, where its id is.
    """
    if view.is_inline[place]:
        name = INLINE.get(view.tags[place], "span")
        return f"<{name}>", f"</{name}>"
    classes = [role] if role else []
    if view.is_skipped[place]:
        classes.append("skipped")
    if place == marks.element:
        classes.append("focus")
    attributes = "" if is_repeated else f' id="e{place}"'
    if role == "heading":
        attributes += f' role="heading" aria-level="{level}"'
    elif role in _ARIA:
        attributes += f' role="{role}"'
    if role in ("table", "tabular"):  # it may be wider than the page, and is then scrolled by the keyboard
        attributes += ' tabindex="0"'
    if classes:
        attributes += f' class="{" ".join(classes)}"'
    anchor = '<span id="focus"></span>' if place == marks.element and not is_repeated else ""
    return f"<div{attributes}>{anchor}{_why(view, place, marks)}", "</div>"


def _why(view: DocumentView, place: int, marks: TextMarks) -> str:
    """Return the link to the score of a block with words of its own; it has no text, so that no offset changes."""
    is_block = view.own_words[place] or place in marks.images
    if place not in marks.heat or marks.link is None or not is_block:
        return ""
    why = escape(f"Score {marks.scores[place]:.3f}: why?")
    return (
        f'<a class="why heat-{marks.heat[place]}" href="{escape(marks.link(place))}" title="{why}" '
        f'aria-label="{why}"></a>'
    )


def _depth(view: DocumentView, place: int) -> int:
    depth = 0
    while place:
        place = view.parents[place]
        depth += 1
    return depth


class _Pieces:
    """Escaped text between two characters, with its marks."""

    def __init__(self, text: str, part: DocumentPart, marks: TextMarks) -> None:
        self._text = text
        self._part = part
        self._spans = marks.spans
        self._begins = [start for start, _, _ in marks.spans]
        self._ends = [end for _, end, _ in marks.spans]
        self._focus = marks.focus

    def between(self, start: int, stop: int) -> str:
        """Return the text from `start` to `stop`, as far as the part has it."""
        start, stop = max(start, self._part.start), min(stop, self._part.stop)
        if start >= stop:
            return ""
        first, last = bisect_right(self._ends, start), bisect_left(self._begins, stop)
        is_in_focus = self._focus is not None and self._focus[0] < stop and self._focus[1] > start
        if first >= last and not is_in_focus:
            return _escaped(self._text[start:stop])
        edges = {start, stop}
        for begin, end, _ in self._spans[first:last]:
            edges |= {max(begin, start), min(end, stop)}
        if is_in_focus and self._focus is not None:
            edges |= {edge for edge in self._focus if start < edge < stop}
        places = sorted(edges)
        return "".join(self._piece(*piece) for piece in pairwise(places))

    def _piece(self, start: int, stop: int) -> str:
        shown = _escaped(self._text[start:stop])
        span = bisect_right(self._begins, start) - 1
        if span >= 0 and self._ends[span] > start:
            kind = self._spans[span][2]
            shown = f'<mark class="{kind}">{shown}</mark>' if kind else f"<mark>{shown}</mark>"
        if self._focus is not None and self._focus[0] <= start < self._focus[1]:
            anchor = ' id="focus"' if start == max(self._focus[0], self._part.start) else ""
            shown = f'<mark class="focus"{anchor}>{shown}</mark>'
        return shown


def _escaped(text: str) -> str:
    """Return text as HTML has it; a carriage return would else become a line feed."""
    return escape(text, quote=False).replace("\r", "&#13;")
