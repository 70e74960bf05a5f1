"""The context of elements, read from a tree of those that are long enough to be scored: as `context_of`, but faster."""

from __future__ import annotations

from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.array_types import Rows
from engine.arrays import distinct, places_of
from engine.collection.profiles.profile import Profile
from engine.index.elements.containment import with_ancestors
from engine.index.elements.element_store import Elements
from engine.index.elements.element_trees import ElementTree
from engine.index.elements.heading_scopes import Scopes, following_scopes, scopes_among
from engine.query_limits import reserve
from engine.ranking.scoring.context import Context, documents_of_rows


def context_in_tree(
    tree: ElementTree, elements: Elements, chosen: Rows, documents: Rows, profile: Profile | None
) -> Context:
    """Return the elements of a tree that are or contain some elements.

    Args:
        chosen: ascending; documents: those of the elements, ascending.
        profile: says which elements are headings; None where these do not count.
    """
    following = following_scopes(elements, () if profile is None else profile.headings, documents)
    roots = elements.root(documents)
    if kernels.native is not None:
        return _context_by_kernel(kernels.native, tree, chosen, roots, following)
    places, parents = with_ancestors(tree.above, distinct(tree.places(chosen)))
    reserve(14 * len(places))
    entries = tree.entries(places)
    rows, ends, words, tags = (entries[name].astype(np.int64) for name in ("row", "end", "words", "tag"))
    is_root = parents == np.arange(len(rows))
    lower = places_of(entries["is_lower"])
    parents[lower] = lower
    return Context(
        rows=rows,
        ends=ends,
        words=words,
        tags=tags,
        document=documents_of_rows(roots, rows, is_root, with_roots=True),
        parents=parents,
        is_root=is_root,
        depths=entries["depth"],
        scopes=scopes_among(rows, ends, parents, is_root, entries["heading_levels"], following),
        neighbours=_neighbours(places, entries["following"]),
        is_mostly_titles=entries["is_mostly_titles"],
    )


def _context_by_kernel(native: ModuleType, tree: ElementTree, chosen: Rows, roots: Rows, following: Scopes) -> Context:
    """Return what `context_in_tree` returns, from the roots of the documents and the scopes of headings with a rank."""
    numbers, masks, neighbours, scopes = native.tree_context(*tree.columns, chosen, roots)
    rows, ends, words, tags, depths, document, parents = np.frombuffer(numbers, np.int64).reshape(7, -1)
    reserve(14 * len(rows))
    columns = np.frombuffer(masks, np.uint8).reshape(3, -1)
    is_root, is_mostly_titles = columns[0].view(np.bool_), columns[2].view(np.bool_)
    if len(following.headings):
        of_headings = scopes_among(rows, ends, parents, is_root, columns[1], following)
    else:
        of_headings = Scopes(*(np.frombuffer(column, np.int64) for column in scopes))
    return Context(
        rows=rows,
        ends=ends,
        words=words,
        tags=tags,
        document=document,
        parents=parents,
        is_root=is_root,
        depths=depths,
        scopes=of_headings,
        neighbours=(np.frombuffer(neighbours[0], np.int64), np.frombuffer(neighbours[1], np.int64)),
        is_mostly_titles=is_mostly_titles,
    )


def _neighbours(places: Rows, following: NDArray[np.int32]) -> tuple[Rows, Rows]:
    """Return where elements and those directly after them are among some, from their places in the tree."""
    left = places_of(following >= 0)
    behind = following.take(left)
    right = places.searchsorted(behind)
    is_here = places.take(right, mode="clip") == behind
    return left.compress(is_here), right.compress(is_here)
