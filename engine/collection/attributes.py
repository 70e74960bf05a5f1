"""The indexed attributes of a batch of documents: those that the documents' profiles name."""

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
# An attribute as lxml serialises it: always in double quotes.
ATTRIBUTE = re.compile(rb'\s([^\s="]+)="([^"]*)"')


class FlatAttributes(NamedTuple):
    """Attributes in document order, one entry per attribute of an element; names are local names."""

    rows: Rows  # row of the element
    names: Sequence[str]
    values: Sequence[str]

    def select(self, mask: NDArray[np.bool_]) -> FlatAttributes:
        """Return the entries where the mask, shape (n_attributes,), is true."""
        chosen = mask.tolist()
        return FlatAttributes(self.rows[mask], list(compress(self.names, chosen)), list(compress(self.values, chosen)))


def find_attributes(
    markup: bytes,
    opens: Rows,
    closes: Rows,
    first_rows: Rows,
    profiles: Sequence[Profile],
    profile_of: Sequence[int],
) -> FlatAttributes:
    """Return the attributes of a batch of documents that their profiles name.

    Args:
        markup: canonical markup of the batch (see `xml_reader`).
        opens, closes: byte offsets of the `<` and `>` of every element's start tag.
        first_rows: row of each document's root, then n_elements.
        profile_of: index into `profiles`, per document.
    """
    wanted = {name for profile in profiles for name in profile.attributes}
    found = FlatAttributes(np.empty(0, np.int64), [], [])
    if not wanted:
        return found
    # Only start tags in which a wanted name precedes `="` are parsed: in most documents few of all tags.
    places = _equals_signs_after(markup, wanted)
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


def _equals_signs_after(markup: bytes, names: Iterable[str]) -> Rows:
    """Return the byte offsets of the equals signs between one of the names and a quote, ascending."""
    codes = np.frombuffer(markup, np.uint8)
    equals = np.flatnonzero(codes == EQUALS)
    equals = equals[codes[equals + 1] == QUOTE]
    found = []
    for name in names:
        places = equals
        # Compared from the last byte of the name backwards: each comparison leaves fewer places for the next.
        for distance, byte in enumerate(reversed(name.encode()), start=1):
            places = places[codes[places - distance] == byte]
        found.append(places)
    return np.sort(np.concatenate([np.empty(0, np.int64), *found]))
