"""The words of an index that fit a pattern, or are spelt like a word: forms before stemming.

Words that only deleted documents have are among them until these are compacted away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

from engine.columns.checked_folder import Strings
from engine.index.postings.article_terms import shapes_of
from engine.index.segment import Segment
from engine.index.similar_terms import LONGEST, edit_distances
from engine.query_limits import check_time, reserve
from engine.text.characters import is_without_accents, spellings_without_accents

# Words that are compared at a time, and those of them that are looked at more closely.
AT_A_TIME, AT_ONCE = 2**13, 2**10
# Numbers that a word takes while it is compared, and, once it was found, until it is chosen or left out; beside these a
# number for each byte, or for every two letters.
COMPARED, FOUND = 20, 40
OF_LETTER = 3  # numbers that a byte of a word takes while its letters are counted


def words_fitting(pattern: str, segments: Sequence[Segment], *, with_accents: bool = False) -> set[str]:
    """Return the words that fit a pattern, in which `*` fits any letters, or none.

    Args:
        with_accents: whether those are among them that fit without their accents, unless the pattern has some.
    """
    fits = _expression(pattern)
    prefix = pattern.partition("*")[0].encode()
    found = set[str]()
    if with_accents and is_without_accents(pattern):
        _add(_fitting_without_accents(pattern, fits, segments), found)
    for segment in segments:
        for words in _pieces(segment.forms, prefix):
            _add(map(bytes.decode, fits.findall(words)), found)
    return found


def memory_of(words: Iterable[str]) -> int:
    """Return the numbers that found words take."""
    return sum(FOUND + len(word) // 2 for word in words)


def _add(words: Iterable[str], found: set[str]) -> None:
    """Add words to a set, and count the memory of the new ones against that of the query."""
    words = iter(words)
    while some := set(islice(words, AT_ONCE)):
        reserve(memory_of(some - found))
        found |= some


def _fitting_without_accents(pattern: str, fits: re.Pattern[bytes], segments: Sequence[Segment]) -> Iterator[str]:
    prefix = pattern.partition("*")[0]
    found = (word for segment in segments for word in segment.accented_forms.beginning(prefix))
    for number, word in enumerate(found):
        if number % AT_ONCE == 0:
            check_time()
        if any(fits.fullmatch(plain.encode()) for plain in spellings_without_accents(word)):
            yield word


def _expression(pattern: str) -> re.Pattern[bytes]:
    """Return the expression of the lines that fit a pattern, in UTF-8; what follows a `*` is where it is first found.

    So no line is read more than once: a later place of the same letters could not fit better.
    """
    first, *others = (re.escape(part.encode()) for part in pattern.split("*"))
    *middle, last = others
    found = b"".join(b"(?>[^\\n]*?" + part + b")" for part in middle if part)
    return re.compile(b"(?m)^" + first + found + b"[^\\n]*" + last + b"$")


def words_within(word: str, edits: int, segments: Iterable[Segment]) -> set[str]:
    """Return the words within so many edits of a word (`engine.index.similar_terms`), itself if it is one."""
    found: set[str] = set()
    for segment in segments if len(word) <= LONGEST else ():
        forms = segment.forms
        for first in range(0, len(forms), AT_A_TIME):
            n_words = min(AT_A_TIME, len(forms) - first)
            offsets, blob = forms.range(first, first + n_words)
            numbers = n_words * COMPARED + OF_LETTER * len(blob)
            reserve(numbers)
            rows = np.flatnonzero(shapes_of(offsets, blob).near(word, edits)).tolist()
            for at in range(0, len(rows), AT_ONCE):
                some = rows[at : at + AT_ONCE]
                near = [blob[offsets[row] : offsets[row + 1]].tobytes().decode("utf-8", "ignore") for row in some]
                distances = edit_distances(word, near).tolist()
                _add((each for each, n in zip(near, distances, strict=True) if n <= edits), found)
            reserve(-numbers)
    return found


def _pieces(words: Strings, prefix: bytes) -> Iterator[bytes]:
    """Yield the sorted words with a prefix, some at a time, in lines."""
    start, stop = 0, len(words)
    if prefix:  # no word has a byte 0xff
        start, stop = (found if found >= 0 else -found - 1 for found in map(words.find, (prefix, prefix + b"\xff")))
    for first in range(start, stop, AT_A_TIME):
        n_words = min(AT_A_TIME, stop - first)
        offsets, blob = words.range(first, first + n_words)
        numbers = n_words * COMPARED + len(blob)
        reserve(numbers)
        yield np.insert(blob, offsets[1:-1], ord("\n")).tobytes()
        reserve(-numbers)
