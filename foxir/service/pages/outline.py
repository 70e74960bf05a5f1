"""The outline of a document: its titled elements, coloured by score, each with the blocks below it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import dataclass

from foxir.service.pages.document_view import HOLDERS, REFERENCES, UNTITLED, DocumentPart, DocumentView

# Entries of an outline, and blocks shown of one entry; the others are counted.
MOST_ENTRIES = 400
MOST_BLOCKS = 60
# The element whose number stands before it, and not in it.
CAPTION = "caption"
# Depth to which elements without a title are listed.
UNTITLED_DEPTH = 2
COLDEST_TO_HOTTEST = 10
# Characters of the first words of an element without a title.
FIRST_WORDS = 60


@dataclass(frozen=True)
class Outline:
    """The outline of a document or of a part; `n_left_out`: entries beyond MOST_ENTRIES."""

    entries: list[OutlineEntry]
    n_left_out: int


@dataclass(frozen=True)
class OutlineEntry:
    """An element of the outline; `blocks`: places of scored blocks that no lower entry contains."""

    place: int
    depth: int
    title: str
    blocks: tuple[int, ...]
    n_blocks: int


def outline(
    view: DocumentView,
    scores: Mapping[int, float],
    images: Container[int] = (),
    part: DocumentPart | None = None,
    *,
    is_brief: bool = False,
) -> Outline:
    """Return the titled elements of a document, and untitled ones near the root, in document order.

    An untitled one is named as breadcrumbs do, else by its tag, one of several with it by its first words.

    Args:
        images: places of elements that refer to images, which are shown like blocks.
        part: the part of the document that is outlined, with what is around it; None for all of it.
        is_brief: whether it has neither metadata nor untitled elements that only hold others.
    """
    first, end = (0, len(view)) if part is None else (part.first, part.end)
    n_left_out = 0
    depths = [0] * len(view)
    found: list[tuple[int, int, str]] = []
    home = [0] * len(view)  # number of the entry that each element belongs to
    parents, ends, left_out, words = view.parents, view.ends, view.is_left_out, view.words
    cells = view.reader.table_cells(view.number)
    rows, tables = (set((each - view.first_row).tolist()) for each in (cells.rows, cells.tables))
    for place in range(end):
        if place:
            depths[place] = depths[parents[place]] + 1
            home[place] = home[parents[place]]
        if ends[place] <= first or left_out[place] or not words[place] or (place and ends[place] == place + 1):
            continue
        if place in rows or (place in tables and place + 1 in rows):  # which are seen as a whole
            continue
        title = view.line(place + 1) if place in tables and not view.is_known else view.heading(place)
        if title and view.tags[place] == CAPTION and view.is_number(place - 1):
            title = f"{view.line(place - 1)} {title}"
        if is_brief and place:
            title = title or UNTITLED.get(view.tags[place], "")
            is_holder = title in ("", view.title) and view.tags[place] in HOLDERS
            if view.is_metadata[place] or is_holder or view.tags[place] in REFERENCES:
                continue
        is_branch = ends[place] > place + 1 and not view.own_words[place]
        if place == 0 or title or (is_branch and depths[place] <= UNTITLED_DEPTH):
            if len(found) >= MOST_ENTRIES:
                n_left_out += 1
                continue
            depth = found[home[place]][1] + 1 if is_brief and place else depths[place]
            home[place] = len(found)
            found.append((place, depth, title))
    unnamed = [place for place, _, title in found if place and not title]
    names = dict(zip(unnamed, view.names(unnamed), strict=True)) if unnamed else {}
    alike = Counter(names.values())
    names = {place: name for place, name in names.items() if alike[name] == 1}  # others are below one heading
    untitled = Counter(view.tags[place] for place in unnamed if not names.get(place))
    blocks: list[list[int]] = [[] for _ in found]
    for place in scores:
        if not first <= place < end:
            continue
        if place in images or (view.own_words[place] and not view.is_inline[place]):
            blocks[home[place]].append(place)
    entries = [
        OutlineEntry(
            place,
            depth,
            title or names.get(place) or _name(view, place, is_alone=untitled[view.tags[place]] == 1),
            tuple(sorted(inside)[:MOST_BLOCKS]),
            len(inside),
        )
        for (place, depth, title), inside in zip(found, blocks, strict=True)
    ]
    return Outline(entries, n_left_out)


def _name(view: DocumentView, place: int, *, is_alone: bool) -> str:
    """Return the name of an element without a title; `is_alone`: whether no other one has its tag."""
    if not place:
        return view.title
    return view.tags[place] if is_alone else view.line(place, FIRST_WORDS)


def heat(scores: Mapping[int, float]) -> dict[int, int]:
    """Return place -> 0 (the lowest score) to 9 (the highest); elements that score nothing are left out.

    The score of the article is a part of every score, so the scale begins with the lowest score of the document.
    """
    above_0 = {place: score for place, score in scores.items() if score > 0}
    lowest, highest = min(above_0.values(), default=0.0), max(above_0.values(), default=0.0)
    width = highest - lowest
    last = COLDEST_TO_HOTTEST - 1
    return {place: round(last * (score - lowest) / width) if width else last for place, score in above_0.items()}
