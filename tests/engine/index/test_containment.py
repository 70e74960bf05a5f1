"""Where the members of one set stand among those of another, and what is above them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.index.containment import insertion_places, with_ancestors
from tests.engine.small_index import index_of

sets = st.sets(st.integers(0, 30)).map(lambda rows: np.array(sorted(rows), np.int64))


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

        found = with_ancestors(elements.parent, rows)

        assert found.rows.tolist() == sorted(climbed)
        assert found.rows[found.parents].tolist() == elements.parent(found.rows).tolist()
