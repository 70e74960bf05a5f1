"""Where passages stand in a document's text.

A passage is a window of sentences of one leaf. It begins with its leaf if it has the leaf's first sentence, and ends
with it if it has the last one; where child elements stand before or behind these, with the text node of the sentence.
It has no white space at its other ends. What child elements between two of its sentences hold lies in it, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.analysis import encode
from engine.distinct import distinct
from engine.index.ranges import ranges
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
    from_gap, to_gap = first > 0, last + 1 < n_sentences
    found = np.empty((len(leaves), 2), np.int64)
    at_end = np.flatnonzero(~(from_gap & to_gap))
    each, place = np.unique(leaves[at_end], return_inverse=True)
    found[at_end] = _own_texts(index, document, each)[place]
    found[from_gap, 0] = gaps.starts[(gap_of_leaf + first - 1)[from_gap]]
    found[to_gap, 1] = gaps.stops[(gap_of_leaf + last)[to_gap]]
    return found


def _own_texts(index: Index, document: int, leaves: Numbers) -> Numbers:
    """Return from where to where the words of each leaf's own text stand."""
    spans = index.spans(document, leaves)
    n_below = index.elements.end(leaves) - leaves - 1
    below, leaf = ranges(leaves + 1, n_below), np.repeat(np.arange(len(leaves)), n_below)
    are_children = ~index.elements.is_inline(below)
    children, leaf = index.spans(document, below[are_children]), leaf[are_children]
    text = index.text(document) if len(leaf) else ""
    for place in distinct(leaf).tolist():
        inside = children[slice(*np.searchsorted(leaf, [place, place + 1]))]
        begin, end = spans[place].tolist()
        behind = np.maximum.accumulate(np.append(begin, inside[:, 1])).tolist()
        pieces = list(zip(behind, [*inside[:, 0].tolist(), end], strict=True))
        first = next(piece for piece in pieces if _holds_word(index, text, piece))
        last = next(piece for piece in reversed(pieces) if _holds_word(index, text, piece))
        spans[place] = _trimmed(text, first, begin)[0], _trimmed(text, last, end)[1]
    return spans


def _holds_word(index: Index, text: str, piece: tuple[int, int]) -> bool:
    begin, end = piece
    return begin < end and len(index.analyser.words(encode(text[begin:end])).starts) > 0


def _trimmed(text: str, piece: tuple[int, int], border: int) -> tuple[int, int]:
    """Return a piece of text without the white space at its ends, but for an end that is the leaf's border."""
    begin, end = piece
    stripped = text[begin:end].strip(BLANKS)
    inside = text.index(stripped, begin)
    return (begin if begin == border else inside), (end if end == border else inside + len(stripped))
