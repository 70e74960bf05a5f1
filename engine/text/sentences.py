"""Sentence segmentation by rules, on the UTF-8 bytes of a whole batch of texts.

A sentence ends after a sentence mark and the marks, closing quotes and brackets that follow it, if white space follows
(not required after Chinese and Japanese marks) and the next word does not begin with a lower-case letter or is preceded
by an opening quote or bracket. A full stop directly after an initial or a common abbreviation is not a sentence mark.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask, is_among, ranks_of
from engine.records import NamedTuple
from engine.text.utf8 import Bytes, Offsets, character_starts, code_points
from engine.text.words import JOINERS

WIDE_MARKS = "。！？｡．"
MARKS = f".!?…؟۔।{WIDE_MARKS}"
CLOSING = "\"'”’“»«›‹)]}）」』】〉》〕］｝"
LEFT_OVER = f".,;:!?…)]}}”’{WIDE_MARKS}）］｝」』】〉》〕"
QUOTES = "\"'“‘«»‹›"  # closing ones in some language, opening ones in others
OPENING = "\"'“‘„‚”«»‹›([{¿¡（「『【〈《〔［｛"
BLANKS = " \t\n\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
# Abbreviations that a capital or a number often follows within a sentence: in names, references and quantities, at
# most 8 letters. Those as frequent at the end of a sentence (etc, usw) are excluded; initials (e.g., z.B.) are
# recognised without a list.
ABBREVIATIONS = (
    *("al", "cf", "viz", "vs", "resp", "incl", "approx", "ca", "bzw", "vgl", "ggf", "evtl", "inkl"),
    *("fig", "figs", "eq", "eqs", "eqn", "tab", "vol", "pp", "ref", "refs", "abb", "suppl"),
    *("dr", "mr", "mrs", "ms", "prof", "st", "jr", "sr", "hr", "fr", "ed", "eds", "hrsg", "inc", "ltd", "dept", "univ"),
)
# Abbreviations that are also words: only before a digit.
BEFORE_NUMBERS = ("no", "nos", "nr", "art", "ch", "sec")

# Zero bytes after the text, so that reading a character or a word at its end stays within the array.
PADDING = 8
# Bytes of a word that are compared with the abbreviations, as one 64-bit number.
WORD_BYTES = 8
# Makes ASCII letters lower-case, eight at a time.
LOWER = np.uint64(0x2020202020202020)


class SentenceBorders(NamedTuple):
    """The second and later sentences of texts, ascending."""

    words: Offsets  # first word of the sentence
    ends: Offsets  # byte offset of the end of the preceding sentence


def find_sentences(encoded: Bytes, starts: Offsets, stops: Offsets, texts: NDArray[np.int64]) -> SentenceBorders:
    """Return the borders between sentences within texts.

    Args:
        encoded: UTF-8 of all texts, separated by characters that are not blanks.
        starts, stops: byte offsets of the words. texts: per word, the number of its text.
    """
    padded = np.concatenate([encoded, np.zeros(PADDING, np.uint8)])
    may_be_mark = encoded >= _LONG_MARK
    for mark in _SHORT_MARKS:
        may_be_mark |= encoded == mark
    marks = np.flatnonzero(may_be_mark)
    marks = marks[~(_ASCII_ALPHANUMERIC[padded[marks + 1]] & (padded[marks] < 0x80))]  # 3.14, e.g, example.org
    codes, lengths = code_points(padded, marks)
    is_mark = is_among(codes, _MARKS)
    marks, codes, lengths = marks[is_mark], codes[is_mark], lengths[is_mark]

    following = ranks_of(starts, marks + 1)
    before = following - 1
    between = (following > 0) & (following < len(starts))
    between &= stops[before] <= marks if len(stops) else False
    between[between] = texts[before[between]] == texts[following[between]]
    between[between] = ~_is_abbreviated(padded, starts, stops, before[between], marks[between])
    between[between] = _may_begin(padded, starts[following[between]])
    marks, codes, lengths, following = marks[between], codes[between], lengths[between], following[between]

    ends = skip_characters(padded, marks + lengths, _ENDINGS)
    ended = is_among(codes, _WIDE_MARKS) | is_among(code_points(padded, ends)[0], _BLANKS)
    ends, following = ends[ended], following[ended]
    is_last = np.append(following[1:] != following[:-1], np.ones(min(len(following), 1), np.bool_))
    return SentenceBorders(following[is_last], ends[is_last])


def trimmed(encoded: Bytes, starts: Offsets, ends: Offsets) -> tuple[Offsets, Offsets]:
    """Return byte offsets moved forwards (starts) and backwards (ends) over blanks."""
    padded = np.concatenate([encoded, np.zeros(PADDING, np.uint8)])
    ends = ends.copy()
    running = np.flatnonzero(ends > 0)
    while running.size:
        last = character_starts(padded, ends[running] - 1)
        is_blank = is_among(code_points(padded, last)[0], _BLANKS)
        running = running[is_blank]
        ends[running] = last[is_blank]
    return skip_characters(padded, starts, _BLANKS), ends


def after_left_over(encoded: Bytes, starts: Offsets) -> Offsets:
    """Return byte offsets moved forwards over blanks and the left-over end of the sentence around an element.

    That is, marks and closing brackets before a blank, as after a footnote: `dry<note>...</note>. We` begins with `We`.
    Quotes that may be opening ones are left over only beside these.
    """
    padded = np.concatenate([encoded, np.zeros(PADDING, np.uint8)])
    starts = skip_characters(padded, starts, _BLANKS)
    ends = skip_characters(padded, starts, _LEFT_OVER_AND_QUOTES)
    is_left_over = is_among(code_points(padded, ends)[0], _BLANKS) & (skip_characters(padded, starts, _QUOTES) < ends)
    return np.where(is_left_over, ends, starts)


def without_left_over(text: str) -> str:
    """Return a text without blanks at its beginning and without the left-over of `after_left_over`."""
    text = text.lstrip(BLANKS)
    rest = text.lstrip(LEFT_OVER + QUOTES)
    is_left_over = rest[:1] in tuple(BLANKS) and len(rest) < len(text.lstrip(QUOTES))
    return rest.lstrip(BLANKS) if is_left_over else text


def skip_characters(padded: Bytes, places: Offsets, characters: NDArray[np.int64]) -> Offsets:
    """Return, for each byte offset, the first one from it on with none of the given characters."""
    places = places.copy()
    running = np.arange(len(places))
    while running.size:
        codes, lengths = code_points(padded, places[running])
        is_skipped = is_among(codes, characters)
        running = running[is_skipped]
        places[running] += lengths[is_skipped]
    return places


def _is_abbreviated(padded: Bytes, starts: Offsets, stops: Offsets, words: Offsets, marks: Offsets) -> Mask:
    """Return, for each mark, whether it is the full stop of an initial or an abbreviation."""
    stopped = np.flatnonzero((stops[words] == marks) & (padded[marks] == ord(".")))
    start, stop = starts[words[stopped]], stops[words[stopped]]
    last = character_starts(padded, stop - 1)
    is_initial = (last == start) | is_among(padded[last - 1], _JOINERS)
    is_initial[is_initial] = _property(str.isalpha, code_points(padded, last[is_initial])[0])
    lengths = stop - start
    short = np.flatnonzero(~is_initial & (lengths <= WORD_BYTES))
    eights: NDArray[np.uint64] = np.ndarray((len(padded) - WORD_BYTES + 1,), "<u8", padded, strides=(1,))
    masks = _MASKS[lengths[short]]
    folded = (eights[start[short]] & masks) | (LOWER & masks)
    following = padded[starts[words[stopped[short]] + 1]]
    is_numbered = is_among(folded, _BEFORE_NUMBERS) & (following >= ord("0")) & (following <= ord("9"))
    is_initial[short] = is_among(folded, _ABBREVIATIONS) | is_numbered
    abbreviated = np.zeros(len(words), np.bool_)
    abbreviated[stopped] = is_initial
    return abbreviated


def _may_begin(padded: Bytes, starts: Offsets) -> Mask:
    """Return, for each word, whether it can begin a sentence: not lower-case, or after an opening quote or bracket."""
    may = ~_property(str.islower, code_points(padded, starts)[0])
    others = np.flatnonzero(~may)
    before = character_starts(padded, starts[others] - 1)
    may[others] = is_among(code_points(padded, before)[0], _OPENING)
    return may


def _property(predicate: Callable[[str], bool], codes: NDArray[np.int64]) -> Mask:
    """Return, for each code point, whether the predicate is true; it is called once per distinct code point."""
    distinct = np.flatnonzero(np.bincount(codes))
    table = np.zeros(int(codes.max(initial=0)) + 1, np.bool_)
    table[distinct] = [predicate(chr(code)) for code in distinct.tolist()]
    return table[codes]


def _code_points(characters: str) -> NDArray[np.int64]:
    return np.array(sorted(map(ord, characters)), np.int64)


_MARKS, _WIDE_MARKS, _ENDINGS = _code_points(MARKS), _code_points(WIDE_MARKS), _code_points(MARKS + CLOSING)
_QUOTES, _LEFT_OVER_AND_QUOTES = _code_points(QUOTES), _code_points(LEFT_OVER + QUOTES)
_OPENING, _BLANKS, _JOINERS = _code_points(OPENING), _code_points(BLANKS), _code_points(JOINERS)
_SHORT_MARKS = [ord(mark) for mark in MARKS if mark.isascii()]
# Lowest first byte of the marks beyond ASCII.
_LONG_MARK = min(mark.encode()[0] for mark in MARKS if not mark.isascii())
_ASCII_ALPHANUMERIC = np.array([chr(byte).isalnum() and byte < 0x80 for byte in range(256)])
_MASKS = np.array([(1 << 8 * length) - 1 for length in range(WORD_BYTES + 1)], np.uint64)
_ABBREVIATIONS, _BEFORE_NUMBERS = (
    np.array(sorted(int.from_bytes(word.encode(), "little") for word in words), np.uint64)
    for words in (ABBREVIATIONS, BEFORE_NUMBERS)
)
