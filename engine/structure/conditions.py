"""The steps and conditions of a path query as sets of elements, evaluated from the innermost part outwards.

Terms and values lie below the elements that satisfy a condition, so evaluation starts from their elements and climbs
along the path; only steps without a condition, and `not`, start from all elements of a name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np

from engine.arrays import Mask, Rows, distinct, is_among
from engine.index.elements.containment import is_inside, parents
from engine.index.texts.own_text import element_texts
from engine.query.nexi.tree import About, And, Comparison, Condition, Not, Or, Step
from engine.query_limits import check_time, reserve
from engine.ranking.matches import union
from engine.structure.scope import Names, Scope
from engine.structure.values import CachedTests, attribute_contains_terms, compares


def targets_of(scope: Scope, steps: Sequence[Step]) -> Rows:
    """Return the elements selected by the last of some steps, starting at the root of each document."""
    first, *others = steps
    rows = satisfying(scope, first)
    if first.axis == "/":
        rows = rows[scope.elements.depth(rows) == 1]
    for step in others:
        rows = _selected_below(scope, rows, step)
    return rows


def satisfying(scope: Scope, step: Step) -> Rows:
    """Return the elements anywhere in the documents that have the name of a step and satisfy all its conditions.

    For a step to an attribute, the elements that have the attribute.
    """
    if step.is_attribute:
        return distinct(scope.attributes(step.names)[0])
    if not step.conditions:
        return scope.named(step.names)
    return satisfying_condition(scope, step.names, And(step.conditions))


def satisfying_condition(scope: Scope, names: Names, condition: Condition) -> Rows:
    """Return the elements of one of the names that satisfy a condition."""
    check_time()
    rows = _satisfying_condition(scope, names, condition)
    reserve(2 * len(rows))
    return rows


def _satisfying_condition(scope: Scope, names: Names, condition: Condition) -> Rows:
    match condition:
        case About(path, terms):
            needs_all = scope.rules.needs_all
            return _with_path_to(
                scope,
                names,
                path.steps,
                lambda last: scope.without_unwanted(scope.about(last, terms), terms),
                lambda value: attribute_contains_terms(scope.index.analyser, terms, value, needs_all=needs_all),
            )
        case Comparison(path, operator, value):
            return _with_path_to(
                scope,
                names,
                path.steps,
                lambda last: _elements_whose_text(scope, last, lambda text: compares(text, operator, value)),
                lambda text: compares(text, operator, value),
            )
        case Or(parts):
            return union([satisfying_condition(scope, names, part) for part in parts])
        case Not(negated):
            return _without(scope.named(names), satisfying_condition(scope, names, negated))
        case And(parts):
            negated_parts = [part.part for part in parts if isinstance(part, Not)]
            satisfied = [satisfying_condition(scope, names, part) for part in parts if not isinstance(part, Not)]
            rows: Rows = reduce(_both, sorted(satisfied, key=len)) if satisfied else scope.named(names)
            for part in negated_parts:
                rows = _without(rows, satisfying_condition(scope, names, part))
            return rows


def _selected_below(scope: Scope, rows: Rows, step: Step) -> Rows:
    """Return the elements selected by one more step from the given rows."""
    check_time()
    found = satisfying(scope, step)
    if step.axis == "//":
        return found.compress(is_inside(scope.elements, found, rows, properly=not step.is_attribute))
    if step.is_attribute:
        return _both(found, rows)
    above = scope.elements.parent(found)
    is_child: Mask = is_among(above, rows) & (above != found)
    return found[is_child]


def _with_path_to(
    scope: Scope,
    names: Names,
    steps: Sequence[Step],
    elements_at_end: Callable[[Names], Rows],
    attribute_fits: Callable[[str], bool],
) -> Rows:
    """Return the elements of one of the names from which the steps lead to a satisfying element or attribute.

    Args:
        elements_at_end: returns the satisfying elements of some names, if the steps end at elements.
        attribute_fits: returns whether an attribute value satisfies the condition, if the steps end at an attribute.
    """
    tests = [names, *(step.names for step in steps)]
    if steps and steps[-1].is_attribute:
        owners, values = scope.attributes(tests[-1])
        is_found = np.fromiter(map(CachedTests(attribute_fits).__getitem__, values), np.bool_, len(values))
        found = distinct(owners[is_found])
    else:
        found = elements_at_end(tests[-1])
    for test, step in zip(reversed(tests[:-1]), reversed(steps), strict=True):
        if step.axis == "//":
            found = scope.containing(test, found, properly=not step.is_attribute)
        else:
            found = scope.filter(found if step.is_attribute else parents(scope.elements, found), test)
    return found


def _elements_whose_text(scope: Scope, names: Names, fits: Callable[[str], bool]) -> Rows:
    rows = scope.named(names)
    is_fitting = map(CachedTests(fits).__getitem__, element_texts(scope.index, rows))
    return rows[np.fromiter(is_fitting, np.bool_, len(rows))]


def _both(one: Rows, other: Rows) -> Rows:
    return one[is_among(one, other)]


def _without(rows: Rows, others: Rows) -> Rows:
    return rows[~is_among(rows, others)]
