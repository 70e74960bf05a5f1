"""The context of elements: their ancestors, headings and neighbours, by which `context_scores` scores them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.array_types import Mask, Rows
from engine.arrays import distinct, places_of
from engine.collection.profiles.profile import Profile
from engine.index.elements.containment import adjacent_siblings, insertion_places, is_member, with_ancestors
from engine.index.elements.element_store import Elements
from engine.index.elements.header_rows import NO_HEADER_ROWS, HeaderRows
from engine.index.elements.heading_scopes import NO_SCOPES, Scopes, following_scopes, is_heading, scopes_among
from engine.index.elements.titles import LONGEST_TITLE
from engine.query_limits import reserve
from engine.records import NamedTuple
from engine.structure.inline_elements import NONE as NO_INLINE
from engine.structure.inline_elements import InlineElements

# Least length of neighbours, in text blocks: a number of a line or a rule is none.
NEIGHBOUR_BLOCKS = 0.2


class Context(NamedTuple):
    """Elements, ascending, with their ancestors that are not inline; columns of shape (n,).

    Roots may be left out, unless they are among the elements: no score is inherited from them.
    """

    rows: Rows
    ends: Rows
    words: Rows
    tags: Rows  # numbers
    document: Rows  # places among the documents of the matches
    parents: Rows  # places; of the element itself where the parent is not here
    is_root: Mask
    depths: NDArray[Any]  # steps of the path of each element
    scopes: Scopes = NO_SCOPES  # of headings, as places
    inline: InlineElements = NO_INLINE
    # Where they are known: places of elements and of those directly after them; what is mostly titles (`title_text`).
    neighbours: tuple[Rows, Rows] | None = None
    is_mostly_titles: Mask | None = None

    def places(self, rows: Rows) -> Rows:
        """Return the places of some of the rows."""
        return self.rows.searchsorted(rows)


def neighbours_in(context: Context, block_words: float) -> tuple[Rows, Rows]:
    """Return the places of elements and of those directly after them, where both are long enough, shape (n_pairs,)."""
    if context.neighbours is not None:
        return context.neighbours
    is_long = (context.words >= NEIGHBOUR_BLOCKS * block_words) & ~context.is_root
    return adjacent_siblings(context.rows, context.ends, context.parents, is_long)


def context_of(
    elements: Elements,
    chosen: Rows,
    documents: Rows,
    *,
    inline: InlineElements = NO_INLINE,
    min_words: float = 0,
    with_roots: bool = True,
    profile: Profile | None = None,
    header_rows: HeaderRows = NO_HEADER_ROWS,
) -> Context:
    """Return some elements with their ancestors that are not inline.

    Args:
        documents: the documents of the elements, ascending.
        inline: the inline elements that the query asks for by name; others are left out.
        min_words: elements with fewer words are dropped, roots, headings, and what lies between a header row and its
            table excepted; their ancestors have at least as many.
        with_roots: whether roots are among the ancestors.
        profile: says which elements are headings; None where these do not count.
        header_rows: of tables, where they count.
    """
    if len(inline.rows):
        chosen = np.concatenate([elements.nearest_non_inline(chosen), inline.rows])
    lowest = distinct(chosen)
    rows, parents = with_ancestors(elements.parent, lowest)
    reserve(14 * len(rows))
    tags, ends = elements.tag(rows), elements.end(rows)
    words = elements.n_words(rows, ends)
    is_root = parents == np.arange(len(rows))
    levels, is_between = header_rows.levels_among(rows, words, min_words)
    if profile is not None:
        levels[is_heading(elements, rows, profile.title_and_heading_tags, tags) & (words <= LONGEST_TITLE)] = 1
    is_kept = ~elements.is_inline(rows, tags)
    if not with_roots:
        is_kept &= ~is_root | is_member(rows, lowest)
    if min_words > 0:
        is_kept &= is_root | (words >= min_words) | (levels > 0) | is_between
    asked = rows.searchsorted(inline.rows)
    words[asked] += inline.last - inline.first
    is_kept[asked] = True
    parents, is_missing = _places_among_kept(parents, is_kept)
    columns = rows, ends, words, tags, is_root, levels
    rows, ends, words, tags, is_root, levels = (column.compress(is_kept) for column in columns)
    lifting = places_of(is_missing | is_member(rows.take(parents), inline.rows) if len(inline.rows) else is_missing)
    lifted = elements.nearest_non_inline(elements.parent(rows.take(lifting)))
    place = rows.searchsorted(lifted)
    parents[lifting] = np.where(rows.take(place) == lifted, place, lifting)
    document = documents_of_rows(elements.root(documents), rows, is_root, with_roots=with_roots)
    following = following_scopes(elements, () if profile is None else profile.headings, documents)
    scopes = scopes_among(rows, ends, parents, is_root, levels, following)
    return Context(
        rows=rows,
        ends=ends,
        words=words,
        tags=tags,
        document=document,
        parents=parents,
        is_root=is_root,
        depths=elements.depth(rows),
        scopes=scopes,
        inline=inline,
    )


def _places_among_kept(places: Rows, is_kept: Mask) -> tuple[Rows, Mask]:
    """Return where the places of kept elements lie among the kept elements, and which of these places are not kept."""
    places = places.compress(is_kept)
    return (is_kept.cumsum() - 1).take(places), ~is_kept.take(places)


def documents_of_rows(roots: Rows, rows: Rows, is_root: Mask, *, with_roots: bool) -> Rows:
    """Return the place of the document of each row (ascending); with roots, the root of each document is a row."""
    if not with_roots:
        return insertion_places(roots, rows, "right") - 1
    number = is_root.cumsum() - 1
    found = rows.compress(is_root)
    return number if len(found) == len(roots) else roots.searchsorted(found).take(number)
