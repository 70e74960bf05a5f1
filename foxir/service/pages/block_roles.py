"""The role of a block in its place: a heading, a cell, an item of a list, a phrase in a line of text."""

from __future__ import annotations

from foxir.service.pages.document_view import DocumentView
from foxir.service.pages.tag_roles import BLOCKS, INLINE, PARENTS

# Words of a block that is shown beside others of its kind: names, numbers and dates of a heading.
BIT = 4

# Words of an element that is shown in the line of the text around it, and characters of the punctuation after it.
PHRASE, LONGEST_MARK = 50, 3


def role_of(view: DocumentView, place: int, roles: dict[int, str]) -> str:
    """Return and remember the role of a block, "" for none and for inline elements; `sub` and `sup` are in the line."""
    if view.is_inline[place]:
        return ""
    tag = view.tags[place]
    role = "heading" if tag in view.title_tags else BLOCKS.get(tag, "")
    if INLINE.get(tag) in ("sub", "sup") and place and view.ends[place] == place + 1:
        role = INLINE[tag]
    if role in ("", "heading") and place and _is_phrase(view, place):
        role = "phrase"
    if not role and place and view.words[place] <= BIT and view.ends[place] == place + 1:
        role = "bit"
    if role in PARENTS and (place == 0 or roles.get(view.parents[place]) not in PARENTS[role]):
        role = ""
    if role == "list" and not all(
        BLOCKS.get(view.tags[child]) == "listitem" and not view.is_inline[child] for child in view.children(place)
    ):
        role = "items"
    if role == "table" and not _is_regular(view, place):
        role = "tabular"
    roles[place] = role
    return role


def _is_phrase(view: DocumentView, place: int) -> bool:
    """Return whether nothing but a punctuation mark follows an element in its parent, as in a list of references."""
    parent, after = view.parents[place], view.ends[place]
    stop = view.starts[after] if after < view.ends[parent] else view.stops[parent]
    between = view.text[view.stops[place] : stop].strip()
    return 0 < len(between) <= LONGEST_MARK and not any(map(str.isalnum, between)) and view.words[place] <= PHRASE


def _is_regular(view: DocumentView, table: int) -> bool:
    """Return whether a table has nothing but rows of cells in it."""
    rows = [
        row
        for child in view.children(table)
        for row in (view.children(child) if BLOCKS.get(view.tags[child]) == "rowgroup" else [child])
    ]
    return bool(rows) and all(
        BLOCKS.get(view.tags[row]) == "row"
        and view.children(row)
        and all(BLOCKS.get(view.tags[cell]) in ("cell", "columnheader") for cell in view.children(row))
        for row in rows
    )
