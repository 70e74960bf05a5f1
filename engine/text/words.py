"""The words of a text: runs of letters and digits; in scripts without spaces, letters with the next one.

Words are found in UTF-8 bytes, so one pass covers a whole batch of documents. Those in camel case have parts: `get`,
`Element`, `By` and `Id` of `getElementById`. A capital begins a part after a small letter; after a capital or a digit
it does where two small letters follow, as in `XMLHttp` and `utf8Decode`, so `URLs` and `H2O` are whole.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask, mask_of, places_of, ranges
from engine.kernels.table import compiled, native
from engine.records import dataclass
from engine.text.characters import (
    EXTENDER,
    JAMO,
    LETTER,
    OTHER,
    UNSPACED,
    CharacterTable,
    ascii_letters,
    kinds_of_bytes,
)
from engine.text.utf8 import Bytes, Offsets, character_starts, characters_before, code_points, encode
from engine.threads import cached_property

CASELESS, SMALL, CAPITAL, DIGIT = range(4)
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
    return DIGIT if character.isdigit() else CASELESS


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
    """Return the case of the character at each byte offset, CASELESS for no letter or digit."""
    cases = np.full(len(places), CASELESS, np.uint8)
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


# The zettair analyser removes one of these between two letters or digits: wi-fi -> wifi.
JOINERS = "-'&_/."
BLANK = np.uint8(ord(" "))


@dataclass(frozen=True)
class Words:
    """The words of a text, in order, as slices of UTF-8 bytes.

    `begins` and `stops` are byte offsets in `encoded`, `starts` and `ends` in the text; the second of each pair is
    exclusive. They differ if the analyser removes joiners, and where words overlap: there `ends` is the end of the
    first letter. `reaches` is the end of the whole word in the text.
    """

    encoded: Bytes
    begins: Offsets
    stops: Offsets
    starts: Offsets
    ends: Offsets
    reaches: Offsets
    is_unspaced: Mask | None = None  # None if none is

    @cached_property
    def surfaces(self) -> list[str]:
        """The words as written, without joiners."""
        if (self.begins[1:] > self.stops[:-1]).all():
            return self._parted()
        text = self.encoded.tobytes().decode("utf-8", "surrogatepass")
        begins, stops = (characters_before(self.encoded, offsets).tolist() for offsets in (self.begins, self.stops))
        return [text[begin:stop] for begin, stop in zip(begins, stops, strict=True)]

    def _parted(self) -> list[str]:
        """Return words between which there are other bytes, split where these are."""
        edges = np.zeros(len(self.encoded) + 1, np.int8)
        edges[self.begins], edges[self.stops] = 1, -1
        is_inside = edges[:-1].cumsum(dtype=np.int8).view(np.bool_)
        text = np.where(is_inside, self.encoded, BLANK).tobytes().decode("utf-8", "surrogatepass")
        return list(filter(None, text.split(chr(BLANK))))


def find_words(encoded: Bytes, *, splits_camel_case: bool = False) -> Words:
    """Return the words in UTF-8 bytes, with their offsets; in scripts without spaces a word begins at each letter."""
    kinds = kinds_of_bytes(encoded)
    begins, stops = _lettered(kinds, *_runs(kinds > OTHER))
    if splits_camel_case:
        parts = part_begins(encoded, kinds)
        begins, stops = (np.sort(np.concatenate([column, parts])) for column in (begins, stops))
    places = places_of(kinds == UNSPACED)
    if not places.size:
        return Words(encoded, begins, stops, begins, stops, stops)
    is_unspaced = mask_of(np.searchsorted(begins, places, side="right") - 1, len(begins))
    overlapping = _overlapping_words(encoded, kinds, begins[is_unspaced], stops[is_unspaced])
    begins, stops = begins[~is_unspaced], stops[~is_unspaced]
    return _merged(Words(encoded, begins, stops, begins, stops, stops), overlapping)


def _count_words_in_numpy(encoded: Bytes) -> int:
    kinds = kinds_of_bytes(encoded)
    if kinds.max(initial=OTHER) > LETTER:
        return len(find_words(encoded).begins)
    is_inside = kinds.view(np.bool_)
    return int(np.count_nonzero(is_inside[1:] > is_inside[:-1])) + int(is_inside[:1].any())


@compiled(_count_words_in_numpy)
def count_words(encoded: Bytes) -> int:
    """Return the number of words that `find_words` finds, which takes a fifth of the time for most texts."""
    n_runs = native.count_runs(encoded, *ascii_letters())
    return n_runs if n_runs >= 0 else _count_words_in_numpy(encoded)


def find_joined_words(encoded: Bytes) -> Words:
    """Return runs of letters and digits, without a joiner between two of them."""
    kinds = kinds_of_bytes(encoded)
    in_words, where = (kinds != OTHER) & (kinds != EXTENDER), None
    if len(encoded):
        joins = np.isin(encoded, np.frombuffer(JOINERS.encode(), np.uint8))
        joins[0:1] = joins[-1:] = False
        joins[1:-1] &= in_words[:-2] & in_words[2:]
        where = places_of(~joins)
        encoded, in_words = encoded[where], in_words[where]
    begins, stops = _runs(in_words)
    starts, ends = (begins, stops) if where is None else (where[begins], where[stops - 1] + 1)
    return Words(encoded, begins, stops, starts, ends, ends)


def single_letters(words: Words) -> tuple[Mask, Mask]:
    """Return masks of the words of one unspaced letter: those alone, and those at the end of several."""
    none = np.zeros(len(words.starts), np.bool_)
    if words.is_unspaced is None:
        return none, none
    overlaps = words.reaches > words.ends
    is_last = words.is_unspaced & ~overlaps
    is_last[:1] = False
    is_last[1:] &= overlaps[:-1]
    return words.is_unspaced & ~overlaps & ~is_last, is_last


def _runs(is_inside: Mask) -> tuple[Offsets, Offsets]:
    """Return the begins and the ends of runs of true values."""
    edges = places_of(is_inside[1:] != is_inside[:-1])
    edges += 1
    if len(is_inside) and (is_inside[0] or is_inside[-1]):
        first, last = np.arange(int(is_inside[0])), np.full(int(is_inside[-1]), len(is_inside))
        edges = np.concatenate([first, edges, last])
    return edges[0::2].copy(), edges[1::2].copy()  # apart, so that what follows reads consecutive memory


def _lettered(kinds: NDArray[np.uint8], begins: Offsets, stops: Offsets) -> tuple[Offsets, Offsets]:
    """Return the runs from their first letter on; runs without letters are left out."""
    extending = places_of((kinds == EXTENDER) | (kinds == JAMO))  # few in most texts
    odd = np.searchsorted(begins, extending[(extending == 0) | (kinds[extending - 1] == OTHER)])
    if not odd.size:
        return begins, stops
    inside = ranges(begins[odd], stops[odd] - begins[odd])
    letters = inside[_is_letter(kinds[inside])]
    first = np.append(letters, len(kinds))[np.searchsorted(letters, begins[odd])]
    begins, is_word = begins.copy(), np.ones(len(begins), np.bool_)
    begins[odd] = first
    is_word[odd] = first < stops[odd]
    return begins[is_word], stops[is_word]


def _is_letter(kinds: NDArray[np.uint8]) -> Mask:
    """Return whether each kind is of characters that begin a word."""
    is_letter: Mask = (kinds == LETTER) | (kinds == UNSPACED)
    return is_letter


def _overlapping_words(encoded: Bytes, kinds: NDArray[np.uint8], begins: Offsets, stops: Offsets) -> Words:
    """Return the words of runs with unspaced letters: each of these begins one, which reaches over the next letter."""
    letters = ranges(begins, stops - begins)
    letters = letters[((encoded[letters] & 0xC0) != 0x80) & _is_letter(kinds[letters])]
    run = np.searchsorted(begins, letters, side="right") - 1
    is_unspaced = kinds[letters] == UNSPACED
    is_begin = np.ones(len(letters), np.bool_)
    is_begin[1:] = (run[1:] != run[:-1]) | is_unspaced[1:] | is_unspaced[:-1]
    starts, run, is_unspaced = letters[is_begin], run[is_begin], is_unspaced[is_begin]
    has_next = np.zeros(len(starts), np.bool_)
    has_next[:-1] = run[1:] == run[:-1]
    ends = stops[run]
    ends[:-1][has_next[:-1]] = starts[1:][has_next[:-1]]
    overlaps = np.zeros(len(starts), np.bool_)
    overlaps[:-1] = has_next[:-1] & is_unspaced[:-1] & is_unspaced[1:]
    reaches = ends.copy()
    reaches[:-1][overlaps[:-1]] = ends[1:][overlaps[:-1]]
    return Words(encoded, starts, reaches, starts, ends, reaches, is_unspaced)


def _merged(plain: Words, overlapping: Words) -> Words:
    """Return all words in the order of the text, given those of scripts with and without spaces."""
    places = np.searchsorted(plain.starts, overlapping.starts)

    is_unspaced = np.zeros(len(plain.starts) + len(places), np.bool_)
    is_unspaced[places + np.arange(len(places))] = overlapping.is_unspaced
    starts, ends, reaches = (
        np.insert(getattr(plain, name), places, getattr(overlapping, name)) for name in ("starts", "ends", "reaches")
    )
    return Words(plain.encoded, starts, reaches, starts, ends, reaches, is_unspaced)
