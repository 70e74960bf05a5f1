"""Names of a path query that stand for nothing in an index: what most often leaves a query without an answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from engine.index.index import Index
from engine.nexi import About, And, Comparison, Condition, Not, Or, Step
from engine.query import Query
from engine.structure.scope import Scope


def missing_names(index: Index, query: Query, tags: str) -> list[str]:
    """Return the names that every answer needs and no element of the index has, or no attribute (`@name`), each once.

    Of several names to choose from, all must be missing. What a reading is vague about, what stands under a `not`, or
    is one of several conditions joined by `or`, is not needed.
    """
    live = np.arange(index.n_slots) if index.live is None else np.flatnonzero(index.live)
    scope = Scope(index, live, tags, "or")
    return list(dict.fromkeys(name for step in _needed(query) for name in _missing(scope, step)))


def _missing(scope: Scope, step: Step) -> Iterator[str]:
    if step.is_attribute:
        if not len(scope.attributes(step.names)[0]):
            yield f"@{step.names[0]}"
    elif step.names and not len(scope.passing(step.names)):
        yield from step.names


def _needed(query: Query) -> Iterator[Step]:
    """Yield every step that must lead somewhere, in the order of the text."""
    if query.path is None:
        return
    *support, target = query.path.steps
    strict = {"SS": [*support, target], "SV": [replace(target, conditions=())], "VS": support}
    for step in strict.get(query.reading, []):
        yield step
        for condition in step.conditions:
            yield from _needed_by(condition)


def _needed_by(condition: Condition) -> Iterator[Step]:
    match condition:
        case About(path) | Comparison(path):
            yield from path.steps
        case And(parts):
            for part in parts:
                yield from _needed_by(part)
        case Or() | Not():
            return
