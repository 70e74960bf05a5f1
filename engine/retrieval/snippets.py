"""Snippets of answers with the query terms marked, and breadcrumbs: the titles of an answer's ancestors."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from engine.arrays import distinct
from engine.errors import IndexFormatError
from engine.index.containment import is_member
from engine.index.reader import IndexReader
from engine.query.query import Query
from engine.retrieval.heading_scopes import following_scopes
from engine.text.analyser import ANY_END, EITHER, Analyser, term_matches
from engine.text.utf8 import characters_before, encode

# characters of a snippet
WIDTH = 240
BLANKS = re.compile(r"\s+")
OPENING = "([{«“‘"


class Snippet(NamedTuple):
    """An extract of an element's text, white space collapsed, and the spans of query terms in it."""

    text: str
    marks: tuple[tuple[int, int], ...]

    def marked(self, before: str = "[", after: str = "]") -> str:
        """Return the text with a mark before and after every query term."""
        parts: list[str] = []
        last = 0
        for start, end in self.marks:
            parts += self.text[last:start], before, self.text[start:end], after
            last = end
        return "".join([*parts, self.text[last:]])


def term_spans(text: str, query: Query, analyser: Analyser, borders: Sequence[int] = ()) -> list[tuple[int, int, str]]:
    """Return the spans and terms of query words in a text; words end at borders."""
    exact = {term: word for word in query.word_counts for term in word.split(EITHER)}
    open_ended = [word for word in query.word_counts if word.endswith(ANY_END)]
    at = np.array(borders, np.int64)
    parted = encode(" ".join(text[start:end] for start, end in pairwise([0, *borders, len(text)])))
    words = analyser.words(parted)
    found: dict[str, str] = {}
    for surface in set(words.surfaces):
        terms = analyser.alternatives(surface)
        matching = [exact[term] for term in terms if term in exact]
        matching = matching or [word for word in open_ended if term_matches(word, terms)]
        if matching:
            found[surface] = matching[0]
    places = [place for place, surface in enumerate(words.surfaces) if surface in found]
    starts, ends = (characters_before(parted, offsets[places]) for offsets in (words.starts, words.reaches))
    inserted = np.searchsorted(at + np.arange(len(at)), starts)
    spans: list[tuple[int, int, str]] = []
    for place, start, end in zip(places, (starts - inserted).tolist(), (ends - inserted).tolist(), strict=True):
        after = max(start, spans[-1][1]) if spans else start  # words of scripts without spaces overlap
        if after < end:
            spans.append((after, end, found[words.surfaces[place]]))
    return spans


def word_borders(index: IndexReader, document: int, row: int, start: int, end: int) -> list[int]:
    """Return the offsets, from `start` on, at which tags end words inside some text of an element.

    Args:
        start, end: the text, in characters of the document's.
    """
    rows = np.arange(row, int(index.elements.end(np.array([row]))[0]))
    spans = index.spans(document, rows)
    begins_inside, ends_inside = ((spans > start) & (spans < end)).T
    near = np.flatnonzero(begins_inside | ends_inside)
    offsets = distinct(spans[near[index.elements.end_words(rows[near])]].ravel())
    inside: list[int] = (offsets[(offsets > start) & (offsets < end)] - start).tolist()
    return inside


def snippet(
    text: str,
    query: Query,
    analyser: Analyser,
    borders: Sequence[int] = (),
    *,
    width: int = WIDTH,
    continues: tuple[bool, bool] = (False, False),
) -> Snippet:
    """Return the extract of about `width` characters with most distinct query terms, of equals with most occurrences.

    Args:
        borders: offsets at which words end even without a blank, ascending (see `word_borders`).
        continues: whether the answer has more text before, and behind.
    """
    spans = term_spans(text, query, analyser, borders)
    terms, ends = [term for _, _, term in spans], [end for _, end, _ in spans]
    start = 0
    best = (0, 0)
    for number, (begin, _, _) in enumerate(spans):
        inside = terms[number : bisect_right(ends, begin + width)]
        if (len(set(inside)), len(inside)) > best:
            best, start = (len(set(inside)), len(inside)), begin
    return _cut(text, spans, borders, max(0, start - width // 6), width, continues)


def _cut(
    text: str,
    spans: list[tuple[int, int, str]],
    borders: Sequence[int],
    start: int,
    width: int,
    continues: tuple[bool, bool],
) -> Snippet:
    """Return the extract that begins with the word at `start`, with an ellipsis at each end where text continues."""
    if start:
        blank = max(text.rfind(" ", 0, start), text.rfind("\n", 0, start)) + 1
        far = start - width // 2
        start = blank if blank > far else max([far, *borders[: bisect_right(borders, start)][-1:]])
    end = start + width
    if end < len(text):
        end = max(text.rfind(" ", start, end), text.rfind("\n", start, end), start + width // 2)
    gaps = [border for border in borders if start < border < end and runs_together(text, border)]
    pieces: list[str] = ["… "] if continues[0] or text[:start].strip() else []
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
    return Snippet(folded + (" …" if continues[1] or text[end:].strip() else ""), tuple(marks))


def runs_together(text: str, border: int) -> bool:
    """Return whether the text before and after a border needs a blank to read as two words or sentences."""
    before, behind = text[border - 1], text[border]
    return (behind.isalnum() or behind in OPENING) and not (before.isspace() or before in OPENING)


def breadcrumb(index: IndexReader, document: int, row: int) -> list[str]:
    """Return the titles of the document and of the elements on the path to a row, by the document's profile.

    The title of the document is its first title element; the title of an element is its first child that is a title.
    Headings with a rank are titles of what follows them (`heading_scopes`).
    """
    elements, here = index.elements, np.array([document])
    profile = index.profile_of(document)
    if not profile.titles:
        return []
    root = int(elements.root(here)[0])
    numbers = [number for number, tag in enumerate(elements.tags) if tag in profile.titles]
    title_rows = elements.with_tags(numbers, here)
    scopes = following_scopes(elements, profile.headings, here)
    before = scopes.headings.compress((scopes.first <= row) & (row < scopes.end)).tolist()
    if not len(title_rows):
        return []
    title_of: dict[int, int] = {}
    of_parents = title_rows.compress(~is_member(title_rows, scopes.headings))
    for title, parent in zip(of_parents.tolist(), elements.parent(of_parents).tolist(), strict=True):
        title_of.setdefault(parent, title)
    chain = []
    while row != root:
        chain.append(row)
        above = int(elements.parent(np.array([row]))[0])
        if above == row:
            raise IndexFormatError("parent.npy: an element inside a document has no parent: index the sources again.")
        row = above
    from_top = [(heading, heading) for heading in before] + [
        (above, title_of[above]) for above in chain if above in title_of
    ]
    found = [int(title_rows[0]), *(title for _, title in sorted(from_top))]
    text = index.text(document)
    spans = index.spans(document, np.array(found)).tolist()
    named = dict.fromkeys(BLANKS.sub(" ", text[start:end]).strip() for start, end in spans)
    return [title for title in named if title]
