"""The elements and the text of a batch of documents, found in the markup: columns, and one array of bytes.

Works on canonical markup (see `xml_reader`) as an array of bytes. There every `<` opens a tag and every `>` closes one,
because the serialiser escapes both everywhere else. Without kernels, no loop runs over elements. In the text, a border
byte is in place of every tag.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import cast

import numpy as np

from engine.arrays import Rows
from engine.kernels.table import compiled, native
from engine.records import NamedTuple, dataclass
from engine.text.utf8 import Bytes
from engine.text.vocabulary import number_slices

LESS, GREATER, SLASH = b"<>/"
# The bytes that end the name in a tag, as a table and as an expression.
ENDS_NAME = np.isin(np.arange(256), list(b" \t\r\n/>"))
END_OF_NAME = re.compile(rb"[ \t\r\n/>]")
# Bytes of a name that are compared in parallel; the few longer names are finished one by one.
LONG_NAME = 64


@dataclass(frozen=True)
class Tags:
    """The tags of a batch in document order, and the elements that they delimit."""

    opens: Rows  # byte offset of each tag's '<' in the markup
    closes: Rows  # byte offset of its '>'
    elements: Rows  # per tag: number of elements begun so far, minus one
    starts: Rows  # per element: number of its start tag
    ends: Rows  # per element: number of its end tag; of <a/>, the same


class Tree(NamedTuple):
    """The tags of a batch, and its elements: int64, shape (n_elements,)."""

    tags: Tags
    name_ends: Rows  # byte offset of the end of the name in the start tag
    end: Rows  # one past the last row of the subtree
    parent: Rows  # row of the parent; of a root, the root itself
    depth: Rows  # 1 for roots


def _find_tree_in_numpy(markup: bytes) -> Tree:
    tags = find_tags(markup)
    end = tags.elements[tags.ends] + 1
    return Tree(tags, _name_ends(markup, tags), end, *parents_and_depths(end))


@compiled(_find_tree_in_numpy)
def find_tree(markup: bytes) -> Tree:
    """Return the tags and elements of the batch."""
    columns = [np.frombuffer(each, np.int64) for each in native.find_elements(markup)]
    return Tree(Tags(*columns[:5]), *columns[5:])


def find_tags(markup: bytes) -> Tags:
    """Return the tags of the batch."""
    codes = np.frombuffer(markup, np.uint8)
    opens, closes = np.flatnonzero(codes == LESS), np.flatnonzero(codes == GREATER)
    is_end = codes[opens + 1] == SLASH
    is_empty = codes[closes - 1] == SLASH
    step = np.where(is_end, -1, np.where(is_empty, 0, 1)).astype(np.int32)
    depth = np.cumsum(step, dtype=np.int32) + (is_end | is_empty)
    # At one depth, start and end tags alternate, so a stable sort by depth puts each end tag after its start tag.
    # Depths fit into uint16 because the reader limits them; NumPy sorts 16 bits in linear time.
    by_depth = np.argsort(depth.astype(np.uint16), kind="stable")
    following = np.empty_like(by_depth)
    following[by_depth[:-1]] = by_depth[1:]
    starts = np.flatnonzero(~is_end)
    ends = np.where(is_empty[starts], starts, following[starts])
    return Tags(opens, closes, np.cumsum(~is_end) - 1, starts, ends)


def _name_ends(markup: bytes, tags: Tags) -> Rows:
    """Return the byte offset of the end of the name in the start tag of each element."""
    codes = np.frombuffer(markup, np.uint8)
    stops = tags.opens[tags.starts] + 2
    running = np.arange(len(stops))
    for _ in range(LONG_NAME):
        if not running.size:
            break
        running = running[~ENDS_NAME[codes[stops[running]]]]
        stops[running] += 1
    for row in running.tolist():
        stops[row] = cast(re.Match[bytes], END_OF_NAME.search(markup, stops[row])).start()
    return stops


def local_names(markup: bytes, tree: Tree) -> tuple[list[str], Rows]:
    """Return the distinct local names, and each element's index into them."""
    begins, stops = tree.tags.opens[tree.tags.starts] + 1, tree.name_ends
    spellings, example = number_slices(markup, begins, stops)
    names: dict[str, int] = {}
    name_of = [
        names.setdefault(markup[begin:stop].decode().rpartition(":")[2], len(names))
        for begin, stop in zip(begins[example].tolist(), stops[example].tolist(), strict=True)
    ]
    return list(names), np.array(name_of, np.int64)[spellings]


def parents_and_depths(end: Rows) -> tuple[Rows, Rows]:
    """Return the parent row and the depth of every element, given one past the last row of its subtree."""
    n_elements = len(end)
    closing = np.bincount(end, minlength=n_elements + 1)[:n_elements]
    depth = np.arange(1, n_elements + 1) - np.cumsum(closing)
    by_depth = np.argsort(depth.astype(np.uint16), kind="stable")
    parent = np.empty(n_elements, np.int64)
    above = np.empty(0, np.int64)
    for rows in np.split(by_depth, np.cumsum(np.bincount(depth)[1:])[:-1]):
        parent[rows] = rows if not above.size else above[np.searchsorted(above, rows) - 1]
        above = rows
    return parent, depth


def _ordinals_in_numpy(parent: Rows, tag: Rows, depth: Rows) -> Rows:
    """Return the ordinals, sorted by tag and parent; C counts them in a table by depth."""
    n_elements = len(parent)
    rows = np.arange(n_elements)
    family = (parent << int(tag.max(initial=0)).bit_length()) | tag
    order = np.argsort(family, kind="stable")
    is_first = np.ones(n_elements, np.bool_)
    is_first[1:] = family[order[1:]] != family[order[:-1]]
    is_root = parent[order] == order
    is_first |= is_root
    is_first[1:] |= is_root[:-1]  # a root is stored as its own parent, but is not a sibling of its children
    firsts = np.maximum.accumulate(np.where(is_first, rows, 0))
    ordinal = np.empty(n_elements, np.int64)
    ordinal[order] = rows - firsts + 1
    ordinal[parent == rows] = 1
    return ordinal


@compiled(_ordinals_in_numpy)
def ordinals(parent: Rows, tag: Rows, depth: Rows) -> Rows:
    """Return each element's position among its siblings of the same local name, from 1; 1 for roots."""
    counted = native.sibling_ordinals(parent, tag, depth)
    return _ordinals_in_numpy(parent, tag, depth) if counted is None else np.frombuffer(counted, np.int64)


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


def _find_text_in_numpy(markup: bytes, tags: Tags) -> BorderedText:
    codes = np.frombuffer(markup, np.uint8).copy()
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


@compiled(_find_text_in_numpy)
def find_text(markup: bytes, tags: Tags) -> BorderedText:
    """Return the text of the batch: tags replaced by borders, escapes resolved."""
    encoded, borders = native.bordered_text(markup, tags.opens, tags.closes, BORDER)
    return BorderedText(np.frombuffer(encoded, np.uint8), np.frombuffer(borders, np.int64))


def document_texts(text: BorderedText, root_tags: Rows) -> list[bytes]:
    """Return the UTF-8 text of every document, without borders; `root_tags` are the start tags of the roots."""
    places = np.append(text.borders[root_tags], len(text.encoded)).tolist()
    encoded = text.encoded.tobytes()
    return [encoded[a:b].replace(bytes([BORDER]), b"") for a, b in pairwise(places)]
