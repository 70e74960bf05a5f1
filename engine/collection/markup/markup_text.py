"""The text of a batch of documents, found in the markup: one array of bytes, with a border byte for every tag."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from engine import kernels
from engine.arrays import Rows
from engine.collection.markup.markup_tree import Tags
from engine.records import dataclass
from engine.text.utf8 import Bytes

# Replaces a tag in the text; XML 1.0 does not allow this character in documents.
BORDER = 1
BLANK = ord(" ")
AMPERSAND = ord("&")
# Escapes in canonical markup by their second character: the character, and the length. &lt; &gt; &amp; &#13;
ESCAPES = {b"l": (b"<", 4), b"g": (b">", 4), b"a": (b"&", 5), b"#": (b"\r", 5)}


@dataclass(frozen=True)
class BorderedText:
    """The text of a batch, with a border in place of every tag."""

    encoded: Bytes  # UTF-8
    borders: Rows  # byte offsets of the borders


def find_text(markup: bytes, tags: Tags) -> BorderedText:
    """Return the text of the batch: tags replaced by borders, escapes resolved."""
    if kernels.native is not None:
        encoded, borders = kernels.native.bordered_text(markup, tags.opens, tags.closes, BORDER)
        return BorderedText(np.frombuffer(encoded, np.uint8), np.frombuffer(borders, np.int64))
    return _find_text(np.frombuffer(markup, np.uint8).copy(), tags)


def _find_text(codes: Bytes, tags: Tags) -> BorderedText:
    """Return the text of a markup, which is overwritten."""
    escapes = np.flatnonzero(codes == AMPERSAND)
    tag_before = np.searchsorted(tags.opens, escapes) - 1
    escapes = escapes[escapes > tags.closes[tag_before]]  # the others are in attributes
    kinds = codes[escapes + 1]
    # +1 where a stretch to remove begins, -1 after its end; the cumulative sum is 0 on the bytes that stay.
    edges = np.zeros(len(codes) + 1, np.int8)
    edges[tags.opens] = 1
    edges[tags.closes] = -1
    n_removed = np.zeros(len(escapes) + 1, np.int64)
    for kind, (character, length) in ESCAPES.items():
        is_kind = kinds == kind[0]
        places = escapes[is_kind]
        codes[places] = character[0]
        edges[places + 1] += 1
        edges[places + length] -= 1
        n_removed[1:][is_kind] = length - 1
    codes[tags.closes] = BORDER
    encoded = codes[np.cumsum(edges[:-1], dtype=np.int8) == 0]
    borders = tags.closes - np.cumsum(tags.closes - tags.opens)
    if len(escapes):
        borders -= np.cumsum(n_removed)[np.searchsorted(escapes, tags.closes)]
    return BorderedText(encoded, borders)


def document_texts(text: BorderedText, root_tags: Rows) -> list[bytes]:
    """Return the UTF-8 text of every document, without borders; `root_tags` are the start tags of the roots."""
    places = np.append(text.borders[root_tags], len(text.encoded)).tolist()
    encoded = text.encoded.tobytes()
    return [encoded[a:b].replace(bytes([BORDER]), b"") for a, b in pairwise(places)]
