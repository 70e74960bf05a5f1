"""From matches to coherent retrieval elements (CREs): the lowest common ancestors of neighbouring matches.

Source: thesis 3.2.1. All articles are handled at once; rows ascend, so the matches of an article are neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.distinct import distinct
from engine.errors import IndexFormatError
from engine.index.elements import Elements
from engine.index.occurrences import Occurrences
from engine.regions import lies_in

Rows = NDArray[np.int64]


class Candidates(NamedTuple):
    """Elements that can be answers, ascending by row, with the counts that heuristics compare."""

    rows: Rows
    documents: Rows
    n_matches: NDArray[np.int64]  # M: matches in or below
    n_terms: NDArray[np.int64]  # T: distinct query terms in or below
    n_occurrences: NDArray[np.int64]  # F: occurrences of query terms in or below


def build_candidates(
    elements: Elements,
    matches: Rows,
    occurrences: Sequence[Occurrences],
    answers: str,
    targets: Rows | None = None,
) -> Candidates:
    """Return the candidates of one kind (matching, oCRE, nCRE or target) and what lies in or below each of them.

    Args:
        targets: where the target of a query is strict, the elements in or below which candidates lie.
    """
    if answers == "target" and targets is not None:
        rows = targets
    else:
        rows = KINDS[answers](elements, matches, elements.document(matches))
        rows = rows if targets is None else rows[lies_in(elements, rows, targets)]
    ends = elements.end(rows)
    n_terms = np.zeros(len(rows), np.int64)
    n_occurrences = np.zeros(len(rows), np.int64)
    for found in occurrences:
        total = np.concatenate([[0], np.cumsum(found.tf)])
        first, last = np.searchsorted(found.rows, rows), np.searchsorted(found.rows, ends)
        n_terms += last > first
        n_occurrences += total[last] - total[first]
    n_matches = np.searchsorted(matches, ends) - np.searchsorted(matches, rows)
    return Candidates(rows, elements.document(rows), n_matches, n_terms, n_occurrences)


def original_cres(elements: Elements, matches: Rows, documents: Rows) -> Rows:
    """Return the oCREs: LCAs of the adjacent pairs of matches of an article; of a lone match, itself."""
    same = documents[1:] == documents[:-1]
    common = lowest_common_ancestors(elements, matches[:-1][same], matches[1:][same])
    is_lone = np.ones(len(matches), np.bool_)
    is_lone[1:] &= ~same
    is_lone[:-1] &= ~same
    return distinct(np.concatenate([elements.lift(common), matches[is_lone]]))


def new_cres(elements: Elements, matches: Rows, documents: Rows) -> Rows:
    """Return the nCREs: the oCREs and those matches whose parent is none of them."""
    original = original_cres(elements, matches, documents)
    parents = elements.lift(elements.parent(matches))
    alone = matches[~np.isin(parents, original)]
    return distinct(np.concatenate([original, alone]))


KINDS: Mapping[str, Callable[[Elements, Rows, Rows], Rows]] = {
    "matching": lambda _elements, matches, _documents: matches,
    "oCRE": original_cres,
    "nCRE": new_cres,
}


def lowest_common_ancestors(elements: Elements, low: Rows, high: Rows) -> Rows:
    """Return the lowest element that holds both rows, pair by pair; low <= high, both in one document.

    Of the ancestors of the higher row, the first that does not come after the lower row holds it too.
    Raises: IndexFormatError where an element of the index has no way up to its root.
    """
    common = high.copy()
    climbing = np.flatnonzero(common > low)
    while climbing.size:
        above = elements.parent(common[climbing])
        if np.any(above == common[climbing]):
            raise IndexFormatError("parent.npy: an element inside a document has no parent: index the sources anew.")
        common[climbing] = above
        climbing = climbing[common[climbing] > low[climbing]]
    return common
