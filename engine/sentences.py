"""Where sentences end, found on the bytes of a whole batch of texts.

A sentence ends behind a mark and the marks, closing quotes and brackets that follow it, where white space comes next
(behind a mark of Chinese or Japanese it need not) and the next word begins with anything but a lower-case letter, or
has an opening quote or bracket before it. A full stop directly behind an initial or a usual abbreviation is none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.analysis import JOINERS, Bytes, Offsets

WIDE_MARKS = "。！？｡．"
MARKS = f".!?…؟۔।{WIDE_MARKS}"
CLOSING = "\"'”’“»«›‹)]}）」』】〉》〕］｝"
OPENING = "\"'“‘„‚”«»‹›([{¿¡（「『【〈《〔［｛"
BLANKS = " \t\n\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
# what a capital or a number often follows within a sentence: of names, references and quantities, at most 8 letters;
# what stands at the end as often as inside (etc, usw) is not one of them; initials (e.g., z.B.) need not be
ABBREVIATIONS = (
    *("al", "cf", "viz", "vs", "resp", "incl", "approx", "ca", "bzw", "vgl", "ggf", "evtl", "inkl"),
    *("fig", "figs", "eq", "eqs", "eqn", "tab", "vol", "pp", "ref", "refs", "abb", "suppl"),
    *("dr", "mr", "mrs", "ms", "prof", "st", "jr", "sr", "hr", "fr", "ed", "eds", "hrsg", "inc", "ltd", "dept", "univ"),
)
BEFORE_NUMBERS = ("no", "nos", "nr", "art", "ch", "sec")  # words, too, but where a digit follows

PADDING = 8  # bytes that may be read past the end
WORD_BYTES = 8  # bytes of a word that are compared with the abbreviations
LOWER = np.uint64(0x2020202020202020)  # makes ASCII letters lower-case, eight at a time


class SentenceBorders(NamedTuple):
    """Words that begin a sentence, ascending, and the places at which the sentences before them end (bytes)."""

    words: Offsets
    ends: Offsets


def find_sentences(encoded: Bytes, starts: Offsets, stops: Offsets, texts: NDArray[np.int64]) -> SentenceBorders:
    """Return where sentences begin within texts; the first sentence of each text is not among them.

    Args:
        encoded: UTF-8 of all texts, in which something that is no blank stands between two of them.
        starts, stops: where words stand in it; `texts` gives, a word, the number of its text.
    """
    padded = np.concatenate([encoded, np.zeros(PADDING, np.uint8)])
    may_be_mark = encoded >= _LONG_MARK
    for mark in _SHORT_MARKS:
        may_be_mark |= encoded == mark
    marks = np.flatnonzero(may_be_mark)
    marks = marks[~(_ASCII_ALPHANUMERIC[padded[marks + 1]] & (padded[marks] < 0x80))]  # 3.14, e.g, example.org
    codes, lengths = _characters(padded, marks)
    is_mark = np.isin(codes, _MARKS)
    marks, codes, lengths = marks[is_mark], codes[is_mark], lengths[is_mark]

    following = np.searchsorted(starts, marks, side="right")
    before = following - 1
    between = (following > 0) & (following < len(starts))
    between &= stops[before] <= marks if len(stops) else False
    between[between] = texts[before[between]] == texts[following[between]]
    between[between] = ~_is_abbreviated(padded, starts, stops, before[between], marks[between])
    between[between] = _may_begin(padded, starts[following[between]])
    marks, codes, lengths, following = marks[between], codes[between], lengths[between], following[between]

    ends = behind(padded, marks + lengths, _ENDINGS)
    ended = np.isin(codes, _WIDE_MARKS) | np.isin(_characters(padded, ends)[0], _BLANKS)
    ends, following = ends[ended], following[ended]
    is_last = np.append(following[1:] != following[:-1], np.ones(min(len(following), 1), np.bool_))
    return SentenceBorders(following[is_last], ends[is_last])


def trimmed(encoded: Bytes, starts: Offsets, ends: Offsets) -> tuple[Offsets, Offsets]:
    """Return places in a text moved on (starts) and back (ends) over the blanks that stand there."""
    padded = np.concatenate([encoded, np.zeros(PADDING, np.uint8)])
    ends = ends.copy()
    running = np.flatnonzero(ends > 0)
    while running.size:
        last = ends[running] - 1
        for _ in range(3):
            last -= (padded[last] & 0xC0) == 0x80
        is_blank = np.isin(_characters(padded, last)[0], _BLANKS)
        running = running[is_blank]
        ends[running] = last[is_blank]
    return behind(padded, starts, _BLANKS), ends


def behind(padded: Bytes, places: Offsets, characters: NDArray[np.int64]) -> Offsets:
    """Return the first place from each on where none of the characters stands."""
    places = places.copy()
    running = np.arange(len(places))
    while running.size:
        codes, lengths = _characters(padded, places[running])
        stands = np.isin(codes, characters)
        running = running[stands]
        places[running] += lengths[stands]
    return places


def _characters(padded: Bytes, places: Offsets) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the code point of the character that begins at each place, and how many bytes it has."""
    codes = padded[places].astype(np.int64)
    lengths = np.ones(len(places), np.int64)
    long = np.flatnonzero(codes >= 0x80)
    if long.size:
        lead = codes[long]
        length = 2 + (lead >= 0xE0) + (lead >= 0xF0)
        code = lead & (0x7F >> length)
        for distance in range(1, 4):
            longer = np.flatnonzero(length > distance)
            code[longer] = code[longer] << 6 | padded[places[long[longer]] + distance] & 0x3F
        codes[long], lengths[long] = code, length
    return codes, lengths


def _is_abbreviated(
    padded: Bytes, starts: Offsets, stops: Offsets, words: Offsets, marks: Offsets
) -> NDArray[np.bool_]:
    """Return which marks are the full stop of an initial or an abbreviation."""
    stopped = np.flatnonzero((stops[words] == marks) & (padded[marks] == ord(".")))
    start, stop = starts[words[stopped]], stops[words[stopped]]
    last = stop - 1
    for _ in range(3):
        last -= (padded[last] & 0xC0) == 0x80
    is_initial = (last == start) | np.isin(padded[last - 1], _JOINERS)
    is_initial[is_initial] = _that(str.isalpha, _characters(padded, last[is_initial])[0])
    lengths = stop - start
    short = np.flatnonzero(~is_initial & (lengths <= WORD_BYTES))
    eights: NDArray[np.uint64] = np.ndarray((len(padded) - WORD_BYTES + 1,), "<u8", padded, strides=(1,))
    masks = _MASKS[lengths[short]]
    folded = (eights[start[short]] & masks) | (LOWER & masks)
    following = padded[starts[words[stopped[short]] + 1]]
    is_numbered = np.isin(folded, _BEFORE_NUMBERS) & (following >= ord("0")) & (following <= ord("9"))
    is_initial[short] = np.isin(folded, _ABBREVIATIONS) | is_numbered
    abbreviated = np.zeros(len(words), np.bool_)
    abbreviated[stopped] = is_initial
    return abbreviated


def _may_begin(padded: Bytes, starts: Offsets) -> NDArray[np.bool_]:
    """Return which words can begin a sentence: those that begin with no lower-case letter, or behind an opening one."""
    may = ~_that(str.islower, _characters(padded, starts)[0])
    others = np.flatnonzero(~may)
    before = starts[others] - 1
    for _ in range(3):
        before -= (padded[before] & 0xC0) == 0x80
    may[others] = np.isin(_characters(padded, before)[0], _OPENING)
    return may


def _that(claim: Callable[[str], bool], codes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return of which code points a claim is true; it is asked once a distinct one."""
    distinct = np.flatnonzero(np.bincount(codes))
    table = np.zeros(int(codes.max(initial=0)) + 1, np.bool_)
    table[distinct] = [claim(chr(code)) for code in distinct.tolist()]
    return table[codes]


def _code_points(characters: str) -> NDArray[np.int64]:
    return np.array(sorted(map(ord, characters)), np.int64)


_MARKS, _WIDE_MARKS, _ENDINGS = _code_points(MARKS), _code_points(WIDE_MARKS), _code_points(MARKS + CLOSING)
_OPENING, _BLANKS, _JOINERS = _code_points(OPENING), _code_points(BLANKS), _code_points(JOINERS)
_SHORT_MARKS = [ord(mark) for mark in MARKS if mark.isascii()]
_LONG_MARK = min(mark.encode()[0] for mark in MARKS if not mark.isascii())  # no other begins with a lower byte
_ASCII_ALPHANUMERIC = np.array([chr(byte).isalnum() and byte < 0x80 for byte in range(256)])
_MASKS = np.array([(1 << 8 * length) - 1 for length in range(WORD_BYTES + 1)], np.uint64)
_ABBREVIATIONS, _BEFORE_NUMBERS = (
    np.array([int.from_bytes(word.encode(), "little") for word in words], np.uint64)
    for words in (ABBREVIATIONS, BEFORE_NUMBERS)
)
