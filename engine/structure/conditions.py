"""The steps and conditions of a path query as sets of elements, evaluated from the innermost part outwards.

Terms and values lie below the elements that satisfy a condition, so evaluation starts from their elements and climbs
along the path; only steps without a condition, and `not`, start from all elements of a name.
"""

from __future__ import annotations

import operator as operators
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from engine.arrays import Mask, Rows, distinct, is_among
from engine.index.elements.containment import is_inside, parents
from engine.index.elements.phrases import sets_of_words
from engine.index.texts.element_texts import element_texts
from engine.query.nexi.tree import About, And, Comparison, Condition, Not, Operator, Or, Step, Term
from engine.query.query_terms import QueryTerm, analyse
from engine.query_limits import check_time, reserve
from engine.ranking.matches import union
from engine.structure.scope import Names, Scope
from engine.text.alternative_terms import EITHER, composed, term_matches
from engine.text.analyser import Analyser

NUMBER = re.compile(r"\s*[+-]?[0-9]+(\.[0-9]+)?\s*")
# longest text, in characters, whose test result is cached; longer ones rarely repeat
LONGEST_CACHED = 64
OPERATORS: Mapping[Operator, Callable[[Any, Any], bool]] = {
    "=": operators.eq,
    "!=": operators.ne,
    "<": operators.lt,
    "<=": operators.le,
    ">": operators.gt,
    ">=": operators.ge,
    "exists": lambda _text, _value: True,
}


def compares(text: str, operator: Operator, value: float | str) -> bool:
    """Return whether the comparison of a text with a value is true.

    Args:
        text: of an element, or the stored value of an attribute.

    With a number, the whole text is parsed as a number; a text that is not a number satisfies `!=` only. With a string,
    texts are compared by code point, case-sensitively, with white space collapsed and stripped.

    >>> compares(" 1999 ", ">", 1998.0), compares("May 1999", ">", 1998.0), compares("May\\n1999", "=", "May 1999")
    (True, False, True)
    """
    if isinstance(value, str):
        from engine.collection.markup.attributes import comparable  # noqa: PLC0415  (most queries have no condition)

        return OPERATORS[operator](*comparable(text, value))
    if not NUMBER.fullmatch(text):
        return operator == "!="
    return OPERATORS[operator](float(text), value)


class CachedTests(dict[str, bool]):
    """Results of a test by text, computed on first lookup: most values, such as years, occur many times."""

    def __init__(self, fits: Callable[[str], bool]) -> None:
        super().__init__()
        self._fits = fits

    def __missing__(self, text: str) -> bool:
        is_fitting = self._fits(text)
        if len(text) <= LONGEST_CACHED:
            self[text] = is_fitting
        return is_fitting


def attribute_contains_terms(analyser: Analyser, terms: tuple[Term, ...], value: str, *, needs_all: bool) -> bool:
    """Return whether a stored value contains any of the terms (or), or all (and), and no unwanted one."""
    from engine.collection.markup.attributes import beginning  # noqa: PLC0415  (most queries have no condition)

    words = analyser.text_terms_and_forms(beginning(value))
    wanted: list[bool] = []
    for term in analyse(terms, analyser):
        if term.sign != "-":
            wanted.append(_contains(words, term))
        elif _contains(words, term):
            return False
    return bool(wanted) and (all(wanted) if needs_all else any(wanted))


def _contains(words: Sequence[tuple[frozenset[str], str]], term: QueryTerm) -> bool:
    """Return whether a text, given as the terms and the form of each word, contains a term."""
    if not term.is_phrase:
        return any(_contains_part(words, part) for part in term.words[0].split(EITHER))
    return _contains_phrase(words, term.words, term.places, term.slop)


def _contains_part(words: Sequence[tuple[frozenset[str], str]], part: str) -> bool:
    made_of = composed(part)
    if made_of is None or made_of.form is not None:
        return any(term_matches(part, terms, form) for terms, form in words)
    return _contains_phrase(words, made_of.words, made_of.places, made_of.slop)


def _contains_phrase(
    words: Sequence[tuple[frozenset[str], str]], wanted: Sequence[str], places: Sequence[int], slop: int | None
) -> bool:
    if slop is None:
        begins = range(len(words) - max(places))
        in_place = list(zip(places, wanted, strict=True))
        return any(all(term_matches(word, *words[begin + place]) for place, word in in_place) for begin in begins)
    counts, width = Counter(wanted), max(places) + slop + 1
    found = {word: [term_matches(word, *each) for each in words] for word in counts}
    n_words = list(map(sum, zip(*found.values(), strict=True)))
    sharing = [
        word for word in counts if any(n > 1 for n, is_word in zip(n_words, found[word], strict=True) if is_word)
    ]
    sets = [
        (list(map(any, zip(*(found[word] for word in together), strict=True))), sum(counts[word] for word in together))
        for together in sets_of_words(counts, sharing)
    ]
    begins = range(max(len(words) - width, 0) + 1)
    return any(all(sum(has_any[at : at + width]) >= n for has_any, n in sets) for at in begins)


def targets_of(scope: Scope, steps: Sequence[Step]) -> Rows:
    """Return the elements selected by the last of the steps, starting at the root of each document."""
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
