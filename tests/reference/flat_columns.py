"""The flat document the slow way: a walk over lxml's tree, one node and one character at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import NamedTuple

from lxml import etree

from engine.collection.profiles.profile import Profile
from engine.text import characters
from engine.text.analyser import Analyser
from engine.text.characters import EXTENDER, JAMO, OTHER, kind_of
from engine.text.sentences import ABBREVIATIONS, BEFORE_NUMBERS, CLOSING, MARKS, OPENING, WIDE_MARKS

ZETTAIR = re.compile(r"[^\W_]+(?:[-'&_/.][^\W_]+)*")
JOINERS = re.compile(r"[-'&_/.]")
# Stands for a break: a blank that no document can contain.
GAP = "\x1f"
SPACED, UNSPACED = "spaced", "unspaced"


class FoundWord(NamedTuple):
    """A word of a text: from start to end, from where it may reach over the next letter."""

    surface: str
    start: int
    end: int
    reach: int


def find_words(text: str, name: str) -> list[FoundWord]:
    """Return the words of a text, one character after the other."""
    if name == "zettair":
        return [FoundWord(JOINERS.sub("", found[0]), *found.span(), found.end()) for found in ZETTAIR.finditer(text)]
    words: list[tuple[int, int, str]] = []  # start, end, kind
    end = -1
    for place, character in enumerate(text):
        kind = kind_of(character)
        if kind in (EXTENDER, JAMO):
            if words and end == place:
                words[-1] = (words[-1][0], place + 1, words[-1][2])
                end = place + 1
        elif kind != OTHER:
            script = UNSPACED if kind == characters.UNSPACED else SPACED
            if words and end == place and words[-1][2] == script == SPACED:
                words[-1] = (words[-1][0], place + 1, SPACED)
            else:
                words.append((place, place + 1, script))
            end = place + 1
    found = []
    for (start, stop, script), after in zip(words, [*words[1:], None], strict=False):
        overlaps = after is not None and script == after[2] == UNSPACED and stop == after[0]
        reach = after[1] if after is not None and overlaps else stop
        found.append(FoundWord(text[start:reach], start, stop, reach))
    return found


class Element(NamedTuple):
    tag: str
    parent: int  # row; a root's is its own
    end: int
    depth: int
    ordinal: int
    start: int
    stop: int
    path: str


class Border(NamedTuple):
    """Where a sentence begins inside a leaf, and where the one before it ends (code points)."""

    word: int  # its first word
    is_text_node: bool  # whether a text node of the leaf begins with it
    start: int
    end: int


class Word(NamedTuple):
    term: str | None  # None: a stop word
    leaf: int
    stretch: int  # number of the stretch of text, between two tags that are not inline
    start: int  # where the text of its sentence can begin, if it is the first of one
    end: int  # where the one before ends in the same stretch; -1: it goes on
    stretch_end: int  # without white space at its end
    raw: tuple[int, int]  # where the stretch begins and ends, white space included


@dataclass
class FlatColumns:
    """One document: rows count from its root."""

    elements: list[Element] = field(default_factory=list)
    text: str = ""
    words: list[Word] = field(default_factory=list)  # leaf by leaf
    unbroken: set[int] = field(default_factory=set)  # rows of elements with break="no"

    @property
    def first_words(self) -> list[int]:
        """The number of each element's first word, then the number of words."""
        rows = range(len(self.elements) + 1)
        return [sum(word.leaf < row for word in self.words) for row in rows]

    @property
    def borders(self) -> list[Border]:
        """Where sentences begin inside leaves."""
        found = []
        for number, (before, word) in enumerate(pairwise(self.words), 1):
            if before.leaf == word.leaf and before.stretch != word.stretch:
                found.append(Border(number, True, word.start, before.stretch_end))
            elif before.leaf == word.leaf and word.end >= 0:
                found.append(Border(number, False, word.start, word.end))
        return found

    @property
    def own_spans(self) -> list[tuple[int, int]]:
        """Where the first sentence of each leaf begins and its last one ends, leaf by leaf."""
        found = []
        for leaf, words in groupby(self.words, lambda word: word.leaf):
            first, *others = words
            last = others[-1] if others else first
            element = self.elements[leaf]
            start = element.start if first.raw[0] == element.start else first.start
            found.append((start, element.stop if last.raw[1] == element.stop else last.stretch_end))
        return found


def flat_columns(raw: bytes, profile: Profile, analyser: Analyser) -> FlatColumns:
    """Return the columns of a document's bytes."""
    parser = etree.XMLParser(resolve_entities="internal", no_network=True, strip_cdata=False, huge_tree=True)
    root = etree.fromstring(raw, parser)
    flat = FlatColumns()
    _walk(root, 0, 1, 1, "", flat)
    words = _words(root, flat, profile, analyser)
    flat.words = sorted(words, key=lambda word: word.leaf)  # stable: in a leaf they stay in order
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
    if any(etree.QName(name).localname == "break" and value == "no" for name, value in element.attrib.items()):
        flat.unbroken.add(row)
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
    stretch, places, holder, number, begin, offset = "", list[int](), 0, 0, 0, 0
    is_left_out = _is_left_out(0, flat, profile)
    for row, character in _events(root, iter(range(len(flat.elements)))):
        if is_left_out or not _is_left_out(row, flat, profile):  # what is left out is as if it were absent
            if character or _is_break(row, flat, profile):
                stretch += character or GAP
                places.append(offset)
                holder = _holder(row, flat, profile) if character else holder
            elif not _is_inline(row, flat, profile):
                if not is_left_out:
                    yield from _stretch_words(stretch, places, (begin, offset), holder, number, analyser)
                stretch, places, number, begin = "", [], number + 1, offset
        offset += len(character)


def _stretch_words(
    stretch: str, places: list[int], raw: tuple[int, int], leaf: int, number: int, analyser: Analyser
) -> Iterator[Word]:
    """Yield the words of a stretch; places: of its characters in the text of the document."""
    if not stretch.strip():
        return
    stretch_end = places[len(stretch.rstrip()) - 1] + 1
    start = places[first_of_sentence(stretch)]
    before = None
    for word in find_words(stretch, analyser.name):
        end = -1
        if before:
            gap = stretch[before.end : word.start]
            ends = sentence_end(stretch[before.start : before.end], gap, stretch[word.start : word.end])
            if ends is not None:
                end = places[before.end + ends - 1] + 1
                start = places[before.end + len(gap) - len(gap[ends:].lstrip())]
        yield Word(analyser.term(word.surface), leaf, number, start, end, stretch_end, raw)
        before = word


def first_of_sentence(stretch: str) -> int:
    """Return where a sentence begins after a tag: not with blanks, nor with marks before a blank."""
    blanks, marks = len(stretch) - len(stretch.lstrip()), ".,;:!?…)]}”’。！？｡．）］｝」』】〉》〕"
    quotes, place = "\"'“‘«»‹›", blanks
    while place < len(stretch) and stretch[place] in marks + quotes:
        place += 1
    rest = stretch[place:].lstrip()
    is_left_over = any(character in marks for character in stretch[blanks:place])
    return len(stretch) - len(rest) if rest and stretch[place].isspace() and is_left_over else blanks


def sentence_end(before: str, gap: str, after: str) -> int | None:
    """Return where between two words a sentence ends, None where it goes on."""
    if not gap or (after[0].islower() and gap[-1] not in OPENING):
        return None
    found = None
    for place, mark in enumerate(gap):
        if mark not in MARKS or (mark == "." and place == 0 and _is_abbreviated(before, after)):
            continue
        end = place + 1
        while end < len(gap) and gap[end] in MARKS + CLOSING:
            end += 1
        if mark in WIDE_MARKS or (end < len(gap) and gap[end].isspace()):
            found = end
    return found


def _is_abbreviated(word: str, after: str) -> bool:
    is_initial = word[-1].isalpha() and (len(word) == 1 or bool(JOINERS.fullmatch(word[-2])))
    known = (*ABBREVIATIONS, *(BEFORE_NUMBERS if after[0] in "0123456789" else ()))
    return is_initial or (word.isascii() and word.lower() in known)


def _is_inline(row: int, flat: FlatColumns, profile: Profile) -> bool:
    return row != 0 and flat.elements[row].tag in profile.inline


def _is_break(row: int, flat: FlatColumns, profile: Profile) -> bool:
    is_break = flat.elements[row].tag in profile.breaks
    return is_break and _is_inline(row, flat, profile) and row not in flat.unbroken


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
