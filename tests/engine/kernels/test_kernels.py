"""Each kernel returns what NumPy returns, bit by bit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.index.elements.headings import Scopes
from engine.kernels.table import has_kernels, native, without_kernels
from engine.ranking.parts.headings import heading_scores
from engine.ranking.parts.inheritance import inherited
from engine.ranking.parts.neighbours import best_neighbours
from engine.ranking.scoring.context import Context
from engine.ranking.scoring.term_weights import TermWeights, covered_share
from engine.ranking.selection.answer_order import in_order
from engine.ranking.selection.overlap import best_without_overlap
from engine.similarity.term_frequencies import pairs_in
from engine.similarity.values import Pairs
from tests.trust.soak import effort

pytestmark = pytest.mark.skipif(not has_kernels(), reason="no kernels were compiled")
many = settings(max_examples=effort(4, 3000, thorough=300), deadline=None)
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)
sizes = st.sampled_from([0, 1, 2, 9, 60, 3000])


def in_numpy(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    with without_kernels():
        return function(*arguments, **options)


def same(one: Any, other: Any) -> bool:
    """Return whether two arrays have the same bits."""
    one, other = np.asarray(one), np.asarray(other)
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


def forest(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, ends and the places of the parents of n elements; a root is its own parent."""
    parents = np.array([max(0, at - 1 - int(rng.geometric(0.4)) % (at + 1)) if at else 0 for at in range(n)], np.int64)
    open_: list[int] = []
    for at in range(n):  # an element is below one that contains the element before it
        while open_ and (open_[-1] != parents[at] or rng.random() < 0.05):
            open_.pop()
        parents[at] = open_[-1] if open_ else at
        open_.append(at)
    rows = np.cumsum(rng.integers(1, 4, n)) + 5
    ends = rows + 1
    for at in reversed(range(n)):
        ends[parents[at]] = max(ends[parents[at]], ends[at])
    return rows, ends, parents


@many
@given(seeds, sizes, st.integers(0, 40))
def test_pairs_of_nested_intervals(rng: np.random.Generator, n: int, n_terms: int) -> None:
    rows, ends, _ = forest(rng, n)
    last = int(ends.max(initial=0)) + 9
    leaves = [np.flatnonzero(rng.random(last) < rng.random() / 4) for _ in range(n_terms)]
    terms = [(each, rng.integers(1, rng.choice([2, 9, 2**20]), len(each))) for each in leaves]

    found, expected = pairs_in(terms, rows, ends), in_numpy(pairs_in, terms, rows, ends)

    for pairs in (found, expected):
        assert (np.diff(pairs.term[np.argsort(pairs.unit, kind="stable")])[np.diff(np.sort(pairs.unit)) == 0] > 0).all()
    in_one_order = [np.stack(pairs)[:, np.lexsort((pairs.unit, pairs.term))] for pairs in (found, expected)]
    assert same(*in_one_order)


@many
@given(seeds, sizes, st.integers(1, 20), st.integers(1, 9), st.sampled_from([1.0, -1.0]))
def test_the_share_of_the_query(rng: np.random.Generator, n: int, n_terms: int, n_groups: int, least: float) -> None:
    term, unit = np.nonzero(rng.random((n_terms, n)) < 0.3)
    pairs = Pairs(term, unit, rng.integers(1, 9, len(term)))
    group = None if n_groups == 1 else rng.integers(0, n_groups, n)
    of_terms = rng.uniform(min(least, 0), 1, (n_terms, n_groups))  # of terms in most documents, idf is below 0
    weights = TermWeights(of_terms, of_terms.sum(axis=0), group)

    _, shares, which = native.block_scores(*pairs, rng.integers(1, 99, n) / 1.0, *weights, 1.2, 0.75, 80.0)

    assert same(np.frombuffer(shares, np.float64)[np.frombuffer(which, np.int64)], covered_share(weights, pairs, n))


@many
@given(seeds, sizes, st.integers(1, 20), st.integers(1, 9))
def test_headings(rng: np.random.Generator, n: int, n_terms: int, n_groups: int) -> None:
    term, unit = np.nonzero(rng.random((n_terms, n)) < 0.3)
    pairs = Pairs(term, unit, np.ones(len(term), np.int64))
    group = None if n_groups == 1 else rng.integers(0, n_groups, n)
    weights = TermWeights(rng.random((n_terms, n_groups)), np.ones(n_groups), group)
    headings = np.flatnonzero(rng.random(n) < 0.2)
    first, end = np.sort(rng.integers(0, n + 1, (2, len(headings))), axis=0)
    scopes = Scopes(headings, first, end)

    found = heading_scores(pairs, weights, scopes, n)

    assert same(found, in_numpy(heading_scores, pairs, weights, scopes, n))


@many
@given(seeds, sizes, st.sampled_from([0.0, 0.3, 0.6]))
def test_what_is_around_elements(rng: np.random.Generator, n: int, weight: float) -> None:
    rows, ends, parents = forest(rng, n)
    is_root = parents == np.arange(n)
    scores = rng.choice([0.0, 0.5, 1 / 3], n) * rng.random(n)
    context = Context(rows, ends, ends - rows, rows, rows, parents, is_root, is_root)
    assert same(inherited(context, scores, weight), in_numpy(inherited, context, scores, weight))

    left = np.flatnonzero(rng.random(max(n - 1, 0)) < 0.5)
    given_ = scores, left, left + 1
    assert all(same(*both) for both in zip(best_neighbours(*given_), in_numpy(best_neighbours, *given_), strict=True))


@many
@given(seeds, sizes, st.sampled_from([1, 2, 10, 1500]), st.integers(0, 1))
def test_the_best_without_overlap(rng: np.random.Generator, n: int, n_first: int, with_ties: int) -> None:
    begins, ends, parents = forest(rng, n)
    articles = np.cumsum(parents == np.arange(n))[::-1].copy()
    scores = rng.integers(0, 5, n) / 7 if with_ties else rng.random(n)

    found = native.best_apart(begins, ends, articles, scores, n_first)

    kept = best_without_overlap(begins, ends, scores, n_first)
    expected = kept[in_order(scores[kept], articles[kept], begins[kept], n_first)]
    assert np.frombuffer(found, np.int64).tolist() == expected.tolist()


@many
@given(seeds, sizes, st.lists(sizes, max_size=5), st.sampled_from([np.uint8, np.uint16, np.uint32, np.int64]))
def test_terms_in_documents(
    rng: np.random.Generator, n: int, n_of_terms: Sequence[int], dtype: type[np.unsignedinteger[Any]]
) -> None:
    most = min(6000, int(np.iinfo(dtype).max))
    documents = np.flatnonzero(rng.random(most) < n / 6000)
    keys = [np.flatnonzero(rng.random(most) < each / 6000).astype(dtype) for each in n_of_terms]
    borders = [np.cumsum(rng.integers(1, 9, len(each) + 1)) for each in keys]

    found = native.find_documents(keys, borders, documents, True)

    values, counts = np.frombuffer(found, np.int64).reshape(2, len(keys), len(documents))
    for of_term, of_borders, value, count in zip(keys, borders, values, counts, strict=True):
        known = {int(key): place for place, key in enumerate(of_term)}
        places = [known.get(int(document)) for document in documents]
        assert value.tolist() == [0 if place is None else of_borders[place] for place in places]
        of_places = [0 if place is None else of_borders[place + 1] - of_borders[place] for place in places]
        assert count.tolist() == of_places
