"""The steps and conditions of a path query as sets of elements, found from the innermost part outwards.

What a condition is about stands below the elements it holds for, so sets are made where terms and values are and taken
upwards along the path; only a step without a condition, and what `not` leaves, begin with all elements of a name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np

from engine.distinct import distinct
from engine.matches import union
from engine.nexi import About, And, Comparison, Condition, Not, Or, Step
from engine.regions import Mask, Rows, is_member, lies_in, parents
from engine.structure.scope import Names, Scope
from engine.structure.values import Verdicts, attribute_holds_term, compares, element_texts


def targets_of(scope: Scope, steps: Sequence[Step]) -> Rows:
    """Return the elements that the last of some steps leads to, from the top of each document."""
    first, *others = steps
    rows = satisfying(scope, first)
    if first.axis == "/":
        rows = rows[scope.elements.depth(rows) == 1]
    for step in others:
        rows = _led_to(scope, rows, step)
    return rows


def satisfying(scope: Scope, step: Step) -> Rows:
    """Return the elements anywhere that have the name of a step and satisfy all its conditions.

    A step to an attribute stands for the elements that have it.
    """
    if step.is_attribute:
        return distinct(scope.attributes(step.names)[0])
    if not step.conditions:
        return scope.passing(step.names)
    return condition_holds(scope, step.names, And(step.conditions))


def condition_holds(scope: Scope, names: Names, condition: Condition) -> Rows:
    """Return the elements of one of the names for which a condition holds."""
    match condition:
        case About(path, terms):
            return _leading_to(
                scope,
                names,
                path.steps,
                lambda last: scope.without_unwanted(scope.holding(last, scope.matching(terms)), terms),
                lambda value: attribute_holds_term(scope.index.analyser, terms, value, scope.match),
            )
        case Comparison(path, operator, value):
            return _leading_to(
                scope,
                names,
                path.steps,
                lambda last: _elements_whose_text(scope, last, lambda text: compares(text, operator, value)),
                lambda text: compares(text, operator, value),
            )
        case Or(parts):
            return union([condition_holds(scope, names, part) for part in parts])
        case Not(negated):
            return _without(scope.passing(names), condition_holds(scope, names, negated))
        case And(parts):
            taken_out = [part.part for part in parts if isinstance(part, Not)]
            holding = [condition_holds(scope, names, part) for part in parts if not isinstance(part, Not)]
            rows: Rows = reduce(_both, sorted(holding, key=len)) if holding else scope.passing(names)
            for part in taken_out:
                rows = _without(rows, condition_holds(scope, names, part))
            return rows


def _led_to(scope: Scope, rows: Rows, step: Step) -> Rows:
    """Return the elements that one more step leads to."""
    found = satisfying(scope, step)
    if step.axis == "//":
        return found.compress(lies_in(scope.elements, found, rows, properly=not step.is_attribute))
    if step.is_attribute:
        return _both(found, rows)
    above = scope.elements.parent(found)
    is_child: Mask = is_member(above, rows) & (above != found)
    return found[is_child]


def _leading_to(
    scope: Scope,
    names: Names,
    steps: Sequence[Step],
    elements_at_end: Callable[[Names], Rows],
    attribute_fits: Callable[[str], bool],
) -> Rows:
    """Return the elements of one of the names from which steps lead to what is looked for.

    Args:
        elements_at_end: gives the elements of some names that are looked for, where the steps end at elements.
        attribute_fits: tells from its value whether an attribute is looked for, where they end at one.
    """
    tests = [names, *(step.names for step in steps)]
    if steps and steps[-1].is_attribute:
        owners, values = scope.attributes(tests[-1])
        is_found = np.fromiter(map(Verdicts(attribute_fits).__getitem__, values), np.bool_, len(values))
        found = distinct(owners[is_found])
    else:
        found = elements_at_end(tests[-1])
    for test, step in zip(reversed(tests[:-1]), reversed(steps), strict=True):
        if step.axis == "//":
            found = scope.holding(test, found, properly=not step.is_attribute)
        else:
            found = scope.filter(found if step.is_attribute else parents(scope.elements, found), test)
    return found


def _elements_whose_text(scope: Scope, names: Names, fits: Callable[[str], bool]) -> Rows:
    rows = scope.passing(names)
    verdicts = map(Verdicts(fits).__getitem__, element_texts(scope.index, rows))
    return rows[np.fromiter(verdicts, np.bool_, len(rows))]


def _both(one: Rows, other: Rows) -> Rows:
    return one[is_member(one, other)]


def _without(rows: Rows, others: Rows) -> Rows:
    return rows[~is_member(rows, others)]
