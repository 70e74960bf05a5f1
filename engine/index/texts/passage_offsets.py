"""Character offsets of passages.

A passage is a window of consecutive sentences of the own text of a leaf. A passage with the first sentence
of a leaf begins where the leaf begins, or, after a child element, where the text node of the sentence begins; likewise
at the end. Other ends exclude white space, and, after a child element such as a footnote, the marks that it left of the
sentence around it. The text of child elements between two of its sentences is part of the passage.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import Mask, Numbers, distinct, places_of, ranges
from engine.index.reader import IndexReader
from engine.index.segment import Segment
from engine.query_limits import check_time
from engine.text.sentences import BLANKS, without_left_over
from engine.text.utf8 import encode


def passage_offsets(index: IndexReader, leaves: Numbers, first: Numbers, last: Numbers) -> Numbers:
    """Return the start and end offsets of windows of sentences of any documents, in code points, shape (n, 2).

    Args:
        leaves: that of each window; first, last: numbers of its first and last sentence in the leaf, from 0.

    Raises: ValueError for sentences outside the leaf.
    """
    n_sentences = index.elements.n_sentences(leaves)
    if np.any((first < 0) | (last < first) | (last >= n_sentences)):
        raise ValueError("first and last must be sentences of the leaf's own text, with first <= last")
    n = len(leaves)
    is_start = np.arange(2 * n) < n
    at_edge = np.concatenate([first == 0, last + 1 == n_sentences])
    leaves, places = np.tile(leaves, 2), np.concatenate([first, last])
    of_leaves, place = np.unique(leaves[at_edge], return_inverse=True)
    found = np.empty(2 * n, np.int64)
    found[at_edge] = _own_texts(index, of_leaves)[place, np.where(is_start, 0, 1)[at_edge]]
    inside = places_of(~at_edge)
    found[inside] = _between_sentences(index, leaves[inside], places[inside], is_start[inside])
    return found.reshape(2, n).T


def _between_sentences(index: IndexReader, leaves: Numbers, places: Numbers, are_starts: Mask) -> Numbers:
    """Return where sentences of leaves begin that are not the first of these, or end that are not the last ones."""
    found = np.empty(len(leaves), np.int64)
    of_segments = index.elements.row_base.searchsorted(leaves, "right") - 1
    for number in distinct(of_segments).tolist():
        chosen = places_of(of_segments == number)
        segment, rows = index.segments[number], leaves[chosen] - index.elements.row_base[number]
        documents = segment.first_row.searchsorted(rows, "right") - 1
        blocks, first_documents = segment.texts.blocks_of(documents)
        before = _n_gaps(segment, rows) - _n_gaps(segment, segment.first_row.take(first_documents)) + places[chosen]
        for block in distinct(blocks).tolist():
            in_block = places_of(blocks == block)
            gaps, starts = segment.texts.sentences(block), are_starts[chosen[in_block]]
            begins, ends = before[in_block[starts]] - 1, before[in_block[~starts]]
            found[chosen[in_block[starts]]], found[chosen[in_block[~starts]]] = gaps.starts[begins], gaps.stops[ends]
    return found


def _n_gaps(segment: Segment, rows: Numbers) -> Numbers:
    """Return the number of gaps between sentences before the own text of each element of a segment."""
    words = segment.words.take(rows)
    return segment.text_nodes.rank(words) + segment.sentences.rank(words)


def _own_texts(index: IndexReader, leaves: Numbers) -> Numbers:
    """Return the start and end offsets of the own text of each leaf (ascending), from its first word to its last."""
    spans = index.spans_of(leaves)
    n_below = index.elements.end(leaves) - leaves - 1
    below, leaf = ranges(leaves + 1, n_below), np.repeat(np.arange(len(leaves)), n_below)
    skipped = distinct(below[index.elements.are_skipped(below)])
    reach = np.maximum.accumulate(np.append(0, index.elements.end(skipped)))
    is_here = reach[skipped.searchsorted(below, "right")] <= below
    are_children = is_here & ~index.elements.is_inline(below)
    children, leaf = index.spans_of(below[are_children]), leaf[are_children]
    with_children = distinct(leaf)
    documents = index.elements.document(leaves[with_children])
    for document in distinct(documents).tolist():
        of_document = skipped[index.elements.document(skipped) == document]
        text = without(index.text(document), index.spans_of(of_document))
        for place in with_children[documents == document].tolist():
            check_time()
            inside = children[slice(*np.searchsorted(leaf, [place, place + 1]))]
            begin, end = spans[place].tolist()
            behind = np.maximum.accumulate(np.append(begin, inside[:, 1])).tolist()
            pieces = list(zip(behind, [*inside[:, 0].tolist(), end], strict=True))
            first = next(piece for piece in pieces if _contains_word(index, text, piece))
            last = next(piece for piece in reversed(pieces) if _contains_word(index, text, piece))
            spans[place] = _trimmed(text, first, begin)[0], _trimmed(text, last, end)[1]
    return spans


def without(text: str, spans: Numbers) -> str:
    """Return a text with blanks in place of the spans, which are in the order of their starts."""
    pieces, place = list[str](), 0
    for begin, end in spans.tolist():
        if end > place:
            pieces += text[place:begin], " " * (end - max(begin, place))
            place = end
    return "".join([*pieces, text[place:]])


def plain_text(index: IndexReader, document: int, row: int, begin: int, end: int) -> str:
    """Return a stretch of the text of an element without its skipped elements, each run of white space as one blank."""
    rows = np.arange(row, int(index.elements.end(np.array([row]))[0]))
    skipped = index.spans(document, rows.compress(index.elements.are_skipped(rows)))
    (text,) = index.text_parts([document], np.array([[begin, end]]))
    return " ".join(without(text, np.clip(skipped, begin, end) - begin).split())


def _contains_word(index: IndexReader, text: str, piece: tuple[int, int]) -> bool:
    begin, end = piece
    return begin < end and len(index.analyser.words(encode(text[begin:end])).starts) > 0


def _trimmed(text: str, piece: tuple[int, int], border: int) -> tuple[int, int]:
    """Return a piece of text from its first sentence to its last; at the border of the leaf, from there or to there."""
    begin, end = piece
    inside = text[begin:end]
    first, stop = end - len(without_left_over(inside)), begin + len(inside.rstrip(BLANKS))
    return (begin if begin == border else first), (end if end == border else stop)
