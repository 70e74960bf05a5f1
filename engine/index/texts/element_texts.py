"""The texts of elements, document by document."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.index.reader import IndexReader
from engine.query_limits import check_time


def element_texts(index: IndexReader, rows: NDArray[np.int64]) -> Iterator[str]:
    """Yield the texts of some elements (ascending)."""
    if not len(rows):
        return
    documents = index.elements.document(rows)
    begins = np.flatnonzero(np.diff(documents, prepend=-1))
    places = rows - index.elements.root(documents)
    for document, begin, end in zip(
        documents[begins].tolist(), begins.tolist(), [*begins[1:].tolist(), len(rows)], strict=True
    ):
        check_time()
        segment, local = index.locate(document)
        yield from index.segments[segment].texts.of_elements(local, places[begin:end])
