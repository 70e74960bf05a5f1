"""Leaf postings packed into one number each give back rows and frequencies, and take the bytes that they promise."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.columns.checked_folder import CheckedFolder
from engine.columns.folder_writer import FolderWriter
from engine.columns.leaf_column import LEAST_BITS, LeafColumn, LeafColumnWriter, free_bits
from engine.columns.sliced import SlicedColumn
from tests.trust.soak import effort

Numbers = NDArray[Any]

FREQUENCIES = st.sampled_from([1, 1, 1, 2, 3, 4, 7, 8, 9, 254, 255, 256, 70_000])


def written(folder: Path, rows: Numbers, tf: Numbers, most_rows: int, borders: list[int]) -> CheckedFolder:
    writer = FolderWriter(folder / "made", sync=False)
    column = LeafColumnWriter(writer, len(rows), most_rows)
    for first, last in pairwise([0, *sorted(border for border in borders if border <= len(rows)), len(rows)]):
        column.append(rows[first:last], tf[first:last])
    column.finish()
    return CheckedFolder(writer.folder, writer.close())


@settings(max_examples=effort(10, 5000, thorough=200), deadline=None)
@given(
    st.sampled_from([1, 2, 3, 63, 64, 65, 128, 256, 257, 6133, 16384, 16385, 32769, 65536, 65537, 2**20]),
    st.lists(st.tuples(st.integers(0, 2**20), FREQUENCIES), max_size=40),
    st.lists(st.integers(0, 40), max_size=3),
    st.data(),
)
def test_rows_and_frequencies_come_back(
    most_rows: int, entries: list[tuple[int, int]], borders: list[int], data: st.DataObject
) -> None:
    rows = np.array([row % most_rows for row, _ in entries], np.int64)
    tf = np.array([frequency for _, frequency in entries], np.uint32)
    with TemporaryDirectory() as folder:
        files = written(Path(folder), rows, tf, most_rows, borders)
        column = LeafColumn(files, most_rows)

        assert len(column) == len(rows)
        assert [found.tolist() for found in column.all()] == [rows.tolist(), tf.tolist()]
        first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(rows))] * 2)))
        assert [found.tolist() for found in column.slice(first, last)] == [
            rows[first:last].tolist(),
            tf[first:last].tolist(),
        ]
        places = np.array(data.draw(st.lists(st.integers(0, max(len(rows) - 1, 0)))), np.int64)[: 99 * len(rows)]
        assert [found.tolist() for found in column.take(places)] == [rows[places].tolist(), tf[places].tolist()]
        for streamed, expected in zip(SlicedColumn.leaves(files, column), (rows, tf), strict=True):
            assert np.asarray(streamed).tolist() == expected.tolist()
            assert np.asarray(streamed).dtype == streamed.dtype


@pytest.mark.parametrize(
    ("most_rows", "bits"),
    [(0, 8), (1, 8), (2, 7), (64, 2), (65, 0), (256, 0), (257, 7), (6133, 3), (16384, 2), (16385, 0), (65537, 15)],
)
def test_bits_that_rows_leave_free(most_rows: int, bits: int) -> None:
    assert free_bits(most_rows) == bits
    assert bits == 0 or bits >= LEAST_BITS


@pytest.mark.parametrize(("most_rows", "columns"), [(6133, {"leaf": 2}), (20_000, {"leaf": 2, "leaf_tf": 1})])
def test_bytes_of_a_posting(tmp_path: Path, most_rows: int, columns: dict[str, int]) -> None:
    written(tmp_path, np.arange(1000) % most_rows, np.ones(1000, np.int64), most_rows, [])

    arrays = {path.stem: np.load(path) for path in (tmp_path / "made").glob("*.npy")}
    assert {name: array.itemsize for name, array in arrays.items() if len(array)} == columns
    assert {len(arrays[name]) for name in columns} == {1000}
