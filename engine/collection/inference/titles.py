"""Titles, labels and headings of a vocabulary, by use.

Rule: a title is short, first in its parent (or after a number) and before more text; it differs from its siblings'.
Tags with the usual names need no more, unless they are items of lists. Others are titles if prose or a list follows
them, again and again in a document, or if they begin a document, alone or in a header of short fields. Short names that
recur before prose are speakers'. A heading is one that stands among several under one parent, each before longer text,
which it names.
"""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np

from engine.arrays import FloatArray, Mask, Rows
from engine.collection.inference.tag_use import NUMBER, PROSE, TagUse
from engine.collection.inference.title_names import (
    CAPTIONS,
    NAME_END,
    NO_TITLES,
    PARAGRAPHS,
    TERM_WORDS,
    is_label_name,
    is_title_name,
    words_of_name,
)
from engine.records import NamedTuple

LONGEST, LONG = 12, 25  # mean words of a title, and of one with a usual name
USUAL, MOSTLY, OFTEN, SOME, SELDOM = 0.8, 0.7, 0.6, 0.3, 0.15
SPEAKER, SEVERAL = 4, 3  # mean words of who speaks, and siblings of a list that a title heads
MOST_PARTS = 2  # children of a title
SHORT_TITLE = 5  # words after the first element of a document for each of it, if that is its title
NOTES = frozenset(("note", "notes", "comment", "remark", "company"))  # in a header, which they are no title of
ONCE = 1.2  # elements a document up to which a tag is used once in each


class Titles(NamedTuple):
    """Tags of titles, of labels, and of headings, the highest first; and counts of the decision, shape (n_tags,)."""

    titles: Mask
    labels: Mask
    headings: tuple[int, ...]
    first: Rows
    before_more: Rows
    repeated: Rows

    def without(self, tags: Collection[int]) -> Titles:
        """Return these without some tags."""
        is_kept = ~np.isin(np.arange(len(self.titles)), list(tags))
        headings = tuple(each for each in self.headings if each not in tags)
        return self._replace(titles=self.titles & is_kept, labels=self.labels & is_kept, headings=headings)


def _names(use: TagUse, test: frozenset[str]) -> Mask:
    return np.array([bool(words := words_of_name(name)) and words[-1] in test for name in use.names], np.bool_)


def _names_of_parts(use: TagUse) -> Mask:
    """Return which tags are named after a line or text of something, `summary-line`, which may be its title."""
    names = [words_of_name(name) for name in use.names]
    return np.array(
        [len(words) > 1 and words[-1] in ("line", "text") and NO_TITLES.isdisjoint(words[:-1]) for words in names],
        np.bool_,
    )


class _Tags:
    """What is counted of each tag to decide whether it is of titles, in columns of shape (n_tags,)."""

    def __init__(self, use: TagUse, is_inline: Mask) -> None:
        names = use.names
        self.use, self.has_words = use, (use.words > 0) & ~use.is_root
        self.is_usual: Mask = np.array([is_title_name(name) for name in names], np.bool_)
        self.is_label: Mask = np.array([is_label_name(name) for name in names], np.bool_)
        self.is_no_title: Mask = _names(use, NO_TITLES) & ~_names_of_parts(use)
        self.n = use.n(self.has_words)
        self.lengths = use.mean(use.words, self.has_words)
        self.distinct = use.distinct_share(self.has_words)
        recurring = ~self.is_usual & (self.n >= SEVERAL) & (self.distinct < USUAL)  # a category, place or day
        is_worded = use.is_lettered & ~use.is_numeral
        is_aside = ~is_worded | (self.is_label | self.is_no_title | recurring)[use.tag]
        self.is_first: Mask = self.has_words & _is_first(use, is_aside)
        least_after = np.maximum(use.words, NUMBER)
        wraps = (use.words[use.parent] - use.words <= NUMBER) & (use.begins[use.parent] <= NUMBER)
        wraps &= (use.words_after[use.parent] > least_after) & ~use.is_root[use.parent]
        self.is_before_more: Mask = self.is_first & ((use.words_after > least_after) | wraps)

        self.first = self.share(self.is_first)
        self.before_more = self.share(self.is_before_more)
        has_prose_after = (use.prose_after > 0) | (wraps & (use.prose_after[use.parent] > 0))
        self.before_prose = self.share(self.is_first & has_prose_after)
        self.repeated = self.share(use.n_alike > 1)
        self.after_same = self.share((use.preceding >= 0) & (use.tag[use.preceding] == use.tag))
        self.lettered = self.share(is_worded)
        self.in_line = self.share(use.in_line & ~(self.is_first & use.on_own_line))
        is_other = ~(self.is_usual | self.is_label | _names(use, NO_TITLES - PARAGRAPHS))
        self.is_leaf: Mask = _share_of_blocks(use, is_inline) <= 0.1
        self.holds_no_title: Mask = _share_of_blocks(use, is_inline | is_other) <= 0.1
        self.has_few_parts: Mask = _share_of_blocks(use, is_inline, MOST_PARTS) <= 0.1
        sentences = self.share(use.is_statement)
        self.is_short: Mask = (self.lengths <= LONGEST) & (sentences <= SELDOM)
        self.varies: Mask = (self.distinct >= OFTEN) | (self.n < SEVERAL)
        self.is_name_like: Mask = self.is_short & self.is_leaf & (self.lettered >= USUAL) & ~self.is_no_title
        self.is_name_like &= self.in_line < SOME

    def share(self, which: Mask) -> FloatArray:
        """Return the share of the elements of each tag that a mask chooses, of those with words."""
        return self.use.share(which, self.has_words)


def find_titles(use: TagUse, is_open: Mask, is_inline: Mask) -> Titles:
    """Return the tags of titles, labels and headings.

    Args:
        is_open: tags that are to be decided, shape (n_tags,). is_inline: inline tags, which are none of them.
    """
    tags = _Tags(use, is_inline)
    is_open = is_open & ~is_inline & (tags.n > 0)
    usual = _usual(tags)
    headings = is_open & _headings(tags, usual)
    titles = is_open & (usual | (_by_use(tags, usual) & ~headings))
    labels = is_open & _labels(tags, titles) & ~titles & ~headings
    titles |= is_open & _wrappers(use, titles | labels, tags.lengths)
    n_alike = use.n(tags.has_words & (use.n_alike > 1))
    return Titles(titles, labels, _ranked(use, headings), use.n(tags.is_first), use.n(tags.is_before_more), n_alike)


def _usual(tags: _Tags) -> Mask:
    """Return the tags of titles with a usual name."""
    use = tags.use
    more_in_parent = tags.share(_around(use) > use.words)
    found = tags.is_usual & (tags.lengths <= LONG) & (tags.in_line < 0.5) & ((tags.distinct >= 0.2) | (tags.n < 5))
    is_item = (tags.repeated >= USUAL) & (tags.after_same >= 0.5) & (tags.n >= SEVERAL)
    found &= tags.holds_no_title & tags.has_few_parts & ~is_item
    found &= (more_in_parent >= 0.5) | (tags.n <= ONCE * use.n_documents)
    is_name = np.array([NAME_END.match("".join(words_of_name(name))) is not None for name in use.names], np.bool_)
    names = is_name & (tags.first >= OFTEN) & (tags.before_more >= 0.5) & (tags.distinct >= 0.5)
    return found | (names & (tags.lengths <= LONGEST) & tags.is_leaf)


def _by_use(tags: _Tags, usual: Mask) -> Mask:
    """Return the tags of titles that their use alone shows."""
    use = tags.use
    opening = tags.is_name_like & tags.varies & ~tags.is_label & (tags.share(use.is_code) < 0.5)
    before_some = np.maximum(tags.before_prose, tags.share(tags.is_first & _before_list(use)))
    found = opening & (before_some >= OFTEN) & (tags.first >= MOSTLY) & (tags.repeated <= SELDOM) & (tags.n >= 2)
    found &= tags.n >= 1.5 * use.n_documents
    found |= opening & (tags.share(_opens_document(use, tags.is_first)) >= USUAL) & (tags.lengths >= 2)
    return found | (opening & (tags.share(_first_of_header(use, opening, usual | found)) >= USUAL))


def _headings(tags: _Tags, usual: Mask) -> Mask:
    """Return the tags of headings, several under one parent, and of the terms of definitions."""
    use = tags.use
    followed = tags.share(_before_longer(use))
    among_several = (tags.repeated >= 0.5) & (followed >= USUAL) & (tags.after_same <= SELDOM)
    flat = among_several & tags.is_short & tags.varies & tags.is_leaf & (tags.lettered >= OFTEN)
    flat &= (tags.in_line < SOME) & ~tags.is_no_title & (tags.n >= 2)
    later = tags.share(use.begins > NUMBER)
    flat_usual = tags.is_usual & usual & (followed >= OFTEN)
    flat_usual &= (later >= 0.2) & (tags.repeated >= 0.2) | _has_level(use)
    terms = _names(use, TERM_WORDS) & (tags.share(_before_other(use)) >= OFTEN) & (tags.lengths <= LONGEST)
    return flat | flat_usual | (terms & tags.is_leaf & (tags.in_line < SOME) & (tags.repeated >= SOME))


def _labels(tags: _Tags, titles: Mask) -> Mask:
    """Return the tags of labels: with usual names, numbers before titles or prose, and speakers."""
    use = tags.use
    names_next = (use.following >= 0) & ((use.own_words[use.following] >= PROSE) | titles[use.tag[use.following]])
    is_number = (tags.share(use.is_lettered) <= SELDOM) & (tags.lengths <= NUMBER) & (tags.distinct >= OFTEN)
    is_number &= (tags.first >= USUAL) & (tags.share(names_next) >= OFTEN)
    recurs = (tags.distinct < OFTEN) & (tags.lengths <= SPEAKER) & (tags.n > SPEAKER)
    is_speaker = tags.is_name_like & recurs & (tags.share(_speaks(use)) >= USUAL)
    found = (tags.is_label | is_number | is_speaker) & (tags.lengths <= LONG) & (tags.in_line < 0.5)
    several = tags.n > ONCE * use.n_documents
    return found & (_names(use, CAPTIONS) | ((tags.first >= 0.5) & (tags.before_prose >= 0.5) & several))


def _is_first(use: TagUse, is_aside: Mask) -> Mask:
    """Return which elements are first in their parent, or after a number or label, or after numbers and dates alone."""
    after_aside = (use.begins <= NUMBER) & is_aside[use.preceding]
    found: Mask = (use.begins == 0) | after_aside | ((use.begins <= LONGEST) & _after(use, is_aside))
    return found


def _opens_document(use: TagUse, is_first: Mask) -> Mask:
    """Return which elements are first in a document, before prose in the root or in its first part."""
    begins = is_first & (use.begins[use.parent] == 0) & (use.prose_after > 0) & (use.n_alike == 1)
    before_all, before_part = use.words_after > np.maximum(SHORT_TITLE * use.words, LONGEST), use.words_after > LONGEST
    found: Mask = begins & (((use.depth == 2) & before_all) | ((use.depth == 3) & before_part))
    return found


def _first_of_header(use: TagUse, could_be: Mask, titles: Mask) -> Mask:
    """Return the first element that could be a title of each header of short fields, without one, of a document."""
    is_title = titles[use.tag] & ~use.is_root
    has_title = np.bincount(use.parent[is_title], minlength=len(use.tag)) > 0
    is_long = (use.words > LONGEST) | use.is_sentence
    has_others = has_title | has_title[use.parent] | (np.bincount(use.parent[is_long], minlength=len(use.tag)) > 0)
    header = (use.depth == 2) & (use.begins == 0) & (use.n_alike == 1) & (use.own_words == 0) & (use.words > 0)
    header &= ~has_others & (use.words <= 2 * LONG) & (use.prose_after > use.words)
    could_be = could_be & ~_names(use, NOTES)
    rows = np.flatnonzero(header[use.parent] & could_be[use.tag] & (use.n_alike == 1) & (use.words > 0))
    found = np.zeros(len(use.tag), np.bool_)
    found[rows[np.unique(use.parent[rows], return_index=True)[1]]] = True
    return found


def _around(use: TagUse) -> Rows:
    """Return the words of the nearest element around each that has more than it, of those below the root."""
    above = use.parent
    while (climbing := (use.words[above] == use.words) & (use.depth[above] > 2)).any():
        above = np.where(climbing, use.parent[above], above)
    return use.words[above]


def _speaks(use: TagUse) -> Mask:
    """Return which elements begin a parent that is prose but for them."""
    found: Mask = (use.begins == 0) & (use.prose_after > 0) & (use.prose_after >= USUAL * use.words_after)
    return found


def _after(use: TagUse, which: Mask) -> Mask:
    """Return before which elements their parent has only chosen ones, of those with words."""
    rows = np.flatnonzero((use.words > 0) & ~use.is_root)
    rows = rows[np.argsort(use.parent[rows], kind="stable")]
    others = np.append(0, np.cumsum(~which[rows]))
    first = np.flatnonzero(use.preceding[rows] < 0)
    found = np.zeros(len(use.tag), np.bool_)
    found[rows] = others[:-1] == np.repeat(others[first], np.diff(np.append(first, len(rows))))
    return found


def _before_list(use: TagUse) -> Mask:
    """Return which elements, the only ones of their tag in their parent, stand before several longer ones of a tag."""
    following = use.following
    found: Mask = _before_longer(use) & (use.n_alike == 1) & (use.n_alike[following] >= SEVERAL)
    found &= use.own_words[following] == 0
    return found


def _share_of_blocks(use: TagUse, is_inline: Mask, most: int = 0) -> FloatArray:
    """Return the share of the elements of each tag with more than `most` children with words that are not inline."""
    is_block = ~is_inline[use.tag] & (use.words > 0) & ~use.is_root
    return use.share(np.bincount(use.parent[is_block], minlength=len(use.tag)) > most, use.words > 0)


def _before_longer(use: TagUse) -> Mask:
    """Return which elements are followed by a sibling of another tag with at least as many words."""
    following = use.following
    found: Mask = _before_other(use) & (use.words[following] >= use.words)
    return found


def _before_other(use: TagUse) -> Mask:
    """Return which elements are followed by a sibling of another tag."""
    found: Mask = (use.following >= 0) & (use.tag[use.following] != use.tag)
    return found


def _has_level(use: TagUse) -> Mask:
    return np.array([re.fullmatch(r"h[1-6]", name) is not None for name in use.names], np.bool_)


def _wrappers(use: TagUse, named: Mask, lengths: FloatArray) -> Mask:
    """Return the tags of elements, several in a document, that hold a title and hardly anything else, before prose."""
    has_words = (use.words > 0) & ~use.is_root
    in_titles = np.bincount(use.parent, use.words * (named[use.tag] & ~use.is_root), len(use.tag))
    holds = has_words & (in_titles >= USUAL * use.words) & (use.own_words == 0) & (in_titles > 0)
    leads = holds & (use.begins <= NUMBER) & (use.words_after > use.words) & (use.prose_after > 0)
    several = use.n(has_words) > ONCE * use.n_documents
    return several & (use.share(leads, has_words) >= OFTEN) & (lengths <= LONG) & ~named


def _ranked(use: TagUse, headings: Mask) -> tuple[int, ...]:
    """Return the tags of headings: by the level in the name, else the rarer first, then by name."""
    n = use.n(~use.is_root)
    numbers: list[int] = np.flatnonzero(headings).tolist()
    levels = {each: re.search(r"[0-9]+$", use.names[each]) for each in numbers}
    rank = {each: int(level[0]) if level else 0 for each, level in levels.items()}
    return tuple(sorted(numbers, key=lambda each: (rank[each], int(n[each]), use.names[each])))
