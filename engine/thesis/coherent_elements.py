"""Coherent retrieval elements (CREs): lowest common ancestors of neighbouring matches.

Source: thesis 3.2.1. All articles are processed at once; rows are ascending, so the matches of an article are adjacent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from engine.arrays import Rows, distinct
from engine.index.elements.containment import lowest_common_ancestors
from engine.index.elements.element_store import Elements
from engine.settings.choices import AnswerSelection


def matching_elements(_elements: Elements, matches: Rows, _documents: Rows) -> Rows:
    """Return the matches themselves."""
    return matches


def original_cres(elements: Elements, matches: Rows, documents: Rows) -> Rows:
    """Return the oCREs: LCAs of adjacent pairs of matches of an article; the match itself if it is the only one."""
    same = documents[1:] == documents[:-1]
    common = lowest_common_ancestors(elements, matches[:-1][same], matches[1:][same])
    is_lone = np.ones(len(matches), np.bool_)
    is_lone[1:] &= ~same
    is_lone[:-1] &= ~same
    return distinct(np.concatenate([elements.nearest_non_inline(common), matches[is_lone]]))


def new_cres(elements: Elements, matches: Rows, documents: Rows) -> Rows:
    """Return the nCREs: the oCREs, and the matches whose parent is not an oCRE."""
    original = original_cres(elements, matches, documents)
    parents = elements.nearest_non_inline(elements.parent(matches))
    alone = matches[~np.isin(parents, original)]
    return distinct(np.concatenate([original, alone]))


KINDS: Mapping[AnswerSelection, Callable[[Elements, Rows, Rows], Rows]] = {
    "matching": matching_elements,
    "oCRE": original_cres,
    "nCRE": new_cres,
}
