"""Recent words, their spellings and short texts, with the terms of each.

A text has hundreds of words, of which a query looks for few. Spellings are in a hash table of the kernels, so that no
Python object is made of the others that are known; `KnownWords` finds the same without kernels. Of many words, those
with one of a few terms are found without stemming.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask, Numbers, places_of
from engine.kernels.table import native
from engine.text.characters import known_kinds
from engine.threads import Lock

# Words of all texts that are known at a time.
MOST_WORDS = 2**15
# Texts that are known at a time, and their characters.
MOST_TEXTS, LONGEST = 2**13, 40

Terms = tuple[str, ...]


class KnownWords:
    """Words and the terms that each may have, learned as they come; safe from several threads.

    Args:
        terms_of: returns the terms of each of some words.
    """

    def __init__(self, terms_of: Callable[[list[str]], Sequence[Terms]]) -> None:
        self._terms_of = terms_of
        self._known: tuple[dict[str, Terms], dict[str, list[str]]] = {}, {}  # terms by word, words by term

    def with_terms(self, words: set[str], terms: Iterable[str]) -> Mapping[str, Terms]:
        """Return the words with one of the terms, each with all its terms."""
        terms_by_word, words_by_term = self._learned(words)
        return {word: terms_by_word[word] for term in terms for word in words_by_term.get(term, ()) if word in words}

    def terms(self, words: set[str]) -> Mapping[str, Terms]:
        """Return the terms of each word."""
        terms_by_word, _ = self._learned(words)
        return {word: terms_by_word[word] for word in words}

    def _learned(self, words: set[str]) -> tuple[dict[str, Terms], dict[str, list[str]]]:
        """Return the known words extended by those given; these alone where that were too many."""
        known = self._known
        new = words.difference(known[0])
        if len(known[0]) + len(new) > MOST_WORDS:
            self._known = known = {}, {}  # a search that reads the old ones goes on with them
            new = words
        terms_by_word, words_by_term = known
        chosen = list(new)
        for word, terms in zip(chosen, self._terms_of(chosen), strict=True):
            for term in terms:
                words_by_term.setdefault(term, []).append(word)
            terms_by_word[word] = terms  # last, as another thread may look for the word by its terms at once
        return known


class KnownTexts:
    """Short texts, such as the words of queries, and their terms, learned as they come; safe from several threads.

    Args:
        terms_of: returns the terms of each of some texts, None for those of some words.
    """

    def __init__(self, terms_of: Callable[[list[str], frozenset[str]], Sequence[Sequence[str | None]]]) -> None:
        self._terms_of = terms_of
        self._known: dict[frozenset[str], dict[str, Sequence[str | None]]] = {}  # by words left out, by text

    def terms(self, texts: Sequence[str], without: frozenset[str]) -> list[list[str | None]]:
        """Return the terms of each text, None for words `without`."""
        known = self._known.setdefault(without, {})
        new = [text for text in dict.fromkeys(texts) if text not in known]
        found: Mapping[str, Sequence[str | None]] = known
        if new:
            of_new = dict(zip(new, self._terms_of(new, without), strict=True))
            found = {text: of_new[text] if text in of_new else known[text] for text in texts}
            if sum(map(len, self._known.values())) + len(new) > MOST_TEXTS:
                self._known = {without: (known := {})}  # a search that reads the old ones goes on with them
            known |= {text: terms for text, terms in of_new.items() if len(text) <= LONGEST}
        return [list(found[text]) for text in texts]


# Spellings that are known at a time, and those of them that are not yet in the table.
MOST_KNOWN, MOST_RECENT = 2**16, 2**10
# Words of texts that are Python objects at a time.
AT_A_TIME = 2**16
# Of the hash table: no text can be written for it.
SEED = int.from_bytes(os.urandom(8), "little")


class _Table(NamedTuple):
    """Known spellings by number: slices of UTF-8, their terms, and which of them texts have had since it was made.

    `by_term` may have numbers of a later table. `was_seen` has one more place, for unknown spellings.
    """

    encoded: NDArray[np.uint8]
    begins: Numbers
    stops: Numbers
    slots: NDArray[np.int32]
    terms: list[Terms]
    by_term: dict[str, list[int]]
    was_seen: Mask


class WordsFound(NamedTuple):
    """Words of a query in texts, in order: the number of the text, and start and end there, in characters; int64, (n,).

    numbers: which of `values` each was found for.
    """

    texts: Numbers
    starts: Numbers
    ends: Numbers
    numbers: Numbers
    values: list[str]


class KnownSurfaces:
    """Spellings and the terms that each may have, learned as they come; safe from several threads.

    Args:
        terms_of: returns the terms of each of some words in UTF-8.
    """

    def __init__(self, terms_of: Callable[[list[bytes]], Sequence[Terms]]) -> None:
        self._terms_of = terms_of
        self._known: tuple[_Table, dict[bytes, Terms]] = _table([], []), {}
        self._lock = Lock()

    def find_in(self, texts: Sequence[tuple[Any, ...]], wanted: Mapping[str, str]) -> WordsFound | None:
        """Return the words of texts that have one of the terms; None where the kernel cannot tell the words of a text.

        Those are texts with letters of scripts without spaces, marks on letters, or a character that is new.

        Args:
            texts: tuples that begin with a text and the offsets, ascending, at which words end even with no blank.
            wanted: terms -> values.
        """
        table, recent = self._known
        values = list(dict.fromkeys(wanted.values()))
        number_of = {value: number for number, value in enumerate(values)}
        looked_for = {}
        for term in wanted:
            for number in table.by_term.get(term, ()):
                if number < len(table.terms):
                    terms = table.terms[number]  # one, but in several languages
                    looked_for[number] = number_of[wanted[term if len(terms) == 1 else _first(terms, wanted)]]
        spellings, of_value = np.array(sorted(looked_for.items()), np.int64).reshape(-1, 2).T.copy()
        columns = table.encoded, table.begins, table.stops, table.slots
        result = native.query_words(texts, known_kinds(), *columns, SEED, spellings, of_value, table.was_seen[:-1])
        if result is None:
            return None
        found, unknown = (np.frombuffer(column, np.int64) for column in result)
        found = found.reshape(-1, 4)
        further = []
        for first in range(0, len(unknown), 3 * AT_A_TIME):
            spans = unknown[first : first + 3 * AT_A_TIME].reshape(-1, 3).tolist()
            surfaces = [texts[text][0][start:end].encode() for text, start, end in spans]
            known = zip(spans, self._terms_of_unknown(table, recent, surfaces), strict=True)
            further += [[*span, number_of[value]] for span, terms in known if (value := _value(terms, wanted))]
        if further:
            found = np.concatenate([found, np.array(further, np.int64)])
            found = found.take(np.lexsort((found[:, 1], found[:, 0])), axis=0)
        of_text, starts, ends, numbers = found.T.copy()
        return WordsFound(of_text, starts, ends, numbers, values)

    def _terms_of_unknown(self, table: _Table, recent: dict[bytes, Terms], surfaces: list[bytes]) -> list[Terms]:
        """Return the terms of spellings that are not in the table."""
        new = [surface for surface in dict.fromkeys(surfaces) if surface not in recent]
        if new:
            recent.update(zip(new, self._terms_of(new), strict=True))
            if len(recent) > MOST_RECENT:
                self._extend(table, dict(recent))
        return [recent[surface] for surface in surfaces]

    def _extend(self, table: _Table, recent: dict[bytes, Terms]) -> None:
        """Put recent spellings into the table; if it is full, in place of those that no text had since it was made."""
        with self._lock.own:
            if self._known[0] is not table:  # another thread did
                return
            if len(table.terms) + len(recent) <= MOST_KNOWN:
                self._known = _extended(table, recent), {}
                return
            seen = places_of(table.was_seen[:-1]).tolist()
            kept = seen if len(seen) <= MOST_KNOWN // 2 else []
            encoded = table.encoded.tobytes()
            surfaces = [encoded[table.begins[number] : table.stops[number]] for number in kept]
            self._known = (
                _table([*surfaces, *recent], [*(table.terms[number] for number in kept), *recent.values()]),
                {},
            )


def _first(terms: Terms, wanted: Mapping[str, str]) -> str:
    """Return the first term that is wanted; there is one."""
    return next(term for term in terms if term in wanted)


def _value(terms: Terms, wanted: Mapping[str, str]) -> str | None:
    """Return the value of the first term that is wanted, None if none is."""
    return next((wanted[term] for term in terms if term in wanted), None)


def _table(surfaces: Sequence[bytes], terms: Sequence[Terms]) -> _Table:
    """Return a table of the spellings."""
    none = np.empty(0, np.int64)
    empty = _Table(np.empty(0, np.uint8), none, none, np.zeros(1, np.int32), [], {}, np.zeros(1, np.bool_))
    return _extended(empty, dict(zip(surfaces, terms, strict=True))) if surfaces else empty


def _extended(table: _Table, new: Mapping[bytes, Terms]) -> _Table:
    """Return a table with further spellings; `by_term` is extended in place, after which nobody else may extend it."""
    for number, terms in enumerate(new.values(), len(table.terms)):
        for term in terms:
            table.by_term.setdefault(term, []).append(number)
    ends = np.cumsum([len(surface) for surface in new], dtype=np.int64) + len(table.encoded)
    encoded = np.concatenate([table.encoded, np.frombuffer(b"".join(new), np.uint8)])
    begins = np.concatenate([table.begins, [len(table.encoded)], ends[:-1]])
    stops = np.concatenate([table.stops, ends])
    n_slots = 1 << (2 * len(stops)).bit_length()
    slots = np.frombuffer(native.slice_slots(encoded, begins, stops, n_slots, SEED), np.int32)
    was_seen = np.append(table.was_seen[:-1], np.zeros(len(new) + 1, np.bool_))
    return _Table(encoded, begins, stops, slots, [*table.terms, *new.values()], table.by_term, was_seen)
