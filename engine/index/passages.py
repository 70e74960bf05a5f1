"""Where passages stand in a document's text.

A passage is a window of sentences of one leaf. It begins with its leaf if it has the leaf's first sentence, and ends
with it if it has the last one; where child elements stand before or behind these, with the text node of the sentence.
It has no white space at its other ends. What child elements between two of its sentences hold lies in it, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.sentences import BLANKS

if TYPE_CHECKING:
    from engine.index.index import Index

Numbers = NDArray[np.int64]


def passages(index: Index, document: int, leaves: Numbers, first: Numbers, last: Numbers) -> Numbers:
    """Return start and end offset (code points, end exclusive) of windows of sentences, shape (n, 2).

    Args:
        leaves: leaves of the document; `first` and `last` (inclusive) are sentences of theirs, counted from 0.
    Raises: ValueError for sentences that a leaf has not.
    """
    n_sentences = index.elements.n_sentences(leaves)
    if np.any((first < 0) | (last < first) | (last >= n_sentences)):
        raise ValueError("a passage is of sentences that its leaf has, the last not before the first")
    segment, own = index.locate(document)
    held = index.segments[segment]
    gaps, first_document = held.texts.sentences(own)
    rows = leaves - index.elements.row_base[segment]
    begins = held.words.take(np.append(rows, held.first_row[first_document]))
    ranks = held.text_nodes.rank(begins) + held.sentences.rank(begins)
    gap_of_leaf = ranks[:-1] - ranks[-1]  # the one behind its first sentence
    found = _own_texts(index, document, leaves)
    from_gap, to_gap = first > 0, last + 1 < n_sentences
    found[from_gap, 0] = gaps.starts[(gap_of_leaf + first - 1)[from_gap]]
    found[to_gap, 1] = gaps.stops[(gap_of_leaf + last)[to_gap]]
    return found


def _own_texts(index: Index, document: int, leaves: Numbers) -> Numbers:
    """Return from where to where the words of each leaf's own text stand."""
    elements = index.elements
    spans, ends = index.spans(document, leaves), elements.end(leaves)
    with_children = np.flatnonzero(ends > leaves + 1).tolist()
    text = index.text(document) if with_children else ""
    for place in with_children:
        below = np.arange(leaves[place] + 1, ends[place])
        children = index.spans(document, below[~elements.is_inline(below)])
        if len(children):
            begin, end = spans[place].tolist()
            behind = np.maximum.accumulate(np.append(begin, children[:, 1])).tolist()
            pieces = list(zip(behind, [*children[:, 0].tolist(), end], strict=True))
            held = [(a, b) for a, b in pieces if a < b and index.analyser.terms(text[a:b])]
            spans[place] = _trimmed(text, held[0], begin)[0], _trimmed(text, held[-1], end)[1]
    return spans


def _trimmed(text: str, piece: tuple[int, int], border: int) -> tuple[int, int]:
    """Return a piece of text without the white space at its ends, but for an end that is the leaf's border."""
    begin, end = piece
    stripped = text[begin:end].strip(BLANKS)
    inside = text.index(stripped, begin)
    return (begin if begin == border else inside), (end if end == border else inside + len(stripped))
