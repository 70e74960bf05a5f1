"""The four readings of a path query: the first letter says how the target is read, the second how its support is.

The target is what the last step leads to, the support are the steps before it.

    SS  the elements that the whole path leads to
    SV  the elements of the target's name that hold a term of the query; all conditions and the steps before are vague
    VS  what the words lead to (CO), in the articles in which the support is found
    VV  what the words lead to (CO)

In every reading an article answers only if it has a match, an element that holds a wanted term and no unwanted one; in
SS, a path query without words finds its elements everywhere. Source: thesis 1.3.4 and 3.3.1.
"""

from __future__ import annotations

import numpy as np

from engine.index.index import Index
from engine.matches import Matches, union
from engine.nexi import Step
from engine.query import Query
from engine.regions import Rows, holds, is_member, lies_in
from engine.settings import Settings
from engine.structure.conditions import satisfying, targets_of
from engine.structure.scope import Scope


def read_structure(index: Index, query: Query, settings: Settings, documents: Rows, matches: Matches) -> Matches:
    """Return the matches in some documents (ascending) that the query's structure leaves, and its strict targets.

    Where the target is strict, matches are those in or below a target.
    """
    if query.path is None or query.reading in ("CO", "VV"):
        return matches
    scope = Scope.of(index, query, documents, matches, settings.tags, settings.match)
    *support, target = query.path.steps
    with_match = np.unique(index.elements.document(matches.rows))
    if query.reading == "VS":
        if not support:
            return matches
        supported = np.unique(index.elements.document(targets_of(scope, support)))
        return matches._replace(rows=_in_documents(scope, matches.rows, supported))
    if query.reading == "SS":
        targets = targets_of(scope, query.path.steps)
        targets = _in_documents(scope, targets, with_match) if query.word_counts else targets
    else:
        targets = _in_documents(scope, _vaguely_supported(scope, target, matches, is_first=not support), with_match)
    rows = matches.rows[lies_in(index.elements, matches.rows, targets)]
    return matches._replace(rows=rows, targets=targets)


def _vaguely_supported(scope: Scope, target: Step, matches: Matches, *, is_first: bool) -> Rows:
    """Return the elements of the target's name that hold a wanted term in or below them."""
    occurrences = union([found.rows for found in matches.occurrences])
    if target.is_attribute:
        owners = satisfying(scope, target)
        rows = owners[holds(scope.elements, owners, occurrences)]
    else:
        rows = scope.holding(target.names, occurrences)
    return rows[scope.elements.depth(rows) == 1] if is_first and target.axis == "/" else rows


def _in_documents(scope: Scope, rows: Rows, documents: Rows) -> Rows:
    return rows[is_member(scope.elements.document(rows), documents)]
