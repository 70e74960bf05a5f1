"""Maps words to term ids, a batch at a time: the most expensive step of a build.

A kernel finds equal words without a Python object per occurrence; the analyser is called once per distinct word.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count
from typing import cast

import numpy as np
from numpy.typing import NDArray

from engine.arrays import mask_of, places_of
from engine.kernels.table import compiled, native
from engine.records import NamedTuple
from engine.text.analyser import Analyser
from engine.text.languages import language_names
from engine.text.words import Words

# Largest number of words whose terms are cached between batches.
MOST_KNOWN = 200_000
# Slices whose places are Python numbers at a time.
AT_A_TIME = 2**16
# Of the compiled hash table: no text can be written for it.
SEED = int.from_bytes(os.urandom(8), "little")


class TermIds(NamedTuple):
    """The term id of every word, -1 for stop words, and the terms by id."""

    ids: NDArray[np.int32]
    terms: list[str]


class Surfaces(NamedTuple):
    """The words of a text by their spelling."""

    numbers: NDArray[np.int64]  # per word: index into `distinct`
    distinct: list[bytes]  # UTF-8


def surfaces_of(words: Words) -> Surfaces:
    """Return the distinct spellings of the words, in no particular order."""
    encoded, begins, stops = words.encoded.tobytes(), words.begins, words.stops
    numbers, example = number_slices(encoded, begins, stops)
    slices = zip(begins[example].tolist(), stops[example].tolist(), strict=True)
    return Surfaces(numbers, [encoded[begin:stop] for begin, stop in slices])


def term_ids(surfaces: Surfaces, analyser: Analyser, languages: NDArray[np.int8] | None = None) -> TermIds:
    """Return the term id of every word; ids are numbered from 0 in no particular order.

    Args:
        languages: of every word, the number of its language; None if languages make no difference.
    """
    numbers, distinct = surfaces
    if languages is None or not len(languages):
        terms = _terms(distinct, analyser, 0)
    elif languages.min() == languages.max():
        terms = _terms(distinct, analyser, int(languages[0]))
    else:
        # The same spelling in two languages is two words; their terms are listed language by language.
        n_spellings = len(distinct)
        word = languages * np.int64(n_spellings) + numbers
        occurs = mask_of(word, (int(languages.max()) + 1) * n_spellings)
        numbers = (np.cumsum(occurs) - 1).take(word)
        of_languages = places_of(occurs)
        terms = []
        for language in range(int(languages.max()) + 1):
            first, end = np.searchsorted(of_languages, (language * n_spellings, (language + 1) * n_spellings))
            own = of_languages[first:end] - language * n_spellings
            if len(own):
                terms += _terms([distinct[place] for place in own.tolist()], analyser, language)
    ids, listed = _numbered(terms)
    return TermIds(ids[numbers], listed)


def _numbered(terms: Sequence[str | None]) -> tuple[NDArray[np.int32], list[str]]:
    """Return the number of each term, -1 for None, and the distinct terms in the order of their first places."""
    known: dict[str | None, int] = {None: -1}
    first = np.fromiter(map(known.setdefault, terms, count()), np.int64, len(terms))  # place of the first equal term
    is_first = first == np.arange(len(terms))
    del known[None]
    ids = np.where(first < 0, -1, (np.cumsum(is_first) - 1)[first]).astype(np.int32)
    return ids, cast(list[str], list(known))


def _terms(words: Sequence[bytes], analyser: Analyser, language: int) -> list[str | None]:
    """Return the terms of distinct words of one language, from its number."""
    name = language_names()[language]
    known = cached_terms(analyser, name)
    if not known:
        terms = analyser.terms_of_words(words, name)
        if len(words) <= MOST_KNOWN:
            known.update(zip(words, terms, strict=True))
        return terms
    unknown = [word for word in words if word not in known]
    known.update(zip(unknown, analyser.terms_of_words(unknown, name), strict=True))
    terms = list(map(known.__getitem__, words))
    if len(known) > MOST_KNOWN:
        known.clear()
    return terms


@cache
def cached_terms(analyser: Analyser, _language: str) -> dict[bytes, str | None]:
    """Return this process's cache of terms by word; batches of one collection share most of their words."""
    return {}


def _number_slices_in_numpy(
    encoded: bytes, begins: NDArray[np.int64], stops: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    known: dict[bytes, int] = {}
    first = np.fromiter(map(known.setdefault, _slices(encoded, begins, stops), count()), np.int64, len(begins))
    is_first = first == np.arange(len(first))
    return (np.cumsum(is_first) - 1)[first], places_of(is_first)


@compiled(_number_slices_in_numpy)
def number_slices(
    encoded: bytes, begins: NDArray[np.int64], stops: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return one number per slice, equal for equal slices, and for each number an example slice."""
    numbers, examples = native.number_slices(encoded, begins, stops, SEED)
    return np.frombuffer(numbers, np.int64), np.frombuffer(examples, np.int64)


def _slices(encoded: bytes, begins: NDArray[np.int64], stops: NDArray[np.int64]) -> Iterator[bytes]:
    for first in range(0, len(begins), AT_A_TIME):
        some = slice(first, first + AT_A_TIME)
        for begin, stop in zip(begins[some].tolist(), stops[some].tolist(), strict=True):
            yield encoded[begin:stop]
