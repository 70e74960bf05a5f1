"""The fields that documents of an index have, over all its shards, and how messages name them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from engine.fields.definitions import without_fields
from engine.fields.values import FieldType
from engine.index.reader import IndexReader
from engine.notices import Notice
from engine.sharded_search.shard_merging import any_of
from engine.wording import did_you_mean, listed, nearest, shown_text

# Fields that a message names, and documents of a shard in which it looks for elements with an attribute.
MOST_NAMED, MOST_LOOKED_AT = 15, 1000


def known_fields(index: IndexReader) -> dict[str, FieldType]:
    """Return the fields of which a document, perhaps a deleted one, has a value, with their types."""
    types = index.fields.types
    are_known = index.exchange.combine(any_of, np.array([name in index.fields.known for name in types], np.bool_))
    return {name: types[name] for name, is_known in zip(types, are_known.tolist(), strict=True) if is_known}


def no_such_field(index: IndexReader, name: str) -> str:
    """Return why a name is no field of an index, and which there are."""
    known = known_fields(index)
    near = did_you_mean(name, known)
    there = (
        f"fields of the documents are {listed(sorted(known), MOST_NAMED)}"
        if known
        else without_fields(index.profile.name)
    )
    return f"no field {shown_text(name)}: {near}{there}"


def with_known_fields(index: IndexReader, notice: Notice) -> Notice:
    """Return a notice on a word before a colon (`no_field`) as one that says which fields there are.

    It has the tag of elements with an attribute of that name, "" if there are none. One on a field says what it lacks.
    """
    known = known_fields(index)
    if notice.fields["field"].lower() in known:
        return Notice("field_without_value", notice.fields)
    fields = {**notice.fields, "element": _element_with(index, notice.fields["field"])}
    if not known:
        return Notice("without_fields", {**fields, "profile": index.profile.name})
    near = nearest(notice.fields["field"].lower(), known) or ""
    return Notice("other_fields", {**fields, "near": near, "known": tuple(sorted(known))})


def _element_with(index: IndexReader, attribute: str) -> str:
    """Return the most frequent tag of elements with an attribute, "*" if no document that is looked at has one."""
    elements, found = index.elements, Counter[str]()
    if attribute in elements.attribute_names:
        rows, _ = elements.attributes([attribute], index.live_documents[:MOST_LOOKED_AT])
        found = Counter({"*": 0, **Counter(elements.tags[tag] for tag in elements.tag(rows).tolist())})
    return index.exchange.combine(most_frequent, dict(found))


def most_frequent(found: Sequence[Mapping[str, int]]) -> str:
    """Return the name with the highest count in all shards, "" if none has a name: a combiner."""
    counts = Counter[str]()
    for of_shard in found:
        counts.update(of_shard)
    return min(counts, key=lambda name: (-counts[name], name), default="")
