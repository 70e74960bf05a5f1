"""The texts of titles, header rows and labels, as breadcrumbs show them."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice

import numpy as np

from engine.index.reader import IndexReader
from engine.presentation.skipped_text import skipped_in
from engine.wording import shortened

# Notes of JATS and DITA, DocBook, and TEI; a title is without them.
NOTES = ("fn", "footnote", "note")
# Characters that are shown of the header rows of a table, and of a label.
LONGEST = 160


def title_texts(
    index: IndexReader, titles: Collection[int], headers: Collection[int], labels: Collection[int]
) -> dict[int, str]:
    """Return the texts of titles without skipped elements, their white space collapsed; recent ones are cached.

    Args:
        headers: which of them are header rows of tables; ` | ` stands between their cells. labels: which are labels.
            Others may be among both. A space stands between the blocks of titles and labels.
    """
    cached = {title: index.title_texts.find(title) for title in titles}
    found = {title: text for title, text in cached.items() if text is not None}
    if len(found) == len(cached):
        return found
    unread = sorted(cached.keys() - found.keys())
    parts = [_parts(index, row, is_header=row in headers) for row in unread]
    rows = np.array([part for of_title in parts for part in of_title], np.int64)
    texts = zip(index.texts_of(rows), skipped_in(index, rows, NOTES), strict=True)
    found_texts = iter([" ".join(skipped.without(text, ())[0].split()) for text, skipped in texts])
    new = {}
    for title, part in zip(unread, parts, strict=True):
        text = (" | " if title in headers else " ").join(text for text in islice(found_texts, len(part)) if text)
        new[title] = shortened(text, LONGEST) if title in headers or title in labels else text
    index.title_texts.add(new.items())
    return found | new


def _parts(index: IndexReader, row: int, *, is_header: bool) -> list[int]:
    """Return the cells of a header row, the blocks of a title without a text of its own, else the row itself."""
    elements, one = index.elements, np.array([row])
    if not is_header and elements.n_own_words(one)[0]:
        return [row]
    inside = np.arange(row + 1, int(elements.end(one)[0]))
    children: list[int] = inside.compress(elements.parent(inside) == row).tolist()
    return children or [row]
