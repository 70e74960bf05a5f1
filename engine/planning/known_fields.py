"""The fields that documents of an index have, over all its shards, and how messages name them."""

from __future__ import annotations

import numpy as np

from engine.fields.values import FieldType
from engine.index.reader import IndexReader
from engine.notices import Notice
from engine.sharded_search.shard_merging import any_of
from engine.wording import did_you_mean, listed, nearest, shown_text

# Fields that a message names.
MOST_NAMED = 15


def known_fields(index: IndexReader) -> dict[str, FieldType]:
    """Return the fields of which a document, perhaps a deleted one, has a value, with their types."""
    types = index.fields.types
    are_known = index.exchange.combine(any_of, np.array([name in index.fields.known for name in types], np.bool_))
    return {name: types[name] for name, is_known in zip(types, are_known.tolist(), strict=True) if is_known}


def no_such_field(index: IndexReader, name: str) -> str:
    """Return why a name is no field of an index, and which there are."""
    known = known_fields(index)
    near = did_you_mean(name, known)
    there = f"fields of the documents are {listed(sorted(known), MOST_NAMED)}" if known else _without_fields(index)
    return f"no field {shown_text(name)}: {near}{there}"


def _without_fields(index: IndexReader) -> str:
    name = index.profile.name
    defines = "defines others than they have" if index.fields.types else "defines none"
    return f"the documents have none: their profile, {name}, {defines}; [fields] in a profile of your own defines them"


def with_known_fields(index: IndexReader, notice: Notice) -> Notice:
    """Return a notice on a word before a colon (`no_field`) as one that says which fields there are."""
    known = known_fields(index)
    if not known:
        return Notice("without_fields", {**notice.fields, "profile": index.profile.name})
    near = nearest(notice.fields["field"].lower(), known) or ""
    return Notice("other_fields", {**notice.fields, "near": near, "known": tuple(sorted(known))})
