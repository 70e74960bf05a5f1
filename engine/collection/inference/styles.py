"""Attributes of a vocabulary that name the styles of elements, or levels, by use: `<p style="Heading1">` is a heading.

Rule: an attribute names styles if several elements of a tag have the style of a heading or title by its name, while
others of the tag, at least half as many and longer, have not; and if those are short, are no sentences, and stand
before others, none in another. The attribute is theirs, or that of an element without words below them, as in
`<p><style name="..."/>`. An attribute of headings that is named after levels, and is a number from 1 to 9, says these.
Headings without any style are paragraphs that consist of one element, are short, and stand before longer ones of their
tag that do not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from engine.arrays import Mask, Rows, distinct
from engine.collection.inference.tag_use import TagUse
from engine.collection.inference.title_names import LONGEST_STYLE, heading_level, names_level
from engine.collection.inference.titles import LONGEST, OFTEN, SELDOM
from engine.collection.profiles.profile import ROWS, TABLES

# Elements with the style of a heading, at least; share of the names of styles that differ, at most, as ids all do;
# steps from an element to the one that names its style, at most.
SEVERAL, MOST_DIFFERENT, MOST_STEPS = 2, 0.5, 2
SEVERAL_EMPHASISED = 4  # headings that consist of emphasis, at least
# Letters of which the name of a style of headings has some.
_OF_NAMES = (
    *("hea", "h1", "h2", "h3", "h4", "schrift", "ti", "ty", "tulo", "rubri", "kop", "otsi", "nad", "nag", "kri"),
    *("заг", "назв"),
)


def find_styles(use: TagUse, could_be: Mask, is_inline: Mask) -> Mapping[str, Mapping[str, int]]:
    """Return the counts of what makes headings, by `tag/@attribute` or `tag/tag/@attribute`, or `tag/tag` for emphasis.

    Args:
        could_be: tags of which some elements may be headings. is_inline: inline tags; shape (n_tags,).
    """
    return {**_attributes(use, could_be), **_emphasis(use, could_be, is_inline)}


def _attributes(use: TagUse, could_be: Mask) -> Mapping[str, Mapping[str, int]]:
    attributes = use.attributes
    lengths = attributes.ends - attributes.begins
    could_be = could_be & (use.share(use.tag[use.parent] == use.tag, ~use.is_root) <= SELDOM)
    is_open = could_be[use.tag] | ((use.words == 0) & ~use.in_line)
    places = np.flatnonzero((lengths > 0) & (lengths <= LONGEST_STYLE) & is_open[attributes.rows])
    numbers, values = attributes.numbered_values(places)
    are_of_headings = np.array([_may_name(each.lower()) and heading_level(each) >= 0 for each in values], np.bool_)
    if not are_of_headings.any():
        return {}
    has_heading = are_of_headings[numbers]
    keys = use.tag[attributes.rows[places]] * len(attributes.local) + attributes.spelling[places]
    found = {}
    for key in distinct(keys[has_heading]).tolist():
        of_key = keys == key
        n_values, n_different = int(of_key.sum()), len(distinct(numbers[of_key]))
        if n_different > MOST_DIFFERENT * n_values:
            continue
        styled = attributes.rows[places[of_key & has_heading]]
        path = _path(use, styled)
        rows = _above(use, styled, len(path) - 1)
        if path and could_be[path[0]] and _are_headings(use, rows, path[0]):
            names = "/".join(use.names[each] for each in path)
            counts = {"values": n_values, "different": n_different, "headings": len(styled)}
            found[f"{names}/@{attributes.local[key % len(attributes.local)]}"] = counts
    return found


def find_levels(use: TagUse, headings: Sequence[int]) -> Mapping[int, tuple[str, Mapping[str, int]]]:
    """Return the attribute that says the levels of headings, and its counts, by the tag of headings that have several.

    Args:
        headings: their tags.
    """
    attributes = use.attributes
    names = [each for each, name in enumerate(attributes.local) if names_level(name)]
    found = {}
    for tag in headings if names else ():
        places = np.flatnonzero((use.tag[attributes.rows] == tag) & np.isin(attributes.spelling, names))
        values = attributes.numbered_values(places)[1]
        is_usual = len(places) >= OFTEN * len(use.rows_of(tag, ~use.is_root))
        if is_usual and len(values) > 1 and all(len(each) == 1 and each in "123456789" for each in values):
            name = attributes.local[int(attributes.spelling[places[0]])]
            counts = {"values": len(places), "different": len(values), "headings": len(places)}
            found[tag] = f"{use.names[tag]}/@{name}", counts
    return found


def _emphasis(use: TagUse, could_be: Mask, is_inline: Mask) -> Mapping[str, Mapping[str, int]]:
    could_be = could_be & np.array([name not in ROWS | TABLES for name in use.names], np.bool_)
    is_line = is_inline[use.tag] | (use.own_words == use.words)
    is_all = is_line & (use.words > 0) & (use.words == use.words[use.parent]) & ~use.is_root
    is_all &= could_be[use.tag[use.parent]] & ~use.is_root[use.parent] & (use.own_words[use.parent] == 0)
    emphasis = np.flatnonzero(is_all & (use.words <= LONGEST) & use.is_lettered & ~use.has_end)
    blocks, is_block = use.parent[emphasis], np.zeros(len(use.tag), np.bool_)
    is_block[use.parent[is_all]] = True
    after = use.following[blocks]
    heads = (after >= 0) & (use.tag[after] == use.tag[blocks]) & (use.words[after] > use.words[blocks])
    heads &= ~is_block[after]
    found = {}
    keys = use.tag[blocks] * len(use.names) + use.tag[emphasis]
    for key in distinct(keys[heads]).tolist():
        tag, inline = divmod(key, len(use.names))
        n_headings, n_emphasised = int(heads[keys == key].sum()), int((keys == key).sum())
        n_others = len(use.rows_of(tag, (use.words > 0) & ~is_block))
        if n_headings >= max(SEVERAL_EMPHASISED, OFTEN * n_emphasised) and n_others >= n_headings:
            counts = {"values": n_emphasised, "different": n_headings, "headings": n_headings}
            found[f"{use.names[tag]}/{use.names[inline]}"] = counts
    return found


def _may_name(style: str) -> bool:
    return any(letters in style for letters in _OF_NAMES)


def _path(use: TagUse, styled: Rows) -> tuple[int, ...]:
    """Return the tags from the element that has a style down to the one that names it; none if these are not equal."""
    path: tuple[int, ...] = ()
    rows = styled
    for _ in range(MOST_STEPS + 1):
        tags = use.tag[rows]
        path = (int(tags[0]), *path)
        if not (tags == tags[0]).all():
            return ()
        if 2 * np.count_nonzero(use.words[rows]) > len(rows):
            return path
        rows = use.parent[rows]
    return ()


def _above(use: TagUse, rows: Rows, steps: int) -> Rows:
    for _ in range(steps):
        rows = use.parent[rows]
    return rows


def _are_headings(use: TagUse, rows: Rows, tag: int) -> bool:
    """Return whether some elements of a tag are headings of what follows them, the others being none."""
    has_words = (use.words > 0) & ~use.is_root & (use.own_words[use.parent] == 0)
    are_styled = np.zeros(len(use.tag), np.bool_)
    are_styled[rows] = True
    of_tag = use.rows_of(tag, has_words)
    headings, others = of_tag[are_styled[of_tag]], of_tag[~are_styled[of_tag]]
    if len(headings) < SEVERAL or 2 * len(others) < len(headings):
        return False
    length = use.words[headings].mean()
    is_short = length <= LONGEST and length < use.words[others].mean()
    is_before = use.following[headings] >= 0
    return bool(is_short and is_before.mean() >= OFTEN and use.is_statement[headings].mean() <= SELDOM)
