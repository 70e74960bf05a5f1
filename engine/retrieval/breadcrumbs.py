"""Breadcrumbs: the titles of a document and of the sections down to an element."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.arrays import distinct, places_of
from engine.collection.profile import Profile
from engine.errors import INDEX_AGAIN, IndexFormatError
from engine.index.containment import WithAncestors, chains, is_member
from engine.index.element_texts import element_texts
from engine.index.reader import IndexReader
from engine.retrieval.heading_scopes import following_scopes
from engine.retrieval.skipped_text import skipped_in

Numbers = NDArray[np.int64]

BLANKS = re.compile(r"\s+")


def breadcrumbs(
    index: IndexReader, documents: Numbers, rows: Numbers, above: WithAncestors | None = None
) -> list[list[str]]:
    """Return the titles of documents and of the elements on the paths to rows in them, by the documents' profiles.

    The title of the document is its first title element; the title of an element is its first child that is a title.
    Headings with a rank are titles of what follows them (`heading_scopes`).

    Args:
        above: the ancestors of the rows, where they are known.
    """
    known = chains(index.elements, rows) if above is None else above
    found: list[list[str]] = [[] for _ in rows]
    profiles = {document: index.profile_of(document) for document in distinct(documents).tolist()}
    of_profiles: dict[str, list[int]] = {}
    for place, document in enumerate(documents.tolist()):
        if profiles[document].titles:
            of_profiles.setdefault(profiles[document].name, []).append(place)
    for places in of_profiles.values():
        chosen = np.array(places)
        profile = profiles[int(documents[places[0]])]
        titles_of = _title_rows(index, profile, documents.take(chosen), rows.take(chosen), known)
        text_of = _texts(index, {title for titles in titles_of for title in titles})
        for place, titles in zip(places, titles_of, strict=True):
            found[place] = [text for text in dict.fromkeys(text_of[title] for title in titles) if text]
    return found


def _title_rows(
    index: IndexReader, profile: Profile, documents: Numbers, rows: Numbers, known: WithAncestors
) -> list[list[int]]:
    """Return the title elements above each row, those of the documents first; their documents have one profile."""
    elements, every = index.elements, distinct(documents)
    numbers = places_of(elements.is_tag(profile.titles)).tolist()
    titles = elements.with_tags(numbers, every)
    scopes = following_scopes(elements, profile.headings, every)
    of_parents = titles.compress(~is_member(titles, scopes.headings))[::-1]  # of several, the first one is kept
    title_of = dict(zip(elements.parent(of_parents).tolist(), of_parents.tolist(), strict=True))
    row_at, parent_of = known.rows.tolist(), known.parents.tolist()
    roots = elements.root(documents)
    of_document = np.append(titles, -1).take(titles.searchsorted(roots)).tolist()
    ends = elements.end(roots).tolist()
    found: list[list[int]] = []
    columns = (rows.tolist(), known.rows.searchsorted(rows).tolist(), roots.tolist(), ends, of_document)
    for row, at, root, end, first in zip(*columns, strict=True):
        if not root <= first < end:
            found.append([])
            continue
        chain, place = [], at
        while row_at[place] != root:
            if parent_of[place] == place:
                raise IndexFormatError(f"parent.npy: an element inside a document has no parent: {INDEX_AGAIN}.")
            chain.append(row_at[place])
            place = parent_of[place]
        before = scopes.headings.compress((scopes.first <= row) & (row < scopes.end)).tolist()
        from_top = [(heading, heading) for heading in before]
        from_top += [(above, title_of[above]) for above in chain if above in title_of]
        found.append([first, *(title for _, title in sorted(from_top))])
    return found


def _texts(index: IndexReader, titles: Collection[int]) -> dict[int, str]:
    """Return the texts of titles without skipped elements, their white space collapsed; recent ones are cached."""
    cached = {title: index.title_texts.find(title) for title in titles}
    found = {title: text for title, text in cached.items() if text is not None}
    unread = np.array(sorted(cached.keys() - found.keys()), np.int64)
    columns = unread.tolist(), element_texts(index, unread), skipped_in(index, unread)
    for title, text, skipped in zip(*columns, strict=True):
        found[title] = index.title_texts.get(title, partial(_folded, skipped.without(text, ())[0]))
    return found


def _folded(text: str) -> str:
    """Return a text with its white space collapsed."""
    return BLANKS.sub(" ", text).strip()
