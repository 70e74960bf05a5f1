"""Inline tags of a vocabulary, by use.

Rule: an element stands in a line if text of its parent touches it. A tag is inline if its elements stand in lines at
least as often as beside other elements of parents without text of their own, and not usually alone in a parent, hold no
blocks, are no sentences and have no lines of their own. If elements continue words, half of the evidence is enough.
So is a tag of runs, of which a parent without text of its own consists: most that are not alone there adjoin one
another, with the blanks between words in them, and are no sentences where the parent is one; or they adjoin such runs.

Words end at an empty element if what is on both sides of it is written as two words elsewhere, not as one; where it is
written nowhere, if the tag's name says so. They end at a tag that begins in a capital after a small letter, and before
phrases that no letter follows, as parts of a title.
"""

from __future__ import annotations

import re

import numpy as np

from engine.arrays import FloatArray, Mask, Rows
from engine.collection.inference.tag_use import TagUse
from engine.collection.profiles.profile import MATH, MATHML
from engine.records import NamedTuple

# Mean words from which an element is no part of a line, and from which a sentence in a line is one of its own.
LONGEST, LONG_SENTENCE = 25, 6
# Share of elements in lines that may have lines of their own, be sentences, or hold blocks.
OWN_LINES, SENTENCES, BLOCKS = 0.5, 0.5, 0.1
# Share of the elements of a tag that have text of their own, from which it is running text.
RUNNING = 0.4
# Share of elements with words in lines: a tag that is usually all that a cell holds is as good an element as the cell.
IN_LINES = 0.4
# Share of elements of a tag in inline ones, from which it is inline, as the letters of a formula are.
INSIDE = 0.8
# Mean words of phrases, which continue no word.
PHRASE = 2
# Runs of a tag that adjoin others, at least; the share of them of which the rule has to hold, and of those in a parent
# with other words that adjoin.
SEVERAL_RUNS, MOST_RUNS = 5, 0.6
# Empty elements of a tag around which words are looked at.
LOOKED_AT = 200
# Names of empty elements, or of parts of these, at which words end.
BREAKS = frozenset(
    ("br", "brk", "lb", "pb", "cb", "break", "linebreak", "newline", "nl", "tab", "pagebreak", "columnbreak")
)


class Inline(NamedTuple):
    """Inline tags, those of them that end words, and the counts by which this was decided, shape (n_tags,)."""

    tags: Mask
    breaks: Mask
    in_line: Rows
    beside: Rows


def find_inline(use: TagUse, is_open: Mask, given: Mask) -> Inline:
    """Return the inline tags.

    Args:
        is_open: tags that are to be decided, shape (n_tags,). given: those that a profile says are inline.
    """
    has_words = use.words > 0
    is_running = use.share(use.own_words > 0, has_words) >= RUNNING
    parent_is_running = is_running[use.tag[use.parent]] | given[use.tag[use.parent]]
    is_alone = use.words[use.parent] == use.words
    in_line = use.in_line & ~use.is_root
    beside = ~use.in_line & ~is_alone & ~parent_is_running & ~use.is_root & (has_words | (use.words[use.parent] > 0))
    n_in_line, n_beside = use.n(in_line), use.n(beside)
    in_foreign = use.has_prefix & parent_is_running & has_words & ~use.is_root
    n_foreign = use.n(in_foreign) if given.any() else np.zeros(len(use.names), np.int64)

    continues = use.share(use.touches, in_line) >= 0.25
    enough = np.where(continues, 0.5, 1.0) * n_beside
    found = is_open & (n_in_line + n_foreign > 0) & (n_in_line + n_foreign >= enough)
    found &= (use.share(in_line, has_words) >= IN_LINES) | continues | (use.n(has_words) == 0) | (n_foreign > 0)
    found &= use.mean(use.words, in_line | in_foreign) <= LONGEST
    own_lines = use.share(use.on_own_line, in_line)
    sentences = use.share(use.is_sentence, in_line & has_words)
    lengths = use.mean(use.words, in_line & has_words)
    found &= (own_lines < OWN_LINES) | continues
    found &= ~((sentences >= SENTENCES) & (lengths >= LONG_SENTENCE))
    found |= is_open & _runs(use)
    in_those = use.share((found | given)[use.tag[use.parent]], ~use.is_root)
    found |= is_open & (in_those >= INSIDE)
    found = _without_blocks(use, found, given)
    return Inline(found, _breaks(use, found), n_in_line, n_beside)


def _runs(use: TagUse) -> Mask:
    """Return the tags of runs, on either side of places where two adjoin, and those that mostly adjoin runs."""
    left = np.flatnonzero((use.adjoins >= 0) & (use.own_words[use.parent] == 0) & ~use.is_root[use.parent])
    if len(left) < SEVERAL_RUNS:
        return np.zeros(len(use.names), np.bool_)
    goes_on = use.goes_on_in_next[left] & use.is_sentence[use.parent[left]] & ~use.is_sentence[left]
    right = use.adjoins[left]
    goes_on &= (use.n_alike[left] > 1) | (use.n_alike[right] > 1)  # fields of a record occur once
    tags = use.tag[left], use.tag[right]
    n_tags = len(use.names)
    adjoining = np.zeros(len(use.tag), np.bool_)
    adjoining[left] = adjoining[right] = True
    mostly_adjoin = use.share(adjoining, (use.words > 0) & (use.words < use.words[use.parent])) >= MOST_RUNS
    n: Rows = np.bincount(np.concatenate(tags), minlength=n_tags)
    n_running: Rows = np.bincount(np.concatenate([each[goes_on] for each in tags]), minlength=n_tags)
    found: Mask = (n_running >= SEVERAL_RUNS) & (n_running >= MOST_RUNS * n) & mostly_adjoin
    beside: Rows = np.bincount(
        np.concatenate([these[found[those]] for these, those in (tags, tags[::-1])]), minlength=n_tags
    )
    found |= (beside >= SEVERAL_RUNS) & (beside >= MOST_RUNS * n) & mostly_adjoin
    return found


def _without_blocks(use: TagUse, found: Mask, given: Mask) -> Mask:
    """Return the tags that hold no elements with words of other tags, again and again until none is left out."""
    while True:
        is_inline = found | given
        is_block = ~is_inline[use.tag] & (use.words > 0) & ~use.is_root
        holders = np.zeros(len(use.tag), np.bool_)
        holders[use.parent[is_block]] = True
        kept = found & (use.share(holders, use.words > 0) <= BLOCKS)
        if np.array_equal(kept, found):
            return found
        found = kept


def formula_tags(use: TagUse) -> Mask:
    """Return the tags of MathML that lie in formulas, and that of formulas, shape (n_tags,)."""
    is_formula = np.array([name == MATH for name in use.names], np.bool_)[use.tag]
    within = np.maximum.accumulate(np.where(is_formula, use.end, 0))
    is_known = np.array([name in MATHML for name in use.names], np.bool_)
    inside: Mask = is_known & (use.share(np.arange(len(use.tag)) < within, ~use.is_root) >= INSIDE)
    return inside


def _breaks(use: TagUse, found: Mask) -> Mask:
    """Return the inline tags that end words: empty ones, those that begin in capitals, phrases, and marks of notes.

    A mark is of digits or signs after a word, and no letter follows it; H2O has one that a letter follows. So is the
    number with which a parent begins.
    """
    is_empty = use.mean(use.words, ~use.is_root) == 0
    ends_words = np.array([is_break_name(name) for name in use.names], np.bool_)
    for tag in np.flatnonzero(found & is_empty).tolist():
        rows = use.rows_of(tag, use.touches)[:LOOKED_AT]
        n_apart = sum(_ends_word(use, row) for row in rows.tolist())
        ends_words[tag] = n_apart > 0 if n_apart else ends_words[tag]
    no_letters: FloatArray = 1 - use.share(use.is_lettered, use.words > 0)
    marks = (no_letters > 0.8) & (use.n(use.words > 0) > 0)
    marks &= use.share(use.touches, use.in_line) >= 0.5
    begins = use.share(~use.has_before & (use.begins == 0), use.in_line) > 0.8
    ends_line = use.share(use.continues_after, use.in_line) < 0.2
    marks &= ends_line | begins
    begun = use.touches | use.begins_in_capital
    marks |= (use.share(use.begins_in_capital, begun) > 0.8) & (use.n(begun) > 1)
    phrases = ends_line & (use.mean(use.words, use.touches) >= PHRASE) & (use.n(use.touches) > 1)
    marks |= phrases & (use.share(use.touches & use.has_before, use.in_line) > 0.5)
    ending: Mask = found & ((ends_words & is_empty) | marks)
    return ending


def _ends_word(use: TagUse, row: int) -> int:
    """Return 1 if the letters on both sides of an element are two words elsewhere, -1 if they are one, 0 if neither."""
    left, right = use.letters_around(row)
    words = use.words_apart
    return -1 if left + right in words else int(left in words and right in words)


def is_break_name(name: str) -> bool:
    """Return whether a name is one of BREAKS, signs apart.

    >>> is_break_name("line-break"), is_break_name("soft-page-break")
    (True, False)
    """
    return re.sub(r"[-_.]", "", name).lower() in BREAKS
