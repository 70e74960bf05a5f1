"""Structural counts of the elements that can be answers: input of the heuristics."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Rows
from engine.index.elements.containment import is_inside
from engine.index.elements.element_store import Elements
from engine.planning.plan import AnswerRule
from engine.ranking.matches import Matches
from engine.ranking.trace import Reason, Trace
from engine.records import NamedTuple
from engine.thesis.coherent_elements import original_cres


class CountedElements(NamedTuple):
    """Elements that can be answers, ascending by row, with the counts that heuristics compare; shape (n,)."""

    rows: Rows
    documents: Rows
    n_matches: NDArray[np.int64]  # M: matches in or below
    n_terms: NDArray[np.int64]  # T: distinct query terms in or below
    n_occurrences: NDArray[np.int64]  # F: occurrences of query terms in or below


def count_elements(
    elements: Elements, matches: Matches, rule: AnswerRule, trace: Trace | None = None
) -> CountedElements:
    """Return the elements that can be answers (matching elements, oCREs, nCREs or targets), with their counts.

    With a strict target, they are targets or inside one.
    """
    targets = matches.targets
    if rule.is_target and targets is not None:
        rows = targets
    else:
        build = rule.from_matches or original_cres
        rows = build(elements, matches.rows, elements.document(matches.rows))
        rows = rows if targets is None else rows[is_inside(elements, rows, targets)]
        if trace is not None:
            trace.keep("candidates", Reason.OF_ANOTHER_KIND, rows)
    ends = elements.end(rows)
    n_terms = np.zeros(len(rows), np.int64)
    n_occurrences = np.zeros(len(rows), np.int64)
    for found in matches.occurrences:
        total = np.concatenate([[0], np.cumsum(found.tf)])
        first, last = np.searchsorted(found.rows, rows), np.searchsorted(found.rows, ends)
        n_terms += last > first
        n_occurrences += total[last] - total[first]
    n_matches = np.searchsorted(matches.rows, ends) - np.searchsorted(matches.rows, rows)
    return CountedElements(rows, elements.document(rows), n_matches, n_terms, n_occurrences)
