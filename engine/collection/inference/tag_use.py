"""How each tag of a vocabulary is used: counts over a sample of documents, which decide what the tag means.

Counts of a tag are over its elements, roots left out. Words are runs of letters and digits, an element's own text is
the text directly in it. Nothing depends on the order of the documents.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from string import ascii_lowercase, ascii_uppercase

import numpy as np

from engine.arrays import FloatArray, Mask, Rows, distinct
from engine.collection.markup.attributes import MarkupAttributes, scan_attributes
from engine.collection.markup.markup_tree import BORDER, find_text, find_tree, local_names
from engine.text.utf8 import Bytes
from engine.text.vocabulary import number_slices
from engine.threads import cached_property

# Bytes by kind; those of letters beyond ASCII all count as letters.
_CODES = np.arange(256)
IS_SPACE = np.isin(_CODES, list(b" \t\r\n"))
IS_LETTER = np.array([code >= 0x80 or chr(code).isalpha() for code in range(256)], np.bool_)
IS_WORD = IS_LETTER | np.isin(_CODES, list(b"0123456789"))
IS_CAPITAL, IS_SMALL = (
    np.frombuffer(letters, np.uint8) for letters in (ascii_uppercase.encode(), ascii_lowercase.encode())
)
IS_ROMAN = np.isin(_CODES, list(b"IVXLCDM"))
IS_END = np.isin(_CODES, list(b".!?;"))  # of a sentence or a clause

# Words from which an own text is prose, and up to which a text is a number or label before a title.
PROSE, NUMBER = 6, 2
# Words up to which texts are compared, and from which one is a sentence if it ends like one.
SHORT, SENTENCE = 30, 5
_NONE = np.int64(-1)
# Signs that follow a word without a blank.
CLOSING = np.frombuffer(b".,;:!?)]%", np.uint8)
# Letters at the end of a text, and at its beginning; words that no tag touches; bytes around a tag that are looked at.
_LAST, _FIRST = re.compile(rb"[A-Za-z\x80-\xff]*$"), re.compile(rb"\x01*([A-Za-z\x80-\xff]*)")
_APART = re.compile(rb"(?<![A-Za-z\x80-\xff\x01])[A-Za-z\x80-\xff]+(?![A-Za-z\x80-\xff\x01])")
_AROUND = 60


class TagUse:
    """The elements of a sample in columns, shape (n_elements,), and sums of them by tag."""

    def __init__(self, markups: Sequence[bytes], skipped: Collection[str] = ()) -> None:
        """Count the tags in documents given as canonical markup, as `xml_reader.read_markup` returns it.

        Args:
            skipped: tags in which no text counts.
        """
        self.n_documents = len(markups)
        markup = b"".join(markups)
        tree = find_tree(markup)
        tags = tree.tags
        self.names, self.tag = local_names(markup, tree)
        self.parent, self.end, self.depth = tree.parent, tree.end, tree.depth
        self.has_prefix = _prefixed(markup, tags.opens[tags.starts], tree.name_ends)
        self.is_root: Mask = tree.depth == 1
        text = find_text(markup, tags)
        self._text, self._starts, self._ends = text.encoded, tags.starts, tags.ends
        self._borders = text.borders
        self._markup, self._start_tags = markup, (tags.opens[tags.starts], tags.closes[tags.starts])
        owner = tags.elements.copy()
        owner[tags.ends] = tree.parent
        n_elements = len(self.tag)
        is_skipped = np.array([name in skipped for name in self.names], np.bool_)[self.tag]
        self._chunks = _Chunks(text.encoded, text.borders, tags.starts[is_skipped], tags.ends[is_skipped])

        words = self._chunks.words
        self._words_before = np.append(0, np.cumsum(words))
        self.own_words = np.bincount(owner, words, n_elements).astype(np.int64)
        is_prose = self.own_words[owner] >= PROSE
        self._prose_before = np.append(0, np.cumsum(words * is_prose))
        self.words: Rows = self._words_before[tags.ends] - self._words_before[tags.starts]

        has_text = self._chunks.has_text
        self.has_own_text: Mask = np.bincount(owner, has_text, n_elements) > 0
        before, after = tags.starts - 1, tags.ends
        of_parent = (self.own_words[tree.parent] > 0) & ~self.is_root
        self.has_before: Mask = has_text[before] & of_parent
        self.has_after: Mask = has_text[after] & of_parent
        self.in_line: Mask = self.has_before | self.has_after
        self.touches: Mask = of_parent & self._touches(before, after)
        self.continues_after: Mask = of_parent & self._chunks.begins_word[after]
        self.on_own_line: Mask = self._chunks.ends_line[before] & self._chunks.begins_line[after]

    @cached_property
    def _by_tag(self) -> tuple[Rows, Rows]:
        """The elements by tag, and how many of them come before those of each."""
        return np.argsort(self.tag, kind="stable"), np.append(
            0, np.bincount(self.tag, minlength=len(self.names)).cumsum()
        )

    def rows_of(self, tag: int, which: Mask) -> Rows:
        """Return those elements of a tag that a mask has, ascending."""
        order, begins = self._by_tag
        rows: Rows = order[begins[tag] : begins[tag + 1]]
        return rows[which[rows]]

    @cached_property
    def attributes(self) -> MarkupAttributes:
        """All attributes of the sample."""
        return scan_attributes(self._markup, *self._start_tags)

    @cached_property
    def begins(self) -> Rows:
        """The number of words before each element in its parent."""
        found: Rows = self._words_before[self._starts] - self._words_before[self._starts[self.parent]]
        return found

    @cached_property
    def words_after(self) -> Rows:
        """The number of words after each element in its parent."""
        found: Rows = self._words_before[self._ends[self.parent]] - self._words_before[self._ends]
        return found

    @cached_property
    def prose_after(self) -> Rows:
        """The number of words of prose after each element in its parent."""
        found: Rows = self._prose_before[self._ends[self.parent]] - self._prose_before[self._ends]
        return found

    @cached_property
    def prose(self) -> Rows:
        """The number of words of prose in each element."""
        found: Rows = self._prose_before[self._ends] - self._prose_before[self._starts]
        return found

    @cached_property
    def following(self) -> Rows:
        """The next sibling of each element that has words, -1 for none."""
        found = np.full(len(self.tag), _NONE)
        rows = np.flatnonzero((self.words > 0) & ~self.is_root)
        rows = rows[np.argsort(self.parent[rows], kind="stable")]
        is_beside = self.parent[rows[1:]] == self.parent[rows[:-1]]
        found[rows[:-1][is_beside]] = rows[1:][is_beside]
        return found

    @cached_property
    def preceding(self) -> Rows:
        """The sibling before each element that has words, -1 for none."""
        found = np.full(len(self.tag), _NONE)
        has = np.flatnonzero(self.following >= 0)
        found[self.following[has]] = has
        return found

    @cached_property
    def n_alike(self) -> Rows:
        """The number of children with the tag of each element, and with words, that its parent has."""
        key = self.parent * len(self.names) + self.tag
        chosen = (self.words > 0) & ~self.is_root
        chosen_keys = key[chosen]
        in_order = np.sort(chosen_keys)
        last, first = in_order.searchsorted(chosen_keys, "right"), in_order.searchsorted(chosen_keys)
        found = np.ones(len(self.tag), np.int64)
        found[chosen] = last - first
        return found

    @cached_property
    def has_end(self) -> Mask:
        """Whether each element ends as a sentence or clause does."""
        found: Mask = IS_END[self._chunks.last_signs[self._ends]]
        return found

    @cached_property
    def is_sentence(self) -> Mask:
        """Whether each element ends as a sentence does, and is long enough for one."""
        found: Mask = self.has_end & (self.words >= SENTENCE)
        return found

    @cached_property
    def is_question(self) -> Mask:
        """Whether each element ends with a question mark."""
        found: Mask = self._chunks.last_signs[self._ends] == ord("?")
        return found

    @cached_property
    def is_statement(self) -> Mask:
        """Whether each element is a sentence and no question."""
        found: Mask = self.is_sentence & ~self.is_question
        return found

    @cached_property
    def is_lettered(self) -> Mask:
        """Whether most words of each element have letters: the others are numbers, dates and codes."""
        lettered = np.append(0, np.cumsum(self._chunks.lettered))
        n = lettered[self._ends] - lettered[self._starts]
        found: Mask = 2 * n > self.words
        return found

    @cached_property
    def is_numeral(self) -> Mask:
        """Whether each element is a Roman numeral or a single letter, with or without signs."""
        others = np.append(0, np.cumsum(IS_WORD[self._text] & ~IS_ROMAN[self._text]))
        marks = np.append(0, np.cumsum(IS_WORD[self._text]))
        begins, ends = self._borders[self._starts], self._borders[self._ends]
        no_others, one = others[begins] == others[ends], marks[ends] - marks[begins] == 1
        found: Mask = (self.words == 1) & (no_others | one)
        return found

    @cached_property
    def is_code(self) -> Mask:
        """Whether each element is one word with digits, as an inventory number is."""
        digits = np.append(0, np.cumsum(IS_WORD[self._text] & ~IS_LETTER[self._text]))
        found: Mask = (self.words == 1) & (digits[self._borders[self._starts]] < digits[self._borders[self._ends]])
        return found

    @cached_property
    def numbers_of_texts(self) -> Rows:
        """A number of the text of each short element, equal for equal texts; -1 for others."""
        found = np.full(len(self.tag), _NONE)
        rows = np.flatnonzero((self.words > 0) & (self.words <= SHORT))
        if len(rows):
            begins, ends = self._borders[self._starts[rows]] + 1, self._borders[self._ends[rows]]
            found[rows] = number_slices(self._text.tobytes(), begins, ends)[0]
        return found

    @cached_property
    def n_bytes(self) -> Rows:
        """The length of the text of each element, in bytes with one for each border."""
        found: Rows = np.maximum(self._borders[self._ends] - self._borders[self._starts] - 1, 0)
        return found

    def text(self, row: int) -> bytes:
        """Return the text of an element, with a byte for each border."""
        return self._text[self._borders[self._starts[row]] + 1 : self._borders[self._ends[row]]].tobytes()

    @cached_property
    def words_apart(self) -> frozenset[bytes]:
        """The words of the sample, in lower case, that no tag touches."""
        return frozenset(_APART.findall(self._text.tobytes().lower()))

    def letters_around(self, row: int) -> tuple[bytes, bytes]:
        """Return the letters before an element and those after it, in lower case, up to the next sign or tag."""
        before, after = self._borders[self._starts[row]], self._borders[self._ends[row]] + 1
        left = _LAST.search(self._text[max(0, before - _AROUND) : before].tobytes().lower())
        right = _FIRST.match(self._text[after : after + _AROUND].tobytes().lower())
        return left[0] if left else b"", right[1] if right else b""

    @cached_property
    def adjoins(self) -> Rows:
        """The sibling that begins where each element ends, nothing between, both with words; -1 for none."""
        following = self.following
        is_next = (following >= 0) & (self._starts[following] == self._ends + 1)
        borders = self._borders
        is_next &= borders[self._starts[following]] == borders[self._ends] + 1
        return np.where(is_next, following, _NONE)

    @cached_property
    def goes_on_in_next(self) -> Mask:
        """Whether a blank ends each element or begins the one that adjoins it, or a sign that follows words does."""
        places, is_border = np.arange(len(self._text)), self._text == BORDER
        last = np.maximum.accumulate(np.where(is_border, 0, places))[self._borders[self._ends]]
        first = np.minimum.accumulate(np.where(is_border, len(places) - 1, places)[::-1])[::-1]
        after = first[self._borders[self._starts[self.adjoins]]]
        goes_on = IS_SPACE[self._text[last]] | IS_SPACE[self._text[after]] | np.isin(self._text[after], CLOSING)
        found: Mask = (self.adjoins >= 0) & goes_on
        return found

    @cached_property
    def begins_in_capital(self) -> Mask:
        """Whether each element begins with a capital letter right after a small one, of text or of a sibling."""
        before, first = self._borders[self._starts], self._borders[self._starts] + 1
        last = np.maximum.accumulate(np.where(self._text == BORDER, -1, np.arange(len(self._text))))
        small = np.isin(self._text[np.maximum(last[np.maximum(before - 1, 0)], 0)], IS_SMALL)
        is_capital = np.isin(self._text[np.minimum(first, len(self._text) - 1)], IS_CAPITAL)
        is_beside = self.touches | ((self.own_words[self.parent] > 0) & (self.begins > 0))
        found: Mask = is_beside & small & is_capital & ~self.is_root
        return found

    def n(self, which: Mask) -> Rows:
        """Return how many elements of each tag a mask chooses, shape (n_tags,)."""
        return np.bincount(self.tag[which], minlength=len(self.names))

    def share(self, which: Mask, among: Mask) -> FloatArray:
        """Return the share of the chosen elements of each tag among others, 0 where there are none."""
        n = self.n(among)
        return np.where(n > 0, self.n(which & among) / np.maximum(n, 1), 0.0)

    def mean(self, values: Rows, among: Mask) -> FloatArray:
        """Return the mean of a column over some elements of each tag, 0 where there are none."""
        sums = np.bincount(self.tag[among], values[among], len(self.names))
        return np.where(self.n(among) > 0, sums / np.maximum(self.n(among), 1), 0.0)

    def distinct_share(self, among: Mask) -> FloatArray:
        """Return the number of different texts of each tag by that of its short elements, 0 where there are none."""
        among = among & (self.numbers_of_texts >= 0)
        most = int(self.numbers_of_texts.max(initial=0)) + 1
        pairs = distinct(self.tag[among] * most + self.numbers_of_texts[among])
        kinds = np.bincount(pairs // most, minlength=len(self.names))
        return np.where(self.n(among) > 0, kinds / np.maximum(self.n(among), 1), 0.0)

    def _touches(self, before: Rows, after: Rows) -> Mask:
        """Return which elements continue a word of the text around them, or are empty inside one."""
        chunks, has_text = self._chunks, self._chunks.has_text
        inner_first, inner_last = self._starts, self._ends - 1  # chunks
        is_empty = (self._ends <= self._starts) | (self.words == 0)
        joins_before = chunks.ends_word[before] & chunks.begins_word[inner_first]
        joins_after = chunks.ends_word[inner_last] & chunks.begins_word[after]
        joins_across = chunks.ends_word[before] & chunks.begins_word[after]
        return np.where(is_empty, joins_across, joins_before | joins_after) & (has_text[before] | has_text[after])


def _prefixed(markup: bytes, opens: Rows, name_ends: Rows) -> Mask:
    """Return which elements have a prefix in their name."""
    codes = np.frombuffer(markup, np.uint8)
    colons = np.flatnonzero(codes == ord(":"))
    following = np.append(colons, len(codes))[np.searchsorted(colons, opens)]
    return following < name_ends


class _Chunks:
    """The texts between two tags, in columns: each follows the tag of its number; the last one is empty."""

    def __init__(self, encoded: Bytes, borders: Rows, first_skipped: Rows, after_skipped: Rows) -> None:
        """Find the texts between tags; those from some tags on, up to others, do not count as text."""
        is_border = encoded == BORDER
        is_word, is_space = IS_WORD[encoded], IS_SPACE[encoded]
        is_letter = IS_LETTER[encoded]
        begins, ends = borders + 1, np.append(borders[1:], len(encoded))
        previous = np.append(False, is_word[:-1])
        starts_word = is_word & ~previous
        n = len(borders) + 1
        opened = np.cumsum(np.bincount(first_skipped, minlength=n) - np.bincount(after_skipped, minlength=n))
        is_text = opened[: len(borders)] == 0
        self.words: Rows = _sums(starts_word, begins, ends) * is_text
        letter_before = np.append(False, is_letter[:-1])
        self.lettered: Rows = np.minimum(_sums(is_letter & ~letter_before, begins, ends), self.words)
        self.has_text: Mask = (_sums(~(is_space | is_border), begins, ends) > 0) & is_text
        first, last = np.minimum(begins, len(encoded) - 1), np.maximum(ends - 1, 0)
        is_full = ends > begins
        self.begins_word: Mask = is_full & is_word[first]
        self.ends_word: Mask = is_full & is_word[last]
        places = np.arange(len(encoded))
        newlines = encoded == ord("\n")
        shown = ~(is_space | is_border)
        last_shown = np.maximum.accumulate(np.where(shown, places, -1))
        last_newline = np.maximum.accumulate(np.where(newlines, places, -1))
        next_shown = np.minimum.accumulate(np.where(shown, places, len(encoded))[::-1])[::-1]
        next_newline = np.minimum.accumulate(np.where(newlines, places, len(encoded))[::-1])[::-1]
        self.ends_line: Mask = last_newline[last] > last_shown[last]
        self.begins_line: Mask = next_newline[first] < next_shown[first]
        shown_before = last_shown[np.maximum(borders - 1, 0)]
        # The last byte before the tag of the same number that is shown, 0 for none.
        self.last_signs: Bytes = np.where(shown_before >= 0, encoded[np.maximum(shown_before, 0)], 0)


def _sums(which: Mask, begins: Rows, ends: Rows) -> Rows:
    before = np.append(0, np.cumsum(which))
    found: Rows = before[ends] - before[begins]
    return found
