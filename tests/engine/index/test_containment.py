"""Where the members of one set stand among those of another."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.index.containment import insertion_places

sets = st.sets(st.integers(0, 30)).map(lambda rows: np.array(sorted(rows), np.int64))


@given(sets, sets)
def test_merging_two_sets_is_searching_for_each(others: np.ndarray, rows: np.ndarray) -> None:
    for few, many in ((others, rows), (rows, others)):
        assert insertion_places(few, many, "left").tolist() == [int((few < row).sum()) for row in many]
        assert insertion_places(few, many, "right").tolist() == [int((few <= row).sum()) for row in many]
