"""The snippets of answers: their texts are read from the index, those of several answers together."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from engine import kernels
from engine.arrays import Mask, Numbers, distinct, places_of, ranges
from engine.index.reader import IndexReader
from engine.presentation.skipped_text import SkippedText
from engine.presentation.snippet_region import LONG, snippet_region
from engine.presentation.snippets import Snippet, snippets
from engine.presentation.term_spans import SearchedText
from engine.query.query import Query

# Elements whose borders are compared at a time.
MOST_ROWS = 2**16


def answer_snippets(
    index: IndexReader,
    query: Query,
    documents: Numbers,
    rows: Numbers,
    spans: Numbers,
    words: Callable[[int], tuple[int, int]],
) -> list[Snippet]:
    """Return the best lines of answers, without skipped elements, with the places of query terms in them.

    Args:
        spans: start and end of each answer in its document, shape (n, 2).
        words: returns the number of the first word of an answer, and of the one after its last; of long ones only.
    """
    read = spans.copy()
    for place in places_of(spans[:, 1] - spans[:, 0] > LONG).tolist():
        start, end = spans[place].tolist()
        read[place] = snippet_region(index, query, int(documents[place]), words(place), (start, end))
    texts = []
    columns = index.text_parts(documents.tolist(), read), word_borders(index, rows, read), (read != spans).tolist()
    for text, (borders, skipped), (before, behind) in zip(*columns, strict=True):
        texts.append(SearchedText(*skipped.without(text, borders), (before, behind)))
    return snippets(texts, query, index.analyser)


def word_borders(index: IndexReader, rows: Numbers, spans: Numbers) -> list[tuple[list[int], SkippedText]]:
    """Return the offsets at which tags end words inside some text of each element, and what is skipped in that text.

    Offsets are counted from the start of the text. Words go on across what is skipped: its tags end none.

    Args:
        spans: start and end of the texts, in characters of their documents', shape (n, 2).
    """
    n_rows = index.elements.end(rows) - rows
    borders: list[tuple[list[int], SkippedText]] = []
    group = n_rows.cumsum() // MOST_ROWS
    for number in distinct(group).tolist():
        chosen = group == number
        borders += _borders(index, rows.compress(chosen), n_rows.compress(chosen), spans.compress(chosen, axis=0))
    return borders


def _borders(index: IndexReader, rows: Numbers, n_rows: Numbers, spans: Numbers) -> list[tuple[list[int], SkippedText]]:
    elements = index.elements
    inner = ranges(rows, n_rows)
    edges, end_words = index.spans_of(inner), elements.end_words(inner)
    nothing = SkippedText(())
    skipped = [nothing] * len(rows)
    if elements.has_skipped and len(outer := places_of(elements.are_skipped(inner))):
        reach = np.maximum.accumulate(np.append(0, outer + elements.end(inner.take(outer)) - inner.take(outer)))
        every = np.arange(len(inner))
        end_words &= reach.take(outer.searchsorted(every, "right")) <= every
        of_text = np.arange(len(rows)).repeat(n_rows).take(outer)
        bounds = spans.take(of_text, axis=0)
        stretches = (np.clip(edges.take(outer, axis=0), bounds[:, :1], bounds[:, 1:]) - bounds[:, :1]).tolist()
        for number in distinct(of_text).tolist():
            first, last = of_text.searchsorted([number, number + 1]).tolist()
            skipped[number] = SkippedText((start, end) for start, end in stretches[first:last])
    return list(zip(inner_borders(spans, n_rows, edges, end_words), skipped, strict=True))


def inner_borders(texts: Numbers, n_elements: Numbers, edges: Numbers, end_words: Mask) -> list[list[int]]:
    """Return the distinct offsets in each of some texts, ascending, at which elements in it start and end.

    Args:
        texts: start and end of each text, shape (n, 2). n_elements: in each text; edges: start and end of each of
            these, text by text, shape (n_elements.sum(), 2). end_words: which of the elements count.
    """
    if kernels.native is not None:
        of_each: list[list[int]] = kernels.native.inner_borders(texts, n_elements, edges, end_words)
        return of_each
    lengths = texts[:, 1] - texts[:, 0]
    width = int(lengths.max(initial=0)) + 1
    of_edge = np.arange(len(texts)).repeat(2 * n_elements)
    offsets = edges.ravel() - texts[:, 0].take(of_edge)
    is_inside = end_words.repeat(2) & (offsets > 0) & (offsets < lengths.take(of_edge))
    found = distinct((offsets + of_edge * width).compress(is_inside))
    begins = found.searchsorted(np.arange(len(texts) + 1) * width).tolist()
    every = (found % width).tolist()
    return [every[begin:end] for begin, end in pairwise(begins)]
