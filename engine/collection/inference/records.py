"""Records and pairs of a vocabulary, by use: the smallest answers that are useful.

Rule: a record is one of several siblings of its tag, is short, and has three or more short fields of two or more tags,
none of them prose. A pair is one of several that are all that their parent has but a title: a short term, which is no
title of a section, and what is said of it; or two texts, as a message and its translation. A list in which terms and
their definitions take turns is a record as a whole. A list of short items of one tag, below a title or not, is one,
too: an item of two words answers nothing; of items that are records, it is one where there are several such lists. So
are siblings of three or more steps or lines that are short, even where they are sentences; no rows are; and so are the
steps of a procedure by its name. The outermost of nested ones counts. An entry is one of many short siblings in a long
text, of short lines or fields.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import Mask, Rows
from engine.collection.inference.tag_use import TagUse
from engine.collection.profiles.profile import ROW_GROUPS, ROWS, TABLES

# Siblings of its tag from which an element is one of several, as a record or a pair; its fields, and its mean words.
SEVERAL, SEVERAL_PAIRS, FIELDS, LONGEST = 3, 2, 3, 60
# Siblings of which an entry is one, words of the text around it, of a line, and of an entry on average.
MANY, LONG, LONGEST_LINE, LONGEST_ENTRY = 8, 300, 16, 25
# Mean words of a term or step, and of an item of a list; words of a list; the share of elements of which a rule has to
# hold.
LONGEST_TERM, LONGEST_ITEM, LONGEST_LIST, USUAL, ALWAYS = 12, 8, 100, 0.8, 0.95

# Tags of elements that contain the steps of a procedure.
PROCEDURES = frozenset(("steps", "procedure", "instructions"))


def find_records(use: TagUse, is_inline: Mask, is_title_name: Mask) -> Mask:
    """Return the tags of records, pairs, short lists and series of steps, shape (n_tags,).

    Args:
        is_inline: inline tags, which are no fields. is_title_name: tags with the usual names of titles.
    """
    has_words = (use.words > 0) & ~use.is_root
    is_field = has_words & ~is_inline[use.tag] & ~is_inline[use.tag[use.parent]]
    n = len(use.tag)
    fields = np.bincount(use.parent[is_field], minlength=n)
    kinds = _kinds_of_children(use, is_field)
    leaves_before = np.append(0, np.cumsum(is_field & (fields == 0)))
    leaves_below = leaves_before[use.end] - leaves_before[np.arange(n) + 1]
    is_short = (use.words <= LONGEST) & (use.own_words == 0)

    is_record = is_short & (use.prose == 0) & (kinds >= 2) & (leaves_below >= FIELDS)
    several = use.share(use.n_alike >= SEVERAL, has_words) >= USUAL
    records = several & (use.share(is_record, has_words) >= USUAL)

    first = is_field & (use.begins == 0)
    has_title, has_term = np.zeros((2, n), np.bool_)
    has_title[use.parent[first & is_title_name[use.tag]]] = True
    has_term[use.parent[first & (use.words <= LONGEST_TERM) & ~use.is_statement]] = True
    is_all = (use.n_alike >= SEVERAL_PAIRS) & (fields[use.parent] - use.n_alike <= 1)
    is_pair = is_short & (fields == 2) & ~has_title & is_all
    has_parts = use.share(leaves_below > 2, has_words) >= 1 - USUAL
    pairs = use.share(is_pair & (kinds == 2) & (has_term | ~has_parts[use.tag]), has_words) >= USUAL
    pairs |= (use.share(is_pair & (leaves_below == 2), has_words) >= ALWAYS) & (use.n(has_words) >= MANY)
    lists = _lists(use, is_field, first & is_title_name[use.tag], records | pairs)
    procedures = np.array([name.casefold() in PROCEDURES for name in use.names])
    found = records | pairs | lists | (procedures & (use.share(fields >= SEVERAL_PAIRS, has_words) >= 0.5))
    before = np.append(0, np.cumsum(found[use.tag]))
    is_series = before[use.end] == before[np.arange(n) + 1]  # without any of these inside
    is_series &= (use.words <= LONGEST_LIST) & (use.own_words <= LONGEST_TERM) & (leaves_below >= FIELDS)
    is_series &= use.words - use.own_words <= LONGEST_TERM * leaves_below
    series = several & (use.share(is_series, has_words) >= USUAL)
    series &= np.array([name not in ROWS | ROW_GROUPS | TABLES for name in use.names])
    return _outermost(use, (found | series) & ~is_inline)


def _lists(use: TagUse, is_field: Mask, is_title: Mask, are_records: Mask) -> Mask:
    """Return the tags of short lists.

    Args:
        is_title: which fields are titles of their parent. are_records: tags of records and pairs.
    """
    n, has_words = len(use.tag), (use.words > 0) & ~use.is_root
    is_item = is_field & ~is_title & ~use.is_sentence
    n_items, in_items = (
        np.bincount(use.parent[is_item], minlength=n),
        np.bincount(use.parent[is_item], use.words[is_item], n),
    )
    others = np.bincount(use.parent[is_field & ~is_title], minlength=n) - n_items
    is_list = (use.own_words == 0) & (use.words <= LONGEST_LIST) & (_kinds_of_children(use, is_item) == 1)
    is_list &= (n_items >= SEVERAL_PAIRS) & (in_items <= LONGEST_ITEM * n_items) & (others == 0)
    of_records = np.bincount(use.parent[is_item & are_records[use.tag]], minlength=n) > 0
    found = (use.share(is_list, has_words) >= USUAL) & (use.share(n_items >= SEVERAL, has_words) >= 0.5)
    found &= (use.share(of_records, has_words) < 0.5) | (use.n(has_words) >= SEVERAL)
    return found | (use.share(_in_turn(use, is_field), has_words) >= USUAL)


def _in_turn(use: TagUse, is_field: Mask) -> Mask:
    """Return which elements consist of short terms of one tag and what is said of each, of others, in turn."""
    n, following = len(use.tag), use.following
    tag_of_terms = np.full(n, -1)
    first = np.flatnonzero(is_field & (use.begins == 0))
    tag_of_terms[use.parent[first]] = use.tag[first]
    is_term = is_field & (use.tag == tag_of_terms[use.parent])
    is_before_like = is_field & (following >= 0) & (use.tag[following] == use.tag)
    n_terms, n_fields, n_like = (
        np.bincount(use.parent[each], minlength=n) for each in (is_term, is_field, is_before_like)
    )
    in_terms = np.bincount(use.parent[is_term], use.words[is_term], n)
    found: Mask = (use.own_words == 0) & (n_terms >= SEVERAL_PAIRS) & (n_fields == 2 * n_terms) & (n_like == 0)
    found &= (in_terms <= LONGEST_TERM * n_terms) & (use.words > 2 * in_terms)
    return found


def find_entries(use: TagUse, is_inline: Mask, is_title_name: Mask) -> Mask:
    """Return the tags of entries of long texts, shape (n_tags,); arguments as those of `find_records`."""
    has_words = (use.words > 0) & ~use.is_root
    is_entry = (use.n_alike >= MANY) & (use.words[use.parent] > LONG) & (use.own_words < LONGEST_LINE)
    is_entry &= (use.prose <= LONGEST_LINE) & (use.words <= LONGEST)
    found = (use.share(is_entry, has_words) >= USUAL) & (use.mean(use.words, has_words) <= LONGEST_ENTRY)
    return _outermost(use, found & ~is_inline & ~is_title_name)


def _kinds_of_children(use: TagUse, is_field: Mask) -> Rows:
    """Return the number of different tags of the children of each element that are fields."""
    keys = np.sort(use.parent[is_field] * len(use.names) + use.tag[is_field])
    is_new = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
    return np.bincount(keys[is_new] // len(use.names), minlength=len(use.tag))


def _outermost(use: TagUse, found: Mask) -> Mask:
    """Return the tags without those whose elements lie in elements of others."""
    n = len(use.tag)
    is_found, is_inside, nearest = found[use.tag] & ~use.is_root, np.zeros(n, np.bool_), np.full(n, -1)
    by_depth = np.argsort(use.depth, kind="stable")
    for rows in np.split(by_depth, np.flatnonzero(np.diff(use.depth[by_depth])) + 1):
        around = nearest[use.parent[rows]]  # itself or the nearest of these tags around it
        is_inside[rows] = (around >= 0) & ((use.tag[around] != use.tag[rows]) | is_inside[around])
        nearest[rows] = np.where(is_found[rows], rows, around)
    return found & (use.share(is_inside, ~use.is_root) < 0.5)
