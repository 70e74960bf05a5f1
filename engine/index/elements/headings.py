"""Titles and headings, and the elements that each speaks of.

Which tags are titles is in `engine/collection/profiles/profile.py`. An element with such a tag and more than
LONGEST_TITLE words is none: a part of a law is called a title, too.

A title (`Profile.titles`) speaks of its parent. A heading with a rank (`Profile.headings`) speaks of what follows it
under the same parent, up to the next heading there of the same or a higher rank: in HTML the sections of a page are not
elements. Headings of one rank that follow each other directly, as terms before one definition may, speak of the same.
A heading with which the words of a parent begin speaks of all of it if only an empty element, as that of a chapter's
number, stands before the next.
The first rows of a table speak of the table (`engine.index.elements.header_rows`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask, Rows, distinct, is_among, places_of
from engine.collection.profiles.profile import STYLED_HEADINGS, TERMS
from engine.index.elements.element_store import Elements
from engine.records import NamedTuple

LONGEST_TITLE = 100  # words
# An element with more than the first share of its words in titles is mostly titles. So is a whole document of up to 300
# words; a longer one only above the last share, as a list of names has.
MOST_OF_TITLES, LONGEST_OF_TITLES, MOST_OF_DOCUMENT = 0.2, 300, 0.5
# Words of a caption or a lead-in, at most, and the signs with which the latter ends.
LONGEST_OPENER, LEAD_IN_SIGNS = 40, (":", "\uff1a", "\u2014", "\u2013", " -")
# Elements after a heading with a rank among which its first block is looked for.
LOOKED_AT = 8


class DocumentTitles(NamedTuple):
    """The titles of a document, as rows.

    first: its first title, -1 without any. of_parents: elements -> their first child that is a title, else the first
    that is a label. headings: those with a rank, each after the first and one past the last row of what it is the title
    of, in document order. headers: tables -> their header rows. labels: the labels among the values of `of_parents`.
    """

    first: int
    of_parents: Mapping[int, int]
    headings: tuple[tuple[int, int, int], ...]
    headers: Mapping[int, tuple[int, ...]]
    labels: frozenset[int] = frozenset()
    in_attributes: Mapping[int, str] = {}

    @property
    def size(self) -> int:
        """Memory in numbers of eight bytes, about."""
        sizes = 12 * len(self.of_parents), 24 * len(self.headings), 16 * len(self.headers), 24 * len(self.in_attributes)
        return 16 + sum(sizes)


class Scopes(NamedTuple):
    """Headings, ascending, and the first and one past the last element of the scope of each; columns of shape (n,).

    Elements are rows, or places among some of them.
    """

    headings: Rows
    first: Rows
    end: Rows


class FollowingScopes(NamedTuple):
    """The scopes of headings with a rank, as rows; of those with a block, the first one, and where the heading ends."""

    headings: Rows
    first: Rows
    end: Rows
    before_blocks: Rows  # headings with a block in their scope
    ends: Rows  # one past the last row of each of these
    blocks: Rows


NO_SCOPES = Scopes(*(np.empty(0, np.int64) for _ in Scopes._fields))
NO_FOLLOWING_SCOPES = FollowingScopes(*NO_SCOPES, *NO_SCOPES)


def following_scopes(elements: Elements, ranked: Sequence[str], documents: Rows) -> Scopes:
    """Return the scopes of the headings with a rank in the documents (ascending), as rows.

    Args:
        ranked: the tags of such headings, the highest rank first.
    """
    numbers = [elements.tag_numbers[tag] for tag in ranked if tag in elements.tag_numbers]
    if not numbers:
        return NO_SCOPES
    rows = elements.with_tags(numbers, documents)
    rows = rows.compress(~elements.is_inline(rows) & (elements.parent(rows) != rows))
    rows = rows.compress(elements.n_words(rows) <= LONGEST_TITLE)
    if not len(rows):
        return NO_SCOPES
    rank_of = np.zeros(len(elements.tags), np.int64)
    rank_of[numbers] = np.arange(len(numbers))
    is_styled = elements.is_tag(STYLED_HEADINGS).take(elements.tag(rows))
    blocks = np.where(is_styled, elements.parent(rows), rows)  # a heading by style is all of its parent
    parents = elements.nearest_non_inline(elements.parent(blocks))
    order = parents.argsort(kind="stable")  # by parent, then in document order
    rows, blocks, parents = rows.take(order), blocks.take(order), parents.take(order)
    ranks, ends = rank_of.take(elements.tag(rows)), elements.end(blocks)
    end = elements.end(parents)
    for rank in range(len(numbers)):
        no_lower, of_rank = places_of(ranks <= rank), places_of(ranks == rank)
        following = np.append(no_lower, 0).take(no_lower.searchsorted(of_rank) + 1)
        is_beside = (following > of_rank) & (parents.take(following) == parents.take(of_rank))
        end[of_rank.compress(is_beside)] = blocks.take(following.compress(is_beside))
    is_joined = (ends[:-1] == blocks[1:]) & (parents[:-1] == parents[1:]) & (ranks[:-1] == ranks[1:])
    last = np.where(np.append(is_joined, False), len(rows), np.arange(len(rows)))
    last = np.minimum.accumulate(last[::-1])[::-1]
    first = parents + 1
    first = np.where(elements.n_words(first) == 0, elements.end(first), first)  # after an empty element, as a milestone
    are_terms = elements.is_tag(TERMS).take(elements.tag(rows))
    leads = last.compress((blocks == first) & ~are_terms)
    is_followed = (ends.take(leads) < end.take(leads)) & (end.take(leads) < elements.end(parents.take(leads)))
    leads = leads.compress(is_followed)
    empty = ends.take(leads)
    leads = leads.compress((elements.n_words(empty) == 0) & (elements.end(empty) == end.take(leads)))
    end[leads] = elements.end(parents.take(leads))
    order = rows.argsort()
    return Scopes(rows.take(order), ends.take(last).take(order), end.take(last).take(order))


def with_blocks(elements: Elements, scopes: Scopes, fewest: float) -> FollowingScopes:
    """Return scopes of headings with a rank, as rows, with the first element of `fewest` words or more in each.

    A heading of a lower rank is no such block, nor is an element whose parent has no words but these and the heading's:
    there the parent is the answer for both.
    """
    blocks, places, at = np.full(len(scopes.headings), -1), np.arange(len(scopes.headings)), scopes.first
    for _ in range(LOOKED_AT):
        is_inside = at < scopes.end.take(places)
        if not is_inside.any():
            break
        places, at = places.compress(is_inside), at.compress(is_inside)
        is_block = ~is_among(at, scopes.headings) & (elements.n_words(at) >= max(fewest, 1))
        blocks[places.compress(is_block)] = at.compress(is_block)
        places, at = places.compress(~is_block), elements.end(at.compress(~is_block))
    found = places_of(blocks >= 0)
    inside, around = blocks.take(found), elements.nearest_non_inline(elements.parent(blocks.take(found)))
    others = elements.n_words(around) - elements.n_words(inside) - elements.n_words(scopes.headings.take(found))
    found = found.compress(others > 0)
    headings = scopes.headings.take(found)
    return FollowingScopes(*scopes, headings, elements.end(headings), blocks.take(found))


def blocks_after(scopes: FollowingScopes, matches: Sequence[Rows]) -> Rows:
    """Return the first block after each heading with a match in it, ascending.

    Args:
        matches: columns of rows, each ascending.
    """
    has_match = np.zeros(len(scopes.blocks), np.bool_)
    if len(has_match):
        for rows in matches:
            has_match |= rows.searchsorted(scopes.ends) > rows.searchsorted(scopes.before_blocks)
    return distinct(scopes.blocks.compress(has_match))


def scopes_of_titles(rows: Rows, ends: Rows, parents: Rows, is_root: Mask, levels: NDArray[np.uint8]) -> Scopes:
    """Return the scopes of the headings among elements (ascending), as places; titles of roots have none.

    Args:
        ends: one past the last row of the subtree of each; parents: places. levels: how many elements up is the one
            that each is a heading of; 0 for no heading.
    """
    titles = places_of((levels > 0) & ~is_root)
    entitled, left = parents.take(titles), levels.take(titles)
    while (climbing := places_of(left > 1)).size:
        entitled[climbing] = parents.take(entitled.take(climbing))
        left[climbing] -= 1
    below_root = ~is_root.take(entitled)
    titles, entitled = titles.compress(below_root), entitled.compress(below_root)
    return Scopes(titles, entitled, rows.searchsorted(ends.take(entitled)))


def with_following(scopes: Scopes, rows: Rows, headings: Rows, following: FollowingScopes) -> Scopes:
    """Return scopes, as places among elements, in which headings with a rank speak of what follows them.

    Args:
        scopes: of all headings as titles. rows: the elements, ascending. headings: places of all that are no roots.
    """
    if not len(following.headings):
        return scopes
    of_headings = rows.take(headings)
    number = following.headings.searchsorted(of_headings)
    is_ranked = following.headings.take(number, mode="clip") == of_headings
    if not is_ranked.any():
        return scopes
    ranked, number = headings.compress(is_ranked), number.compress(is_ranked)
    is_title = ~is_among(scopes.headings, ranked)
    added = ranked, rows.searchsorted(following.first.take(number)), rows.searchsorted(following.end.take(number))
    columns = [np.concatenate([old.compress(is_title), new]) for old, new in zip(scopes, added, strict=True)]
    order = columns[0].argsort(kind="stable")
    return Scopes(*(column.take(order) for column in columns))
