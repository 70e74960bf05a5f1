"""Character offsets of passages.

A passage is a window of consecutive sentences of one leaf. A passage with the first sentence of the leaf begins where
the leaf begins, or, after a child element, where the text node of the sentence begins; likewise at the end. Other ends
exclude white space. The text of child elements between two of its sentences is part of the passage.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import distinct, ranges
from engine.index.reader import IndexReader
from engine.text.sentences import BLANKS
from engine.text.utf8 import encode

Numbers = NDArray[np.int64]


def passage_offsets(index: IndexReader, document: int, leaves: Numbers, first: Numbers, last: Numbers) -> Numbers:
    """Return the start and end offsets of windows of sentences, in code points, end exclusive, shape (n, 2).

    Args:
        leaves: the leaf of each window; first, last: numbers of its first and last sentence in the leaf, from 0.

    Raises: ValueError for sentences outside the leaf.
    """
    n_sentences = index.elements.n_sentences(leaves)
    if np.any((first < 0) | (last < first) | (last >= n_sentences)):
        raise ValueError("first and last must be sentences of the leaf, with first <= last")
    number, local = index.locate(document)
    segment = index.segments[number]
    gaps, first_document = segment.texts.sentences(local)
    rows = leaves - index.elements.row_base[number]
    begins = segment.words.take(np.append(rows, segment.first_row[first_document]))
    ranks = segment.text_nodes.rank(begins) + segment.sentences.rank(begins)
    gap_of_leaf = ranks[:-1] - ranks[-1]  # the gap after its first sentence
    from_gap, to_gap = first > 0, last + 1 < n_sentences
    found = np.empty((len(leaves), 2), np.int64)
    at_end = np.flatnonzero(~(from_gap & to_gap))
    each, place = np.unique(leaves[at_end], return_inverse=True)
    found[at_end] = _own_texts(index, document, each)[place]
    found[from_gap, 0] = gaps.starts[(gap_of_leaf + first - 1)[from_gap]]
    found[to_gap, 1] = gaps.stops[(gap_of_leaf + last)[to_gap]]
    return found


def _own_texts(index: IndexReader, document: int, leaves: Numbers) -> Numbers:
    """Return the start and end offsets of the own text of each leaf, from its first word to its last."""
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
        first = next(piece for piece in pieces if _contains_word(index, text, piece))
        last = next(piece for piece in reversed(pieces) if _contains_word(index, text, piece))
        spans[place] = _trimmed(text, first, begin)[0], _trimmed(text, last, end)[1]
    return spans


def _contains_word(index: IndexReader, text: str, piece: tuple[int, int]) -> bool:
    begin, end = piece
    return begin < end and len(index.analyser.words(encode(text[begin:end])).starts) > 0


def _trimmed(text: str, piece: tuple[int, int], border: int) -> tuple[int, int]:
    """Return a piece of text without white space at its ends, except at the border of the leaf."""
    begin, end = piece
    stripped = text[begin:end].strip(BLANKS)
    inside = text.index(stripped, begin)
    return (begin if begin == border else inside), (end if end == border else inside + len(stripped))
