"""The element of a result: its path, and its row among the judged elements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.errors import MeasureError
from engine.notices import Notice
from engine.runs import Ranking
from eval.arrays import IntArray
from eval.judgements.judgements import Judgements
from eval.text.paths import root


class NoElementError(MeasureError):
    """A result is a passage, where a measure is defined on elements."""


# Path of the root element of a document if neither judgements nor results name it.
UNNAMED_ROOT = ""


def element_paths(ranking: Ranking, judgements: Judgements, family: str) -> list[str]:
    """Return the path of every result; a result that names only a document is its root element.

    Raises: NoElementError for a result given by offsets or pointers, as ``family`` is defined on elements.
    """
    return [
        path if path is not None else _root_path(ranking, i, judgements, family) for i, path in enumerate(ranking.paths)
    ]


def element_rows(ranking: Ranking, paths: Sequence[str], judgements: Judgements) -> IntArray:
    """Return the row of every result among the judged elements, -1 for one not judged, int64, shape (n_results,)."""
    rows = judgements.row_of_element
    return np.array([rows.get(key, -1) for key in zip(ranking.documents, paths, strict=True)], dtype=np.int64)


def is_document(ranking: Ranking, i: int) -> bool:
    """Return whether result i names a document, but neither an element nor a passage of it."""
    return ranking.paths[i] is None and ranking.starts[i] < 0 and i not in ranking.pointers


def _root_path(ranking: Ranking, i: int, judgements: Judgements, family: str) -> str:
    if not is_document(ranking, i):
        needs_paths = Notice("needs_paths", {"place": ranking.place(i), "family": family})
        raise NoElementError(Notice("no_element_measure", {"reason": needs_paths}))
    document = ranking.documents[i]
    row = judgements.row_of_document.get(document)
    path = None if row is None else judgements.root_path(row)
    if path is not None:
        return path
    others = zip(ranking.documents, ranking.paths, strict=True)
    return next((root(other) for name, other in others if name == document and other is not None), UNNAMED_ROOT)
