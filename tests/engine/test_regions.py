"""Where the members of one set stand among those of another."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.regions import places_among

sets = st.sets(st.integers(0, 30)).map(lambda rows: np.array(sorted(rows), np.int64))


@given(sets, sets)
def test_merging_two_sets_is_searching_for_each(others: np.ndarray, rows: np.ndarray) -> None:
    for few, many in ((others, rows), (rows, others)):
        assert places_among(few, many, "left").tolist() == [int((few < row).sum()) for row in many]
        assert places_among(few, many, "right").tolist() == [int((few <= row).sum()) for row in many]
