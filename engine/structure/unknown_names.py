"""Names of a path query that no element or attribute of the index has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.index.reader import IndexReader
from engine.planning.plan import Matching
from engine.query.nexi.tree import About, And, Comparison, Condition, Not, Or, Step
from engine.query.query import Query
from engine.structure.scope import Scope


def missing_names(index: IndexReader, query: Query, *, by_class: bool) -> list[str]:
    """Return the names that every answer requires and no element (or, for `@name`, no attribute) of the index has.

    Of alternative names, all must be missing. Names in vague parts of the reading, under `not` and in conditions joined
    by `or` are not required.

    Args:
        by_class: whether tags match by their classes.
    """
    live = index.live_documents
    scope = Scope(index, live, Matching(needs_all=False, by_class=by_class, of_targets=False, n_first=None))
    return list(dict.fromkeys(name for step in _needed(query) for name in _missing(scope, step)))


def _missing(scope: Scope, step: Step) -> Iterator[str]:
    if step.is_attribute:
        if not len(scope.attributes(step.names)[0]):
            yield f"@{step.names[0]}"
    elif step.names and not len(scope.named(step.names)):
        yield from step.names


def _needed(query: Query) -> Iterator[Step]:
    """Yield every step that must select something, in query order."""
    if query.path is None:
        return
    *support, target = query.path.steps
    strict = support if query.has_strict_support else []
    if query.has_strict_target:
        strict.append(target if query.has_strict_support else replace(target, conditions=()))
    for step in strict:
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
