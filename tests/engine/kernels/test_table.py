"""The table of kernels: a step runs in C where there are kernels, in NumPy where not.

Kernels of a search read the clock: where its time is over, they raise, whatever they work on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.errors import QueryTimeError
from engine.kernels import table
from engine.kernels.table import TABLE, compiled, has_kernels, native, without_kernels
from engine.query_limits import limited

ENGINE = Path(table.__file__).parents[1]


def _in_numpy(text: str, times: int = 1) -> str:
    return f"NumPy {text * times}"


@pytest.fixture(autouse=True)
def only_the_steps_of_the_engine() -> Iterator[None]:
    known = dict(TABLE)
    yield
    TABLE.clear()
    TABLE.update(known)


def test_a_step_runs_the_version_in_c_where_there_are_kernels_and_else_the_other() -> None:
    @compiled(_in_numpy)
    def step(text: str, times: int = 1) -> str:
        """Return what it is for."""
        return f"C {text * times}"

    with without_kernels():
        assert not has_kernels()
        assert step("a", times=2) == "NumPy aa"
    assert step("a", 2) == ("C aa" if has_kernels() else "NumPy aa")
    assert step.__doc__ == "Return what it is for."
    in_c, in_numpy = TABLE[f"{__name__}.{step.__qualname__}"]
    assert (in_c("a"), in_numpy("a")) == ("C a", "NumPy a")


def test_the_switch_is_set_back_after_an_error() -> None:
    before = has_kernels()
    with pytest.raises(ZeroDivisionError), without_kernels():
        1 / 0  # noqa: B018
    assert has_kernels() == before


def test_a_step_calls_each_function_of_c() -> None:
    declared = re.findall(r"^def (\w+)\(", (ENGINE / "kernels" / "_native.pyi").read_text("utf-8"), re.M)
    sources = "".join(path.read_text("utf-8") for path in sorted(ENGINE.rglob("*.py")))

    assert {*re.findall(r"\bnative\.(\w+)\(", sources)} >= {*declared}


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


ONE, COUNTS, NARROW = np.ones(1), np.ones(1, np.uint16), np.zeros(2, np.int32)
LATE: dict[str, tuple[Any, ...]] = {
    "inherited": (ONE, ints(0), np.ones(1, "?"), 1.0),
    "best_neighbours": (np.ones(2), ints(0), ints(1)),
    "pairs_in": ([ints(0)], [ints(1)], ints(0), ints(1)),
    "block_scores": (ints(0), ints(0), ints(1), ONE, ONE, ONE, None, 1.0, 0.5, 9.0),
    "heading_scores": (ints(0), ints(0), ints(0), ints(0), ints(1), None, ONE, 1, 1),
    "ancestors_or_self": (np.zeros(1, np.uint8), ints(), ints(), ints(0)),
    "best_apart": (ints(0), ints(1), ints(0), ONE, 1),
    "best_by_bm25": ([ints(0)], [ints(1)], ONE, ONE, ONE, ONE, None, None, 1.0, 1),
    "find_documents": ([ints(0)], [ints(0, 1)], ints(0), True),
    "find_leaves": ([ints(0)], [ints(0, 1)], COUNTS, 3, ints(0), ints(0)),
    "spans_in_blocks": (ints(0), ints(0), [(NARROW, NARROW)]),
    "inner_borders": (ints(0, 9), ints(1), ints(2, 3), np.ones(1, "?")),
    "stretch_scores": ([np.zeros(2, np.uint8)], *(ints(0), ints(2), ints(1), ONE, ONE, ONE, ONE, ONE, 1, 2, 255)),
}


@pytest.mark.skipif(not has_kernels(), reason="no kernels were compiled")
@pytest.mark.parametrize("name", LATE)
def test_a_kernel_ends_where_the_time_of_a_query_is_over(name: str) -> None:
    kernel = getattr(native, name)
    kernel(*LATE[name])
    with pytest.raises(QueryTimeError, match="takes longer than"), limited(None, -1):
        kernel(*LATE[name])
    kernel(*LATE[name])


def test_a_step_does_not_begin_where_the_time_of_a_query_is_over() -> None:
    @compiled(lambda: "NumPy")
    def step() -> str:
        return "C"

    with without_kernels():
        assert step() == "NumPy"
        with pytest.raises(QueryTimeError), limited(None, -1):
            step()
        assert step() == "NumPy"
