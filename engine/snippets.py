"""What a person sees of an answer: its best lines with the query terms marked, and the titles above it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from engine.analysis import Analyser, characters_before, encode
from engine.errors import IndexFormatError
from engine.index.index import Index
from engine.query import Query

WIDTH = 240  # characters of a snippet
BLANKS = re.compile(r"\s+")
OPENING = "([{«“‘"


class Snippet(NamedTuple):
    """A stretch of an element's text, white space folded, and the spans of query terms in it."""

    text: str
    marks: tuple[tuple[int, int], ...]

    def marked(self, before: str = "[", after: str = "]") -> str:
        """Return the text with every query term between two signs."""
        parts: list[str] = []
        last = 0
        for start, end in self.marks:
            parts += self.text[last:start], before, self.text[start:end], after
            last = end
        return "".join([*parts, self.text[last:]])


def term_spans(text: str, query: Query, analyser: Analyser, borders: Sequence[int] = ()) -> list[tuple[int, int, str]]:
    """Return where words of the query stand in a text: start, end, term; no word runs on across a border."""
    wanted = set(query.word_counts)
    at = np.array(borders, np.int64)
    parted = encode(" ".join(text[start:end] for start, end in pairwise([0, *borders, len(text)])))
    words = analyser.words(parted)
    starts, ends = characters_before(parted, words.starts), characters_before(parted, words.ends)
    inserted = np.searchsorted(at + np.arange(len(at)), starts)
    places = zip(
        (starts - inserted).tolist(),
        (ends - inserted).tolist(),
        map(analyser.term, words.surfaces),
        strict=True,
    )
    return [(start, end, term) for start, end, term in places if term in wanted]


def word_borders(index: Index, document: int, row: int) -> list[int]:
    """Return the offsets in an element's text at which the tags of elements end words: those of all not inline."""
    rows = np.arange(row, int(index.elements.end(np.array([row]))[0]))
    spans = index.spans(document, rows[index.elements.lift(rows) == rows])
    start, end = index.spans(document, rows[:1])[0].tolist()
    offsets = np.unique(spans) - start
    inside: list[int] = offsets[(offsets > 0) & (offsets < end - start)].tolist()
    return inside


def snippet(text: str, query: Query, analyser: Analyser, borders: Sequence[int] = (), *, width: int = WIDTH) -> Snippet:
    """Return the stretch of about `width` characters with the most distinct query terms, then the most of them.

    Args:
        borders: offsets at which words end though no blank stands there, ascending (see `word_borders`).
    """
    spans = term_spans(text, query, analyser, borders)
    terms, ends = [term for _, _, term in spans], [end for _, end, _ in spans]
    start = 0
    best = (0, 0)
    for number, (begin, _, _) in enumerate(spans):
        inside = terms[number : bisect_right(ends, begin + width)]
        if (len(set(inside)), len(inside)) > best:
            best, start = (len(set(inside)), len(inside)), begin
    return _cut(text, spans, borders, max(0, start - width // 6), width)


def _cut(text: str, spans: list[tuple[int, int, str]], borders: Sequence[int], start: int, width: int) -> Snippet:
    """Return the stretch from the word border at or before `start` on, ellipses where text is left out."""
    if start:
        start = max(text.rfind(" ", 0, start), text.rfind("\n", 0, start)) + 1
    end = start + width
    if end < len(text):
        end = max(text.rfind(" ", start, end), text.rfind("\n", start, end), start + width // 2)
    gaps = [border for border in borders if start < border < end and _runs_together(text, border)]
    pieces: list[str] = ["… "] if text[:start].strip() else []
    length = sum(map(len, pieces))
    marks = []
    last = start
    for begin, stop, _ in [*(span for span in spans if start <= span[0] and span[1] <= end), (end, end, "")]:
        edges = [last, *gaps[bisect_left(gaps, last) : bisect_right(gaps, begin)], begin]
        between = BLANKS.sub(" ", " ".join(text[a:b] for a, b in pairwise(edges)))
        between = between.lstrip() if last == start else between
        pieces += between, text[begin:stop]
        length += len(between)
        if stop > begin:
            marks.append((length, length + stop - begin))
        length += stop - begin
        last = stop
    folded = "".join(pieces).rstrip()
    return Snippet(folded + (" …" if text[end:].strip() else ""), tuple(marks))


def _runs_together(text: str, border: int) -> bool:
    """Return whether what stands before and behind a border would read as one word or as a sentence without a blank."""
    before, behind = text[border - 1], text[border]
    return (behind.isalnum() or behind in OPENING) and not (before.isspace() or before in OPENING)


def breadcrumb(index: Index, document: int, row: int) -> list[str]:
    """Return the titles of the document and of the elements down to a row, as the document's profile knows titles.

    The document's own title is the first title in it; an element's title is its first child that is one.
    """
    elements = index.elements
    titles = index.profile_of(document).titles
    if not titles:
        return []
    root = int(elements.root(np.array([document]))[0])
    rows = np.arange(root, int(elements.document_end(np.array([document]))[0]))
    is_title = np.isin(elements.tag(rows), [number for number, tag in enumerate(elements.tags) if tag in titles])
    title_rows = rows[is_title]
    if not len(title_rows):
        return []
    title_of: dict[int, int] = {}
    for title, parent in zip(title_rows.tolist(), elements.parent(title_rows).tolist(), strict=True):
        title_of.setdefault(parent, title)
    chain = []
    while row != root:
        chain.append(row)
        above = int(elements.parent(np.array([row]))[0])
        if above == row:
            raise IndexFormatError("parent.npy: an element inside a document has no parent: index the sources anew.")
        row = above
    found = [int(title_rows[0]), *(title_of[above] for above in reversed(chain) if above in title_of)]
    text = index.text(document)
    spans = index.spans(document, np.array(found)).tolist()
    named = dict.fromkeys(BLANKS.sub(" ", text[start:end]).strip() for start, end in spans)
    return [title for title in named if title]
