"""What is found in the elements of documents on request, in all together only where that pays.

A program that asks one question needs a few documents, a service sooner or later all: once as many documents were asked
for as there are, all are searched and what is found is kept. So nobody waits for more than twice the work there is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np

from engine.arrays import Rows
from engine.index.elements.element_columns import MOST_CACHED
from engine.index.elements.element_store import Elements

Found = TypeVar("Found")


class FoundInDocuments(Generic[Found]):
    """What is found in documents, each by itself; of an index with more than MOST_CACHED elements never kept."""

    def __init__(self, elements: Elements) -> None:
        self._n_documents = int(elements.document_base[-1])
        self._is_kept = elements.row_base[-1] <= MOST_CACHED
        self._n_asked = 0
        self._of_all: Found | None = None

    def of(self, documents: Rows, find: Callable[[Rows], Found]) -> Found:
        """Return what is in at least the given documents (ascending), by a function that finds it."""
        if self._of_all is not None:
            return self._of_all
        self._n_asked += len(documents)
        if not self._is_kept or self._n_asked < self._n_documents:
            return find(documents)
        self._of_all = find(np.arange(self._n_documents))
        return self._of_all
