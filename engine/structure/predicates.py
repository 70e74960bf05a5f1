"""Which parts of a path query some elements meet: what explains a structured answer, or why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.index.elements import Elements
from engine.index.index import Index
from engine.nexi import And, Condition, Nexi, Or, Step
from engine.query import Query
from engine.regions import Rows, is_member
from engine.settings import Settings
from engine.structure.conditions import condition_holds, targets_of
from engine.structure.scope import Scope


@dataclass(frozen=True)
class Predicate:
    """A part of a path query, and which elements meet it; arrays have an entry an element that was asked about.

    text: the path up to a step (`//article[about(., jedi)]//sec`), or one condition of that step.
    is_target: whether the step is the last one, the target; the others are support.
    met_by: the lowest element, from the asked one upwards, that meets the part; -1 where none does.
    in_article: how many elements of the whole article meet it.
    """

    step: int
    text: str
    is_condition: bool
    is_target: bool
    met_by: Rows
    in_article: NDArray[np.int64]


def predicates_met(index: Index, query: Query, settings: Settings, rows: Rows) -> list[Predicate]:
    """Return the parts of a path query, from left to right, and which of some elements meet them; none for words.

    Of a step come first the path that ends there, with all its conditions, then each condition for itself, whether the
    steps before it are met or not; of conditions joined by and/or, their parts as well. That an article must hold the
    required words besides is left aside: each part says what holds in this article, which may lack them.
    """
    if query.path is None:
        return []
    steps = query.path.steps
    documents = index.elements.document(rows)
    asked = np.unique(documents)
    scope = Scope(index, asked, settings.tags, settings.match)
    found: list[Predicate] = []
    for number, step in enumerate(steps):
        parts: list[tuple[str, bool, Rows]] = [
            (str(Nexi(steps[: number + 1])), False, targets_of(scope, steps[: number + 1]))
        ]
        for condition in _parts(step):
            parts.append((str(condition), True, condition_holds(scope, step.names, condition)))
        for text, is_condition, meeting in parts:
            met_by = _lowest_in_or_above(index.elements, rows, meeting)
            counts = np.bincount(index.elements.document(meeting), minlength=index.n_slots)[documents]
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
    """Return the first member on the way from each row up to its root, -1 where there is none."""
    lowest = np.full(len(rows), -1, np.int64)
    current = rows.copy()
    climbing = np.arange(len(rows))
    while climbing.size:
        is_met = is_member(current[climbing], members)
        lowest[climbing[is_met]] = current[climbing[is_met]]
        climbing = climbing[~is_met]
        above = elements.parent(current[climbing])
        has_parent = above != current[climbing]
        climbing = climbing[has_parent]
        current[climbing] = above[has_parent]
    return lowest
