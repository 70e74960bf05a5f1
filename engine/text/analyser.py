"""The analyser, which turns text into words and words into terms, for documents and queries alike.

A *word* is a run of Unicode letters and digits, with the marks on them. In scripts without spaces between words
(Chinese, Japanese, Korean, Thai, ...) each letter begins a word, which overlaps with the next one: the letter and the
one after it. A *term* is a word after folding, stop word removal and stemming. Words are found in UTF-8 bytes, so one
pass covers a whole batch of documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import SettingsError
from engine.records import dataclass
from engine.text.alternative_terms import ANY_END, EITHER
from engine.text.characters import folded
from engine.text.known_surfaces import KnownSurfaces, KnownTexts, KnownWords
from engine.text.languages import AUTO, NONE, STEMMERS, language_names, stemmer_of, stems, stop_list
from engine.text.utf8 import Bytes, encode
from engine.text.words import Words, count_words, find_joined_words, find_words, has_parts, single_letters
from engine.threads import cached_property
from engine.wording import did_you_mean

ANALYSERS = DEFAULT, ZETTAIR = ("default", "zettair")
DIACRITICS = KEEP, FOLD = ("keep", "fold")
SPLIT = "split"
CAMEL_CASE = (KEEP, SPLIT)


@dataclass(frozen=True)
class Analyser:
    """Rules that find words and turn them into terms; indexes with equal analysers have comparable terms.

    diacritics: `fold` to make letters with and without diacritics equal.
    camel_case: `split` to make the parts of `getElementById` words. compatibility: `fold` to make a character equal to
        those it stands for, as a full-width digit.
    languages: with the stemmer `auto`, those of the index; a word of a query is stemmed in each of them.
    """

    name: str = DEFAULT
    stem: str = NONE
    stop: str = "none"
    stop_words: frozenset[str] = field(default=frozenset(), repr=False)
    diacritics: str = KEEP
    languages: tuple[str, ...] = ()
    camel_case: str = KEEP
    compatibility: str = KEEP  # `fold`, but in indexes that were made before it was

    def __post_init__(self) -> None:
        if self.name not in ANALYSERS:
            raise SettingsError(f"analyser '{self.name}' is unknown: use one of {', '.join(ANALYSERS)}.")
        if self.diacritics not in DIACRITICS:
            raise SettingsError(f"diacritics '{self.diacritics}': expected one of {', '.join(DIACRITICS)}.")
        if self.camel_case not in CAMEL_CASE:
            raise SettingsError(f"camel case '{self.camel_case}': expected one of {', '.join(CAMEL_CASE)}.")
        if self.stem not in STEMMERS:
            meant, names = did_you_mean(self.stem, STEMMERS), ", ".join(STEMMERS)
            raise SettingsError(f"stemmer '{self.stem}' is unknown: {meant}use one of {names}.")

    @property
    def is_multilingual(self) -> bool:
        """Whether a document's language decides how its words are stemmed."""
        return self.stem == AUTO

    @property
    def has_stems(self) -> bool:
        """Whether a term may be another text than the word."""
        return self.stem != NONE

    @property
    def splits_camel_case(self) -> bool:
        """Whether the parts of `getElementById` are words."""
        return self.camel_case == SPLIT

    @property
    def has_plain_words(self) -> bool:
        """Whether words are runs of letters, in texts whose letters are all plain ones."""
        return self.name == DEFAULT and not self.splits_camel_case

    def _stemmer(self, language: str) -> str:
        """Return the name of the stemmer for words of a language."""
        if not self.is_multilingual:
            return self.stem
        return language if language in language_names() else NONE

    def words(self, encoded: Bytes) -> Words:
        """Return the words in UTF-8 bytes, with their offsets."""
        if self.name == ZETTAIR:
            return find_joined_words(encoded)
        return find_words(encoded, splits_camel_case=self.splits_camel_case)

    def n_words(self, encoded: Bytes) -> int:
        """Return the number of words in UTF-8 bytes."""
        if self.name == ZETTAIR or self.splits_camel_case:
            return len(self.words(encoded).starts)
        return count_words(encoded)

    def is_identifier(self, word: str) -> bool:
        """Return whether a word is an identifier of several words: `in_array`, or `isArray` where it is split."""
        return ("_" in word and "_" in word.strip("_")) or (self.camel_case == SPLIT and has_parts(word))

    def term(self, surface: str, language: str = NONE) -> str | None:
        """Return the term of a word of a text, None for a stop word; the language counts with the stemmer `auto`."""
        word = self._folded(surface)
        return None if word in self._folded_stop_words else stemmer_of(self._stemmer(language))(word)

    def terms_of_words(self, surfaces: Sequence[bytes], language: str = NONE) -> list[str | None]:
        """Return the term of each word in UTF-8, as `term` does; many at once are several times faster."""
        if not surfaces:
            return []
        words = self._each_folded(surfaces)
        terms = stems(words, self._stemmer(language))
        if not self._folded_stop_words:
            return list(terms)
        return [None if word in self._folded_stop_words else term for word, term in zip(words, terms, strict=True)]

    def forms(self, surfaces: Sequence[bytes]) -> list[bytes]:
        """Return the distinct forms of words but stop words, folded, before stemming, sorted; all in UTF-8."""
        forms = set(b"\n".join(surfaces).lower().split(b"\n")) if surfaces else set()
        beyond = [word for word in forms if not word.isascii()]
        forms.difference_update(beyond)
        forms.update(self._folded(word.decode()).encode() for word in beyond)
        return sorted(forms.difference(map(str.encode, self._folded_stop_words)))

    def forms_of(self, text: str) -> list[str | None]:
        """Return the forms of the words of a query text, one for each of its `terms`; None for a stop word."""
        surfaces = self.words(encode(text)).surfaces
        words = [self._folded(surface) for surface in surfaces]
        return [None if word in self._folded_stop_words else word for word in words]

    def forms_at(self, words: Words, numbers: NDArray[np.int64]) -> list[str]:
        """Return the forms of some words of a text, by their numbers in it."""
        if not len(numbers):
            return []
        text, spans = (
            words.encoded.tobytes(),
            zip(words.begins[numbers].tolist(), words.stops[numbers].tolist(), strict=True),
        )
        return self._each_folded([text[begin:stop] for begin, stop in spans])

    def _each_folded(self, surfaces: Sequence[bytes]) -> list[str]:
        """Return the folded form of each word, as `_folded` does; there is at least one."""
        lowered = b"\n".join(surfaces).lower().decode()  # lower-case in ASCII alone, which is all that most words need
        return [word if word.isascii() else self._folded(word) for word in lowered.split("\n")]

    def _folded(self, surface: str) -> str:
        if self.name == ZETTAIR:
            return surface.casefold()
        return folded(surface, without_diacritics=self.diacritics == FOLD, compatible=self.compatibility == FOLD)

    @cached_property
    def _folded_stop_words(self) -> frozenset[str]:
        return self.folded_words(self.stop_words)

    def alternatives(self, surface: str) -> tuple[str, ...]:
        """Return the distinct terms that a word may have in the languages of the index; none for a stop word."""
        return self.known_words.terms({surface})[surface]

    @cached_property
    def known_words(self) -> KnownWords:
        """The words that were looked at lately, with their alternatives."""
        return KnownWords(self._alternatives_of_each)

    def _alternatives_of_each(self, surfaces: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the distinct terms of each word, as `alternatives` does."""
        return self._alternatives_of_encoded([surface.encode("utf-8", "surrogatepass") for surface in surfaces])

    @cached_property
    def known_surfaces(self) -> KnownSurfaces:
        """The words that texts had lately, with their alternatives; for the kernels."""
        return KnownSurfaces(self._alternatives_of_encoded)

    def _alternatives_of_encoded(self, surfaces: Sequence[bytes]) -> list[tuple[str, ...]]:
        if not surfaces:
            return []
        words, stop_words = self._each_folded(surfaces), self._folded_stop_words
        columns = [stems(words, self._stemmer(language)) for language in self.languages or (NONE,)]
        return [
            () if word in stop_words else tuple(dict.fromkeys(terms))
            for word, *terms in zip(words, *columns, strict=True)
        ]

    def terms(self, text: str) -> list[str | None]:
        """Return the terms of a query text in order, None in place of each stop word.

        A word with several alternatives gives all of them, joined by `|`; an index reads that as one term. In a script
        without spaces, a letter alone gives a term that ends with `*`; the last letter of several gives None, as the
        word before it contains it.
        """
        return self.terms_of_each([text])[0]

    def _query_terms(self, words: Words, without: frozenset[str] = frozenset()) -> list[str | None]:
        is_single, is_last = single_letters(words)
        surfaces = words.surfaces
        alternatives = self.known_words.terms(set(surfaces))
        if without and alternatives:
            spellings = [surface.encode("utf-8", "surrogatepass") for surface in alternatives]
            found_words = zip(alternatives.items(), self._each_folded(spellings), strict=True)
            alternatives = {surface: () if word in without else terms for (surface, terms), word in found_words}
        if not is_single.any() and not is_last.any():
            joined = {surface: EITHER.join(terms) or None for surface, terms in alternatives.items()}
            return [joined[surface] for surface in surfaces]
        found = zip(surfaces, is_single.tolist(), is_last.tolist(), strict=True)
        return [
            None
            if last
            else EITHER.join(f"{term}{ANY_END}" if single else term for term in alternatives[surface]) or None
            for surface, single, last in found
        ]

    def text_terms_and_forms(self, text: str) -> list[tuple[frozenset[str], str]]:
        """Return for each word of a text the terms that it may have in the languages of the index, and its form."""
        surfaces = self.words(encode(text)).surfaces
        return [(frozenset(self.alternatives(surface)), self._folded(surface)) for surface in surfaces]

    def with_languages(self, languages: Iterable[str]) -> Analyser:
        """Return the analyser for the queries of an index of these languages."""
        if not self.is_multilingual:
            return self
        return replace(self, languages=tuple(sorted(languages, key=lambda name: (name != NONE, name))))

    def folded_words(self, words: Iterable[str]) -> frozenset[str]:
        """Return words as they are before stemming."""
        return frozenset(map(self._folded, words))

    def terms_of_each(self, texts: Sequence[str], without: frozenset[str] = frozenset()) -> list[list[str | None]]:
        """Return the terms of several texts, each as `terms` returns them; faster than one by one.

        Args:
            without: words, as `folded_words` returns them, that give None like stop words.
        """
        return self._known_texts.terms(texts, without)

    @cached_property
    def _known_texts(self) -> KnownTexts:
        """The short texts that were analysed lately, with their terms."""
        return KnownTexts(self.terms_of_new)

    def terms_of_new(self, texts: Sequence[str], without: frozenset[str] = frozenset()) -> list[list[str | None]]:
        """Return the terms of several texts, as `terms_of_each` does; faster where all are new, and none is kept."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        ends = np.cumsum([len(each) + 1 for each in encoded])
        words = self.words(np.frombuffer(b"\n".join(encoded), np.uint8))
        of_each: list[list[str | None]] = [[] for _ in texts]
        text_of_word = np.searchsorted(ends, words.starts, "right").tolist()
        for text, term in zip(text_of_word, self._query_terms(words, without), strict=True):
            of_each[text].append(term)
        return of_each

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields without cached values."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __str__(self) -> str:
        camel_case = "" if self.camel_case == KEEP else f", camel case {self.camel_case}"
        return (
            f"the {self.name} analyser (stemming {self.stem}, stop words {self.stop}, diacritics {self.diacritics}"
            f"{camel_case})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the analyser as the manifest stores it; `analyser_from` reads it."""
        added = ("camel_case", "compatibility")
        left_out = {"languages", *(name for name in added if getattr(self, name) == KEEP)}
        stored = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in left_out}
        return {**stored, "stop_words": sorted(self.stop_words)}


def analyser_from(settings: dict[str, Any]) -> Analyser:
    """Return the analyser that `Analyser.to_dict` describes."""
    return Analyser(**{**settings, "stop_words": frozenset(settings["stop_words"])})


def make_analyser(
    name: str = DEFAULT, stem: str | None = None, stop: str = "none", diacritics: str = KEEP, camel_case: str = KEEP
) -> Analyser:
    """Return an analyser.

    Args:
        stem: the stemmer; None for the usual one of the analyser: auto, or none for zettair.
        stop: none, english, or a file with one stop word per line.
        diacritics: keep, or fold to make letters with and without them equal.
        camel_case: keep words in camel case whole, or split them into their parts.

    Raises: SettingsError for an unknown name, an unreadable stop list, or what the zettair analyser does not do.
    """
    if name == ZETTAIR and (diacritics, camel_case) != (KEEP, KEEP):
        raise SettingsError(
            "the zettair analyser keeps diacritics and camel case: leave these options out, or choose the default one."
        )
    if stem is None:
        stem = AUTO if name == DEFAULT else NONE
    kind_of_list = stop if stop in ("none", "english") else "file"
    compatibility = KEEP if name == ZETTAIR else FOLD
    return Analyser(name, stem, kind_of_list, stop_list(stop), diacritics, (), camel_case, compatibility)
