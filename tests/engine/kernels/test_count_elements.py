"""Elements with the terms of a query in them: the kernel that counts them finds what NumPy finds, bit by bit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from engine.index.elements.element_table import TableMask
from engine.index.reader import IndexReader, open_reader
from engine.kernels.table import has_kernels, native, without_kernels
from engine.ranking.matches import occurrences_of_each
from engine.ranking.scoring.context import Context, counted_context, neighbours_in
from engine.ranking.search import plan_query
from engine.settings import Settings
from engine.similarity.values import Pairs
from tests.engine.kernels.test_refusals import FORGED, MASK, PLAIN, ints, table
from tests.engine.kernels.test_searches import ROOT, queries
from tests.engine.small_index import build_index

pytestmark = pytest.mark.skipif(not has_kernels(), reason="no kernels were compiled")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexReader]:
    folder = tmp_path_factory.mktemp("index")
    build_index(ROOT / "collections", into=folder / "sample.foxir")
    with open_reader(folder / "sample.foxir") as opened:
        yield opened


@pytest.mark.parametrize("mask", [TableMask(), TableMask(9, 9, True, True), TableMask(40, 12, True, False)])
def test_the_elements_are_those_of_numpy(index: IndexReader, mask: TableMask) -> None:
    documents = index.live_documents
    for query in queries():
        wanted = plan_query(index, query, Settings()).query.wanted
        occurrences = occurrences_of_each(index.elements, wanted, documents)
        found = counted_context(index, occurrences, documents, mask)
        with without_kernels():
            expected = counted_context(index, occurrences, documents, mask)
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
