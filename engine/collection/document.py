"""The flat document: the elements of a batch of documents as columns, one row an element, in document order.

Everything is computed on whole batches at once, from the documents' canonical markup (see `reader`) as an array of
bytes: every `<` opens a tag and every `>` closes one, because the reader's serialiser escapes both everywhere else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

import numpy as np
from numpy.typing import NDArray

from engine.analysis import Analyser, Bytes, characters_before
from engine.collection.attributes import FlatAttributes, find_attributes
from engine.collection.profile import Profile
from engine.collection.words import FoundWords, Sentences, leaf_by_leaf, sentences_of_leaves
from engine.vocabulary import number_slices, term_ids

Rows = NDArray[np.int64]

LESS, GREATER, SLASH, AMPERSAND = b"<>/&"
BORDER = 1  # stands for one tag in the text; XML 1.0 allows no such character in a document
ESCAPES = {b"l": (b"<", 4), b"g": (b">", 4), b"a": (b"&", 5), b"#": (b"\r", 5)}  # &lt; &gt; &amp; &#13;
ENDS_NAME = np.isin(np.arange(256), list(b" \t\r\n/>"))  # the bytes that end the name of a tag
END_OF_NAME = re.compile(rb"[ \t\r\n/>]")
LONG_NAME = 64  # bytes after which few names go on: their ends are looked for one by one


@dataclass(frozen=True)
class FlatDocuments:
    """The elements of some documents in columns, int64, shape (n_elements,) where nothing else is said.

    Rows count through the whole batch; offsets are code points from the start of the element's document.
    """

    tags: Sequence[str]  # distinct local names
    tag: Rows  # index into tags
    parent: Rows  # a root's parent is itself
    end: Rows  # one past the last row of the element's subtree
    depth: Rows  # a root has 1
    ordinal: Rows  # position among siblings of the same local name, from 1
    start: Rows
    stop: Rows
    first_rows: Rows  # row of each document's root, then n_elements: shape (n_documents + 1,)
    texts: Sequence[bytes]  # one a document, UTF-8
    first_words: Rows  # number of each element's first word, then n_words: shape (n_elements + 1,)
    word_terms: NDArray[np.int32]  # term id of every word by number (see words), -1 for a stop word
    word_leaves: Rows  # row of the leaf that holds it (inline tags hand theirs up)
    terms: Sequence[str]  # term by id
    sentences: Sentences
    attributes: FlatAttributes  # those that the profiles name, but for elements that are left out


@dataclass(frozen=True)
class _Tags:
    """The tags of a batch in the order they stand, and the elements they delimit."""

    opens: Rows  # place of each tag's '<' in the markup
    closes: Rows  # place of its '>'
    elements: Rows  # a tag: number of elements begun so far, less one
    starts: Rows  # an element: number of its start tag
    ends: Rows  # an element: number of its end tag; of <a/>, the same


@dataclass(frozen=True)
class _Text:
    """The text of a batch, with a border in the place of every tag."""

    encoded: Bytes  # UTF-8
    borders: Rows  # where the borders stand in it


def flatten(
    markups: Sequence[bytes],
    profiles: Sequence[Profile],
    profile_of: Sequence[int],
    analyser: Analyser,
) -> FlatDocuments:
    """Return the columns of documents given as canonical markup.

    Args:
        markups: one a document: its root element as `reader.read_markup` serialises it.
        profiles: the profiles in use; `profile_of` gives, a document, its number in them.
    """
    markup = b"".join(markups)
    tags = _find_tags(markup)
    names, tag = _local_names(markup, tags)
    end = tags.elements[tags.ends] + 1
    parent, depth = _parents(end)
    first_rows = np.append(np.flatnonzero(depth == 1), len(tag))

    text = _find_text(markup, tags)
    characters = characters_before(text.encoded, text.borders)
    offsets = characters - np.arange(len(text.borders))  # a tag's place in the text of the batch
    document_starts = offsets[tags.starts[first_rows[:-1]]]
    shift = np.repeat(document_starts, np.diff(first_rows))

    inline, left_out = _profile_flags(names, tag, parent, end, first_rows, profiles, profile_of)
    found, after_tag = _find_words(text, tags, inline, analyser)
    open_after = tags.elements.copy()  # the element that holds the text after a tag
    open_after[tags.ends] = parent
    word_leaves = lift(np.arange(len(tag)), inline, parent)[open_after[after_tag]]
    word_terms, terms = term_ids(found.words, analyser)
    order = leaf_by_leaf(word_leaves, ~left_out[word_leaves])
    word_leaves = word_leaves[order]

    attributes = find_attributes(
        markup, tags.opens[tags.starts], tags.closes[tags.starts], first_rows, profiles, profile_of
    )

    return FlatDocuments(
        tags=names,
        tag=tag,
        parent=parent,
        end=end,
        depth=depth,
        ordinal=_ordinals(parent, tag),
        start=offsets[tags.starts] - shift,
        stop=offsets[tags.ends] - shift,
        first_rows=first_rows,
        texts=_encoded_texts(text, tags.starts[first_rows[:-1]]),
        first_words=np.append(0, np.cumsum(np.bincount(word_leaves, minlength=len(tag)))),
        word_terms=word_terms[order],
        word_leaves=word_leaves,
        terms=terms,
        sentences=sentences_of_leaves(found, order, word_leaves, first_rows, document_starts),
        attributes=attributes.only(~left_out[attributes.rows]),
    )


def lift(rows: Rows, inline: NDArray[np.bool_], parent: Rows) -> Rows:
    """Return, a row, the nearest element from it upwards that is not inline (a root never is)."""
    rows = rows.copy()
    while (climbing := np.flatnonzero(inline[rows] & (parent[rows] != rows))).size:
        rows[climbing] = parent[rows[climbing]]
    return rows


def _find_tags(markup: bytes) -> _Tags:
    """Return the tags of the batch; at one depth, starts and ends take turns."""
    codes = np.frombuffer(markup, np.uint8)
    opens, closes = np.flatnonzero(codes == LESS), np.flatnonzero(codes == GREATER)
    is_end = codes[opens + 1] == SLASH
    is_empty = codes[closes - 1] == SLASH
    step = np.where(is_end, -1, np.where(is_empty, 0, 1)).astype(np.int32)
    depth = np.cumsum(step, dtype=np.int32) + (is_end | is_empty)
    in_turn = np.argsort(depth.astype(np.uint16), kind="stable")  # the reader refuses depths past uint16
    following = np.empty_like(in_turn)
    following[in_turn[:-1]] = in_turn[1:]
    starts = np.flatnonzero(~is_end)
    ends = np.where(is_empty[starts], starts, following[starts])
    return _Tags(opens, closes, np.cumsum(~is_end) - 1, starts, ends)


def _local_names(markup: bytes, tags: _Tags) -> tuple[list[str], Rows]:
    """Return the distinct local names, and each element's index into them."""
    codes = np.frombuffer(markup, np.uint8)
    begins = tags.opens[tags.starts] + 1
    stops = begins + 1
    running = np.arange(len(begins))
    for _ in range(LONG_NAME):
        if not running.size:
            break
        running = running[~ENDS_NAME[codes[stops[running]]]]
        stops[running] += 1
    for row in running.tolist():
        stops[row] = cast(re.Match[bytes], END_OF_NAME.search(markup, stops[row])).start()
    spellings, example = number_slices(markup, begins, stops)
    names: dict[str, int] = {}
    name_of = [
        names.setdefault(markup[begin:stop].decode().rpartition(":")[2], len(names))
        for begin, stop in zip(begins[example].tolist(), stops[example].tolist(), strict=True)
    ]
    return list(names), np.array(name_of, np.int64)[spellings]


def _parents(end: Rows) -> tuple[Rows, Rows]:
    """Return the parent row and the depth of every element, from where the subtrees end."""
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


def _ordinals(parent: Rows, tag: Rows) -> Rows:
    """Return each element's position among its siblings of the same name (for roots: 1)."""
    n_elements = len(parent)
    rows = np.arange(n_elements)
    row_bits, tag_bits = n_elements.bit_length(), int(tag.max(initial=0)).bit_length()
    family = (parent << tag_bits) | tag
    packed = np.sort((family << row_bits) | rows)  # a batch has too few elements for 63 bits not to do
    order = packed & ((1 << row_bits) - 1)
    is_first = np.ones(n_elements, np.bool_)
    is_first[1:] = family[order[1:]] != family[order[:-1]]
    is_root = parent[order] == order
    is_first |= is_root
    is_first[1:] |= is_root[:-1]  # a root is its own parent, but no sibling of its children
    firsts = np.maximum.accumulate(np.where(is_first, rows, 0))
    ordinal = np.empty(n_elements, np.int64)
    ordinal[order] = rows - firsts + 1
    ordinal[parent == rows] = 1
    return ordinal


def _find_text(markup: bytes, tags: _Tags) -> _Text:
    """Return the text of the batch: markup out, a border in for every tag, escapes resolved."""
    codes = np.frombuffer(markup, np.uint8).copy()
    escapes = np.flatnonzero(codes == AMPERSAND)
    kinds = codes[escapes + 1]
    codes[tags.closes] = BORDER
    hidden = np.zeros(len(codes) + 1, np.int8)
    hidden[tags.opens] = 1
    hidden[tags.closes] = -1
    for kind, (character, length) in ESCAPES.items():
        places = escapes[kinds == kind[0]]
        codes[places] = character[0]
        hidden[places + 1] += 1
        hidden[places + length] -= 1
    encoded = codes[np.cumsum(hidden[:-1], dtype=np.int8) == 0]
    return _Text(encoded, np.flatnonzero(encoded == BORDER))


def _encoded_texts(text: _Text, root_tags: Rows) -> list[bytes]:
    """Return the UTF-8 text of every document; `root_tags` are the start tags of their roots."""
    places = np.append(text.borders[root_tags], len(text.encoded)).tolist()
    encoded = text.encoded.tobytes()
    return [encoded[a:b].replace(b"\1", b"") for a, b in pairwise(places)]


def _profile_flags(
    names: Sequence[str],
    tag: Rows,
    parent: Rows,
    end: Rows,
    first_rows: Rows,
    profiles: Sequence[Profile],
    profile_of: Sequence[int],
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return, an element, whether its profile calls it inline, and whether it lies in something left out."""
    profile = np.repeat(np.asarray(profile_of, np.int64), np.diff(first_rows))
    inline = _membership([p.inline for p in profiles], names)[profile, tag]
    inline &= parent != np.arange(len(tag))
    left_out = np.flatnonzero(_membership([p.skip for p in profiles], names)[profile, tag])
    edges = np.zeros(len(tag) + 1, np.int32)
    np.add.at(edges, left_out, 1)
    np.add.at(edges, end[left_out], -1)
    return inline, np.cumsum(edges[:-1]) > 0


def _membership(sets: Sequence[frozenset[str]], names: Sequence[str]) -> NDArray[np.bool_]:
    return np.array([[name in members for name in names] for members in sets], np.bool_)


def _find_words(text: _Text, tags: _Tags, inline: NDArray[np.bool_], analyser: Analyser) -> tuple[FoundWords, Rows]:
    """Return the words of the batch, and for each the number of the last tag before it that is not inline."""
    encoded, borders = text.encoded, text.borders
    is_border = np.ones(len(borders), np.bool_)
    inline_rows = np.flatnonzero(inline)
    is_border[tags.starts[inline_rows]] = is_border[tags.ends[inline_rows]] = False
    if inline_rows.size:
        stays = np.ones(len(encoded), np.bool_)
        stays[borders[~is_border]] = False
        encoded = encoded[stays]
        borders = np.flatnonzero(encoded == BORDER)
    words = analyser.words(encoded)
    last_border = np.searchsorted(borders, words.starts) - 1
    return FoundWords(encoded, borders, words, last_border), np.flatnonzero(is_border)[last_border]
