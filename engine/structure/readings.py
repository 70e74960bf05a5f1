"""The four readings of a path query: the first letter is the reading of the target, the second that of the support.

The target is selected by the last step, the support by the steps before it. S is strict, V vague.

    SS  the elements that the whole path selects
    SV  the elements of the target's name that contain a query term; all conditions and earlier steps are vague, except
        unwanted words in an about() of the target itself
    VS  the answers of the keyword query (CO), in the articles that contain the support
    VV  the answers of the keyword query (CO)

Keywords rank articles in every reading. In SS they decide nothing else: every element that the path selects is an
answer, and articles without a wanted word come last. In SS, SV and VS, the words of an about() of an attribute match
in the attribute only; in VV, as in CO, they match anywhere. Source: thesis 1.3.4 and 3.3.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from engine.arrays import Mask, Rows, is_among
from engine.index.elements.containment import contains_any, is_inside
from engine.index.reader import IndexReader
from engine.planning.plan import Matching
from engine.query.nexi.tree import About, And, Comparison, Condition, Not, Or, Step
from engine.query.query import Query
from engine.ranking.matches import Matches, union
from engine.ranking.trace import Reason, current_trace
from engine.structure.conditions import satisfying, targets_of
from engine.structure.scope import Scope


def read_structure(index: IndexReader, query: Query, matching: Matching, matches: Matches) -> Matches:
    """Return the matches that satisfy the structure of the query, and its strict targets.

    If answers are built from matches, a strict target restricts them to matches that are targets or inside one.
    """
    if query.path is None or not query.has_structure:
        return matches
    scope, trace = Scope.of(index, query, matches, matching), current_trace()
    *support, target = query.path.steps
    if not query.has_strict_target:
        supported = _supported(scope, matches.rows, support) if support else matches.rows
        trace.keep_containing("matches", Reason.STRUCTURE, supported)
        if matches.image_rows is not None and support:
            matches = matches.with_image_rows(_supported(scope, matches.image_rows, support))
        return matches.with_rows(supported)
    if query.has_strict_support:
        targets = targets_of(scope, query.path.steps)
    else:
        targets = _vaguely_supported(scope, query, target, matches, is_first=not support)
    if not matching.of_targets:
        matches = matches.with_rows(matches.rows[is_inside(index.elements, matches.rows, targets)])
    if matching.of_targets:
        trace.keep("matches", Reason.STRUCTURE, targets)
    else:
        trace.keep_inside("matches", Reason.STRUCTURE, targets)
        trace.keep_containing("matches", Reason.STRUCTURE, matches.rows)
    return matches.with_targets(targets)


def _supported(scope: Scope, rows: Rows, support: Sequence[Step]) -> Rows:
    """Return the rows in articles that contain the support."""
    roots = scope.elements.root(scope.documents)
    is_found = contains_any(scope.elements, roots, targets_of(scope, support))
    return rows if is_found.all() else rows[is_inside(scope.elements, rows, roots[is_found])]


def _vaguely_supported(scope: Scope, query: Query, target: Step, matches: Matches, *, is_first: bool) -> Rows:
    """Return the elements of the target's name that contain a wanted term, without those excluded by unwanted words."""
    images = [] if matches.image_rows is None else [matches.image_rows]
    occurrences = union([*(found.rows for found in matches.occurrences), *images])
    if target.is_attribute:
        owners = satisfying(scope, target)
        rows = owners[contains_any(scope.elements, owners, occurrences)]
        rows = union([rows, scope.inline_with_any(owners, query.wanted)])
    else:
        rows = scope.containing(target.names, occurrences)
        if scope.name_inline(target.names):
            rows = union([rows, scope.inline_with_any(scope.named(target.names), query.wanted)])
    for condition in target.conditions:
        rows = rows[_is_not_excluded(scope, rows, condition)]
    return rows[scope.elements.depth(rows) == 1] if is_first and target.axis == "/" else rows


def _is_not_excluded(scope: Scope, rows: Rows, condition: Condition) -> Mask:
    """Return for each row whether the unwanted words of a condition allow it, judged by the row's own text alone."""
    match condition:
        case About(path, terms) if not path.steps:
            return is_among(rows, scope.without_unwanted(rows, terms))
        case And(parts) | Or(parts):
            of_parts = np.array([_is_not_excluded(scope, rows, part) for part in parts], np.bool_)
            return np.asarray((np.all if isinstance(condition, And) else np.any)(of_parts, axis=0))
        case _:
            return np.ones(len(rows), np.bool_)


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
