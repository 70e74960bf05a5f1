"""The attributes of a batch of documents: those that are indexed, and those that refer to images.

Indexed are all, or those that the documents' profiles name. Where all are, of long values only the beginning and a
digest are stored, by which they can be compared.

Attributes are found in the markup as arrays; only distinct names and values become Python objects.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask, Rows, ranks_of
from engine.collection.markup.markup_tree import LONG_NAME
from engine.collection.profiles.profile import (
    BREAK,
    FORMULA,
    FORMULA_PARTS,
    LAYOUT,
    LINK_TAGS,
    LINKS,
    NO_BREAK,
    SIGN_LINKS,
    SPANS,
    TABLE_PARTS,
    Profile,
)
from engine.records import NamedTuple
from engine.text.vocabulary import number_slices

# Longest value that is stored whole if the profile names no attributes, in bytes of UTF-8 without needless white space.
LONGEST = 128
# Between beginning and digest; XML 1.0 does not allow this character in documents.
MARK = "\1"
_DIGEST_BYTES = 16
# Bytes of a long value that are stored.
BEGINNING = LONGEST - len(MARK) - 2 * _DIGEST_BYTES
_BROKEN_WORD = re.compile(r"(?<=\W)\w+$")


def normalised(value: str) -> str:
    """Return a value with white space collapsed and stripped, as values are compared."""
    return " ".join(value.split())


def stored(value: str) -> str:
    """Return the stored form of a value: of a long one, its beginning and a digest, `LONGEST` bytes together.

    >>> stored("note"), len(stored("x" * 129)), stored("x" * 129) == stored("x" * 130)
    ('note', 128, False)
    """
    encoded = normalised(value).encode()
    if len(encoded) <= LONGEST:
        return value if len(value.encode()) <= LONGEST else encoded.decode()
    return encoded[:BEGINNING].decode(errors="ignore") + MARK + _digest(encoded)


def beginning(value: str) -> str:
    """Return the known text of a stored value, of a long one without the word broken off at its end."""
    begin, mark, _ = value.partition(MARK)
    return _BROKEN_WORD.sub("", begin) if mark else value


def comparable(value: str, other: str) -> tuple[str, str]:
    """Return a stored value and a text to compare it with, both normalised; equal if they are, in order else.

    Of texts that are equal in what is known of the long one, it counts as the first.
    """
    begin, mark, digest = value.partition(MARK)
    text = normalised(other)
    if not mark:
        return normalised(value), text
    return (text if _digest(text.encode()) == digest else begin), text


def _digest(encoded: bytes) -> str:
    return hashlib.blake2b(encoded, digest_size=_DIGEST_BYTES).hexdigest()


QUOTE, SPACE = b'" '
# Local names of attributes that are indexed whatever the profile says.
IDS = frozenset(("id",))


class FlatAttributes(NamedTuple):
    """Attributes in document order, one entry per attribute of an element."""

    rows: Rows  # row of the element
    name: Rows  # index into `names`
    value: Rows  # index into `values`
    names: Sequence[str]  # local names, distinct
    values: Sequence[str]


class MarkupAttributes(NamedTuple):
    """All attributes in the markup of a batch, as arrays of shape (n_attributes,).

    rows: row of the element. spelling: index into `names`, which are as written, and `local`, without prefixes.
    begins, ends: byte offsets of the value.
    """

    markup: bytes
    rows: Rows
    spelling: Rows
    names: Sequence[str]
    local: Sequence[str]
    begins: Rows
    ends: Rows

    def values(self, places: Rows) -> list[str]:
        """Return the values at the places."""
        number, distinct = self.numbered_values(places)
        return [distinct[each] for each in number.tolist()]

    def numbered_values(self, places: Rows) -> tuple[Rows, list[str]]:
        """Return the distinct values at the places, and the index of each place into them."""
        begins, ends = self.begins[places], self.ends[places]
        number, example = number_slices(self.markup, begins, ends)
        if not len(example):
            return number, []
        slices = zip(begins[example].tolist(), ends[example].tolist(), strict=True)
        # XML has no NUL; and in canonical markup each `&` begins a whole reference.
        joined = b"\0".join([self.markup[begin:end] for begin, end in slices]).decode()
        if "&" in joined:
            from html import unescape  # noqa: PLC0415  (its table of entities is large)

            joined = unescape(joined)
        return number, joined.split("\0")


def scan_attributes(markup: bytes, opens: Rows, closes: Rows) -> MarkupAttributes:
    """Return the attributes in the markup of a batch of documents.

    Args:
        markup: canonical markup of the batch (see `xml_reader`): attributes are ` name="value"`.
        opens, closes: byte offsets of the `<` and `>` of every element's start tag.
    """
    codes = np.frombuffer(markup, np.uint8)
    quotes = np.flatnonzero(codes == QUOTE)
    rows = ranks_of(opens, quotes) - 1  # no quote opens a tag
    is_inside = (rows >= 0) & (quotes < closes[rows])  # else it is text
    quotes, rows = quotes[is_inside], rows[is_inside][::2]
    begins, ends = quotes[::2] + 1, quotes[1::2]
    equals = begins - 2

    is_first = np.ones(len(rows), np.bool_)
    np.not_equal(rows[1:], rows[:-1], out=is_first[1:])
    name_begins = np.empty(len(rows), np.int64)
    name_begins[1:] = ends[:-1] + 2  # after the quote and the space that follow the attribute before
    name_begins[is_first] = _name_begins(markup, codes, equals[is_first])
    spelling, example = number_slices(markup, name_begins, equals)
    names = [markup[_begin(markup, stop) : stop].decode() for stop in equals[example].tolist()]
    return MarkupAttributes(markup, rows, spelling, names, [name.rpartition(":")[2] for name in names], begins, ends)


def unbroken(found: MarkupAttributes) -> Rows:
    """Return the rows of the elements with break="no", at which words go on."""
    is_break = np.array([name == BREAK for name in found.local], np.bool_)
    places = np.flatnonzero(is_break[found.spelling] & (found.ends - found.begins == len(NO_BREAK)))
    return found.rows[places[[value == NO_BREAK for value in found.values(places)]]]


def indexed_attributes(
    found: MarkupAttributes,
    first_rows: Rows,
    profiles: Sequence[Profile],
    profile_of: Sequence[int],
    is_skipped: Mask,
    tags: Sequence[str],
    tag: Rows,
) -> FlatAttributes:
    """Return the attributes to index: those that the profile of each document names, or all, long values shortened.

    Ids, the layout of tables and links within documents are always among them.

    Args:
        tags: distinct tags. tag: index into them, per element.
        first_rows: row of each document's root, then n_elements.
        profile_of: index into `profiles`, per document. is_skipped: per element, whether its attributes are left out.
    """
    profile = np.repeat(np.asarray(profile_of, np.int64), np.diff(first_rows))[found.rows]
    whole, shortened = _allowed(found.names, found.local, profiles)
    is_whole = whole[profile, found.spelling]
    is_whole |= ~shortened[profile, found.spelling] & _are_structural(found, tags, tag)
    kept = np.flatnonzero((is_whole | shortened[profile, found.spelling]) & ~is_skipped[found.rows])
    numbers: dict[str, int] = {}
    spelling = found.spelling[kept]
    name_of = np.zeros(len(found.local), np.int64)
    for each in np.flatnonzero(np.bincount(spelling)).tolist():
        name_of[each] = numbers.setdefault(found.local[each], len(numbers))
    value, values = found.numbered_values(kept)
    short: dict[int, int] = {}  # of a value that is not stored whole: the one in place of it
    for place in np.flatnonzero(~is_whole[kept] & ((found.ends - found.begins)[kept] > LONGEST)).tolist():
        long = int(value[place])
        if long not in short:
            short[long] = len(values)
            values.append(stored(values[long]))
        value[place] = short[long]
    return FlatAttributes(found.rows[kept], name_of[spelling], value, list(numbers), values)


def _are_structural(found: MarkupAttributes, tags: Sequence[str], tag: Rows) -> Mask:
    """Return which attributes say how tables and formulas are laid out, or refer to an element of the same document."""
    chosen = np.zeros(len(found.rows), np.bool_)
    codes = np.frombuffer(found.markup, np.uint8)
    for names, parts in ((LAYOUT, TABLE_PARTS), (FORMULA, FORMULA_PARTS), (LINKS, LINK_TAGS)):
        is_named = np.array([name in names for name in found.local], np.bool_)
        is_part = np.array([name in parts for name in tags], np.bool_)
        if not is_named.any() or not is_part.any():
            continue
        places = np.flatnonzero(is_named[found.spelling])
        places = places[is_part[tag[found.rows[places]]]]
        first, length = codes[found.begins[places]], (found.ends - found.begins)[places]
        is_chosen = (length > 0) & (length <= LONGEST)
        if names is LAYOUT:
            may_be_1 = np.array([name in SPANS for name in found.local], np.bool_)[found.spelling[places]]
            is_chosen &= ~(may_be_1 & (length == 1) & (first == ord("1")))
        elif parts is LINK_TAGS:
            needs_sign = np.array([name in SIGN_LINKS for name in found.local], np.bool_)[found.spelling[places]]
            is_chosen &= ~needs_sign | (first == ord("#"))
        chosen[places] = is_chosen
    return chosen


def _name_begins(markup: bytes, codes: NDArray[np.uint8], equals: Rows) -> Rows:
    """Return the begins of the names before equals signs: after the space before each."""
    begins = equals.copy()
    running = np.arange(len(equals))
    for _ in range(LONG_NAME):
        running = running[codes[begins[running] - 1] != SPACE]
        if not running.size:
            return begins
        begins[running] -= 1
    for place in running.tolist():
        begins[place] = _begin(markup, int(equals[place]))
    return begins


def _begin(markup: bytes, equals: int) -> int:
    return markup.rindex(b" ", 0, equals) + 1


def _allowed(names: Sequence[str], local: Sequence[str], profiles: Sequence[Profile]) -> tuple[Mask, Mask]:
    """Return which names are indexed with whole values, and which with short ones: shape (n_profiles, n_names) each."""
    is_declaration = [name == "xmlns" or name.startswith("xmlns:") for name in names]
    allowed = [
        [
            not declares
            and (name in _always(profile) or (profile.attributes is not None and name in profile.attributes))
            for name, declares in zip(local, is_declaration, strict=True)
        ]
        for profile in profiles
    ]
    short = [[profile.attributes is None and not declares for declares in is_declaration] for profile in profiles]
    return np.array(allowed, np.bool_), np.array(short, np.bool_)


def _always(profile: Profile) -> frozenset[str]:
    return IDS | {BREAK} if profile.breaks else IDS


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
    names = sorted(attributes.intersection(found.local))
    if not names:
        return ImageReferences(np.empty(0, np.int64), ())
    numbers = {name: number for number, name in enumerate(names)}
    name_of = np.array([numbers.get(name, -1) for name in found.local], np.int64)
    places = np.flatnonzero(name_of[found.spelling] >= 0)
    is_reference = np.array(
        [[[f"{tag}/@{name}" in profile.image_rules for tag in tags] for name in names] for profile in profiles],
        np.bool_,
    )
    rows = found.rows[places]
    document = np.searchsorted(first_rows, rows, side="right") - 1
    profile_numbers = np.asarray(profile_of, np.int64)[document]
    places = places[is_reference[profile_numbers, name_of[found.spelling[places]], tag[rows]]]
    return ImageReferences(found.rows[places], found.values(places))
