"""The characters of words, and the folding that makes the spellings of a word equal.

A letter or digit begins a word or continues it. An *extender* continues one: combining marks (accents, vowel signs) and
invisible characters (soft hyphen, joiners, zero-width spaces). Letters of scripts without spaces between words are
*unspaced*; see `Analyser.words`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.arrays import distinct, places_of
from engine.text.utf8 import Bytes, code_points

OTHER, LETTER, EXTENDER, JAMO, UNSPACED = range(5)
# Numbers of code points: ASCII, all of Unicode.
ASCII, ALL = 0x80, 0x110000
# Characters that are normalised together; no word is longer, strings of combining marks are.
LONGEST_NORMALIZED = 256
# Invisible characters, which are part of no term; the last is the Arabic tatweel, which only stretches a word.
INVISIBLE = frozenset(
    chr(code)
    for first, last in (
        *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E)),
        *((0x2060, 0x2064), (0x2066, 0x206F), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xE0100, 0xE01EF), (0x640, 0x640)),
    )
    for code in range(first, last + 1)
)
# The marks on half-width Kana.
VOICED = "\uff9e\uff9f"
# Thai, Lao, Myanmar, Hangul, Khmer, New Tai Lue, Kana, Bopomofo, Han.
_UNSPACED = (
    *((0xE00, 0xE7F), (0xE80, 0xEFF), (0x1000, 0x109F), (0x1100, 0x115F), (0x1780, 0x17FF), (0x1950, 0x19DF)),
    *((0x3005, 0x3007), (0x3041, 0x30FF), (0x3105, 0x318F), (0x31A0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF)),
    *((0xA960, 0xA97F), (0xAC00, 0xD7FF), (0xF900, 0xFAFF), (0xFF66, 0xFFDC), (0x1B000, 0x1B2FF), (0x20000, 0x3FFFF)),
)
# Vowels and final consonants of Hangul in decomposed form, which continue a syllable.
_JAMO = (0x1160, 0x11FF)
_WITHOUT_INVISIBLE = dict.fromkeys(map(ord, INVISIBLE))
# Combining classes of marks that are removed with diacritics: Hebrew and Arabic vowel signs, accents. Not vowel signs,
# nuktas and viramas of Indic scripts, nor the marks of Thai, which make other words.
_VOWEL_SIGNS, _ACCENTS = range(10, 37), 200
# As German writes them without these letters.
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


class _Plain(dict[int, str | None]):
    """What stays of each character, by code point: of letters with strokes the plain ones, of diacritics nothing."""

    def __missing__(self, code: int) -> str | None:
        combining = unicodedata.combining(chr(code))
        is_diacritic = combining >= _ACCENTS or combining in _VOWEL_SIGNS
        return self.setdefault(code, None if is_diacritic else chr(code))


_STROKES = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ŧ": "t", "æ": "ae", "œ": "oe", "þ": "th"}
_PLAIN = _Plain((ord(letter), plain) for letter, plain in _STROKES.items())


def kind_of(character: str) -> int:
    """Return the kind of a character; JAMO is a letter that continues a syllable, as extenders do."""
    code = ord(character)
    if character == "\u0640":
        return LETTER
    if character in INVISIBLE or character in VOICED or unicodedata.category(character)[0] == "M":
        return EXTENDER
    if _JAMO[0] <= code <= _JAMO[1]:
        return JAMO
    if not character.isalnum():
        return OTHER
    is_unspaced = character.isalpha() and any(first <= code <= last for first, last in _UNSPACED)
    return UNSPACED if is_unspaced else LETTER


@cache
def _ascii_kinds() -> bytes:
    """Return the kinds of the ASCII characters, as a table of all bytes; OTHER for those beyond."""
    return bytes(map(kind_of, map(chr, range(ASCII)))).ljust(256, bytes([OTHER]))


@cache
def ascii_letters() -> tuple[bytes, bytes]:
    """Return the first and the last ASCII character of each range of those that words are made of."""
    edges = np.diff(np.frombuffer(_ascii_kinds(), np.int8), prepend=np.int8(OTHER))
    return bytes(np.flatnonzero(edges > 0).tolist()), bytes((np.flatnonzero(edges < 0) - 1).tolist())


def kinds_of_bytes(encoded: Bytes) -> NDArray[np.uint8]:
    """Return the kind of the character that each byte belongs to."""
    text = encoded.tobytes()
    if text.isascii():
        return np.frombuffer(text.translate(_ascii_kinds()), np.uint8)
    kinds: NDArray[np.uint8] = np.frombuffer(bytearray(text).translate(_ascii_kinds()), np.uint8)
    first = places_of(encoded >= 0xC0)  # characters beyond ASCII, few in most texts
    if len(first):
        codes, lengths = code_points(encoded, first)
        found = _KINDS.of(codes)
        for distance in range(4):
            longer = lengths > distance
            kinds[first[longer] + distance] = found[longer]
    return kinds


class CharacterTable:
    """The small number that a function gives each character; the function is called once a character."""

    def __init__(self, of_character: Callable[[str], int]) -> None:
        self._of_character = of_character
        self.known = np.zeros(ALL, np.uint8)  # the numbers of code points, plus one; 0 for those not asked for yet

    def of(self, codes: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return the number of each code point."""
        known = self.known[codes]
        unknown = codes[known == 0]
        if unknown.size:
            for code in distinct(unknown).tolist():
                self.known[code] = 1 + self._of_character(chr(code))
            known = self.known[codes]
        numbers: NDArray[np.uint8] = known - 1
        return numbers


_KINDS = CharacterTable(kind_of)


@cache
def known_kinds() -> NDArray[np.uint8]:
    """Return the kind of each character, plus one; 0 where it was not asked for yet, and never of ASCII.

    The array is filled as texts are read.
    """
    _KINDS.of(np.arange(ASCII))
    return _KINDS.known


class _Compatible(dict[int, str]):
    """The characters that stand for others, by code point: full-width letters, small digits, ligatures, Roman numerals.

    One that stands for more than letters and digits (½, ⑴) stays; the Turkish capital with a dot is an i.
    """

    def __missing__(self, code: int) -> str:
        character = chr(code)
        plain = "i" if character == "\u0130" else unicodedata.normalize("NFKC", character)
        is_word = all(each.isalnum() or unicodedata.category(each)[0] == "M" for each in plain)
        return self.setdefault(code, plain if plain and is_word else character)


_COMPATIBLE = _Compatible()


def folded(surface: str, *, without_diacritics: bool = False, compatible: bool = False) -> str:
    """Return a word without the differences of spelling that do not count: case, composition, invisible characters.

    Args:
        without_diacritics: whether letters with and without diacritics are equal. compatible: whether a character that
            stands for others, as a full-width digit does, is equal to these.

    >>> folded("E\u0301TE\u0301") == folded("\u00e9t\u00e9"), folded("light\u00adhouse"), folded("Straße")
    (True, 'lighthouse', 'strasse')
    >>> folded("Łódź", without_diacritics=True)
    'lodz'
    >>> folded("\uff35\uff33\uff22", compatible=True), folded("H\u2082O", compatible=True)
    ('usb', 'h2o')
    """
    if surface.isascii():
        return surface.lower()
    if compatible:
        surface = surface.translate(_COMPATIBLE)
    text = _normalized("NFD", surface.translate(_WITHOUT_INVISIBLE)).casefold()
    if without_diacritics:
        return _without_diacritics(text)
    return _normalized("NFC", text)


def spellings_without_accents(word: str) -> frozenset[str]:
    """Return how a folded word is written by those who leave accents out: `muller` and `mueller` for `müller`."""
    return frozenset((word,) if word.isascii() else map(_without_diacritics, {word, word.translate(_UMLAUTS)}))


def is_without_accents(word: str) -> bool:
    """Return whether a folded word has nothing that those leave out who write without accents, in any script.

    >>> is_without_accents("ore"), is_without_accents("\u00f8re"), is_without_accents("\u03b8\u03ae\u03b2\u03b1")
    (True, False, False)
    """
    return word.isascii() or _without_diacritics(word) == word


# Which characters have something that is left out.
ACCENTED = CharacterTable(lambda character: not is_without_accents(character))


def _without_diacritics(text: str) -> str:
    return _normalized("NFC", _normalized("NFD", text).translate(_PLAIN))


def _normalized(form: Literal["NFC", "NFD"], text: str) -> str:
    """Return a text in a normal form; a long one in parts, as sorting marks takes the square of their number."""
    if len(text) <= LONGEST_NORMALIZED:
        return unicodedata.normalize(form, text)
    parts = range(0, len(text), LONGEST_NORMALIZED)
    return "".join(unicodedata.normalize(form, text[at : at + LONGEST_NORMALIZED]) for at in parts)
