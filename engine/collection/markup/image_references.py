"""References to images in a batch of documents: the attributes that the profiles name, and their values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.arrays import Mask, Rows, mask_of
from engine.collection.markup.attributes import MarkupAttributes
from engine.collection.profiles.profile import Profile
from engine.records import NamedTuple


class ImageReferences(NamedTuple):
    """References to images in document order: the row of the element, and the reference as written."""

    rows: Rows
    values: Sequence[str]

    def select(self, mask: Mask) -> ImageReferences:
        """Return the references where the mask, shape (n_references,), is true."""
        return ImageReferences(self.rows[mask], [self.values[at] for at in np.flatnonzero(mask).tolist()])


def image_references(
    found: MarkupAttributes,
    tags: Sequence[str],
    tag: Rows,
    first_rows: Rows,
    profiles: Sequence[Profile],
    profile_of: Sequence[int],
) -> ImageReferences:
    """Return the references to images among the attributes of a batch.

    Args:
        tags: distinct tags. tag: index into them, per element.
        first_rows: row of each document's root, then n_elements.
        profile_of: index into `profiles`, per document.
    """
    attributes = frozenset[str]().union(*(profile.image_attributes for profile in profiles))
    # Few names are those of references, and most batches have none: then nothing else is looked at.
    spellings = [number for number, name in enumerate(found.local) if name in attributes]
    if not spellings:
        return ImageReferences(np.empty(0, np.int64), ())
    is_named = mask_of(spellings, len(found.local))
    places = np.flatnonzero(is_named[found.spelling])
    is_reference = np.zeros((len(profiles), len(found.local), len(tags)), np.bool_)
    for number, profile in enumerate(profiles):
        for spelling in spellings:
            name = found.local[spelling]
            is_reference[number, spelling] = [f"{each}/@{name}" in profile.image_rules for each in tags]
    rows = found.rows[places]
    document = np.searchsorted(first_rows, rows, side="right") - 1
    profile_numbers = np.asarray(profile_of, np.int64)[document]
    places = places[is_reference[profile_numbers, found.spelling[places], tag[rows]]]
    return ImageReferences(found.rows[places], found.values(places))
