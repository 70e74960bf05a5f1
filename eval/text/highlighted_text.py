"""The highlighted text of a topic: as intervals, and its number of characters by document."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from eval.arrays import BoolArray, IntArray
from eval.judgements.judgements import Judgements
from eval.text.intervals import HighlightedIntervals, union
from eval.text.paths import topmost

# Distance between documents whose offsets are put on one scale: more characters than any document has.
DOCUMENT_STRIDE = 2**40


def highlighted_characters(judgements: Judgements) -> IntArray:
    """Return the number of highlighted characters of every judged document, int64, shape (n_documents,).

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
    starts = passages.starts[placed_rows] + passages.document_rows[placed_rows] * DOCUMENT_STRIDE
    begins, ends = union(starts, starts + lengths[placed_rows])
    n = len(judgements.documents)
    with_result_offsets = np.bincount(begins // DOCUMENT_STRIDE, weights=ends - begins, minlength=n)
    others = np.bincount(passages.document_rows[~placed_rows], weights=lengths[~placed_rows], minlength=n)
    return with_result_offsets.astype(np.int64) + others.astype(np.int64)


def _top_characters(judgements: Judgements, row: int) -> int:
    """Return the rsize of the root of a document, or of its topmost judged elements if the root is not judged."""
    first, end = judgements.element_bounds[row : row + 2].tolist()
    rsizes, root = judgements.elements.rsizes, judgements.root_row(row)
    if root >= 0:
        return int(rsizes[root])
    return int(sum(rsizes[first + i] for i in topmost(judgements.elements.paths[first:end])))


@dataclass(frozen=True, eq=False)
class HighlightedText:
    """The highlighted text of a topic: all documents laid end to end, DOCUMENT_STRIDE characters apart; and of each."""

    text: HighlightedIntervals
    characters: IntArray

    @property
    def total(self) -> int:
        """Number of highlighted characters in all documents."""
        return int(self.characters.sum())

    @property
    def n_relevant(self) -> int:
        """Number of documents with highlighted text."""
        return int((self.characters > 0).sum())


@lru_cache(maxsize=4)
def highlighted_text(judgements: Judgements) -> HighlightedText:
    """Return the highlighted text of a topic whose passages have offsets."""
    passages = judgements.passages
    starts = passages.starts + passages.document_rows * DOCUMENT_STRIDE
    return HighlightedText(
        HighlightedIntervals.of(starts, starts + passages.lengths), highlighted_characters(judgements)
    )


def document_highlights(judgements: Judgements, row: int) -> HighlightedIntervals:
    """Return the highlighted text of one document, given by its row, of a topic whose passages have offsets."""
    passages = judgements.passages
    first, end = judgements.passage_bounds[row : row + 2].tolist()
    starts = passages.starts[first:end]
    return HighlightedIntervals.of(starts, starts + passages.lengths[first:end])
