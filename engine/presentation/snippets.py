"""Snippets: the extracts of texts with most words of a query, which are marked."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from engine import kernels
from engine.presentation.term_spans import SearchedText, spans_by_words, words_found
from engine.query.query import Query
from engine.records import NamedTuple
from engine.text.analyser import Analyser
from engine.text.characters import known_kinds
from engine.wording.shown_values import shown

# characters of a snippet
WIDTH = 240
# White space that is not one blank, and what is not white space.
UNEVEN, SIGN = re.compile(r"\s{2,}|[^\S ]"), re.compile(r"\S")
OPENING = "([{«“‘"


class Snippet(NamedTuple):
    """An extract of an element's text, white space collapsed, and the spans of query terms in it."""

    text: str
    marks: tuple[tuple[int, int], ...]

    def marked(self, before: str = "[", after: str = "]") -> str:
        """Return the text with a mark before and after every query term; the text itself is not escaped."""
        for name, mark in (("before", before), ("after", after)):
            if not isinstance(mark, str):
                raise TypeError(f"{name}: expected str, got {type(mark).__name__} {shown(mark)}.")
        return self._joined(str, before, after)

    def html(self) -> str:
        """Return the text as HTML, every query term in `<mark>`; characters with a meaning in HTML are escaped.

        >>> Snippet("if x < fog", ((7, 10),)).html()
        'if x &lt; <mark>fog</mark>'
        """
        from html import escape  # noqa: PLC0415  (its table of entities is large)

        return self._joined(escape, "<mark>", "</mark>")

    def _joined(self, shown: Callable[[str], str], before: str, after: str) -> str:
        parts: list[str] = []
        last = 0
        for start, end in self.marks:
            parts += shown(self.text[last:start]), before, shown(self.text[start:end]), after
            last = end
        return "".join([*parts, shown(self.text[last:])])


def snippets(texts: Sequence[SearchedText], query: Query, analyser: Analyser, *, width: int = WIDTH) -> list[Snippet]:
    """Return of each text some `width` characters with most distinct terms, of equals with most words."""
    if kernels.native is not None and (found := words_found(texts, query, analyser)) is not None:
        columns = found.texts, found.starts, found.ends, found.numbers, len(found.values)
        return [Snippet(*each) for each in kernels.native.extracts(texts, known_kinds(), *columns, width)]
    return [_extract(*found, width) for found in zip(texts, spans_by_words(texts, query, analyser), strict=True)]


def _extract(searched: SearchedText, spans: list[tuple[int, int, str]], width: int) -> Snippet:
    """Return the best extract of a text, given the spans of the query's words in it."""
    start = spans[0][0] if spans else 0
    if spans and spans[-1][1] > start + width:  # else the extract from the first span on has all of them
        start = _best_start(spans, width)
    return _cut(searched, spans, max(0, start - width // 6), width)


def _best_start(spans: list[tuple[int, int, str]], width: int) -> int:
    """Return where the span begins from which on a width has most distinct terms, of equals most spans."""
    inside: Counter[str] = Counter()  # the terms from a span on that end within the width
    start = reached = 0
    best = (0, 0)
    for number, (begin, _, term) in enumerate(spans):
        while reached < len(spans) and spans[reached][1] <= begin + width:
            inside[spans[reached][2]] += 1
            reached += 1
        if (found := (len(inside), reached - number)) > best:
            best, start = found, begin
        if reached == number:  # a word longer than the width
            reached += 1
        elif inside[term] == 1:
            del inside[term]
        else:
            inside[term] -= 1
    return start


def _cut(searched: SearchedText, spans: list[tuple[int, int, str]], start: int, width: int) -> Snippet:
    """Return the extract that begins with the word at `start`, with an ellipsis at each end where text continues."""
    text, borders, continues = searched
    if start:
        blank = max(text.rfind(" ", 0, start), text.rfind("\n", 0, start)) + 1
        far = start - width // 2
        start = blank if blank > far else max([far, *borders[: bisect_right(borders, start)][-1:]])
    end = start + width
    if end < len(text):
        end = max(text.rfind(" ", start, end), text.rfind("\n", start, end), start + width // 2)
    near = borders[bisect_right(borders, start) : bisect_left(borders, end)]
    gaps = [border for border in near if runs_together(text, border)]
    before = "… " if continues[0] or not _is_blank(text, 0, start) else ""
    behind = " …" if continues[1] or not _is_blank(text, end, len(text)) else ""
    marks = [(begin, stop) for begin, stop, _ in spans if start <= begin and stop <= end]
    folded, marks = folded_extract(text, start, end, gaps, marks)
    moved = len(before)
    return Snippet((before + folded).rstrip() + behind, tuple([(begin + moved, stop + moved) for begin, stop in marks]))


def folded_extract(
    text: str, start: int, end: int, gaps: list[int], spans: list[tuple[int, int]]
) -> tuple[str, list[tuple[int, int]]]:
    """Return an extract with its white space collapsed, a blank at each gap and none at its start, and spans in it.

    Args:
        gaps: offsets in the text, ascending, at which there is no white space. spans: of words in the text, ascending.
    """
    piece = text[start:end]
    inside = piece.strip()
    if len(folded := " ".join(inside.split())) == len(inside):  # no white space but single characters, as in most texts
        shift = len(piece) - len(piece.lstrip()) + start
        if not gaps:
            return folded, [(begin - shift, stop - shift) for begin, stop in spans]
        edges = [0, *(gap - shift for gap in gaps), len(folded)]
        moved = [(begin - shift + (n := bisect_right(gaps, begin)), stop - shift + n) for begin, stop in spans]
        return " ".join([folded[begin:stop] for begin, stop in pairwise(edges)]), moved
    return unevenly_folded(text, start, end, gaps, spans)


def unevenly_folded(
    text: str, start: int, end: int, gaps: list[int], spans: list[tuple[int, int]]
) -> tuple[str, list[tuple[int, int]]]:
    """Return what `folded_extract` returns, of any text."""
    changes = [found.span() for found in UNEVEN.finditer(text, start, end)]
    if gaps:
        changes = sorted([*changes, *zip(gaps, gaps, strict=True)])
    pieces: list[str] = []
    moved: list[tuple[int, int]] = []
    last, shift, place = start, -start, 0
    if text[start : min(start + 1, end)].isspace():
        shift -= 1  # the blank that the white space at the start becomes is left out
    for begin, stop in changes:
        while place < len(spans) and spans[place][0] < stop:
            moved.append((spans[place][0] + shift, spans[place][1] + shift))
            place += 1
        pieces += text[last:begin], " "
        shift += begin + 1 - stop
        last = stop
    moved += [(begin + shift, stop + shift) for begin, stop in spans[place:]]
    pieces.append(text[last:end])
    return "".join(pieces).lstrip(), moved


def _is_blank(text: str, start: int, end: int) -> bool:
    """Return whether there is nothing but white space between two offsets."""
    return SIGN.search(text, start, end) is None


def runs_together(text: str, border: int) -> bool:
    """Return whether the text before and after a border needs a blank to read as two words or sentences."""
    before, behind = text[border - 1], text[border]
    return (behind.isalnum() or behind in OPENING) and not (before.isspace() or before in OPENING)
