"""The smallest element that contains a stretch of a document's text."""

from __future__ import annotations

import numpy as np

from engine.index.reader import IndexReader


def smallest_element(index: IndexReader, number: int, start: int, end: int) -> int:
    """Return the row of the deepest element of a document that contains the characters from `start` to `end`."""
    root, behind = (
        int(column[0])
        for column in (index.elements.root(np.array([number])), index.elements.document_end(np.array([number])))
    )
    rows = np.arange(root, behind)
    spans = index.spans(number, rows)
    contains = (spans[:, 0] <= start) & (spans[:, 1] >= end)
    return int(rows[contains][-1])  # what contains it is a chain, whose last row is the innermost
