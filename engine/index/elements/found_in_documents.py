"""What is found in the elements of documents on request, in all together only where that pays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np

from engine.arrays import Rows
from engine.index.elements.element_columns import Demand
from engine.index.elements.element_store import Elements

Found = TypeVar("Found")


class FoundInDocuments(Generic[Found]):
    """What is found in documents, each by itself; in all of them, and kept, once that is worth it (`Demand`)."""

    def __init__(self, elements: Elements) -> None:
        self._elements = elements
        self._demand = Demand(int(elements.row_base[-1]))
        self._of_all: Found | None = None

    def of(self, documents: Rows, find: Callable[[Rows], Found]) -> Found:
        """Return what is in at least the given documents (ascending), by a function that finds it."""
        if self._of_all is not None:
            return self._of_all
        elements = self._elements
        n_elements = int((elements.document_end(documents) - elements.root(documents)).sum())
        if not self._demand.is_for_all(n_elements):
            return find(documents)
        self._of_all = find(np.arange(elements.n_documents))
        return self._of_all
