"""The terms of the articles of a segment, and their postings, which are arrays.

The lengths and letters of terms rule out most terms that are spelt unlike a word; those that are a word but for their
accents are found by how they begin without them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask, distinct, ranges
from engine.columns.ascending_column import AscendingColumn
from engine.columns.byte_column import ByteColumn
from engine.columns.cache import SizedCache
from engine.columns.checked_folder import CheckedFolder, Strings
from engine.query_limits import check_time, reserve
from engine.records import NamedTuple
from engine.text.alternative_terms import ANY_END, EITHER
from engine.text.characters import ACCENTED, spellings_without_accents
from engine.text.utf8 import code_points
from engine.threads import cached_property

# A bit for each letter of ASCII; several letters share one, others have none.
BITS = np.where(np.arange(256) < 128, np.left_shift(1, np.arange(256) % 32), 0).astype(np.uint32)

SHAPED = 2**12  # terms whose letters are looked at together


class TermShapes(NamedTuple):
    """Columns of terms, shape (n_terms,): the number of letters, and a bit for each letter of ASCII."""

    lengths: NDArray[np.uint32]
    letters: NDArray[np.uint32]

    def near(self, word: str, edits: int) -> Mask:
        """Return a mask of the terms that may be within so many edits of a word; the others are not."""
        letters = np.bitwise_or.reduce(BITS[np.frombuffer(word.encode(), np.uint8)])
        is_near: Mask = np.abs(self.lengths.astype(np.int64) - len(word)) <= edits
        is_near &= np.bitwise_count(self.letters & ~letters) <= edits
        is_near &= np.bitwise_count(letters & ~self.letters) <= edits
        return is_near


def shapes_of(offsets: NDArray[np.int64], blob: NDArray[np.uint8]) -> TermShapes:
    """Return the shapes of terms in UTF-8, given as offsets, shape (n + 1,), into their joined bytes."""
    shapes = TermShapes(*np.empty((2, len(offsets) - 1), np.uint32))
    for first in range(0, len(offsets) - 1, SHAPED):
        some = slice(first, first + SHAPED)
        starts, end = offsets[:-1][some], offsets[1:][some][-1]
        letters = blob[starts[0] : end]
        shapes.lengths[some] = np.add.reduceat((letters & 0xC0) != 0x80, starts - starts[0], dtype=np.uint32)
        shapes.letters[some] = np.bitwise_or.reduceat(BITS[letters], starts - starts[0])
    return shapes


# Most terms whose rows are cached.
N_CACHED = 2**15


class Postings(NamedTuple):
    """The articles that contain a term: numbers, ascending, and term frequencies; and those whose opening contains it.

    opening_documents, opening_tf: likewise, with the frequencies in the openings (`engine.indexing.workers.inversion`).
    """

    documents: NDArray[Any]
    tf: NDArray[Any]
    opening_documents: NDArray[Any]
    opening_tf: NDArray[Any]


class ArticleTerms:
    """Reads terms from a sorted column of strings, and postings from two columns of numbers."""

    def __init__(self, files: CheckedFolder) -> None:
        self._terms = files.strings("terms")
        self._accented = AccentedStrings(self._terms)
        self._postings = AscendingColumn(files, "postings_of_term")
        self._positions = AscendingColumn(files, "positions_of_term")
        self._documents = files.column("document")
        self._tf, self._opening_tf = ByteColumn(files, "tf"), ByteColumn(files, "opening_tf")
        self._numbers: SizedCache[bytes, int] = SizedCache(lambda _: 1, N_CACHED)

    def term_number(self, term: bytes) -> int:
        """Return the row of a term, -1 if it is unknown."""
        return self._numbers.get(term, lambda: max(self._terms.find(term), -1))

    def rows(self, terms: Sequence[bytes]) -> NDArray[np.int64]:
        """Return the row of each term, -1 of an unknown one; `term_number` knows them afterwards."""
        found = self._terms.find_each(terms)
        self._numbers.add(zip(terms, found.tolist(), strict=True))
        return found

    def accented(self, word: str, stems: Callable[[str], Sequence[str]]) -> list[str]:
        """Return the terms that are a word but for their accents, which the word has not.

        Args:
            stems: returns the stems of a word; those of words with accents often end elsewhere.
        """
        n_bytes = len(word.encode())
        return [
            term
            for term in self._accented.beginning(word)
            if n_bytes / 2 < len(term.encode()) <= LONGEST_LETTER * n_bytes and _is_word(term, word, stems)
        ]

    def posting_borders(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the first posting of each term, given by its row, and the end of its postings."""
        return self._postings.take(rows), self._postings.take(rows + 1)

    def documents(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the articles of ranges of postings, none of them empty, one range after the other."""
        self._documents.check_ranges(starts, stops)
        return self._documents.values.take(ranges(starts, stops - starts)).astype(np.int64)

    def postings(self, number: int) -> Postings:
        """Return the postings of a term given by its row."""
        start, stop = self.posting_range(number)
        documents, opening_tf = self._documents.slice(start, stop), self._opening_tf.slice(start, stop)
        is_opening = opening_tf > 0
        return Postings(documents, self._tf.slice(start, stop), documents[is_opening], opening_tf[is_opening])

    def posting_range(self, number: int) -> tuple[int, int]:
        """Return the first posting of a term given by its row, and the end of its postings."""
        return self._postings.neighbours(number)

    def position_range(self, number: int) -> tuple[int, int]:
        """Return the first occurrence of a term given by its row, and the end of its occurrences."""
        return self._positions.neighbours(number)

    def posting_ranges(self) -> NDArray[Any]:
        """Return the first posting of each term, then their number, shape (n_terms + 1,)."""
        return self._postings.all()

    def terms_from(self, prefix: bytes) -> Iterator[bytes]:
        """Yield the terms from the first one that is not less than `prefix`."""
        found = self._terms.find(prefix)
        for number in range(found if found >= 0 else -found - 1, len(self._terms)):
            yield self._terms[number]

    def __len__(self) -> int:
        return len(self._terms)

    def term_bytes(self, prefix: bytes = b"") -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Return the offsets of the terms with a prefix, shape (n + 1,), the end included, and their joined bytes."""
        start, stop = 0, len(self._terms)
        if prefix:  # no term has a byte 0xff
            start, stop = (
                found if found >= 0 else -found - 1 for found in map(self._terms.find, (prefix, prefix + b"\xff"))
            )
        return self._terms.range(start, stop)

    @cached_property
    def shapes(self) -> TermShapes:
        """The lengths and letters of all terms."""
        return shapes_of(*self.term_bytes())

    def with_prefix(self, prefix: bytes) -> Iterator[bytes]:
        """Yield the terms with a prefix."""
        return takewhile(lambda term: term.startswith(prefix), self.terms_from(prefix))


# Bytes of a letter with accents, for one without, at most.
LONGEST_LETTER = 3


def _is_word(term: str, word: str, stems: Callable[[str], Sequence[str]]) -> bool:
    """Return whether a term is a word but for its accents, or its stem is."""
    plain = spellings_without_accents(term)
    return word in plain or any(each.startswith(word) and word in stems(each) for each in plain)


def expanded(word: str, terms: ArticleTerms) -> list[str]:
    """Return the distinct terms of a segment that a query word denotes; those without `*` even if they are unknown."""
    found: dict[str, None] = {}
    for part in word.split(EITHER):
        if part.endswith(ANY_END):
            found.update(dict.fromkeys(term.decode() for term in terms.with_prefix(part[:-1].encode())))
        else:
            found[part] = None
    return list(found)


# Letters by which strings are grouped, and bytes that hold so many of any script; strings that are read at a time.
LETTERS, BYTES, AT_A_TIME = 3, 12, 2**17
FIRST_LEAD = 0xC0  # of the first bytes of characters beyond ASCII
BEYOND = bytes([FIRST_LEAD])
BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


class AccentedStrings:
    """The strings with accents of a sorted column, in groups of those that begin with the same letters.

    Strings that begin with one letter without accents, and all that begin with one beyond ASCII, are grouped when they
    are first asked for.
    """

    def __init__(self, strings: Strings) -> None:
        self._strings = strings
        self._groups_from: dict[bytes, Mapping[str, list[NDArray[np.int64]]]] = {}

    def beginning(self, letters: str) -> list[str]:
        """Return the strings that may begin with these letters without accents where accents are left out.

        By their first letters, and by those before the first accent.
        """
        first = letters[:1].encode()
        parts = [self._groups(each) for each in ([first, BEYOND] if b"" < first < BEYOND else [first])]
        begins = [letters[:n_letters] for n_letters in range(LETTERS + 1)]
        groups = []
        for part in parts:
            if len(letters) < LETTERS:
                begins = [plain for plain in part if plain.startswith(letters) or letters.startswith(plain)]
            groups += [rows for plain in begins for rows in part.get(plain, ())]
        if not groups:
            return []
        found = distinct(np.concatenate(groups))
        reserve(found.nbytes)
        wanted = letters.encode()
        return [
            string.decode()
            for string in self._strings.take(found)
            if (plain := BEYOND_ASCII.split(string, 1)[0]).startswith(wanted) or wanted.startswith(plain)
        ]

    def _groups(self, first: bytes) -> Mapping[str, list[NDArray[np.int64]]]:
        """Return the rows of the strings that begin with a byte, by the first letters without accents.

        Args:
            first: BEYOND or more for all beyond ASCII, none for all strings.
        """
        first = min(first, BEYOND)
        if first not in self._groups_from:
            stop = len(self._strings) if first in (b"", BEYOND) else self._place(bytes([first[0] + 1]))
            self._groups_from[first] = self._grouped(self._rows(self._place(first), stop))
        return self._groups_from[first]

    def _place(self, string: bytes) -> int:
        """Return the row of a string, or of the one that follows where it would be."""
        found = self._strings.find(string)
        return found if found >= 0 else -found - 1

    def _grouped(self, rows: NDArray[np.int64]) -> Mapping[str, list[NDArray[np.int64]]]:
        begins = [string.decode("utf-8", "ignore")[:LETTERS] for string in self._strings.take(rows, BYTES)]
        groups: dict[str, list[NDArray[np.int64]]] = {}
        start = 0
        for letters, alike in groupby(begins):
            end = start + sum(1 for _ in alike)
            for plain in spellings_without_accents(letters):
                groups.setdefault(plain[:LETTERS], []).append(rows[start:end])
            start = end
        return groups

    def _rows(self, start: int, stop: int) -> NDArray[np.int64]:
        """Return the rows of strings with accents from start to stop (exclusive)."""
        found = [np.empty(0, np.int64)]
        for first in range(start, stop, AT_A_TIME):
            check_time()
            offsets, encoded = self._strings.range(first, min(first + AT_A_TIME, stop))
            beyond = np.flatnonzero(encoded >= FIRST_LEAD)
            accented = beyond[ACCENTED.of(code_points(encoded, beyond)[0]) > 0]
            found.append(distinct(offsets.searchsorted(accented, "right") - 1) + first)
        return np.concatenate(found)
