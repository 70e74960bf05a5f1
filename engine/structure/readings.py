"""The four readings of a path query: the first letter says how the target is read, the second how its support is.

The target is what the last step leads to, the support are the steps before it.

    SS  the elements that the whole path leads to
    SV  the elements of the target's name that hold a term of the query; all conditions and the steps before are vague,
        but for the words that an about() of the target itself does not want
    VS  what the words lead to (CO), in the articles in which the support is found
    VV  what the words lead to (CO)

Words rank articles in every reading. In SS they decide nothing else: what the path leads to is an answer, the articles
without a wanted word coming last. In SS, SV and VS, the words of an about() of an attribute are looked for in the
attribute and nowhere else; in VV, as in CO, they are words like all others. Source: thesis 1.3.4 and 3.3.1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.index.index import Index
from engine.matches import Matches, union
from engine.nexi import About, And, Condition, Or, Step
from engine.query import Query
from engine.regions import Mask, Rows, holds, is_member, lies_in
from engine.settings import Settings
from engine.structure.conditions import satisfying, targets_of
from engine.structure.scope import Scope


def read_structure(index: Index, query: Query, settings: Settings, matches: Matches) -> Matches:
    """Return the matches that the query's structure leaves, and its strict targets.

    Where answers are built from matches, a strict target leaves those in or below a target.
    """
    if query.path is None or query.reading in ("CO", "VV"):
        return matches
    scope = Scope.of(index, query, matches, settings.tags, settings.match)
    *support, target = query.path.steps
    if query.reading == "VS":
        return matches.with_rows(_supported(scope, matches.rows, support)) if support else matches
    if query.reading == "SS":
        targets = targets_of(scope, query.path.steps)
    else:
        targets = _vaguely_supported(scope, target, matches, is_first=not support)
    if settings.answers != "target":
        matches = matches.with_rows(matches.rows[lies_in(index.elements, matches.rows, targets)])
    return matches.with_targets(targets)


def _supported(scope: Scope, rows: Rows, support: Sequence[Step]) -> Rows:
    """Return the rows in articles in which the support is found."""
    roots = scope.elements.root(scope.documents)
    is_found = holds(scope.elements, roots, targets_of(scope, support))
    return rows if is_found.all() else rows[lies_in(scope.elements, rows, roots[is_found])]


def _vaguely_supported(scope: Scope, target: Step, matches: Matches, *, is_first: bool) -> Rows:
    """Return the elements of the target's name that hold a wanted term in or below them, and are not unwanted."""
    occurrences = union([found.rows for found in matches.occurrences])
    if target.is_attribute:
        owners = satisfying(scope, target)
        rows = owners[holds(scope.elements, owners, occurrences)]
    else:
        rows = scope.holding(target.names, occurrences)
    for condition in target.conditions:
        rows = rows[_may_be_wanted(scope, rows, condition)]
    return rows[scope.elements.depth(rows) == 1] if is_first and target.axis == "/" else rows


def _may_be_wanted(scope: Scope, rows: Rows, condition: Condition) -> Mask:
    """Return, a row, whether a condition can hold for it by the unwanted words in its own text alone."""
    match condition:
        case About(path, terms) if not path.steps:
            return is_member(rows, scope.without_unwanted(rows, terms))
        case And(parts) | Or(parts):
            of_parts = np.array([_may_be_wanted(scope, rows, part) for part in parts], np.bool_)
            return np.asarray((np.all if isinstance(condition, And) else np.any)(of_parts, axis=0))
        case _:
            return np.ones(len(rows), np.bool_)
