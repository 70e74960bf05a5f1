"""The text of an element as people and models read it: blocks and cells that border each other are set apart.

The text of the index is that of the source without its tags, and its characters are what offsets count. Where the
source has no white space between two elements, their texts run together in it.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from engine.arrays import distinct
from engine.index.reader import IndexReader
from engine.retrieval.snippets import runs_together

# Elements on one line with those beside them.
CELLS = frozenset({"td", "th", "entry", "cell"})


def readable_text(index: IndexReader, document: int, row: int, start: int, end: int) -> str:
    """Return a stretch of an element's text, with white space where elements that end words border each other.

    A line end sets two elements apart, a blank two cells of a row, or an element and the text of the one around it. No
    other character is added or changed, so only white space distinguishes the result from the exact text.

    Args:
        row: the element. start, end: the stretch, in characters of the document's text.
    """
    text = index.text(document)[start:end]
    elements = index.elements
    rows = np.arange(row, int(elements.end(np.array([row]))[0]))
    rows = rows[elements.end_words(rows)]
    begins, stops = index.spans(document, rows).T
    offsets = distinct(np.concatenate([begins, stops]))
    borders = (offsets[(offsets > start) & (offsets < end)] - start).tolist()
    borders = [border for border in borders if not (text[border - 1].isspace() or text[border].isspace())]
    if not borders:
        return text
    filled = begins < stops
    between = set((begins[filled] - start).tolist()).intersection((stops[filled] - start).tolist())
    is_cell = np.isin(elements.tag(rows), [number for tag, number in elements.tag_numbers.items() if tag in CELLS])
    parents = elements.parent(rows[is_cell]).tolist()
    first = set(zip((begins[is_cell] - start).tolist(), parents, strict=True))
    beside = {place for place, _ in first.intersection(zip((stops[is_cell] - start).tolist(), parents, strict=True))}

    def gap(border: int) -> str:
        if border in between:
            return " " if border in beside else "\n"
        return " " if runs_together(text, border) else ""

    pieces = [text[a:b] for a, b in pairwise([0, *borders, len(text)])]
    return pieces[0] + "".join(gap(border) + piece for border, piece in zip(borders, pieces[1:], strict=True))
