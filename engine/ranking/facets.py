"""Facets: in how many of the documents that a query finds each value of a field is; and documents in a field's order.

A query finds the documents that contain one of its words, and all that it requires, and lie in the scope: more than the
best that are searched for answers. The structure of a path query does not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from engine.arrays import Rows, mask_of
from engine.errors import SettingsError
from engine.fields.conditions import checked
from engine.fields.values import FieldType, typed
from engine.index.fields import ValueCounts, summed_values
from engine.index.reader import IndexReader
from engine.notices import Notice
from engine.planning.known_fields import known_fields, no_such_field
from engine.planning.plan import Plan, SortOrder
from engine.ranking.articles import RankedArticles, found_articles
from engine.records import NamedTuple


class Facet(NamedTuple):
    """A field and the numbers of documents of its values."""

    name: str
    kind: FieldType
    counts: ValueCounts

    def most_frequent(self, n: int | None = None) -> list[tuple[str | int | float, int]]:
        """Return the values that most documents have, or all, with their numbers of documents."""
        return [(typed(self.kind, shown.decode()), number) for shown, number in self.counts.most_frequent(n)]


def with_checked_fields(index: IndexReader, plan: Plan) -> Plan:
    """Return the plan, with a notice where no document has the field by which answers are sorted.

    Raises: SettingsError for a field that the index does not have, or a value of another type.
    """
    if plan.scope.where is not None:
        checked(plan.scope.where, index.fields.types, partial(no_such_field, index))
    asked = [("facets", name) for name in plan.settings.facets or ()]
    asked += [("sort", plan.sort.field)] if plan.sort is not None else []
    for setting, name in asked:
        if name not in index.fields.definitions:
            raise SettingsError(f"{setting} = {name}: {no_such_field(index, name)}.")
    if plan.sort is None or plan.sort.field in known_fields(index):
        return plan
    return replace(plan, notices=(*plan.notices, Notice("no_document_sorted", {"field": plan.sort.field})))


def count_facets(index: IndexReader, plan: Plan, ranked: RankedArticles) -> tuple[Facet, ...]:
    """Return the counts of the fields that the settings name, over all shards."""
    names = plan.settings.facets or ()
    if not names:
        return ()
    is_found = mask_of(found_articles(index, plan), index.n_slots)
    is_found[ranked.documents[ranked.documents >= 0]] = True  # those with images like an example, too
    counts = index.exchange.combine(summed_counts, [index.fields.counts(name, is_found) for name in names])
    return tuple(Facet(name, index.fields.types[name], each) for name, each in zip(names, counts, strict=True))


def summed_counts(found: Sequence[Sequence[ValueCounts]]) -> list[ValueCounts]:
    """Return the counts of each field over all shards: a combiner."""
    return [summed_values(of_shards) for of_shards in zip(*found, strict=True)]


def order_by_field(index: IndexReader, sort: SortOrder, ranked: RankedArticles) -> Rows:
    """Return the place of each ranked article in the order of a field; equal values have one, those without are last.

    By a field with several values, ascending by the lowest one, descending by the highest.
    """
    is_own = ranked.documents >= 0
    keys = index.fields.first_keys(sort.field, ranked.documents[is_own], last=sort.is_descending)
    places = np.zeros(len(ranked), np.int64)
    found = index.exchange.combine(merged_keys, (np.flatnonzero(is_own), keys))
    order = {key: place for place, key in enumerate(sorted({each for each in found.values() if each is not None}))}
    for article, key in found.items():
        place = len(order) if key is None else order[key]
        places[article] = len(order) - 1 - place if sort.is_descending and key is not None else place
    return places


def merged_keys(found: Sequence[tuple[Rows, Sequence[bytes | None]]]) -> dict[int, bytes | None]:
    """Return the key of each article, by its place, over all shards: a combiner."""
    return {place: key for places, keys in found for place, key in zip(places.tolist(), keys, strict=True)}
