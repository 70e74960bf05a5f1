"""The terms of an index that are spelt like a word: by edit distance, over all terms at once.

Distances count insertions, deletions, substitutions and exchanges of adjacent letters (optimal string alignment).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

from engine.index.postings.article_terms import shapes_of
from engine.index.segment import Segment
from engine.records import NamedTuple

# Letters of a word -> edits that a similar term has at most, the first line that fits.
EDITS = ((8, 2), (4, 1))
# Terms of a segment that are all compared.
MOST_TERMS = 400_000
LONGEST = 40


class SimilarTerm(NamedTuple):
    """A term and its edit distance from a word."""

    edits: int
    term: str


def most_edits(word: str) -> int:
    """Return the edits that a similar term has at most."""
    return next((edits for letters, edits in EDITS if len(word) >= letters), 0)


def similar_terms(word: str, segments: Iterable[Segment], most_terms: int = MOST_TERMS) -> list[SimilarTerm]:
    """Return the terms of segments that are spelt like a word, nearest first; none for short words and numbers.

    Args:
        most_terms: of a segment; of one with more, only terms with the first letter of the word are compared.
    """
    most = most_edits(word)
    if not most or not word.isalpha() or len(word) > LONGEST:
        return []
    found = {each for segment in segments for each in _of_segment(word, segment, most, most_terms)}
    return sorted(found)


def _of_segment(word: str, segment: Segment, most: int, most_terms: int) -> Iterator[SimilarTerm]:
    is_large = len(segment.terms) > most_terms
    offsets, blob = segment.terms.term_bytes(word[0].encode() if is_large else b"")
    shapes = shapes_of(offsets, blob) if is_large else segment.terms.shapes
    rows = np.flatnonzero(shapes.near(word, most))
    terms = [blob[offsets[row] : offsets[row + 1]].tobytes().decode("utf-8", "ignore") for row in rows.tolist()]
    terms = [term for term in terms if term != word and term.isalpha()]
    for term, edits in zip(terms, edit_distances(word, terms).tolist(), strict=True):
        if edits <= most:
            yield SimilarTerm(edits, term)


def edit_distances(word: str, terms: list[str]) -> NDArray[np.int64]:
    """Return the edits from a word to each term, shape (n_terms,).

    >>> edit_distances("singal", ["signal", "single", "singal", "sing"]).tolist()
    [1, 2, 0, 2]
    """
    if not terms:
        return np.empty(0, np.int64)
    width = max(map(len, terms))
    letters = np.zeros((len(terms), width), np.uint32)
    for place, term in enumerate(terms):
        letters[place, : len(term)] = np.frombuffer(term.encode("utf-32-le"), np.uint32)
    codes = np.frombuffer(word.encode("utf-32-le"), np.uint32)
    columns = np.arange(width + 1, dtype=np.int32)
    row = np.broadcast_to(columns, (len(terms), width + 1))
    before = row
    for i, code in enumerate(codes):
        following = np.empty_like(row)
        following[:, 0] = i + 1
        differs = letters != code
        np.minimum(row[:, :-1] + differs, row[:, 1:] + 1, out=following[:, 1:])
        if i:
            is_exchanged = (letters[:, :-1] == code) & (letters[:, 1:] == codes[i - 1])
            exchanged = np.where(is_exchanged, before[:, :-2] + 1, width + len(codes))
            np.minimum(following[:, 2:], exchanged, out=following[:, 2:])
        # An insertion takes the best of all cells to the left, each as many edits away as columns.
        following = np.minimum.accumulate(following - columns, axis=1) + columns
        before, row = row, following
    ends = np.fromiter(map(len, terms), np.int64, len(terms))
    return row[np.arange(len(terms)), ends].astype(np.int64)


def one_edit_away(word: str) -> list[str]:
    """Return the distinct words at edit distance one from a word, of its letters and those of English.

    >>> "signal" in one_edit_away("singal")
    True
    """
    letters = sorted({*ascii_lowercase, *word})
    parts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    exchanged = [head + tail[1] + tail[0] + tail[2:] for head, tail in parts if len(tail) > 1]
    deleted = [head + tail[1:] for head, tail in parts if tail]
    substituted = [head + letter + tail[1:] for head, tail in parts if tail for letter in letters]
    inserted = [head + letter + tail for head, tail in parts for letter in letters]
    return list(dict.fromkeys(each for each in [*exchanged, *deleted, *substituted, *inserted] if each != word))
