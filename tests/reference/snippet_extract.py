"""The best extract of a text, built piece by piece between the words of the query: slow and obvious."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from engine.presentation.snippets import Snippet, runs_together
from engine.presentation.term_spans import SearchedText

Span = tuple[int, int, str]


def extract(searched: SearchedText, spans: Sequence[Span], width: int) -> Snippet:
    """Return the extract with most distinct terms, of equals with most words, of these the first."""
    best, start = (0, 0), 0
    for begin, _, _ in spans:
        inside = [term for first, stop, term in spans if first >= begin and stop <= begin + width]
        if (found := (len(set(inside)), len(inside))) > best:
            best, start = found, begin
    is_whole = len(searched.text) <= width
    return _cut(searched, spans, 0 if is_whole else max(0, start - width // 6), width)


def _cut(searched: SearchedText, spans: Sequence[Span], start: int, width: int) -> Snippet:
    text, borders, continues, _ = searched
    if start:
        blank = max(text.rfind(" ", 0, start), text.rfind("\n", 0, start)) + 1
        far = start - width // 2
        start = blank if blank > far else max([far, *[border for border in borders if border <= start][-1:]])
    end = start + width
    if end < len(text):
        before = [border for border in borders if border <= end][-1:]
        end = max(text.rfind(" ", start, end), text.rfind("\n", start, end), start + width // 2, *before)
    gaps = [border for border in borders if start < border < end and runs_together(text, border)]
    folded = "… " if continues[0] or text[:start].strip() else ""
    marks: list[tuple[int, int]] = []
    last = start
    for begin, stop, _ in [*(span for span in spans if start <= span[0] and span[1] <= end), (end, end, "")]:
        edges = [last, *(gap for gap in gaps if last <= gap <= begin), begin]
        between = re.sub(r"\s+", " ", " ".join(text[a:b] for a, b in pairwise(edges)))
        folded += between.lstrip() if last == start else between
        if stop > begin:
            marks.append((len(folded), len(folded) + stop - begin))
        folded += text[begin:stop]
        last = stop
    return Snippet(folded.rstrip() + (" …" if continues[1] or text[end:].strip() else ""), tuple(marks))
