"""Joins sorted vocabularies range by range, so that only the terms of one range are in memory."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from engine.columns.sliced import read_strings
from engine.records import NamedTuple

# Terms of all vocabularies together that are in memory, and the fewest that are read of one at a time.
MOST_TERMS, LEAST_TERMS = 1 << 18, 1 << 8

Vocabulary = Sequence[bytes]


class TermRange(NamedTuple):
    """The terms of vocabularies that lie in one range of the alphabet."""

    terms: list[bytes]  # distinct, sorted
    firsts: list[int]  # per vocabulary: the first of its terms in the range
    numbers: list[NDArray[np.int64]]  # per vocabulary: index into `terms` of each of its terms in the range


def term_ranges(vocabularies: Sequence[Vocabulary]) -> Iterator[TermRange]:
    """Yield the ranges of sorted vocabularies in ascending order; together they contain every term once."""
    most = max(MOST_TERMS // max(len(vocabularies), 1), LEAST_TERMS)
    waiting: list[list[bytes]] = [[] for _ in vocabularies]
    n_read = [0] * len(vocabularies)
    n_taken = [0] * len(vocabularies)
    while True:
        for number, vocabulary in enumerate(vocabularies):
            if 2 * len(waiting[number]) < most and n_read[number] < len(vocabulary):
                piece = read_strings(vocabulary, n_read[number], most)
                waiting[number] += piece
                n_read[number] += len(piece)
        # A vocabulary that is read in part may have terms after the last that is waiting.
        lasts = [
            piece[-1]
            for piece, read, vocabulary in zip(waiting, n_read, vocabularies, strict=True)
            if read < len(vocabulary)
        ]
        cuts = [bisect_right(piece, min(lasts)) if lasts else len(piece) for piece in waiting]
        taken = [piece[:cut] for piece, cut in zip(waiting, cuts, strict=True)]
        # Sorted pieces are merged by Python's sort, which is several times faster than sorting a set of their terms.
        terms = list(dict.fromkeys(sorted(chain.from_iterable(taken))))
        if not terms:
            return
        numbers = dict(zip(terms, range(len(terms)), strict=True))
        of_vocabulary = [np.fromiter(map(numbers.__getitem__, piece), np.int64, len(piece)) for piece in taken]
        yield TermRange(terms, n_taken.copy(), of_vocabulary)
        for number, cut in enumerate(cuts):
            del waiting[number][:cut]
            n_taken[number] += cut
