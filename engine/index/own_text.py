"""The own text of an element: that of its inline elements included, that of other elements inside it left out."""

from __future__ import annotations

import numpy as np

from engine.index.reader import IndexReader

# In place of an element that is left out, or of a break: it ends a word, and is in no text.
BORDER = "\1"


def own_pieces(index: IndexReader, document: int, leaf: int) -> list[tuple[int, int]]:
    """Return where the pieces of an element's own text begin and end in the document's text, in code points.

    Between two pieces there is an element that ends words: one that is not inline, or a break; a piece may be empty.
    """
    below = np.arange(leaf + 1, int(index.elements.end(np.array([leaf]))[0]))
    place, end = index.spans(document, np.array([leaf]))[0].tolist()
    pieces = []
    for begin, stop in index.spans(document, below[index.elements.end_words(below)]).tolist():
        if begin >= place:  # else it is inside the one before
            pieces.append((place, begin))
            place = stop
    return [*pieces, (place, end)]


def own_text(index: IndexReader, document: int, leaf: int) -> str:
    """Return the own text of an element, `BORDER` between its pieces."""
    text = index.text(document)
    return BORDER.join(text[begin:end] for begin, end in own_pieces(index, document, leaf))
