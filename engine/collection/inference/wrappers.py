"""Wrappers of titles of a vocabulary, by use: between a part and its title, as `<c><did><unittitle>` has one.

Rule: a part is one of several siblings of its tag, without a title of its own. In most of its elements the same tags
lead to one title, which no other inside has the tag of; each of them mostly occurs once in its parent. A title after
an element that has one, too, is that of both: the name of a journal in an article is not the article's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from engine.arrays import Mask, Rows
from engine.collection.inference.tag_use import TagUse

# Elements of a tag that are parts, at least; the share of them of which this has to hold; those that are looked at.
SEVERAL, USUAL, LOOKED_AT = 3, 0.8, 200


def find_wrappers(use: TagUse, titles: Mask) -> Mask:
    """Return the tags of wrappers, shape (n_tags,).

    Args:
        titles: tags of titles.
    """
    has_words = (use.words > 0) & ~use.is_root
    rows = np.flatnonzero(has_words & titles[use.tag])
    are_titled = np.zeros(len(use.tag), np.bool_)
    are_titled[use.parent[rows]] = True
    parts = has_words & (use.n_alike > 1) & ~are_titled
    are_parts = (use.n(has_words) >= SEVERAL) & (use.share(parts, has_words) >= USUAL) & ~titles
    occurs_once = use.share(use.n_alike == 1, has_words) >= USUAL
    found = np.zeros(len(use.names), np.bool_)
    for tag in np.flatnonzero(are_parts).tolist():
        of_tag = use.rows_of(tag, has_words)[:LOOKED_AT]
        paths = Counter(_paths(use, of_tag, rows))
        if paths:
            path, n = paths.most_common(1)[0]
            if n >= USUAL * len(of_tag) and occurs_once[list(path)].all():
                found[list(path)] = True
    return found & ~titles


def _paths(use: TagUse, parts: Rows, titles: Rows) -> Iterator[tuple[int, ...]]:
    """Yield the tags from each part down to its title, for parts that have one; its own last."""
    begins, ends = titles.searchsorted(parts), titles.searchsorted(use.end[parts])
    for part, begin, end in zip(parts.tolist(), begins.tolist(), ends.tolist(), strict=True):
        inside = titles[begin:end]
        numbers = use.tag[inside].tolist()
        n_of_tag = Counter(numbers)
        around = use.parent[inside]
        for place, tag in enumerate(numbers):
            if n_of_tag[tag] > 1:
                continue
            is_inner = (around[place + 1 :] < around[place]) & (use.end[around[place + 1 :]] > around[place])
            if not is_inner.any():
                row, path = int(around[place]), list[int]()
                while row != part and use.n_alike[row] == 1:
                    path.insert(0, int(use.tag[row]))
                    row = int(use.parent[row])
                if row == part:
                    yield (*path,)
                break
