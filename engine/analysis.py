"""Text to terms: the one analyser that both indexes and every query share.

A *word* is a run of Unicode letters and digits; a *term* is a word after case folding, stop words and stemming. Words
are found on the bytes of UTF-8, so one pass serves a whole batch of documents; terms are made once a distinct
word, not once an occurrence.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import SettingsError

ANALYSERS = ("default", "zettair")
STEMMERS = ("none", "light", "english")
WORD = re.compile(r"[^\W_]+")
JOINERS = "-'&_/."  # the zettair analyser drops one of these between two letters or digits: wi-fi -> wifi

Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int64]

ASCII, PLANE, UNICODE = 0x80, 0x10000, 0x110000  # how many code points there are: of ASCII, of the first plane, at all
FIRST_BYTES = -64  # as signed numbers, the bytes from here on begin a character, those below go on with one


def encode(text: str) -> Bytes:
    """Return the UTF-8 bytes of a text; half a surrogate pair, which no document holds, is three bytes as any other."""
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)


def characters_before(encoded: Bytes, places: Offsets) -> Offsets:
    """Return how many characters begin before each place in some UTF-8 bytes."""
    inside = np.flatnonzero(encoded.view(np.int8) < FIRST_BYTES)
    return places - np.searchsorted(inside, places) if len(inside) else places


@cache
def _alphanumeric(size: int) -> NDArray[np.bool_]:
    """Return, for the first code points, which of them are letters or digits."""
    every = "".join(map(chr, range(size)))
    table = np.zeros(len(every), np.bool_)
    for run in WORD.finditer(every):
        table[run.start() : run.end()] = True
    return table


def _in_words(encoded: Bytes) -> NDArray[np.bool_]:
    """Return, for every byte, whether it belongs to a letter or a digit."""
    in_words = np.append(_alphanumeric(ASCII), np.zeros(256 - ASCII, np.bool_))[encoded]
    first = np.flatnonzero(encoded >= 0xC0)  # of the characters past ASCII: few, so they are looked at one by one
    if not len(first):
        return in_words
    lead = encoded[first].astype(np.int64)
    length = 2 + (lead >= 0xE0) + (lead >= 0xF0)
    code = lead & (0x7F >> length)
    for distance in range(1, 4):
        longer = np.flatnonzero(length > distance)
        code[longer] = code[longer] << 6 | encoded[first[longer] + distance] & 0x3F
    is_word = _alphanumeric(PLANE if code.max() < PLANE else UNICODE)[code]
    for distance in range(4):
        in_words[first[is_word & (length > distance)] + distance] = True
    return in_words


@dataclass(frozen=True)
class Words:
    """The words of a text, in order: slices of UTF-8 bytes, and where they stand in the text.

    begins, stops: in `encoded`; starts, ends: in the text. Both in bytes, the second exclusive; they differ where the
    analyser drops joiners.
    """

    encoded: Bytes
    begins: Offsets
    stops: Offsets
    starts: Offsets
    ends: Offsets

    @cached_property
    def surfaces(self) -> list[str]:
        """The words as they stand there, joiners left out."""
        encoded = self.encoded.tobytes()
        slices = zip(self.begins.tolist(), self.stops.tolist(), strict=True)
        return [encoded[begin:stop].decode("utf-8", "surrogatepass") for begin, stop in slices]


@dataclass(frozen=True)
class Analyser:
    """How words are found and turned into terms; two indexes with equal analysers hold comparable terms."""

    name: str = "default"
    stem: str = "none"
    stop: str = "none"
    stop_words: frozenset[str] = field(default=frozenset(), repr=False)

    def __post_init__(self) -> None:
        if self.name not in ANALYSERS:
            raise SettingsError(f"analyser '{self.name}' is unknown: use one of {', '.join(ANALYSERS)}.")
        if self.stem not in STEMMERS:
            raise SettingsError(f"stemmer '{self.stem}' is unknown: use one of {', '.join(STEMMERS)}.")

    @cached_property
    def _stemmer(self) -> Callable[[str], str]:
        stemmers: dict[str, Callable[[str], str]] = {"none": str, "light": light_stem, "english": english_stem}
        return stemmers[self.stem]

    def words(self, encoded: Bytes) -> Words:
        """Return the words of some UTF-8 bytes, with their offsets in them."""
        in_words = _in_words(encoded)
        where = None
        if self.name == "zettair" and len(encoded):
            joins = np.isin(encoded, np.frombuffer(JOINERS.encode(), np.uint8))
            joins[0:1] = joins[-1:] = False
            joins[1:-1] &= in_words[:-2] & in_words[2:]
            where = np.flatnonzero(~joins)
            encoded, in_words = encoded[where], in_words[where]
        edges = np.flatnonzero(np.diff(in_words.view(np.int8), prepend=np.int8(0), append=np.int8(0)))
        begins, stops = edges[0::2], edges[1::2]
        starts, ends = (begins, stops) if where is None else (where[begins], where[stops - 1] + 1)
        return Words(encoded, begins, stops, starts, ends)

    def term(self, surface: str) -> str | None:
        """Return the term a word stands for, or None for a stop word."""
        folded = surface.casefold()
        return None if folded in self.stop_words else self._stemmer(folded)

    def terms(self, text: str) -> list[str | None]:
        """Return the terms of a text in order, None in the place of a stop word."""
        return [self.term(surface) for surface in self.words(encode(text)).surfaces]

    def __str__(self) -> str:
        return f"the {self.name} analyser (stemming {self.stem}, stop words {self.stop})"

    def to_dict(self) -> dict[str, Any]:
        """Return what a manifest keeps of the analyser."""
        return {**asdict(self), "stop_words": sorted(self.stop_words)}


def analyser_from(settings: dict[str, Any]) -> Analyser:
    """Return the analyser that `to_dict` described."""
    return Analyser(**{**settings, "stop_words": frozenset(settings["stop_words"])})


def make_analyser(name: str = "default", stem: str = "none", stop: str = "none") -> Analyser:
    """Return an analyser; `stop` is none, english, or a file with a stop word a line.

    Raises: SettingsError for an unknown name or a stop list that cannot be read.
    """
    return Analyser(name, stem, stop if stop in ("none", "english") else "file", _stop_words(stop))


def _stop_words(stop: str) -> frozenset[str]:
    if stop == "none":
        return frozenset()
    if stop == "english":
        from whoosh.lang.stopwords import stoplists  # noqa: PLC0415  (needed only here, and slow to import)

        return frozenset(stoplists["en"])
    try:
        lines = Path(stop).read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"stop list '{stop}' cannot be read ({error}): use none, english, or a UTF-8 file with a word a line."
        ) from error
    return frozenset(word.casefold() for word in lines)


def light_stem(term: str) -> str:
    """Return the term without its plural s.

    Source: the S-stemmer of Harman, How effective is suffixing?, JASIS 42(1), 1991: the first rule whose ending fits
    decides: -ies (not -eies, -aies) becomes -y, -es (not -aes, -ees, -oes) becomes -e, -s (not -us, -ss) goes.
    """
    if len(term) < 4:
        return term
    if term.endswith("ies"):
        return term if term[-4] in "ea" else term[:-3] + "y"
    if term.endswith("es"):
        return term if term[-3] in "aeo" else term[:-1]
    if term.endswith("s"):
        return term if term[-2] in "us" else term[:-1]
    return term


@cache
def english_stem(term: str) -> str:
    """Return the term's stem by Snowball's English (Porter2) stemmer."""
    return str(_english().stemWord(term))


@cache
def _english() -> Any:
    import snowballstemmer  # noqa: PLC0415  (needed only here)

    return snowballstemmer.stemmer("english")
