"""The table of kernels: a step runs in C where there are kernels, in NumPy where not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.kernels import table
from engine.kernels.table import TABLE, compiled, has_kernels, without_kernels

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
