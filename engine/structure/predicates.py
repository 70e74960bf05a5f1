"""Parts of a path query, and which elements satisfy them: the explanation of path queries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Rows, distinct, is_among
from engine.index.elements.element_store import Elements
from engine.index.reader import IndexReader
from engine.planning.plan import Matching
from engine.query.nexi.tree import And, Condition, Nexi, Or, Step
from engine.query.query import Query
from engine.settings import Settings
from engine.structure.conditions import satisfying_condition, targets_of
from engine.structure.scope import Scope


@dataclass(frozen=True)
class Predicate:
    """A part of a path query, and which elements satisfy it; arrays have one entry per given element.

    text: the path up to a step (`//article[about(., jedi)]//sec`), or one condition of that step.
    is_target: whether the step is the last one, the target; the others are support.
    met_by: the lowest ancestor-or-self that satisfies the part; -1 if none does.
    in_article: number of elements of the whole article that satisfy it.
    """

    step: int
    text: str
    is_condition: bool
    is_target: bool
    met_by: Rows
    in_article: NDArray[np.int64]


def predicates_met(
    index: IndexReader, query: Query, settings: Settings, rows: Rows, image_rows: Rows | None = None
) -> list[Predicate]:
    """Return the parts of a path query, from left to right, and which elements satisfy them; none for keywords.

    For each step: first the path up to it, with all its conditions, then each condition by itself, independent of the
    steps before it; of conditions joined by and/or, also their parts. Required words are not checked: an article that
    lacks them is evaluated like any other.

    Args:
        image_rows: elements that refer to images, where the query has example images.
    """
    if query.path is None:
        return []
    steps = query.path.steps
    documents = index.elements.document(rows)
    distinct_documents = distinct(documents)
    scope = Scope(index, distinct_documents, Matching.of(settings), image_rows=image_rows)
    found: list[Predicate] = []
    for number, step in enumerate(steps):
        parts: list[tuple[str, bool, Rows]] = [
            (str(Nexi(steps[: number + 1])), False, targets_of(scope, steps[: number + 1]))
        ]
        for condition in _parts(step):
            parts.append((str(condition), True, satisfying_condition(scope, step.names, condition)))
        for text, is_condition, satisfied in parts:
            met_by = _lowest_in_or_above(index.elements, rows, satisfied)
            counts = np.bincount(index.elements.document(satisfied), minlength=index.n_slots)[documents]
            found.append(Predicate(number + 1, text, is_condition, number + 1 == len(steps), met_by, counts))
    return found


def _parts(step: Step) -> Iterator[Condition]:
    """Yield the conditions of a step, each before its own parts."""
    waiting = list(step.conditions)
    while waiting:
        condition = waiting.pop(0)
        yield condition
        if isinstance(condition, And | Or):
            waiting = [*condition.parts, *waiting]


def _lowest_in_or_above(elements: Elements, rows: Rows, members: Rows) -> Rows:
    """Return for each row its lowest ancestor-or-self that is a member, -1 if there is none."""
    lowest = np.full(len(rows), -1, np.int64)
    current = rows.copy()
    climbing = np.arange(len(rows))
    while climbing.size:
        is_met = is_among(current[climbing], members)
        lowest[climbing[is_met]] = current[climbing[is_met]]
        climbing = climbing[~is_met]
        above = elements.parent(current[climbing])
        has_parent = above != current[climbing]
        climbing = climbing[has_parent]
        current[climbing] = above[has_parent]
    return lowest
