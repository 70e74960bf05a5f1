"""The analyser, which turns text into words and words into terms, for documents and queries alike.

A *word* is a run of Unicode letters and digits; a *term* is a word after case folding, stop word removal and stemming.
Words are found in UTF-8 bytes, so one pass covers a whole batch of documents.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import SettingsError
from engine.input_files import read_small_input
from engine.spelling import did_you_mean
from engine.text.languages import language_names
from engine.text.stemmers import AUTO, NONE, STEMMERS, stemmer_of
from engine.text.utf8 import Bytes, Offsets, code_points, encode

ANALYSERS = ("default", "zettair")
WORD = re.compile(r"[^\W_]+")
# The zettair analyser removes one of these between two letters or digits: wi-fi -> wifi.
JOINERS = "-'&_/."
# Joins the terms of one word of a query that an index of several languages may contain: häuser|haus.
EITHER = "|"

# Numbers of code points: ASCII, the Basic Multilingual Plane, all of Unicode.
ASCII, PLANE, UNICODE = 0x80, 0x10000, 0x110000


@cache
def _alphanumeric(size: int) -> NDArray[np.bool_]:
    """Return, for each of the first `size` code points, whether it is a letter or digit."""
    every = "".join(map(chr, range(size)))
    table = np.zeros(len(every), np.bool_)
    for run in WORD.finditer(every):
        table[run.start() : run.end()] = True
    return table


def _in_words(encoded: Bytes) -> NDArray[np.bool_]:
    """Return, for each byte, whether it belongs to a letter or digit."""
    in_words = np.append(_alphanumeric(ASCII), np.zeros(256 - ASCII, np.bool_))[encoded]
    first = np.flatnonzero(encoded >= 0xC0)  # characters beyond ASCII, few in most texts
    if not len(first):
        return in_words
    codes, lengths = code_points(encoded, first)
    is_word = _alphanumeric(PLANE if codes.max() < PLANE else UNICODE)[codes]
    for distance in range(4):
        in_words[first[is_word & (lengths > distance)] + distance] = True
    return in_words


@dataclass(frozen=True)
class Words:
    """The words of a text, in order, as slices of UTF-8 bytes.

    `begins` and `stops` are byte offsets in `encoded`, `starts` and `ends` in the text; the second of each pair is
    exclusive. They differ only if the analyser removes joiners.
    """

    encoded: Bytes
    begins: Offsets
    stops: Offsets
    starts: Offsets
    ends: Offsets

    @cached_property
    def surfaces(self) -> list[str]:
        """The words as written, without joiners."""
        encoded = self.encoded.tobytes()
        slices = zip(self.begins.tolist(), self.stops.tolist(), strict=True)
        return [encoded[begin:stop].decode("utf-8", "surrogatepass") for begin, stop in slices]


@dataclass(frozen=True)
class Analyser:
    """Rules that find words and turn them into terms; indexes with equal analysers have comparable terms.

    languages: with the stemmer `auto`, those of the index; a word of a query is stemmed in each of them.
    """

    name: str = "default"
    stem: str = NONE
    stop: str = "none"
    stop_words: frozenset[str] = field(default=frozenset(), repr=False)
    languages: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.name not in ANALYSERS:
            raise SettingsError(f"analyser '{self.name}' is unknown: use one of {', '.join(ANALYSERS)}.")
        if self.stem not in STEMMERS:
            meant, names = did_you_mean(self.stem, STEMMERS), ", ".join(STEMMERS)
            raise SettingsError(f"stemmer '{self.stem}' is unknown: {meant}use one of {names}.")

    @property
    def is_multilingual(self) -> bool:
        """Whether a document's language decides how its words are stemmed."""
        return self.stem == AUTO

    @cached_property
    def _stemmers(self) -> Mapping[str, Callable[[str], str]]:
        """Functions from a case-folded word to its stem, by language."""
        if not self.is_multilingual:
            return {NONE: stemmer_of(self.stem)}
        return _ByLanguage()

    def words(self, encoded: Bytes) -> Words:
        """Return the words in UTF-8 bytes, with their offsets."""
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

    def term(self, surface: str, language: str = NONE) -> str | None:
        """Return the term of a word of a text, None for a stop word; the language counts with the stemmer `auto`."""
        folded = surface.casefold()
        return None if folded in self.stop_words else self._stemmers[language](folded)

    def alternatives(self, surface: str) -> tuple[str, ...]:
        """Return the distinct terms that a word may have in the languages of the index; none for a stop word."""
        terms = (self.term(surface, language) for language in self.languages or (NONE,))
        return tuple(dict.fromkeys(term for term in terms if term is not None))

    def terms(self, text: str) -> list[str | None]:
        """Return the terms of a query text in order, None in place of each stop word.

        A word with several alternatives gives all of them, joined by `|`; an index reads that as one term.
        """
        found = map(self.alternatives, self.words(encode(text)).surfaces)
        return [EITHER.join(alternatives) or None for alternatives in found]

    def with_languages(self, languages: Iterable[str]) -> Analyser:
        """Return the analyser for the queries of an index of these languages."""
        if not self.is_multilingual:
            return self
        return replace(self, languages=tuple(sorted(languages, key=lambda name: (name != NONE, name))))

    def terms_of_each(self, texts: Sequence[str]) -> list[list[str | None]]:
        """Return the terms of several texts, each as `terms` returns them; faster than one by one."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        ends = np.cumsum([len(each) + 1 for each in encoded])
        words = self.words(np.frombuffer(b"\n".join(encoded), np.uint8))
        of_each: list[list[str | None]] = [[] for _ in texts]
        for text, surface in zip(np.searchsorted(ends, words.starts, "right").tolist(), words.surfaces, strict=True):
            of_each[text].append(EITHER.join(self.alternatives(surface)) or None)
        return of_each

    def __str__(self) -> str:
        return f"the {self.name} analyser (stemming {self.stem}, stop words {self.stop})"

    def to_dict(self) -> dict[str, Any]:
        """Return the analyser as the manifest stores it; `analyser_from` reads it."""
        stored = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "languages"}
        return {**stored, "stop_words": sorted(self.stop_words)}


def analyser_from(settings: dict[str, Any]) -> Analyser:
    """Return the analyser that `Analyser.to_dict` describes."""
    return Analyser(**{**settings, "stop_words": frozenset(settings["stop_words"])})


class _ByLanguage(dict[str, Callable[[str], str]]):
    """Stemmers by language, made on first use."""

    def __missing__(self, language: str) -> Callable[[str], str]:
        self[language] = found = stemmer_of(language if language in language_names() else NONE)
        return found


def make_analyser(name: str = "default", stem: str | None = None, stop: str = "none") -> Analyser:
    """Return an analyser.

    Args:
        stem: the stemmer; None for the usual one of the analyser: auto, or none for zettair.
        stop: none, english, or a file with one stop word per line.

    Raises: SettingsError for an unknown name or an unreadable stop list.
    """
    if stem is None:
        stem = AUTO if name == "default" else NONE
    return Analyser(name, stem, stop if stop in ("none", "english") else "file", _stop_words(stop))


def _stop_words(stop: str) -> frozenset[str]:
    if stop == "none":
        return frozenset()
    if stop == "english":
        from engine.whoosh import stop_words  # noqa: PLC0415  (needed only here, and slow to import)

        return stop_words("en")
    try:
        lines = read_small_input(stop).decode("utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"stop list '{stop}' cannot be read ({error}): use none, english, or a UTF-8 file with one word per line."
        ) from error
    return frozenset(word.casefold() for word in lines)
