"""The memory that reading and inverting a document takes, estimated from its bytes before they are parsed.

Measured with documents that consist of one thing only (prose, empty elements, words of one letter, sentences of one
word, words that all differ); prose takes a half to a third of the estimate.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask
from engine.collection.document_limits import limit_exceeded
from engine.collection.limits import Limits, limit_hint
from engine.collection.markup.attributes import scan_attributes
from engine.collection.markup.markup_tree import find_tags, find_text, find_tree
from engine.errors import CollectionError
from engine.text.analyser import Analyser
from engine.text.vocabulary import number_slices
from engine.text.words import are_capitals

# Bytes of memory per byte of a document, per tag, word, end of a sentence, and distinct word.
BYTE, TAG, WORD, SENTENCE, DISTINCT = 9, 160, 110, 110, 300
# Bytes that a distinct word takes at least, with what separates it from the next one.
DISTINCT_BYTES = 4
# Bytes that a distinct part of a word takes at least.
PART_BYTES = 3
# The most that a byte of a document can take: words of one letter, each a sentence.
MOST_PER_BYTE = 200
LESS, EQUALS, QUOTE = b'<="'
# ASCII marks that may end a sentence; others are among the bytes that follow.
MARKS = b".!?"
_WIDE_MARK_LEADS = (
    b"\xe3\x80\x82",
    b"\xef\xbc",
    b"\xef\xbd\xa1",
    b"\xd8\x9f",
    b"\xdb\x94",
    b"\xe0\xa5\xa4",
    b"\xe2\x80\xa6",
)
# Of each byte, 1 if it is part of a word.
_IN_WORDS = bytes(byte >= 0x80 or chr(byte).isalnum() for byte in range(256))
# First bytes of letters of scripts without blanks (Thai to Hangul, wide characters), of which each two are a word.
_UNSPACED_LEADS = (0xE0, 0xE1, *range(0xE3, 0xEE), 0xF0)
# Lowest first byte of a character beyond ASCII.
_FIRST_LEAD = 0xC0
# First bytes of three or four in which capitals begin, among others.
_CAPITAL_LEADS = (0xE1, 0xE2, 0xEA, 0xEF, 0xF0)
# Bytes of memory per such word, beyond those of any word: it shares its letters with the next one.
OVERLAPPING = 80
# Bytes that are looked at together.
_PIECE = 1 << 18
# Bytes of a word that are compared as one number, and odd numbers that mix its bits.
_WINDOW = 8
_MASKS = np.array([(1 << 8 * length) - 1 for length in range(_WINDOW + 1)], np.uint64)
_MIXERS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], np.uint64)


def document_memory(encoded: bytes, *, is_exact: bool = False, splits_camel_case: bool = False) -> int:
    """Return the bytes of memory that a document or its canonical markup, in UTF-8, takes at most.

    Args:
        is_exact: whether distinct words are counted, which takes time; otherwise they are as many as there can be.
        splits_camel_case: whether parts of words are words.
    """
    codes = np.frombuffer(encoded, np.uint8)
    n_tags = _count(codes, LESS)
    # Every tag and every attribute has a name, which is not a word.
    n_attributes = np.count_nonzero((codes[:-1] == EQUALS) & (codes[1:] == QUOTE))
    n_words = max(_count_words(encoded) - n_tags - int(n_attributes), 0)
    n_unspaced, n_ends = _count_beyond_ascii(encoded)
    n_parts = _count_parts(encoded) if splits_camel_case else 0
    n_words += n_unspaced + n_parts
    n_ends += sum(_count(codes, mark) for mark in MARKS)
    most_distinct = n_unspaced + min(n_parts, len(encoded) // PART_BYTES)
    most_distinct += _count_distinct(encoded) if is_exact else len(encoded) // DISTINCT_BYTES
    n_distinct = min(n_words + n_tags, most_distinct)  # names of tags are objects, too
    needed = BYTE * len(encoded) + TAG * n_tags + WORD * n_words + SENTENCE * min(n_ends, n_words)
    needed += DISTINCT * n_distinct + OVERLAPPING * n_unspaced
    return min(needed, MOST_PER_BYTE * len(encoded))


def most_memory(encoded: bytes) -> int:
    """Return a bound of `document_memory`, without parts of words, from fewer counts: in a third of the time."""
    codes = np.frombuffer(encoded, np.uint8)
    n_tags = _count(codes, LESS)
    n_beyond = 0 if encoded.isascii() else int(np.count_nonzero(codes >= _FIRST_LEAD))
    n_words = max(_count_words(encoded) - n_tags, 0) + n_beyond
    n_distinct = min(n_words + n_tags, n_beyond + len(encoded) // DISTINCT_BYTES)
    return (
        BYTE * len(encoded)
        + TAG * n_tags
        + (WORD + SENTENCE) * n_words
        + DISTINCT * n_distinct
        + OVERLAPPING * n_beyond
    )


def check_memory(markup: bytes, name: str, limits: Limits, *, splits_camel_case: bool) -> None:
    """Raise CollectionError for markup in UTF-8 that would take more memory than `max_document_memory`."""
    most = limits.max_document_memory
    if MOST_PER_BYTE * len(markup) <= most or document_memory(markup, splits_camel_case=splits_camel_case) <= most:
        return
    needed = document_memory(markup, is_exact=True, splits_camel_case=splits_camel_case)
    if needed > most:
        raise CollectionError(
            f"{name}:1: would take up to {-(-needed // 2**20):,} MB of memory, more than {most // 2**20:,} MB, "
            f"{limit_hint('max_document_memory')}: split the document."
        )


def _count(codes: NDArray[np.uint8], byte: int) -> int:
    """Return the number of occurrences of a byte; several times faster than `bytes.count` where it is frequent."""
    return int(np.count_nonzero(codes == byte))


def _count_beyond_ascii(encoded: bytes) -> tuple[int, int]:
    """Return how many letters of scripts without blanks there are, and how many wide marks."""
    if encoded.isascii():
        return 0, 0
    codes = np.frombuffer(encoded, np.uint8)
    of_lead = np.bincount(codes[codes >= _FIRST_LEAD], minlength=256).tolist()
    n_marks = sum(encoded.count(mark) for mark in _WIDE_MARK_LEADS if of_lead[mark[0]])
    return sum(of_lead[lead] for lead in _UNSPACED_LEADS), n_marks


def _count_parts(encoded: bytes) -> int:
    """Return how many parts of words begin with a capital inside them, at most; the bytes may be no UTF-8."""
    codes = np.frombuffer(encoded, np.uint8)
    in_words = np.frombuffer(encoded.translate(_IN_WORDS), np.bool_)
    is_capital = (codes[1:] - np.uint8(ord("A"))) <= ord("Z") - ord("A")
    n_parts = int(np.count_nonzero(is_capital & in_words[:-1]))
    if encoded.isascii():
        return n_parts
    leads = np.flatnonzero((codes[:-1] >= 0xC3) & (codes[:-1] < 0xE0))
    n_parts += int(
        np.count_nonzero(are_capitals((codes[leads].astype(np.int64) & 0x1F) << 6 | codes[leads + 1] & 0x3F))
    )
    return n_parts + sum(_count(codes, lead) for lead in _CAPITAL_LEADS)


def _count_words(encoded: bytes) -> int:
    """Return how many runs of letters, digits and bytes beyond ASCII there are."""
    in_words = np.frombuffer(encoded.translate(_IN_WORDS), np.bool_)
    return int(np.count_nonzero(in_words[1:] > in_words[:-1])) + encoded[:1].translate(_IN_WORDS).count(1)


def _count_distinct(encoded: bytes) -> int:
    """Return how many distinct runs there are, compared by length and by their first and last bytes."""
    padded = np.frombuffer(encoded + bytes(_WINDOW), np.uint8)
    windows: NDArray[np.uint64] = np.ndarray((len(padded) - _WINDOW + 1,), "<u8", padded.data, strides=(1,))
    keys = []
    for begins, stops in _runs(encoded):
        lengths = stops - begins
        first = windows[begins] & _MASKS[np.minimum(lengths, _WINDOW)]
        last = windows[np.maximum(stops - _WINDOW, begins)] & _MASKS[np.minimum(lengths, _WINDOW)]
        keys.append(_distinct(first * _MIXERS[0] ^ last * _MIXERS[1] ^ lengths.astype(np.uint64)))
    return len(_distinct(np.concatenate([np.empty(0, np.uint64), *keys])))


def _distinct(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    keys = np.sort(keys)
    is_first = np.ones(len(keys), np.bool_)
    is_first[1:] = keys[1:] != keys[:-1]
    distinct: NDArray[np.uint64] = keys[is_first]
    return distinct


def _runs(encoded: bytes) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the begins and ends of runs, a piece at a time; a piece's border may add one."""
    in_any: Mask = np.frombuffer(encoded.translate(_IN_WORDS), np.bool_)
    for first in range(0, len(in_any), _PIECE):
        in_words = in_any[first : first + _PIECE]
        edges = np.flatnonzero(np.diff(in_words.view(np.int8), prepend=np.int8(0), append=np.int8(0))) + first
        yield edges[0::2], edges[1::2]


# Bytes that a distinct word takes at least, with what separates it from the next one.
LEAST_BYTES = 3


def check_distinct_words(markup: bytes, name: str, limits: Limits, analyser: Analyser) -> None:
    """Raise CollectionError if a document, given as canonical markup, has more distinct words than the limit allows.

    A document that is too small for so many words is not looked at.
    """
    if len(markup) <= LEAST_BYTES * limits.max_distinct_words:
        return
    words = analyser.words(np.asarray(find_text(markup, find_tags(markup)).encoded))
    _, distinct = number_slices(words.encoded.tobytes(), words.begins, words.stops)
    if len(distinct) > limits.max_distinct_words:
        raise CollectionError(f"{name}:1: {limit_exceeded('max_distinct_words', limits.max_distinct_words)}")


def check_distinct_names(markup: bytes, name: str, limits: Limits) -> None:
    """Raise CollectionError if a document, given as canonical markup, has more distinct names than the limit allows.

    A document with too few tags and attributes for so many names is not looked at.
    """
    most = limits.max_distinct_names
    codes = np.frombuffer(markup, np.uint8)
    if len(codes) <= LEAST_BYTES * most or _count(codes, LESS) + _count(codes, QUOTE) // 2 <= most:
        return
    tree = find_tree(markup)
    opens, closes = tree.tags.opens[tree.tags.starts], tree.tags.closes[tree.tags.starts]
    _, distinct = number_slices(markup, opens + 1, tree.name_ends)
    if len(distinct) > most or len(distinct) + len(scan_attributes(markup, opens, closes).names) > most:
        raise CollectionError(f"{name}:1: {limit_exceeded('max_distinct_names', most)}")
