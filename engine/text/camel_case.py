"""The parts of words in camel case: `get`, `Element`, `By` and `Id` of `getElementById`.

A capital begins a part after a small letter; after a capital or a digit it does where two small letters follow, as in
`XMLHttp` and `utf8Decode`, so `URLs` and `H2O` are whole.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask
from engine.text.characters import EXTENDER, LETTER, CharacterTable, kinds_of_bytes
from engine.text.utf8 import Bytes, Offsets, character_starts, code_points, encode

OTHER, SMALL, CAPITAL, DIGIT = range(4)
# Marks on a letter; one with more ends no part.
MOST_MARKS = 4
# Zero bytes, which are not letters, after a text: two characters after its last one, of four bytes at most, are read.
PADDING = 8


def case_of(character: str) -> int:
    """Return the case of a character."""
    if character.islower():
        return SMALL
    if character.isupper() or character.istitle():
        return CAPITAL
    return DIGIT if character.isdigit() else OTHER


_CASES = CharacterTable(case_of)


def are_capitals(codes: NDArray[np.int64]) -> Mask:
    """Return which code points are capitals."""
    return np.asarray(_CASES.of(codes) == CAPITAL)


def part_begins(encoded: Bytes, kinds: NDArray[np.uint8]) -> Offsets:
    """Return the byte offsets at which parts of words begin inside them, ascending.

    Args:
        kinds: those of the characters that the bytes belong to.
    """
    text, kind = (np.concatenate([column, np.zeros(PADDING, np.uint8)]) for column in (encoded, kinds))
    is_capital = (text - np.uint8(ord("A"))) <= ord("Z") - ord("A")
    is_capital |= text >= 0xC0
    places = np.flatnonzero(is_capital)
    places = places[(places > 0) & (_letter_cases(text, kind, places) == CAPITAL)]
    before = _letter_cases(text, kind, _before(text, kind, places))
    is_begin = before == SMALL
    others = np.flatnonzero((before == CAPITAL) | (before == DIGIT))
    second = _after(text, kind, places[others])
    third = _after(text, kind, second)
    is_begin[others] = (_letter_cases(text, kind, second) == SMALL) & (_letter_cases(text, kind, third) == SMALL)
    begins: Offsets = places[is_begin]
    return begins


def has_parts(word: str) -> bool:
    """Return whether a word is in camel case.

    >>> has_parts("getElementById"), has_parts("Element")
    (True, False)
    """
    encoded = encode(word)
    return bool(len(part_begins(encoded, kinds_of_bytes(encoded))))


def _letter_cases(text: Bytes, kind: NDArray[np.uint8], places: Offsets) -> NDArray[np.uint8]:
    """Return the case of the character at each byte offset, OTHER for no letter or digit."""
    cases = np.full(len(places), OTHER, np.uint8)
    letters = np.flatnonzero(kind[places] == LETTER)
    cases[letters] = _CASES.of(code_points(text, places[letters])[0])
    return cases


def _before(text: Bytes, kind: NDArray[np.uint8], places: Offsets) -> Offsets:
    """Return the offset of the character before each offset, marks left out."""
    before = character_starts(text, places - 1)
    for _ in range(MOST_MARKS):
        marks = np.flatnonzero((kind[before] == EXTENDER) & (before > 0))
        before[marks] = character_starts(text, before[marks] - 1)
    return before


def _after(text: Bytes, kind: NDArray[np.uint8], places: Offsets) -> Offsets:
    """Return the offset of the character after the one at each offset, marks left out."""
    after = places + _lengths(text[places])
    for _ in range(MOST_MARKS):
        marks = np.flatnonzero(kind[after] == EXTENDER)
        after[marks] += _lengths(text[after[marks]])
    return after


def _lengths(first: Bytes) -> Offsets:
    """Return the bytes of characters, from the first of each."""
    lengths: Offsets = 1 + (first >= 0xC0).astype(np.int64) + (first >= 0xE0) + (first >= 0xF0)
    return lengths
