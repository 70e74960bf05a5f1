"""A document's text as HTML in which the text nodes, in order, are exactly the text: offsets can be counted in it.

Every block is a `div`, because browsers rearrange other elements that are nested in ways HTML forbids; lists are marked
as such by ARIA roles. Tables and formulas are those of HTML and MathML (`table_html`, `formula_html`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from typing import NamedTuple

from engine.index.elements.nearest_tag import TAG_WORDS
from engine.presentation.snippets import runs_together
from engine.presentation.text_blocks import BREAKS
from foxir.service.pages.block_roles import IN_LINE, SMALL_CAPITALS, inline_name, is_next_bit, labelled, role_of
from foxir.service.pages.document_view import UNTITLED, DocumentPart, DocumentView
from foxir.service.pages.formula_html import MATH, Formulas
from foxir.service.pages.reference_marks import raised
from foxir.service.pages.table_html import CELL, GROUP, ROW, TABLE, Tables

# White space of HTML, which may stand between the rows of a table.
WHITE = " \t\n\f\r"
# A blank that the style sheet shows; it is not text, so that no offset changes.
GAP = '<span class="gap"></span>'
# Characters in which text before a break, and after it, is looked for.
NEAR = 200
_ARIA = ("list", "listitem")
# The heading, without text, of a part that has a name on pages and no title.
_HEADING = '<div role="heading" class="heading named" aria-label="{0}" data-name="{0}" aria-level="{1}"></div>'
# What references without text call parts of a document that have no title.
_KINDS = {tag: words for tag, words in TAG_WORDS.items() if words in ("Figure", "Table")}


@dataclass(frozen=True)
class TextMarks:
    """Marks in the text.

    spans: start, end and class ("" for query words), ascending, without overlap.
    focus: the characters that an address leads to. element: the place of the
    element that it leads to. heat: place -> 0 (cold) to 9. images: place -> the
    images that an element refers to, as HTML without text. link: returns the address of the page on an element's score.
    target: returns that of an element, to which others of the document lead.
    """

    spans: Sequence[tuple[int, int, str]] = ()
    focus: tuple[int, int] | None = None
    element: int | None = None
    heat: Mapping[int, int] = field(default_factory=dict)
    scores: Mapping[int, float] = field(default_factory=dict)
    images: Mapping[int, Sequence[str]] = field(default_factory=dict)
    link: Callable[[int], str] | None = None
    target: Callable[[int], str] | None = None


class _Open(NamedTuple):
    """An open element: its place, where its subtree and its text end, its closing tag, and the formula it is of.

    is_bare: whether browsers would move text in it: it is a table, a group of rows or a row.
    """

    place: int
    end: int
    stop: int
    closing: str
    formula: str = ""
    is_link: bool = False
    is_bare: bool = False


def text_html(view: DocumentView, part: DocumentPart, marks: TextMarks) -> str:
    """Return a part of a document as HTML; everything that comes from the document is escaped."""
    return _TextHtml(view, part, marks).html()


class _TextHtml:
    """A part of a document as HTML, written element by element."""

    def __init__(self, view: DocumentView, part: DocumentPart, marks: TextMarks) -> None:
        self._view, self._part, self._marks = view, part, marks
        self._tables, self._formulas = Tables(view, part), Formulas(view)
        self._pieces = _Pieces(view.text, part, marks)
        self._raised, self._separators = raised(view, part)
        self._stack: list[_Open] = []
        self._out: list[str] = []
        self._cursor, self._level = part.start, 1
        self._begun: dict[int, tuple[str, str]] = {}  # tags of what began with its label
        self._anchors = ""  # what a row cannot have, and its first cell has

    def html(self) -> str:
        """Return it."""
        view, first = self._view, self._part.first
        for place in [*_above(view, first), *range(first, self._part.end)]:
            while self._stack and self._stack[-1].end <= place:
                self._close()
            if view.starts[place] > self._cursor:
                self._text(view.starts[place])
            self._open(place)
        while self._stack:
            self._close()
        return "".join(self._out)

    def _close(self) -> None:
        closed = self._stack[-1]
        if closed.stop > self._cursor:
            self._text(closed.stop)
        self._out.append(closed.closing)
        self._stack.pop()

    def _text(self, stop: int) -> None:
        """Write the text up to a later character: in a table, outside of cells, in one of its own."""
        around = self._stack[-1] if self._stack else None
        if around is not None and around.formula:
            self._out.append(self._pieces.plain(self._cursor, stop))
        elif around is not None and around.is_bare:
            if self._pieces.plain(self._cursor, stop).strip(WHITE):
                opening, closing = self._tables.stray(around.place)
                self._out += [opening, self._pieces.between(self._cursor, stop), closing]
            else:
                self._out.append(self._pieces.plain(self._cursor, stop))
        else:
            written = self._pieces.between(self._cursor, stop)
            self._out.append(f"<sup>{written}</sup>" if self._cursor in self._separators else written)
        self._cursor = stop

    def _open(self, place: int) -> None:
        view, marks, tables = self._view, self._marks, self._tables
        around = self._stack[-1] if self._stack else None
        start, stop, end = view.starts[place], min(view.stops[place], self._part.stop), view.ends[place]
        formula = "" if around is None else around.formula
        if (formula or view.tags[place] == MATH) and place:
            sign = self._formulas.between(place) if formula == MATH else ""
            is_marked = end == place + 1 and self._pieces.is_marked(start, stop)
            is_inside = around is not None and around.is_bare
            before, behind = tables.around(place, "", around.place) if is_inside and around is not None else ("", "")
            opening, closing, inside = self._formulas.tags(place, formula, is_marked=is_marked)
            self._out += [sign, before, opening]
            self._stack.append(_Open(place, end, stop, closing + behind, inside))
            return
        kind = tables.kind(place)
        role = kind or role_of(view, place)
        is_repeated = place < self._part.first
        images = () if is_repeated else marks.images.get(place, ())
        is_inside = around is not None and around.is_bare
        is_empty = start == view.stops[place] or (is_inside and not view.text[start:stop].strip(WHITE))
        if is_empty and not images and not kind:
            if reference := self._named_reference(place):
                self._out.append(reference)
            elif view.tags[place] in BREAKS:
                self._out.append("<br>" * self._is_between(place))
            elif view.ends_words[place] and 0 < start < len(view.text) and runs_together(view.text, start):
                self._out.append("" if is_inside else GAP)
            return
        before, behind = tables.around(place, kind, around.place) if is_inside and around is not None else ("", "")
        if role == "bit" and view.stops[place - 1] < start and runs_together(view.text, start):  # 16.19853906
            before += GAP
        if role == "label":
            before += self._begin_labelled(place, around)
        opening, closing = self._begun.get(place) or self._tags(place, role, is_repeated=is_repeated)
        self._out += [before, opening, *images]
        is_bare = kind != "" and tables.holds_no_text(place)
        is_link = closing.startswith("</a>")
        self._stack.append(_Open(place, end, stop, closing + behind, is_link=is_link, is_bare=is_bare))

    def _begin_labelled(self, label: int, around: _Open | None) -> str:
        """Return the opening tags of the heading or paragraph that a label belongs to, with what is around it only."""
        chain = labelled(self._view, label)
        is_apart = not chain or chain[-1] >= self._part.end or any(map(self._tables.kind, chain))
        if is_apart or (around is not None and around.is_bare):
            return ""
        tags = [self._tags(place, role_of(self._view, place), is_repeated=False) for place in chain]
        self._begun |= {place: ("", closing) for place, (_, closing) in zip(chain, tags, strict=True)}
        return "".join(opening for opening, _ in tags)

    def _is_between(self, place: int) -> bool:
        """Return whether an element without text is between texts of the element around it; not in code with lines."""
        view, parent, start = self._view, self._view.parents[place], self._view.starts[place]
        while parent and view.is_inline[parent]:
            parent = view.parents[parent]
        before = view.text[max(view.starts[parent], start - NEAR) : start]
        behind = view.text[start : min(view.stops[parent], start + NEAR)]
        is_in_row = bool(self._stack) and self._stack[-1].is_bare
        has_line = role_of(view, parent) == "code-block" and (before.endswith("\n") or behind.startswith("\n"))
        return bool(before.strip() and behind.strip()) and not (is_in_row or has_line)

    def _named_reference(self, place: int) -> str:
        """Return the link of a reference without text: to a title, which is shown but no text, so no offset changes."""
        view, marks = self._view, self._marks
        target = view.links.get(place)
        if target is None or marks.target is None or target <= place < view.ends[target]:
            return ""
        tag = view.tags[target]
        name = view.line(target) if tag in view.title_tags else view.heading(target) or _KINDS.get(tag, "")
        if not name or any(each.is_link for each in self._stack):
            return ""
        shown = escape(name)
        return f'<a class="named" href="{escape(marks.target(target))}" aria-label="{shown}" data-name="{shown}"></a>'

    def _tags(self, place: int, role: str, *, is_repeated: bool) -> tuple[str, str]:
        """Return the opening and the closing tag of an element.

        Args:
            is_repeated: whether it began in an earlier part, where its id is.
        """
        view, marks, tables = self._view, self._marks, self._tables
        if view.is_note_in_line(place) and not tables.kind(place) and not any(each.is_link for each in self._stack):
            return self._note_tags(place, is_repeated=is_repeated)
        if view.is_inline[place] and not tables.kind(place):
            return self._inline_tags(place)
        classes = self._block_classes(place, role)
        attributes = "" if is_repeated else f' id="e{place}"'
        if role == "heading":
            attributes += f' role="heading" aria-level="{self._next_level(place, view.parents[place])}"'
        elif role in _ARIA:
            attributes += f' role="{role}"'
        if place in view.numbers and role not in (TABLE, GROUP, ROW, CELL) and not is_repeated:
            attributes += f' data-number="{escape(view.numbers[place])}"'
        attributes += _label(view, place, role) + _language(view, place, role)
        anchors = '<span id="focus"></span>' if place == marks.element and not is_repeated else ""
        anchors += _why(view, place, role, marks)
        if not is_repeated and _is_untitled(view, place):
            anchors += _HEADING.format(UNTITLED[view.tags[place]], self._next_level(place, place))
        if role == TABLE:  # it may be wider than the page, and is then scrolled by the keyboard
            shown = _classes(["table-box", *classes])
            return f'<div{attributes}{shown} tabindex="0">{anchors}<table>', "</table></div>"
        if role in (GROUP, ROW):
            self._anchors += anchors
            name = tables.group_tag(place) if role == GROUP else "tr"
            return f"<{name}{attributes}{_classes(classes)}>", f"</{name}>"
        anchors, self._anchors = self._anchors + anchors, ""
        if role == CELL:
            opening, name = tables.cell(place)
            if name == "th":
                self._formulas.name_in_header(place)
            opening += f"{attributes}{_classes(classes)}>{anchors}"
            is_table = tables.is_table(place)
            return opening + "<table>" * is_table, "</table>" * is_table + f"</{name}>"
        return f"<div{attributes}{_classes(classes)}>{anchors}", "</div>"

    def _block_classes(self, place: int, role: str) -> list[str]:
        """Return the classes of the style sheet that a block has."""
        view = self._view
        classes = [role] if role and role not in (TABLE, GROUP, ROW, CELL) else []
        if view.is_skipped[place]:
            classes.append("skipped")
        if role == "bit" and place > 1 and is_next_bit(view, place):
            classes.append("next")
        if view.is_metadata[place] and not view.is_metadata[view.parents[place]]:
            classes.append("meta")
        if place == view.title_place:
            classes.append("page-title")
        if place == self._marks.element:
            classes.append("focus")
        return classes

    def _inline_tags(self, place: int) -> tuple[str, str]:
        """Return the opening and the closing tag of an inline element; marks of notes and sources are raised."""
        view, marks = self._view, self._marks
        name, opening = inline_name(view, place) or "span", ""
        language = _language(view, place, name)
        if view.tags[place] in SMALL_CAPITALS:
            opening = f'<span class="small-capitals"{language}>'
        target = view.links.get(place) if marks.target is not None else None
        if target is not None and marks.target is not None and not any(each.is_link for each in self._stack):
            name, opening = "a", f'<a href="{escape(marks.target(target))}"{language}>'
        before, behind = ("<sup>", "</sup>") if place in self._raised else ("", "")
        return f"{before}{opening or f'<{name}{language}>'}", f"</{name}>{behind}"

    def _note_tags(self, place: int, *, is_repeated: bool) -> tuple[str, str]:
        """Return the tags of a note in a sentence, unfolded by a sign; one with a mark, or to be judged, is open."""
        view, marks = self._view, self._marks
        span = view.starts[place], view.stops[place]
        has_focus = marks.focus is not None and marks.focus[0] < span[1] and span[0] < marks.focus[1]
        has_element = marks.element is not None and place <= marks.element < view.ends[place]
        is_open = marks.link is None or has_focus or has_element or self._pieces.is_marked(*span)
        attributes = ("" if is_repeated else f' id="e{place}"') + _language(view, place, "")
        shown = _classes(["aside", "focus"] if place == marks.element else ["aside"])
        anchor = '<span id="focus"></span>' if place == marks.element and not is_repeated else ""
        opening = f"<details{attributes}{shown}{' open' * is_open}>"
        return f'{opening}<summary aria-label="Note"></summary>{anchor}', "</details>"

    def _next_level(self, place: int, titled: int) -> int:
        """Return the level of the heading of an element: at most one more than that of the last always shown."""
        view = self._view
        if not view.is_metadata[place] and place != view.title_place:
            self._level = min(self._level + 1, 6, _level(view, place, titled))
        return max(self._level, 2)


def _is_untitled(view: DocumentView, place: int) -> bool:
    """Return whether an element with text has a name on pages, as an abstract, and no title, nor one around it."""
    is_named = view.tags[place] in UNTITLED and bool(view.words[place]) and not view.is_metadata[place]
    return is_named and not view.heading(place) and view.tags[view.parents[place]] not in UNTITLED


def _label(view: DocumentView, place: int, role: str) -> str:
    """Return the attribute by which a part of what is known of a document, without blocks inside, is labelled."""
    if not view.is_metadata[place] or role in ("heading", TABLE, GROUP, ROW, CELL) or not view.words[place]:
        return ""
    is_leaf = all(map(view.is_inline.__getitem__, range(place + 1, view.ends[place])))
    is_label = is_leaf and view.tags[view.parents[place]] not in view.title_tags
    return f' data-tag="{escape(view.tags[place])}"' if is_label else ""


def _language(view: DocumentView, place: int, role: str) -> str:
    """Return the attribute by which a browser reads a text aloud in its language; none of code."""
    language = None if role in ("code", "code-block") else view.languages.get(place)
    return f' lang="{language}"' if language else ""


def _classes(classes: Sequence[str]) -> str:
    return f' class="{" ".join(classes)}"' if classes else ""


def _above(view: DocumentView, place: int) -> list[int]:
    """Return the ancestors of an element, from the root."""
    above: list[int] = []
    while place:
        place = view.parents[place]
        above.append(place)
    return above[::-1]


def _why(view: DocumentView, place: int, role: str, marks: TextMarks) -> str:
    """Return the link to the score of a block with words of its own; it has no text, so that no offset changes."""
    is_block = view.own_words[place] or place in marks.images
    if place not in marks.heat or marks.link is None or not is_block or _is_in_block(view, place, role):
        return ""
    why = escape(f"Score {marks.scores[place]:.3f}: why?")
    return (
        f'<a class="why heat-{marks.heat[place]}" href="{escape(marks.link(place))}" title="{why}" '
        f'aria-label="{why}"></a>'
    )


def _is_in_block(view: DocumentView, place: int, role: str) -> bool:
    """Return whether an element is part of a block with words of its own, whose link to its score is enough."""
    if role not in ("bit", *IN_LINE):
        return False
    around = view.parents[place]
    while around and (view.is_inline[around] or role_of(view, around) in IN_LINE):
        around = view.parents[around]
    return view.own_words[around] > 0


def _level(view: DocumentView, place: int, titled: int) -> int:
    """Return the level of a heading below the title of the page: by its rank, and the elements with headings around."""
    level = 2 + view.heading_ranks.get(view.tags[place], 0)
    above = view.parents[titled]
    while above:
        level += bool(view.heading(above)) or _is_untitled(view, above)
        above = view.parents[above]
    return level


class _Pieces:
    """Escaped text between two characters, with its marks."""

    def __init__(self, text: str, part: DocumentPart, marks: TextMarks) -> None:
        self._text = text
        self._part = part
        self._spans = marks.spans
        self._begins = [start for start, _, _ in marks.spans]
        self._ends = [end for _, end, _ in marks.spans]
        self._focus = marks.focus

    def plain(self, start: int, stop: int) -> str:
        """Return the text from `start` to `stop` without marks, as far as the part has it."""
        return _escaped(self._text[max(start, self._part.start) : min(stop, self._part.stop)]) if start < stop else ""

    def is_marked(self, start: int, stop: int) -> bool:
        """Return whether there is a mark of query words in a text."""
        return bisect_right(self._ends, start) < bisect_left(self._begins, stop)

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
        is_blank = shown.isspace()  # between blocks, a mark would be a strip of colour
        if span >= 0 and self._ends[span] > start and not is_blank:
            kind = self._spans[span][2]
            shown = f'<mark class="{kind}">{shown}</mark>' if kind else f"<mark>{shown}</mark>"
        if self._focus is not None and self._focus[0] <= start < self._focus[1]:
            anchor = ' id="focus"' if start == max(self._focus[0], self._part.start) else ""
            shown = f'<mark class="focus"{anchor}>{shown}</mark>'
        return shown


def _escaped(text: str) -> str:
    """Return text as HTML has it; a carriage return would else become a line feed."""
    return escape(text, quote=False).replace("\r", "&#13;")
