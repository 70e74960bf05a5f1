"""What elements take from those above them, from columns of the whole collection and by climbing from each element."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.retrieval.scoring.levels import levels
from engine.retrieval.scoring.surroundings import heading_scores
from engine.retrieval.scoring.term_weights import TermWeights
from engine.similarity.values import Pairs

N_TERMS = 3
# Places of parents: below each element, or the element itself (a root, or one whose parent is not here).
trees = st.lists(st.integers(0, 5), min_size=1, max_size=14).map(
    lambda steps: np.array([max(place - step, 0) if step else place for place, step in enumerate(steps)], np.int64)
)


def above(place: int, parents: np.ndarray) -> list[int]:
    """Return an element and those above it, from below."""
    found = [place]
    while parents[found[-1]] != found[-1]:
        found.append(int(parents[found[-1]]))
    return found


def roots_of(parents: np.ndarray) -> np.ndarray:
    """Return which elements are roots: every second one of those without a parent."""
    is_root = parents == np.arange(len(parents))
    is_root[np.flatnonzero(is_root)[1::2]] = False
    return is_root


@given(trees, st.data())
def test_levels_have_each_element_that_inherits_once_and_behind_its_parent(parents: np.ndarray, data: st.DataObject):
    is_root = roots_of(parents)
    deeper = data.draw(st.lists(st.integers(0, 3), min_size=len(parents), max_size=len(parents)))
    depths = np.array([sum(1 + deeper[each] for each in above(place, parents)) for place in range(len(parents))])

    found = levels(parents, is_root, depths)

    done: set[int] = set()
    for level, of_level in found:
        assert of_level.tolist() == parents[level].tolist()
        assert done.isdisjoint(level.tolist())
        waiting = {place for place in range(len(parents)) if inherits(place, parents, is_root)} - done
        assert waiting.isdisjoint(of_level.tolist())
        done.update(level.tolist())
    assert done == {place for place in range(len(parents)) if inherits(place, parents, is_root)}


def inherits(place: int, parents: np.ndarray, is_root: np.ndarray) -> bool:
    return parents[place] != place and not is_root[parents[place]]


@given(trees, st.data())
def test_headings_count_for_their_parents_and_all_below_them(parents: np.ndarray, data: st.DataObject):
    n, is_root = len(parents), roots_of(parents)
    has_term = np.array(data.draw(st.lists(st.booleans(), min_size=n * N_TERMS, max_size=n * N_TERMS)))
    is_title = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n))) & ~is_root
    term, unit = has_term.reshape(N_TERMS, n).nonzero()
    group = np.array(data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    weights = TermWeights(np.array([[1.0, 1.5], [2.0, 2.5], [4.0, 4.5]]), np.zeros(2), group)
    depths = np.array([len(above(place, parents)) for place in range(n)])

    scores = heading_scores(
        Pairs(term, unit, np.ones(len(term), np.int64)),
        weights,
        is_title,
        parents,
        is_root,
        levels(parents, is_root, depths),
    )

    for place in range(n):
        holders = [each for each in above(place, parents) if not is_root[each]]
        terms = {int(t) for t, u in zip(term, unit, strict=True) if is_title[u] and parents[u] in holders}
        nearest = next((h for h in holders if any(is_title[u] and parents[u] == h for u in unit.tolist())), None)
        expected = 0.0 if nearest is None else sum(weights.of_terms[each, group[nearest]] for each in sorted(terms))
        assert scores[place] == expected
