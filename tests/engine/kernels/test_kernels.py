"""Each kernel returns what NumPy returns, bit by bit.

Articles are ranked and leaves read by kernels as by NumPy, bit by bit.

Elements with the terms of a query in them: the kernel that counts them finds what NumPy finds, bit by bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.arrays import ranges
from engine.index.elements.element_table import TableMask
from engine.index.elements.headings import NO_FOLLOWING_SCOPES, Scopes
from engine.index.reader import IndexReader, open_reader
from engine.kernels.table import has_kernels, native, without_kernels
from engine.ranking.articles import best
from engine.ranking.matches import occurrences_of_each
from engine.ranking.parts.headings import heading_scores
from engine.ranking.parts.inheritance import inherited
from engine.ranking.parts.neighbours import best_neighbours
from engine.ranking.scoring.context import Context, counted_context, neighbours_in
from engine.ranking.scoring.term_weights import TermWeights, covered_share
from engine.ranking.search import plan_query
from engine.ranking.selection.overlap import best_without_overlap
from engine.ranking.selection.selection import in_order
from engine.settings import Settings
from engine.similarity.presets import PRESETS, TermPostings, best_by_bm25, bm25_part, opening_part, scores
from engine.similarity.term_frequencies import pairs_in
from engine.similarity.values import Pairs
from tests.engine.kernels.test_refusals import FORGED, MASK, PLAIN, ints, table
from tests.engine.kernels.test_searches import ROOT, queries
from tests.engine.small_index import build_index
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


@many
@given(seeds, st.sampled_from([1, 9, 300]), st.integers(1, 4), st.sampled_from([1, 5, 1000]), st.sampled_from([0, 0.7]))
def test_the_best_by_bm25(rng: np.random.Generator, n: int, n_terms: int, n_best: int, opening_weight: float) -> None:
    class Collection:
        n_documents, mean_length = n, 7.5
        lengths = rng.integers(1, 4, n).astype(np.float64)  # few different ones, so that scores tie

    class Frequencies:
        document_frequency, opening_frequency = 3, 2

    terms = []
    for number in range(n_terms):
        documents = np.flatnonzero(rng.random(n) < 0.6)
        postings = documents, rng.integers(1, 3, len(documents))
        is_opening = rng.random(len(documents)) < 0.3
        terms.append(TermPostings(str(number), 1, *postings, *(each[is_opening] for each in postings), Frequencies()))
    order = rng.permutation(n) if n_terms % 2 else None
    parameters = PRESETS["bm25"].defaults

    kept = rng.random(n) < 0.5 if n_best > 1 else None
    found = best_by_bm25(terms, Collection(), parameters, n_best, order, opening_weight, kept)  # type: ignore[arg-type]

    documents, expected_scores = scores("bm25", terms, Collection(), parameters)  # type: ignore[arg-type]
    for postings in terms if opening_weight else []:
        places = documents.searchsorted(postings.opening_documents)
        expected_scores[places] += opening_part(postings, Collection(), opening_weight)  # type: ignore[arg-type]
    highest = expected_scores.max(initial=0.0)
    if kept is not None:
        documents, expected_scores = documents[kept[documents]], expected_scores[kept[documents]]
    expected = best(documents, expected_scores, n_best, order)
    assert found[2] == highest
    assert PRESETS["bm25"].fast.part is bm25_part
    assert found[0].tolist() == expected.documents.tolist()
    assert same(found[1], expected.scores)


@many
@given(seeds, st.integers(0, 4), st.sampled_from([np.uint8, np.uint16, np.uint32]))
def test_leaves_are_found_and_read_at_once(rng: np.random.Generator, n_terms: int, dtype: Any) -> None:
    packed = rng.integers(0, 256, 500).astype(dtype)
    documents = np.flatnonzero(rng.random(200) < 0.3)
    keys = [np.flatnonzero(rng.random(200) < 0.2).astype(np.uint16) for _ in range(n_terms)]
    borders = [np.cumsum(rng.integers(1, 4, len(each) + 1)) for each in keys]

    found, ends, places, of_documents = native.find_leaves(keys, borders, packed, 3, documents, documents)

    values = np.frombuffer(native.find_documents(keys, borders, documents, True), np.int64)
    begins, counts = values.reshape(2, n_terms, len(documents))
    where = ranges(begins.ravel(), counts.ravel())
    rows, tf = np.frombuffer(found, np.int64).reshape(2, -1)
    assert rows.tolist() == (np.tile(documents, n_terms).repeat(counts.ravel()) + (packed[where] >> 3)).tolist()
    assert tf.tolist() == ((packed[where] & 7) + 1).tolist()
    assert np.frombuffer(ends, np.int64).tolist() == counts.sum(axis=1).cumsum().tolist()
    large, in_column = np.frombuffer(places, np.int64).reshape(2, -1)
    assert large.tolist() == np.flatnonzero(tf == 8).tolist()
    assert in_column.tolist() == where[large].tolist()
    assert np.frombuffer(of_documents, np.int64).tolist() == counts.ravel().tolist()


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexReader]:
    folder = tmp_path_factory.mktemp("index")
    build_index(ROOT / "collections", into=folder / "sample.foxir")
    with open_reader(folder / "sample.foxir") as opened:
        yield opened


@pytest.mark.parametrize("mask", [TableMask(), TableMask(9, 9, True, True), TableMask(40, 12, True, False)])
def test_the_elements_are_those_of_numpy(index: IndexReader, mask: TableMask) -> None:
    documents = index.live_documents
    others = index.elements.nearest_non_inline(np.arange(1, index.elements.row_base[-1], 7))
    following = index.following_scopes(documents) if mask.with_headings else NO_FOLLOWING_SCOPES
    for query in queries():
        wanted = plan_query(index, query, Settings()).query.wanted
        occurrences = occurrences_of_each(index.elements, wanted, documents)
        for headed in (others[:0], np.unique(others)):
            found = counted_context(index, occurrences, headed, documents, mask, following)
            with without_kernels():
                expected = counted_context(index, occurrences, headed, documents, mask, following)
            assert columns_of(*found, mask) == columns_of(*expected, mask), query


def columns_of(context: Context, pairs: Pairs, mask: TableMask) -> list[Any]:
    """Return all columns; the neighbours as they are under a mask, pairs by unit and term."""
    names = ("rows", "ends", "words", "tags", "document", "parents", "is_root", "is_mostly_titles")
    by_unit = np.lexsort((pairs.term, pairs.unit))
    beside = neighbours_in(context, mask.neighbour_words / 0.2)
    scopes = [column[np.argsort(context.scopes.headings, kind="stable")].tolist() for column in context.scopes]
    columns = [np.asarray(getattr(context, name)).tolist() for name in names]
    return [
        *columns,
        scopes,
        sorted(zip(*map(np.ndarray.tolist, beside), strict=True)),
        *(c[by_unit].tolist() for c in pairs),
    ]


def counted_in(given: Any, leaves: list[int], roots: list[int], n_others: int = 0) -> Any:
    """Count a term, and others that occur nowhere, in a table."""
    others = [ints()] * n_others
    postings = [ints(*leaves), *others], [np.ones(len(leaves), np.int64), *others]
    extents = given[0][7].tolist()
    ends = [root + extents[root] if 0 <= root < len(extents) else root + 1 for root in roots]
    return native.count_elements(given, MASK, *postings, ints(*roots), ints(*ends))


TWO = [0, 0, 0, 0, 2], [2, 2, 5, 4, 5]  # two documents, of which the second one ends with an element of the first one


@pytest.mark.parametrize(
    ("given", "leaves", "roots"),
    [
        *((table(*columns, **changed), [1, 2], [0]) for columns, changed in FORGED),
        (table([0, 0, 1], [2, 2, 3]), [1, 2], [0]),  # a posting behind the document
        (table(*PLAIN), [2, 1], [0]),  # not ascending
        (table(*PLAIN), [2, 2], [0]),  # twice
        (table(*PLAIN), [999], [0]),  # not in the index
        (table(*PLAIN), [-1], [0]),
        (table(*PLAIN), [2], []),  # in no document
        (table(*PLAIN), [2], [999]),  # a document that is not in the index
        (table(*PLAIN), [2], [-1]),
        (table([0, 0, 1], [9, 3, 3]), [2], [0]),  # a root that ends behind the index
        (table([0, 0, 1], [0, 3, 3]), [0], [0]),  # a root that ends before it begins
        (table(*TWO), [0, 3], [0, 2]),  # a parent in another document
    ],
)
@pytest.mark.parametrize("n_others", [0, 6])  # rows of six terms are merged, those of more marked in a bit map
def test_a_forged_table_is_refused(given: Any, leaves: list[int], roots: list[int], n_others: int) -> None:
    with pytest.raises(ValueError, match=r"\.npy"):
        counted_in(given, leaves, roots, n_others)
