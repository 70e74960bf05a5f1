"""Postings without deleted documents, read and written some at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engine.array_types import Mask, Numbers
from engine.columns import spilled
from engine.columns.spilled import ColumnSpill, SpilledStrings, StringsSpill, read_strings
from engine.indexing.index_part import LEVELS, TERM_POINTERS, Part

# Postings that are read at a time, and occurrences, at most (or those of a single posting).
POSTINGS, OCCURRENCES = 1 << 16, 1 << 19


def filtered_postings(part: Part, is_kept: Mask, folder: Path) -> tuple[dict[str, Any], dict[str, Any], SpilledStrings]:
    """Return the posting columns, pointers and terms of the documents that stay; terms of no document are left out."""
    filtering = _Filtering(part, is_kept, folder)
    pointers = {level: ColumnSpill(folder / f"{level}-pointers", np.dtype(np.int64)) for level in TERM_POINTERS}
    terms = StringsSpill(folder / "terms")
    for file in pointers.values():
        file.append(np.zeros(1, np.int64))
    first = 0
    while first < len(part.terms):
        words = read_strings(part.terms, first, spilled.PIECE)
        n_before = filtering.n_kept[0]
        kept = filtering.copy(part.pointers["postings"][first : first + len(words) + 1])
        is_used = np.diff(kept[:, 0], prepend=n_before) > 0
        terms.extend(word for word, used in zip(words, is_used.tolist(), strict=True) if used)
        for number, level in enumerate(TERM_POINTERS):
            pointers[level].append(kept[is_used, number])
        first += len(words)
    return filtering.finished(), {level: file.finished() for level, file in pointers.items()}, terms.finished()


class _Filtering:
    """Copies postings in their order.

    n_kept: rows of each level that were written so far.
    """

    def __init__(self, part: Part, is_kept: Mask, folder: Path) -> None:
        self._columns = part.columns
        self._is_kept = is_kept
        self._numbers = np.cumsum(is_kept) - 1
        self._files = {
            name: ColumnSpill(folder / name, np.dtype(np.int64) if name == "document" else part.columns[name].dtype)
            for level in LEVELS.values()
            for name in level
        }
        self._n_leaves = self._n_positions = 0  # rows that were read so far
        self.n_kept = np.zeros(len(LEVELS), np.int64)

    def copy(self, bounds: Numbers) -> Numbers:
        """Copy the postings of some terms (their first rows, and the end); return the number that remains after each.

        Returns: rows of each level, from those of the first term of all, shape (n_terms, 3).
        """
        kept = np.tile(self.n_kept, (len(bounds) - 1, 1))
        start = int(bounds[0])
        while start < int(bounds[-1]):
            stop = min(start + POSTINGS, int(bounds[-1]))
            tf = self._columns["tf"][start:stop].astype(np.int64)
            n_rows = max(1, int(np.searchsorted(np.cumsum(tf), OCCURRENCES, side="right")))
            stop = min(start + n_rows, stop)
            totals = self.n_kept + self._copied(start, stop, tf[:n_rows])
            a, b = np.searchsorted(bounds, [start, stop], side="right").tolist()
            kept[a - 1 : b - 1] = totals[bounds[a:b] - start - 1]
            kept[b - 1 :] = self.n_kept = totals[-1]
            start = stop
        return kept

    def _copied(self, start: int, stop: int, tf: Numbers) -> Numbers:
        """Copy the postings from start to stop; return the number of remaining rows up to each, shape (n, 3)."""
        documents = self._columns["document"][start:stop]
        n_leaves = self._columns["n_leaves"][start:stop].astype(np.int64)
        keep = self._is_kept[documents]
        self._files["document"].append(self._numbers[documents[keep]])
        self._files["tf"].append(tf[keep])
        self._files["opening_tf"].append(self._columns["opening_tf"][start:stop][keep])
        self._files["n_leaves"].append(n_leaves[keep])
        leaves = slice(self._n_leaves, self._n_leaves + int(n_leaves.sum()))
        leaf_tf = self._columns["leaf_tf"][leaves]
        keep_leaf = np.repeat(keep, n_leaves)
        self._files["leaf"].append(self._columns["leaf"][leaves][keep_leaf])
        self._files["leaf_tf"].append(leaf_tf[keep_leaf])
        positions = slice(self._n_positions, self._n_positions + int(tf.sum()))
        self._files["position"].append(self._columns["position"][positions][np.repeat(keep_leaf, leaf_tf)])
        self._n_leaves, self._n_positions = leaves.stop, positions.stop
        return np.cumsum(np.stack([keep, keep * n_leaves, keep * tf], axis=1), axis=0)

    def finished(self) -> dict[str, Any]:
        """Return the columns, complete."""
        return {name: file.finished() for name, file in self._files.items()}
