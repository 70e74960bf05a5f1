"""Kernels of a search read the clock: where its time is over, they raise, whatever they work on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.errors import QueryTimeError
from engine.kernels.table import has_kernels, native
from engine.query_limits import limited

pytestmark = pytest.mark.skipif(not has_kernels(), reason="no kernels were compiled")


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


ONE, COUNTS, NARROW = np.ones(1), np.ones(1, np.uint16), np.zeros(2, np.int32)
LATE: dict[str, tuple[Any, ...]] = {
    "inherited": (ONE, ints(0), np.ones(1, "?"), 1.0),
    "best_neighbours": (np.ones(2), ints(0), ints(1)),
    "best_apart": (ints(0), ints(1), ints(0), ONE, 1),
    "best_by_bm25": ([ints(0)], [ints(1)], ONE, ONE, ONE, ONE, None, 1.0, 1),
    "find_documents": ([ints(0)], [ints(0, 1)], ints(0), True),
    "read_leaves": (COUNTS, 3, ints(0), ints(1), ints(0)),
    "find_leaves": ([ints(0)], [ints(0, 1)], COUNTS, 3, ints(0), ints(0)),
    "spans_in_blocks": (ints(0), ints(0), [(NARROW, NARROW)]),
    "inner_borders": (ints(0, 9), ints(1), ints(2, 3), np.ones(1, "?")),
    "stretch_scores": (
        [np.zeros(2, np.uint8)],
        *(ints(0), ints(2), ints(1), ONE, ONE, ONE, ONE, ONE, 1, 2, 255),
    ),
}


@pytest.mark.parametrize("name", LATE)
def test_a_kernel_ends_where_the_time_of_a_query_is_over(name: str) -> None:
    kernel = getattr(native, name)
    kernel(*LATE[name])
    with pytest.raises(QueryTimeError, match="takes longer than"), limited(None, 1e-9):
        kernel(*LATE[name])
    kernel(*LATE[name])
