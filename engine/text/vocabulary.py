"""Maps words to term ids, a batch at a time: the most expensive step of a build.

A word is read as 64-bit numbers of eight UTF-8 bytes each, and equal words are found by sorting numbers: no Python
object is made per occurrence, and the analyser is called once per distinct word.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from itertools import count
from typing import cast

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.arrays import mask_of, places_of
from engine.records import NamedTuple
from engine.text.analyser import Analyser
from engine.text.languages import language_names
from engine.text.words import Words

Numbers = NDArray[np.uint64]

# Bytes per number.
WIDTH = 8
# Longest word, in bytes, that is read as numbers; the few longer ones go through a dictionary.
LONGEST = 8 * WIDTH
MASKS = np.array([(1 << 8 * length) - 1 for length in range(WIDTH + 1)], np.uint64)
# Largest number of words whose terms are cached between batches.
MOST_KNOWN = 200_000
# 2^64 divided by the golden ratio: Fibonacci hashing.
MIXER = np.uint64(0x9E3779B97F4A7C15)
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
    known = _known_words(analyser, name)
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
def _known_words(analyser: Analyser, _language: str) -> dict[bytes, str | None]:
    """Return this process's cache of terms by word; batches of one collection share most of their words."""
    return {}


def number_slices(
    encoded: bytes, begins: NDArray[np.int64], stops: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return one number per slice, equal for equal slices, and for each number an example slice.

    Slices must not contain NUL, which pads shorter ones.
    """
    if kernels.native is not None:
        found = kernels.native.number_slices(encoded, begins, stops, SEED)
        numbers, examples = (np.frombuffer(column, np.int64) for column in found)
        return numbers, examples
    lengths = stops - begins
    padded = encoded + bytes(WIDTH)
    windows: Numbers = np.ndarray((len(padded) - WIDTH + 1,), "<u8", padded, strides=(1,))
    numbers, n_numbers = number(windows[begins] & MASKS[np.minimum(lengths, WIDTH)])
    for read in range(WIDTH, LONGEST, WIDTH):
        longer = np.flatnonzero(lengths > read)
        if not longer.size:
            break
        piece, _ = number(windows[begins[longer] + read] & MASKS[np.minimum(lengths[longer] - read, WIDTH)])
        both, n_both = number((numbers[longer] << 32 | piece).astype(np.uint64))
        numbers[longer] = n_numbers + both
        n_numbers += n_both
    known: dict[bytes, int] = {}
    for place in np.flatnonzero(lengths > LONGEST).tolist():
        numbers[place] = n_numbers + known.setdefault(encoded[begins[place] : stops[place]], len(known))
    example = np.full(n_numbers + len(known), -1, np.int64)
    example[numbers] = np.arange(len(numbers))
    used = np.flatnonzero(example >= 0)  # numbers of mere prefixes of longer slices have no example
    compact = np.cumsum(example >= 0) - 1
    return compact[numbers], example[used]


def number(values: Numbers) -> tuple[NDArray[np.int64], int]:
    """Return the rank of every value among the distinct values, and the number of distinct values.

    Equals `np.unique(values, return_inverse=True)` but is several times faster: values are looked up in a hash table,
    and by bisection only if two distinct values share a slot.
    """
    distinct = np.sort(values)
    if not len(distinct):
        return np.empty(0, np.int64), 0
    distinct = distinct[np.concatenate([[True], distinct[1:] != distinct[:-1]])]
    shift = np.uint64(64 - max(8, len(distinct).bit_length() + 3))
    slots = np.zeros(1 << (64 - int(shift)), np.int32)
    slots[(distinct * MIXER) >> shift] = np.arange(len(distinct))
    ranks = slots[(values * MIXER) >> shift].astype(np.int64)
    missed = np.flatnonzero(distinct[ranks] != values)
    ranks[missed] = np.searchsorted(distinct, values[missed])
    return ranks, len(distinct)
