"""The attributes of a batch of documents: those that the documents' profiles name, with their values."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.collection.profile import Profile

Rows = NDArray[np.int64]

EQUALS, QUOTE = b'="'
ATTRIBUTE = re.compile(rb'\s([^\s="]+)="([^"]*)"')  # as the reader's serialiser writes it


class FlatAttributes(NamedTuple):
    """Attributes in the order of the markup, one entry an attribute of an element; names are local names."""

    rows: Rows  # the element that has it
    names: Sequence[str]
    values: Sequence[str]

    def only(self, kept: NDArray[np.bool_]) -> FlatAttributes:
        """Return some of the entries."""
        return FlatAttributes(
            self.rows[kept], list(compress(self.names, kept.tolist())), list(compress(self.values, kept.tolist()))
        )


def find_attributes(
    markup: bytes,
    opens: Rows,
    closes: Rows,
    first_rows: Rows,
    profiles: Sequence[Profile],
    profile_of: Sequence[int],
) -> FlatAttributes:
    """Return the attributes of a batch of documents that their profiles name.

    Only tags in which a wanted name stands before an equals sign and a quote are taken apart.

    Args:
        markup: canonical markup of the batch.
        opens, closes: places of the `<` and the `>` of every element's start tag.
        first_rows: row of each document's root, then n_elements; `profile_of` gives the number of its profile.
    """
    wanted = {name for profile in profiles for name in profile.attributes}
    found = FlatAttributes(np.empty(0, np.int64), [], [])
    if not wanted:
        return found
    places = _places_of(markup, wanted)
    rows = np.searchsorted(opens, places, side="right") - 1
    rows = np.unique(rows[places < closes[rows]])
    documents = np.searchsorted(first_rows, rows, side="right") - 1
    entries: list[tuple[int, str, str]] = []
    for row, document, start, stop in zip(
        rows.tolist(), documents.tolist(), opens[rows].tolist(), closes[rows].tolist(), strict=True
    ):
        allowed = profiles[profile_of[document]].attributes
        for name, value in ATTRIBUTE.findall(markup, start, stop):
            prefix, _, local = name.decode().rpartition(":")
            if local in allowed and prefix != "xmlns":
                entries.append((row, local, html.unescape(value.decode())))
    if not entries:
        return found
    owners, local_names, values = zip(*entries, strict=True)
    return FlatAttributes(np.array(owners, np.int64), local_names, values)


def _places_of(markup: bytes, names: Iterable[str]) -> Rows:
    """Return the places of the equals signs behind one of the names and before a quote, names read backwards."""
    codes = np.frombuffer(markup, np.uint8)
    equals = np.flatnonzero(codes == EQUALS)
    equals = equals[codes[equals + 1] == QUOTE]
    found = []
    for name in names:
        places = equals
        for distance, byte in enumerate(reversed(name.encode()), start=1):
            places = places[codes[places - distance] == byte]
        found.append(places)
    return np.sort(np.concatenate([np.empty(0, np.int64), *found]))
