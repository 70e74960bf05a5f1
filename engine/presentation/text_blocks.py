"""The kinds of the elements inside a text for its readers: blocks, rows, phrases, breaks, preformatted text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.arrays import ArrayRecord, Mask, Rows, distinct, is_among, places_of, read_only
from engine.collection.profiles.profile_files import is_known
from engine.index.reader import IndexReader
from engine.records import dataclass
from engine.text.utf8 import signs_before

Kinds = NDArray[np.uint8]

# Text of these is in a line with what is beside it, in every vocabulary that has them. A sentence is one of them.
PHRASES = frozenset(
    (
        *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "bold", "cite", "code", "data", "del", "dfn", "em", "emph"),
        *("font", "hi", "i", "ins", "it", "italic", "kbd", "label", "link", "mark", "q", "quote", "ref", "s", "S"),
        *("samp", "small", "span", "strike", "strong", "sub", "sup", "super", "time", "tt", "u", "var", "wbr", "xref"),
    )
)
# Elements that are on lines of their own even in a line of text.
BLOCKS = frozenset(
    (
        *("p", "para", "simpara", "formalpara", "div", "section", "sec", "article", "blockquote", "disp-quote"),
        *("list", "ul", "ol", "dl", "li", "dt", "dd", "item", "listitem", "list-item", "sl", "sli", "member"),
        *("itemizedlist", "orderedlist", "simplelist", "variablelist", "varlistentry", "def-list", "def-item"),
        *("parml", "plentry", "dlentry", "procedure", "step", "substep", "choice", "callout"),
        *("l", "lg", "sp", "speaker", "verse-line", "verse-group", "line-group", "line"),
        *("fig", "figure", "mediaobject", "caption", "h1", "h2", "h3", "h4", "h5", "h6"),
    )
)
# Elements that end a line; the line breaks of a print (TEI) do not.
BREAKS = frozenset(("br", "break", "sbr"))

# What an element is; what the profile does not say, and no name, is left to the text around it: OTHER.
OTHER, PHRASE, BREAK, INLINE, BLOCK, TABLE, ROW, LAYOUT_ROW, PREFORMATTED = range(9)
# What is between two texts, the weakest first; of several, the strongest counts. At a BORDER, a blank is written where
# the texts would else run together. A NEW_LINE is a semicolon in a row, which it would end.
NOTHING, BORDER, BLANK, NEW_LINE = range(4)


@dataclass(frozen=True, eq=False, repr=False)
class TextBlocks(ArrayRecord):
    """The elements of a stretch of text at which words end, in document order; columns of shape (n,).

    The first is around all others. Those inside preformatted text are left out.

    begins, stops: characters of the stretch. ends: the place one past the last element inside each. kinds: what each
    is. gaps: what sets each apart from what is around it. are_cells: which are cells of a row of a table. rows: the
    element that each is, in the index.
    """

    begins: Rows
    stops: Rows
    ends: Rows
    kinds: Kinds
    gaps: Kinds
    are_cells: Mask
    rows: Rows

    def __len__(self) -> int:
        return len(self.kinds)

    def __repr__(self) -> str:
        return f"TextBlocks({len(self)})"


def text_blocks(
    index: IndexReader, document: int, row: int, start: int, text: str, hidden: Sequence[slice] = ()
) -> TextBlocks:
    """Return the elements of an element's text from `start` on, as far as `text` has it.

    Args:
        hidden: rows of elements that are left out.
    """
    elements = index.elements
    inside = np.arange(row, int(elements.end(np.array([row]))[0]))
    tags = elements.tag(inside)
    is_inline = elements.is_inline(inside, tags)
    is_shown = elements.end_words(inside, is_inline)
    is_inline[0], is_shown[0] = False, True
    for each in hidden:
        is_shown[each.start - row : each.stop - row] = False
    rows = inside.compress(is_shown)
    if len(rows) == 1:
        return _alone(_kinds(index, document, rows, tags[:1], is_inline[:1]), len(text), rows)
    begins, stops = index.spans(document, rows).T - start
    is_here = (begins < len(text)) & (stops > 0) | (begins >= 0) & (stops <= len(text))
    is_here[0] = True
    if not is_here.all():
        rows, begins, stops = (column.compress(is_here) for column in (rows, begins, stops))
    begins, stops = np.maximum(begins, 0), np.minimum(stops, len(text))
    kinds, ends = _kinds(index, document, rows, tags.take(rows - row), is_inline.take(rows - row)), elements.end(rows)
    is_preformatted = kinds == PREFORMATTED
    if is_preformatted.any():
        within = np.maximum.accumulate(np.where(is_preformatted, ends, 0))
        is_outside = np.append(True, rows[1:] >= within[:-1])
        rows, begins, stops, kinds, ends = (c.compress(is_outside) for c in (rows, begins, stops, kinds, ends))
    ends = rows.searchsorted(ends)
    _mark_layout(kinds, begins, stops, ends, text)
    parents = _parents(elements.parent(inside) - row, is_inline, rows - row)
    are_cells = (kinds.take(parents) == ROW) & (kinds != INLINE)
    are_cells[0] = False
    gaps = np.full(len(rows), NEW_LINE, np.uint8)
    is_block = kinds >= BLOCK
    is_block |= _contain(is_block, ends)
    gaps[(kinds == PHRASE) & ~is_block | (kinds == INLINE)] = BORDER
    if elements.parent(rows[:1])[0] == rows[0]:
        gaps[0] = NEW_LINE  # a root is a block, also if its tag is one of phrases
    gaps[are_cells] = BLANK
    is_break = kinds == BREAK
    if is_break.any():  # in a row it must not end the line
        gaps[is_break & (np.maximum.accumulate(np.where(kinds == ROW, ends, 0)) > np.arange(len(rows)))] = BLANK
    is_open = (kinds == OTHER) & ~is_block & ~are_cells
    is_open[0] = False
    if is_open.any():
        flows = elements.n_own_words(rows) > 0
        if not flows.take(parents.compress(is_open)).all():
            flows |= _have_text(text, begins, stops, kinds, parents)
        attributes = index.profile_of(document).text_attributes  # text that is no line with what is inside
        flows &= ~elements.is_tag({rule.partition("/@")[0] for rule in attributes}).take(elements.tag(rows))
        _mark_flowing(gaps, is_open, flows, parents)
    return TextBlocks(begins, stops, ends, kinds, gaps, are_cells, rows)


def _alone(kinds: Kinds, length: int, rows: Rows) -> TextBlocks:
    """Return the one element of a text."""
    gaps = np.full(1, NEW_LINE, np.uint8)
    return TextBlocks(np.array([0]), np.array([length]), np.array([1]), kinds, gaps, np.array([False]), rows)


def is_in_preformatted(index: IndexReader, document: int, row: int) -> bool:
    """Return whether an element is inside a preformatted one."""
    elements = index.elements
    of_tags = _kinds_of_tags(index, document)
    if not ((of_tags == PREFORMATTED).any() or elements.may_preserve_space(document)):
        return False
    above, parent = [], int(elements.parent(np.array([row]))[0])
    while parent != row:
        above.append(parent)
        row, parent = parent, int(elements.parent(np.array([parent]))[0])
    rows = np.array(above[::-1], np.int64)
    return bool((_kinds(index, document, rows, elements.tag(rows), elements.is_inline(rows)) == PREFORMATTED).any())


def _kinds(index: IndexReader, document: int, rows: Rows, tags: Rows, is_inline: Mask) -> Kinds:
    """Return the kind of each element (ascending rows); all rows of tables are `ROW`.

    In vocabularies that no profile knows, rows are those of `IndexReader.table_cells`.
    """
    kinds: Kinds = _kinds_of_tags(index, document).take(tags)
    if not is_known(index.profile_of(document)):
        cells = index.table_cells(document)
        kinds[is_among(rows, distinct(cells.tables))] = TABLE
        kinds[is_among(rows, distinct(cells.rows))] = ROW
    kinds[is_inline] = INLINE
    if index.elements.may_preserve_space(document):
        kinds[index.elements.preserve_space(document, rows)] = PREFORMATTED
    return kinds


def _kinds_of_tags(index: IndexReader, document: int) -> Kinds:
    """Return the kind of the elements of each tag in a document, unless they are inline."""
    profile = index.profile_of(document)

    def kinds_of_tags() -> Kinds:
        kinds = np.zeros(len(index.elements.tags), np.uint8)
        for kind, names in (
            (PHRASE, PHRASES),
            (BREAK, BREAKS),
            (BLOCK, BLOCKS),
            (TABLE, profile.table_tags),
            (ROW, profile.row_tags if is_known(profile) else ()),
            (PREFORMATTED, profile.preformatted_tags),
        ):
            kinds[index.elements.is_tag(names)] = kind
        return read_only(kinds)

    return index.text_kinds.get(profile.name, kinds_of_tags)


def _parents(parents: Rows, is_inline: Mask, places: Rows) -> Rows:
    """Return the place of the nearest element around each that is not inline; the first is its own.

    Args:
        parents: of all elements inside the first one. places: the ascending places of those that are meant, among all.
    """
    found = parents.take(places)
    found[0] = 0
    while (climbing := places_of(is_inline.take(found))).size:
        found[climbing] = parents.take(found.take(climbing))
    return places.searchsorted(found)


def _mark_layout(kinds: Kinds, begins: Rows, stops: Rows, ends: Rows, text: str) -> None:
    """Mark the rows that serve layout: those with a table, a row or several lines of preformatted text inside."""
    rows = places_of(kinds == ROW)
    if rows.size:
        is_large = (kinds == TABLE) | (kinds == ROW)
        for place in places_of(kinds == PREFORMATTED).tolist():
            is_large[place] = "\n" in text[int(begins[place]) : int(stops[place])].strip()
        kinds[rows.compress(_contain(is_large, ends).take(rows))] = LAYOUT_ROW


def _contain(chosen: Mask, ends: Rows) -> Mask:
    """Return which elements have a chosen one inside."""
    n_chosen = chosen.cumsum()
    found: Mask = n_chosen.take(ends - 1) > n_chosen
    return found


def _have_text(text: str, begins: Rows, stops: Rows, kinds: Kinds, parents: Rows) -> Mask:
    """Return which elements have text of their own, be it punctuation alone; that of inline ones is of those around."""
    before = signs_before(text)
    found = before.take(stops) - before.take(begins)
    is_inner = kinds != INLINE
    is_inner[0] = False
    inside = np.bincount(parents.compress(is_inner), found.compress(is_inner), len(found))
    own: Mask = found > inside
    return own


def _mark_flowing(gaps: Kinds, is_open: Mask, flows: Mask, parents: Rows) -> None:
    """Mark the elements that are in a line of text: their parents have text of their own, or are in one themselves."""
    is_in_line = gaps == BORDER
    is_in_line |= is_open & (flows | is_in_line).take(parents)
    rest = places_of(is_open & ~is_in_line)
    in_line = bytearray(is_in_line.tobytes())
    for place, parent in zip(rest.tolist(), parents.take(rest).tolist(), strict=True):
        in_line[place] = in_line[parent]
    gaps[np.frombuffer(in_line, np.bool_)] = BORDER
