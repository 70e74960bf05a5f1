"""How a query is read in a collection: as words where nothing in the collection is what its path names.

People paste `/etc/hosts` or `//TODO`, which are correct paths. Without conditions, and with names that no document has,
such a query can find nothing but its words, and under a reading that needs words it cannot be read otherwise.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.index.reader import IndexReader
from engine.notices import Notice
from engine.planning.plan import Plan
from engine.planning.planning import make_plan
from engine.query.keyword_notices import NEEDS_SYNTAX, read_as_words
from engine.query.nexi.tree import Step
from engine.query.query import WordlessPathError
from engine.settings import Settings
from engine.sharded_search.shard_merging import any_of
from engine.structure.scope import Scope
from engine.wording.did_you_mean import nearest
from engine.wording.wording import shortened

# The least similarity of a name that may be meant.
ALIKE = 0.75


def read_query(index: IndexReader, text: str, settings: Settings, *, needs_text: bool) -> Plan:
    """Return the plan of a query (`make_plan`); if its path means nothing here, the plan of its words, with a notice.

    A path is never read as words under another syntax or reading than `auto`, or where its targets are asked for.
    """
    is_open = settings.syntax == "auto" and settings.reading == "auto" and settings.answers != "target"

    def read(settings: Settings) -> Plan:
        return make_plan(text, index.analyser, settings, index.function_words, needs_text=needs_text)

    try:
        plan = read(settings)
    except WordlessPathError:
        if not is_open or "[" in text:
            raise
        why = Notice("path_without_words")
    else:
        if not is_open or not (names := _unknown_names(index, plan)):
            return plan
        near = nearest(names[0].removeprefix("@"), index.tags, cutoff=ALIKE)
        named = tuple(map(shortened, names))
        fields = {"names": named, "of_attribute": names[0].startswith("@"), "near": near or ""}
        why = Notice("path_of_no_document", fields)
    plan = read(replace(settings, syntax="keywords"))
    notices = (*read_as_words(why), *(notice for notice in plan.query.notices if notice.code != NEEDS_SYNTAX))
    return replace(plan, query=replace(plan.query, notices=notices))


def _unknown_names(index: IndexReader, plan: Plan) -> list[str]:
    """Return the names of elements and attributes in a path without conditions that no document has."""
    path = plan.query.path
    if path is None or plan.query.image_references or any(step.conditions for step in path.steps):
        return []
    scope, attributes = Scope(index, index.live_documents, plan.matching), frozenset(index.elements.attribute_names)
    named = [step for step in path.steps if step.names]
    is_known = np.array([_is_known(step, scope, attributes) for step in named], np.bool_)
    if index.exchange is not None:
        is_known = index.exchange.combine(any_of, is_known)
    unknown = [step for step, known in zip(named, is_known.tolist(), strict=True) if not known]
    return [f"@{name}" if step.is_attribute else name for step in unknown for name in step.names]


def _is_known(step: Step, scope: Scope, attributes: frozenset[str]) -> bool:
    return not attributes.isdisjoint(step.names) if step.is_attribute else bool(scope.tag_numbers(step.names))
