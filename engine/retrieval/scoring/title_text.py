"""What is left out as titles: what they say is in the breadcrumb of what they entitle, and front matter repeats it.

An element is left out if more than `max_title_share` of its words are in titles, elements with a tag of the profile's
titles. Where that is true of a whole document, such as a list of names, all its elements stay.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.index.element_store import Elements
from engine.index.reader import IndexReader
from engine.retrieval.plan import Plan

Rows = NDArray[np.int64]
EVERYTHING = 1.0  # the share that no element exceeds
# Readings of a path query by its words alone.
CONTENT_ONLY = ("CO", "VV")


def asks_for_titles(index: IndexReader, plan: Plan) -> bool:
    """Return whether a query has a target that counts, or answers lie in a title by name: then titles are answers."""
    has_target = plan.query.path is not None and plan.query.reading not in CONTENT_ONLY
    return has_target or not index.profile.titles.isdisjoint(plan.scope.inside or ())


def is_mostly_titles(index: IndexReader, rows: Rows, ends: Rows, share: float) -> NDArray[np.bool_]:
    """Return which elements have more than a share of their words in titles, while their documents have not.

    Args:
        rows, ends: elements, and one past the last row of the subtree of each.
    """
    elements = index.elements
    numbers = [elements.tag_numbers[tag] for tag in index.profile.titles if tag in elements.tag_numbers]
    if share >= EVERYTHING or not numbers or not len(rows):
        return np.zeros(len(rows), np.bool_)
    documents, place = np.unique(elements.document(rows), return_inverse=True)
    titles = _outermost(elements, elements.with_tags(sorted(numbers), documents))
    roots = elements.root(documents)
    is_of_titles = _exceeds(elements, titles, roots, elements.end(roots), share)
    found: NDArray[np.bool_] = _exceeds(elements, titles, rows, ends, share) & ~is_of_titles[place]
    return found


def _outermost(elements: Elements, titles: Rows) -> Rows:
    """Return the titles (ascending) that lie in no other one, roots and inline elements left out."""
    titles = titles.compress(~elements.is_inline(titles) & (elements.parent(titles) != titles))
    furthest = np.maximum.accumulate(np.append(0, elements.end(titles)))[:-1]
    return titles.compress(titles >= furthest)


def _exceeds(elements: Elements, titles: Rows, rows: Rows, ends: Rows, share: float) -> NDArray[np.bool_]:
    """Return whether the words of titles are more than a share of those of each element."""
    title_ends = elements.end(titles)
    before = np.append(0, np.cumsum(elements.n_words(titles, title_ends)))
    of_titles = before[titles.searchsorted(ends)] - before[titles.searchsorted(rows)]
    above = titles.searchsorted(rows, "right") - 1
    is_inside = (above >= 0) & (np.append(title_ends, 0)[above] > rows)
    found: NDArray[np.bool_] = is_inside | (of_titles > share * elements.n_words(rows, ends))
    return found
