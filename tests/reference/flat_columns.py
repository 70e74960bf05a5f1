"""The flat document the slow way: a walk over lxml's tree, one node and one character at a time."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from lxml import etree

from engine.analysis import Analyser
from engine.collection.profile import Profile

WORDS = {
    "default": re.compile(r"[^\W_]+"),
    "zettair": re.compile(r"[^\W_]+(?:[-'&_/.][^\W_]+)*"),
}
JOINERS = re.compile(r"[-'&_/.]")


class Element(NamedTuple):
    tag: str
    parent: int  # row; a root's is its own
    end: int
    depth: int
    ordinal: int
    start: int
    stop: int
    path: str


class Word(NamedTuple):
    term: str | None  # None: a stop word, or a word of a tag that is left out
    leaf: int
    stretch: int  # number of the stretch of text, between two tags that are not inline
    position: int


@dataclass
class FlatColumns:
    """One document: rows count from its root."""

    elements: list[Element] = field(default_factory=list)
    text: str = ""
    words: list[Word] = field(default_factory=list)


def flat_columns(raw: bytes, profile: Profile, analyser: Analyser) -> FlatColumns:
    """Return the columns of a document's bytes."""
    parser = etree.XMLParser(resolve_entities="internal", no_network=True, strip_cdata=False, huge_tree=True)
    root = etree.fromstring(raw, parser)
    flat = FlatColumns()
    _walk(root, 0, 1, 1, "", flat)
    flat.words = list(_words(root, flat, profile, analyser))
    return flat


def _is_element(node: etree._Element) -> bool:
    return isinstance(node.tag, str)


def _local_name(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _walk(element: etree._Element, parent: int, depth: int, ordinal: int, above: str, flat: FlatColumns) -> None:
    """Append the element and all below, and their text."""
    row, start = len(flat.elements), len(flat.text)
    path = f"{above}/{_local_name(element)}[{ordinal}]"
    flat.elements.append(Element("", 0, 0, 0, 0, 0, 0, ""))
    flat.text += element.text or ""
    seen: list[str] = []
    for child in element:
        if _is_element(child):
            seen.append(_local_name(child))
            _walk(child, row, depth + 1, seen.count(_local_name(child)), path, flat)
        flat.text += child.tail or ""
    flat.elements[row] = Element(
        _local_name(element), parent, len(flat.elements), depth, ordinal, start, len(flat.text), path
    )


def _events(element: etree._Element, rows: Iterator[int]) -> Iterator[tuple[int, str]]:
    """Yield (row, character) for every character, and (row, "") where the element's tags stand."""
    row = next(rows)
    yield row, ""
    yield from ((row, character) for character in element.text or "")
    for child in element:
        if _is_element(child):
            yield from _events(child, rows)
        yield from ((row, character) for character in child.tail or "")
    yield row, ""


def _words(root: etree._Element, flat: FlatColumns, profile: Profile, analyser: Analyser) -> Iterator[Word]:
    stretch, holder, number = "", 0, 0
    last_position: dict[int, int] = {}
    for row, character in _events(root, iter(range(len(flat.elements)))):
        if character:
            stretch, holder = stretch + character, _holder(row, flat, profile)
        elif not _is_inline(row, flat, profile):
            yield from _stretch_words(stretch, holder, number, last_position, flat, profile, analyser)
            stretch, number = "", number + 1


def _stretch_words(
    stretch: str,
    leaf: int,
    number: int,
    last_position: dict[int, int],
    flat: FlatColumns,
    profile: Profile,
    analyser: Analyser,
) -> Iterator[Word]:
    position = last_position[leaf] + 17 if leaf in last_position else 0
    for match in WORDS[analyser.name].finditer(stretch):
        term = analyser.term(JOINERS.sub("", match[0])) if not _is_left_out(leaf, flat, profile) else None
        yield Word(term, leaf, number, position)
        last_position[leaf] = position
        position += 1


def _is_inline(row: int, flat: FlatColumns, profile: Profile) -> bool:
    return row != 0 and flat.elements[row].tag in profile.inline


def _holder(row: int, flat: FlatColumns, profile: Profile) -> int:
    while _is_inline(row, flat, profile):
        row = flat.elements[row].parent
    return row


def _is_left_out(row: int, flat: FlatColumns, profile: Profile) -> bool:
    while row != 0:
        if flat.elements[row].tag in profile.skip:
            return True
        row = flat.elements[row].parent
    return flat.elements[0].tag in profile.skip
