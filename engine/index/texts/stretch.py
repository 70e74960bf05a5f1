"""A stretch of a document's text, as users name it: OFFSET:LENGTH, in characters."""

from __future__ import annotations

import re

import numpy as np

from engine.errors import QueryError
from engine.index.reader import IndexReader
from engine.wording.wording import counted

STRETCH = re.compile(r"(\d{1,18}):(\d{1,18})")


def stretch_of(index: IndexReader, number: int, place: str) -> tuple[int, int] | None:
    """Return start and end of a stretch of a document, given by its number; None for a place of another form.

    Raises: QueryError for a stretch that ends after the document.
    """
    found = STRETCH.fullmatch(place)
    if found is None:
        return None
    start, length = int(found[1]), int(found[2])
    _, size = index.spans(number, index.elements.root(np.array([number])))[0].tolist()
    if start + length > size:
        raise QueryError(f"'{place}': the text of document '{index.ids[number]}' has {counted(size, 'character')}.")
    return start, start + length
