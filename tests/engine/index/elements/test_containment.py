"""Where the members of one set stand among those of another, and what is above them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.columns.byte_column import LARGE
from engine.index.elements.containment import chains, insertion_places, with_ancestors
from engine.kernels.table import has_kernels, native
from tests.engine.small_index import index_of
from tests.trust.soak import effort

sets = st.sets(st.integers(0, 30)).map(lambda rows: np.array(sorted(rows), np.int64))


@pytest.mark.skipif(not has_kernels(), reason="no kernels were compiled")
@settings(max_examples=effort(80, 20_000, thorough=3000), deadline=None)
@given(st.lists(st.integers(0, 400), min_size=1, max_size=500), st.sets(st.integers(0, 499)), st.sampled_from("HIQ"))
@pytest.mark.long
def test_ancestors_by_the_kernel_are_those_without(drawn: list[int], chosen: set[int], letter: str) -> None:
    parents = np.zeros(len(drawn), np.int64)
    open_elements = [0]
    for row, depth in enumerate(
        drawn[1:], 1
    ):  # a tree in document order: the parent is on the path to the last element
        open_elements = open_elements[: 1 + depth % (len(open_elements) + 1)]
        if not open_elements or depth > 390:  # another root
            open_elements = []
        parents[row] = open_elements[-1] if open_elements else row
        open_elements.append(row)
    rows = np.array(sorted(row for row in chosen if row < len(drawn)), np.int64)
    distances = np.arange(len(drawn)) - parents
    large = np.flatnonzero(distances >= LARGE)
    columns = np.minimum(distances, LARGE).astype(np.uint8), large.astype(letter), distances[large].astype(letter)
    expected = with_ancestors(lambda level: parents[level], rows)

    found = [np.frombuffer(column, np.int64).tolist() for column in native.ancestors_or_self(*columns, rows)]

    assert found == [expected.rows.tolist(), expected.parents.tolist()]


@given(sets, sets)
def test_merging_two_sets_is_searching_for_each(others: np.ndarray, rows: np.ndarray) -> None:
    for few, many in ((others, rows), (rows, others)):
        assert insertion_places(few, many, "left").tolist() == [int((few < row).sum()) for row in many]
        assert insertion_places(few, many, "right").tolist() == [int((few <= row).sum()) for row in many]


def test_ancestors_have_the_places_of_their_parents(tmp_path):
    inner = "<s><p>sea<b>x</b></p><s><p>tide</p></s></s>"
    elements = index_of(tmp_path, dict.fromkeys("de", f"<a>{inner}<p/>{inner}</a>")).elements
    n_rows = int(elements.row_base[-1])
    rng = np.random.default_rng(1)
    for size in [0, 1, 1, 2, 2, 3, 5, 8, n_rows]:
        rows = np.sort(rng.choice(n_rows, size, replace=False))
        climbed = set(rows.tolist())
        for row in rows.tolist():
            while (above := int(elements.parent(np.array([row]))[0])) != row:
                climbed.add(row := above)

        for found in (with_ancestors(elements.parent, rows), chains(elements, rows)):
            assert found.rows.tolist() == sorted(climbed)
            assert found.rows[found.parents].tolist() == elements.parent(found.rows).tolist()
