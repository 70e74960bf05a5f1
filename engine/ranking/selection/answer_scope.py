"""The scope of a search: where answers may lie. It is a filter; no score and no statistic depends on it.

Matches and answers lie inside an element of `inside` (or are one), in no element of `outside`, and in a document whose
id fits a pattern, and whose fields fulfil a condition. Documents are filtered before the best are chosen, elements
before overlap is removed; so the answers are those that a search without a scope would give if nothing else could be an
answer. An answer may contain an element of `outside`: a section stays one although a footnote is in it, but it needs a
match outside of the footnote.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import translate

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask, Rows, mask_of, places_of
from engine.collection.sources.file_names import strip_extension
from engine.index.elements.containment import is_inside
from engine.index.elements.nearest_tag import nearest_tag
from engine.index.reader import IndexReader
from engine.notices import Notice
from engine.planning.plan import AnswerScope, Plan
from engine.query_limits import check_time
from engine.ranking.matches import Matches
from engine.ranking.trace import Reason, current_trace
from engine.sharded_search.shard_merging import any_of, first_name
from engine.structure.scope import Scope
from engine.wording import shortened

# Characters of a condition that a notice shows.
LONGEST_SHOWN = 80


def fitting_documents(index: IndexReader, scope: AnswerScope, documents: NDArray[np.int64]) -> Mask:
    """Return for each document whether its id fits the pattern of the scope, and its fields the condition."""
    return documents_in_scope(index, scope)[documents]


def documents_in_scope(index: IndexReader, scope: AnswerScope) -> Mask:
    """Return `fitting_documents` of all documents, deleted ones included; cached."""
    return index.document_masks.get((scope.documents, scope.where), lambda: _in_scope(index, scope))


def _in_scope(index: IndexReader, scope: AnswerScope) -> Mask:
    kept = np.ones(index.n_slots, np.bool_) if scope.where is None else index.fields.fulfilling(scope.where)
    if scope.documents is None:
        return kept
    check_time()
    if isinstance(scope.documents, tuple):
        return kept & mask_of([number for name in scope.documents for number in index.numbers(name)], index.n_slots)
    fits = re.compile(translate(scope.documents)).match
    own = np.fromiter((fits(each) is not None for each in index.ids), np.bool_, index.n_slots)
    others = mask_of([number for number, name in index.other_names if fits(name)], index.n_slots)
    return kept & (own | others)


def is_in_scope(index: IndexReader, plan: Plan, rows: Rows, documents: Rows) -> Mask:
    """Return for each row (ascending) of some documents (ascending) whether it lies where answers may lie."""
    elements, scope = index.elements, plan.scope
    named = Scope(index, documents, plan.matching).named
    kept = np.ones(len(rows), np.bool_)
    if scope.inside is not None:
        kept &= is_inside(elements, rows, named(scope.inside))
    if scope.outside is not None:
        kept &= ~is_inside(elements, rows, named(scope.outside))
    return kept


def matches_in_scope(index: IndexReader, plan: Plan, matches: Matches) -> Matches:
    """Return the matches and the strict targets that lie in the scope."""
    if not plan.scope.restricts_elements:
        return matches
    documents = matches.documents
    is_inside_scope = is_in_scope(index, plan, matches.rows, documents)
    found = replace(matches, known_rows=matches.rows[is_inside_scope], rows_outside=matches.rows[~is_inside_scope])
    if matches.image_rows is not None:
        found = found.with_image_rows(matches.image_rows[is_in_scope(index, plan, matches.image_rows, documents)])
    if matches.targets is not None:
        found = found.with_targets(matches.targets[is_in_scope(index, plan, matches.targets, documents)])
    trace = current_trace()
    trace.keep_where("matches", Reason.SCOPE, lambda rows: is_in_scope(index, plan, rows, documents))
    if not plan.answers.is_target:
        trace.keep_containing("matches", Reason.SCOPE, found.rows)
    return found


def with_scope_notices(index: IndexReader, plan: Plan) -> Plan:
    """Return the plan with notices of what matches nothing: names of elements in scope or answers, or the pattern."""
    if plan.scope == AnswerScope() and not plan.answers.tags:
        return plan
    tags = index.tags
    notices: list[Notice] = []
    if plan.scope.where is not None and not _fits_any_document(index, AnswerScope(where=plan.scope.where)):
        notices.append(Notice("no_document_fulfils", {"where": shortened(str(plan.scope.where), LONGEST_SHOWN)}))
    pattern = plan.scope.documents
    if isinstance(pattern, tuple):
        notices += _notices_of_list(index, pattern)
    elif pattern is not None and len(numbers := index.numbers(pattern)) > 1:
        notices.append(_shared_name(index, pattern, numbers))
    elif pattern is not None and not _fits_any_document(index, AnswerScope(documents=pattern)):
        below = AnswerScope(documents=f"{pattern.rstrip('/')}/*")
        fits = _fits_any_document(index, below)
        example = None if fits else _near_id(index, pattern) or _first_id(index)
        below_it = below.documents if fits else ""
        fields = {"pattern": pattern, "below": below_it, "example": example or "", "is_list": pattern.startswith("@")}
        notices.append(Notice("no_document_fits", fields))
    scope = plan.scope
    for setting, names in (("inside", scope.inside), ("outside", scope.outside), ("answers", plan.answers.tags)):
        if not names or plan.matching.by_class or any(name.rpartition(":")[2] in tags for name in names):
            continue
        value = str(getattr(plan.settings, setting))
        fields = {"setting": setting, "value": value, "near": nearest_tag(index, names[0]) or ""}
        notices.append(Notice("no_element_named", fields))
    return replace(plan, notices=(*plan.notices, *notices)) if notices else plan


def _notices_of_list(index: IndexReader, given: tuple[str, ...]) -> list[Notice]:
    """Return the notices on ids of a list that no document has, and on the first one that several have."""
    shared = next(((name, found) for name in given if len(found := index.numbers(name)) > 1), None)
    return [*_unknown_documents(index, given), *([] if shared is None else [_shared_name(index, *shared)])]


def _shared_name(index: IndexReader, name: str, numbers: Sequence[int]) -> Notice:
    ids = tuple(shortened(index.ids[number], LONGEST_SHOWN) for number in numbers)
    return Notice("shared_document_id", {"name": shortened(name, LONGEST_SHOWN), "ids": ids})


def _unknown_documents(index: IndexReader, given: tuple[str, ...]) -> list[Notice]:
    unknown = [given[place] for place in places_of(~_are_known(index, given)).tolist()]
    if given and not unknown:
        return []
    example = unknown[0] if unknown else ""
    fields = {"example": shortened(example, LONGEST_SHOWN), "near": shortened(_near_id(index, example), LONGEST_SHOWN)}
    return [Notice("unknown_documents", {"unknown": len(unknown), "given": len(given), **fields})]


def _near_id(index: IndexReader, name: str) -> str:
    """Return the id that the name of a file, perhaps without its folder, may mean; "" for none."""
    meant = strip_extension(name)
    if meant != name and _are_known(index, (meant,))[0]:
        return meant
    return (_first_id(index, f"/{meant}") if meant else None) or ""


def _are_known(index: IndexReader, names: Sequence[str]) -> Mask:
    """Return for each id whether any document of any shard has it."""
    return index.exchange.combine(any_of, np.array([bool(index.numbers(name)) for name in names], np.bool_))


def emptying_notices(plan: Plan) -> tuple[Notice, ...]:
    """Return the notices of a plan on settings that leave no document or no element that may be an answer."""
    return tuple(
        notice
        for notice in plan.notices
        if notice.code in ("no_document_fits", "no_document_fulfils")
        or (notice.code == "unknown_documents" and notice.fields["unknown"] == notice.fields["given"])
        or (notice.code == "no_element_named" and notice.fields["setting"] != "outside")
    )


def _fits_any_document(index: IndexReader, scope: AnswerScope) -> bool:
    fits = bool(fitting_documents(index, scope, index.live_documents).any())
    return bool(index.exchange.combine(any_of, np.array([fits]))[0])


def _first_id(index: IndexReader, end: str = "") -> str | None:
    """Return the first id in alphabetical order with an end, of all shards; None if no document has one."""
    ids = (index.ids[number] for number in index.live_documents.tolist())
    first = min((each for each in ids if each.endswith(end)), default=None)
    return index.exchange.combine(first_name, first)
