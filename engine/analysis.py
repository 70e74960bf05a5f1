"""Text to terms: the one analyser that both indexes and every query share.

A *word* is a run of Unicode letters and digits; a *term* is a word after case folding, stop words and stemming. Words
are found on an array of code points, so one pass serves a whole batch of documents; terms are made once a distinct
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

CodePoints = NDArray[Any]  # uint8, uint16 or uint32: the narrowest that holds the text
ENCODINGS = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}


def code_points(text: str) -> CodePoints:
    """Return the code points of a text, shape (len(text),), in the narrowest of uint8, uint16 and uint32."""
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), np.uint8)
    wide = text.encode("utf-16-le", "surrogatepass")
    if len(wide) == 2 * len(text):
        return np.frombuffer(wide, np.dtype("<u2"))
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))


def to_text(codes: CodePoints) -> str:
    """Return the text of an array of code points: the inverse of `code_points`."""
    return codes.tobytes().decode(ENCODINGS[codes.itemsize], "surrogatepass")


@cache
def _alphanumeric(itemsize: int) -> NDArray[np.bool_]:
    """Return, for every code point of that many bytes, whether it is a letter or a digit."""
    every = "".join(map(chr, range({1: 0x100, 2: 0x10000, 4: 0x110000}[itemsize])))
    table = np.zeros(len(every), np.bool_)
    for run in WORD.finditer(every):
        table[run.start() : run.end()] = True
    return table


@dataclass(frozen=True)
class Words:
    """The words of a text, in order: slices of an array of code points, and where they stand in the text.

    begins, stops: in `codes`; starts, ends: in the text. Both in code points, the second exclusive; they differ where
    the analyser drops joiners.
    """

    codes: CodePoints
    begins: NDArray[np.int64]
    stops: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    @cached_property
    def surfaces(self) -> list[str]:
        """The words as they stand there, joiners left out."""
        text = to_text(self.codes)
        return [text[begin:stop] for begin, stop in zip(self.begins.tolist(), self.stops.tolist(), strict=True)]


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

    def words(self, codes: CodePoints) -> Words:
        """Return the words of an array of code points, with their offsets in it."""
        is_word = _alphanumeric(codes.itemsize)[codes]
        where = None
        if self.name == "zettair" and len(codes):
            joins = np.isin(codes, np.array([ord(sign) for sign in JOINERS], codes.dtype))
            joins[0:1] = joins[-1:] = False
            joins[1:-1] &= is_word[:-2] & is_word[2:]
            where = np.flatnonzero(~joins)
            codes, is_word = codes[where], is_word[where]
        edges = np.flatnonzero(np.diff(is_word.view(np.int8), prepend=np.int8(0), append=np.int8(0)))
        begins, stops = edges[0::2], edges[1::2]
        starts, ends = (begins, stops) if where is None else (where[begins], where[stops - 1] + 1)
        return Words(codes, begins, stops, starts, ends)

    def term(self, surface: str) -> str | None:
        """Return the term a word stands for, or None for a stop word."""
        folded = surface.casefold()
        return None if folded in self.stop_words else self._stemmer(folded)

    def terms(self, text: str) -> list[str | None]:
        """Return the terms of a text in order, None in the place of a stop word."""
        return [self.term(surface) for surface in self.words(code_points(text)).surfaces]

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
