"""What readable texts do not have as the text of the index has it.

Skipped elements are left out, formulas linear, notes in sentences in brackets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from engine.arrays import Rows
from engine.collection.profiles.profile import ANNOTATIONS
from engine.index.reader import IndexReader
from engine.presentation.formulas import DEEPEST, FORMULA, STRUCTURES, TOKENS, MathNode, linear
from engine.records import NamedTuple


class Rewrite(NamedTuple):
    """A stretch of a text and what readers see in its place, "" for nothing; its first row, and one past the last."""

    begin: int
    stop: int
    text: str
    first_row: int
    end_row: int

    @property
    def hidden_rows(self) -> slice:
        """The rows whose borders readers do not see; a formula itself is an element like others."""
        return slice(self.first_row + bool(self.text), self.end_row)


def rewrites(
    index: IndexReader, document: int, row: int, start: int, text: str, note_text: Callable[[int], str] | None = None
) -> list[Rewrite]:
    """Return the rewrites in a stretch of an element's text, in order; none is in another.

    An element that is skipped itself is shown by its name alone, so what it contains is not left out.

    Args:
        start: of the stretch in the document's text. text: that of the stretch. note_text: returns what is
            written for the row of a note; None: notes are as they are.
    """
    elements = index.elements
    are_formulas = elements.is_tag({FORMULA})
    are_notes = elements.is_tag(index.profile_of(document).note_tags if note_text else ())
    if not elements.has_skipped and not are_formulas.any() and not are_notes.any():
        return []
    inside = np.arange(row, int(elements.end(np.array([row]))[0]))
    tags = elements.tag(inside)
    is_skipped = elements.are_skipped(inside)
    is_skipped[0] = False
    is_chosen = is_skipped | are_formulas.take(tags)
    notes = inside[1:].compress(are_notes.take(tags[1:]))
    if len(notes):
        notes = notes.compress(elements.n_own_words(elements.nearest_non_inline(elements.parent(notes))) > 0)
        is_chosen[notes - row] = True
    is_chosen[0] = elements.is_tag({FORMULA, *STRUCTURES})[tags[0]]
    chosen = inside.compress(is_chosen)
    if not len(chosen):
        return []
    spans = (index.spans(document, chosen) - start).tolist()
    columns = chosen.tolist(), elements.end(chosen).tolist(), is_skipped.compress(is_chosen).tolist(), spans
    found: list[Rewrite] = []
    last, in_brackets = row, set(notes.tolist())
    for first, end, skips, (begin, stop) in zip(*columns, strict=True):
        if first < last or begin >= len(text) or stop <= 0 or (begin == stop and not skips):
            continue
        if skips:
            found.append(Rewrite(max(begin, 0), min(stop, len(text)), "", first, end))
        elif begin >= 0 and stop <= len(text):
            if note_text is not None and first in in_brackets:
                written: str | None = note_text(first)
            else:
                written = _formula(index, document, np.arange(first, end), start, text)
            if written is None:
                continue
            found.append(Rewrite(begin, stop, written, first, end))
        last = end
    return found


def blanked(text: str, changes: Sequence[Rewrite]) -> str:
    """Return a text with blanks for what is left out; it is as long."""
    pieces, last = list[str](), 0
    for change in changes:
        if not change.text:
            pieces += text[last : change.begin], " " * (change.stop - change.begin)
            last = change.stop
    return "".join([*pieces, text[last:]]) if pieces else text


def rewritten(text: str, changes: Sequence[Rewrite], begin: int, stop: int) -> str:
    """Return a text from one offset to another, with the rewrites that begin there."""
    pieces: list[str] = []
    for change in changes:
        if change.stop <= begin or change.begin >= stop:
            continue
        pieces += text[begin : max(change.begin, begin)], change.text
        begin = min(change.stop, stop)
    return "".join([*pieces, text[begin:stop]])


def _formula(index: IndexReader, document: int, rows: Rows, start: int, text: str) -> str | None:
    """Return the linear form of a formula, None if it is no presentation MathML; skipped elements are left out."""
    elements = index.elements
    names = [elements.tags[tag] for tag in elements.tag(rows).tolist()]
    begins, stops = (index.spans(document, rows) - start).T.tolist()
    ends, are_skipped = (elements.end(rows) - rows[0]).tolist(), elements.are_skipped(rows).tolist()

    def node(place: int, depth: int) -> MathNode | None:
        if names[place] in TOKENS or names[place] in ANNOTATIONS:
            return MathNode(names[place], text[begins[place] : stops[place]])
        if depth > DEEPEST:
            return None
        children, at, inner = [], begins[place], place + 1
        while inner < ends[place]:
            if text[at : begins[inner]].strip():
                return None
            if not are_skipped[inner]:
                child = node(inner, depth + 1)
                if child is None:
                    return None
                children.append(child)
            at, inner = stops[inner], ends[inner]
        return None if text[at : stops[place]].strip() else MathNode(names[place], "", tuple(children))

    tree = node(0, 0)
    return None if tree is None else linear(tree) or None
