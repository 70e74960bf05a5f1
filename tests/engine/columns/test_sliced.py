"""Columns and strings on disk are read like arrays and lists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.columns.sliced import SlicedColumn, SlicedStrings

COLUMNS = [
    np.arange(60, dtype=np.uint8).reshape(20, 3),
    np.arange(300, dtype=np.int32),
    np.arange(7) / 7,
    np.zeros(0, np.int64),
    np.zeros((0, 16), np.uint8),
]
BORDER = st.one_of(st.none(), st.integers(-400, 400))


@pytest.mark.parametrize("column", COLUMNS)
@given(start=BORDER, stop=BORDER)
def test_slices_of_a_column_are_those_of_the_array(
    column: NDArray[Any], start: int | None, stop: int | None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / f"column-{column.dtype}-{column.size}.npy"
    if not path.exists():
        np.save(path, column)
    found = SlicedColumn.npy(path)[start:stop]
    assert np.array_equal(found, column[start:stop])
    assert (found.dtype, found.shape) == (column.dtype, column[start:stop].shape)
    assert found.flags.writeable
    assert np.array_equal(np.asarray(SlicedColumn.npy(path)), column)


@given(strings=st.lists(st.binary(max_size=5), max_size=20), first=st.integers(0, 19), most=st.integers(1, 25))
def test_strings_are_read_from_any_of_them(
    strings: list[bytes], first: int, most: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "strings"
    SlicedStrings.save(path, strings)
    spilled = SlicedStrings.spilled(path)
    assert list(spilled) == strings
    if first < len(strings):
        assert spilled.read(first, most) == strings[first : first + most]


def test_a_file_that_ends_early_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "column.npy"
    np.save(path, np.arange(100))
    path.write_bytes(path.read_bytes()[:-8])
    column = SlicedColumn.npy(path)
    assert column[:99].tolist() == list(range(99))
    with pytest.raises(EOFError, match="ends 8 bytes early"):
        column[50:100]
