"""The title of a document: its first title, unless that names one of several like parts.

Minutes without a title of their own have items with headings, and the first of these is no title of the others. Parts
are like if they are siblings with the same tag, have titles, and are more text than titles: repeated groups of titles,
as in bibliographic records, are none.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import Mask, Rows, distinct, places_of
from engine.index.elements.element_store import Elements

# Words of parts for each word in their titles.
WORDS_OF_PARTS = 2


def titles_of_documents(elements: Elements, documents: Rows, titles: Rows) -> Rows:
    """Return the title of each document (ascending), -1 for one without.

    Args:
        titles: those of the documents, and perhaps of others, ascending.
    """
    roots = elements.root(documents)
    first = titles.searchsorted(roots)
    has_title = places_of(first < titles.searchsorted(elements.end(roots)))
    found = np.full(len(documents), -1)
    first = titles.take(first.take(has_title))
    are_whole = ~_are_of_parts(elements, documents.take(has_title), first, titles)
    found[has_title.compress(are_whole)] = first.compress(are_whole)
    return found


def _are_of_parts(elements: Elements, documents: Rows, first: Rows, titles: Rows) -> Mask:
    """Return which first titles of documents (ascending) are in one of several like parts."""
    found = np.zeros(len(first), np.bool_)
    places, part = np.arange(len(first)), _above(elements, first)
    while True:
        above = _above(elements, part)
        is_inside = above != part
        if not is_inside.any():
            return found
        places, part, above = (column.compress(is_inside) for column in (places, part, above))
        like = elements.with_tags(distinct(elements.tag(part)).tolist(), documents.take(places))
        begin, end = like.searchsorted(part), like.searchsorted(elements.end(above))
        for at in places_of(end - begin > 1).tolist():
            beside = like[begin[at] : end[at]]
            found[places[at]] = _are_several(elements, beside, above[at], titles)
        is_open = ~found.take(places)
        places, part = places.compress(is_open), above.compress(is_open)


def _above(elements: Elements, rows: Rows) -> Rows:
    """Return the nearest element above each that is not inline; of a root, itself."""
    return elements.nearest_non_inline(elements.parent(rows))


def _are_several(elements: Elements, like: Rows, above: int, titles: Rows) -> bool:
    """Return whether an element has several parts with titles.

    Args:
        like: elements inside of it (ascending), among them those with the tag of the first.
    """
    tags = elements.tag(like)
    like = like.compress((tags == tags[0]) & (_above(elements, like) == above))
    ends = elements.end(like)
    first, last = titles.searchsorted(like), titles.searchsorted(ends)
    is_titled = first < last
    if is_titled.sum() <= 1:
        return False
    parts, ends, first, last = (column.compress(is_titled) for column in (like, ends, first, last))
    inside = np.concatenate([titles[slice(*edges)] for edges in zip(first.tolist(), last.tolist(), strict=True)])
    in_titles = elements.n_words(inside).sum()
    return bool(elements.n_words(parts).sum() > WORDS_OF_PARTS * in_titles)
