"""How much highlighted text judged documents hold."""

import numpy as np

from eval.assessments import Judgements
from eval.geometry import BoolArray, IntArray
from eval.intervals import union
from eval.paths import root, topmost

FAR = 2**40
"""More characters than any document has: keeps the offsets of different documents apart."""


def highlighted_characters(judgements: Judgements) -> IntArray:
    """Return the highlighted characters of every judged document, shape (n_documents,).

    The sizes of its passages (their union, where offsets are known); without passages the rsize of its root; if that
    is not judged, of its topmost judged elements; else what the file says of the document.
    """
    counts: IntArray = np.maximum(judgements.highlighted, 0)
    measured = _measured_by_passages(judgements)
    counts[measured] = _passage_characters(judgements)[measured]
    for row in np.flatnonzero(~measured & (np.diff(judgements.element_bounds) > 0)).tolist():
        counts[row] = max(_top_characters(judgements, row), 0)
    return counts


def _measured_by_passages(judgements: Judgements) -> BoolArray:
    """Return which documents have passages, all of them of known length."""
    rows, n = judgements.passages.document_rows, len(judgements.documents)
    known = np.bincount(rows[judgements.passages.lengths >= 0], minlength=n)
    measured: BoolArray = (known > 0) & (known == np.bincount(rows, minlength=n))
    return measured


def _passage_characters(judgements: Judgements) -> IntArray:
    """Return the length of the passages of every document: of their union, passages without offsets lie apart."""
    passages = judgements.passages
    lengths = np.maximum(passages.lengths, 0)
    placed_rows = passages.starts >= 0
    starts = passages.starts[placed_rows] + passages.document_rows[placed_rows] * FAR
    begins, ends = union(starts, starts + lengths[placed_rows])
    n = len(judgements.documents)
    placed = np.bincount(begins // FAR, weights=ends - begins, minlength=n)
    others = np.bincount(passages.document_rows[~placed_rows], weights=lengths[~placed_rows], minlength=n)
    return placed.astype(np.int64) + others.astype(np.int64)


def _top_characters(judgements: Judgements, row: int) -> int:
    """Return the rsize of the root of a document, or of its topmost judged elements if the root is not judged."""
    first, end = judgements.element_bounds[row : row + 2].tolist()
    paths, rsizes = judgements.elements.paths[first:end], judgements.elements.rsizes
    top = judgements.row_of_element.get((judgements.documents[row], root(paths[0])))
    return int(rsizes[top] if top is not None else sum(rsizes[first + i] for i in topmost(paths)))
