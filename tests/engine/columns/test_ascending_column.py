"""Ascending columns give back what was written, and count as bisection over the plain numbers does."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.columns.ascending_column import COPY_SHARE, MIN_TABLE_LOOKUP, SPARSE, AscendingColumn, AscendingColumnWriter
from engine.columns.checked_folder import CheckedFolder
from engine.columns.folder_writer import FolderWriter
from engine.columns.leaf_column import LEAST_BITS, LeafColumn, LeafColumnWriter, free_bits
from engine.columns.sliced import SlicedColumn
from engine.kernels.table import without_kernels
from tests.trust.soak import effort


def written(folder: Path, numbers: Sequence[int], borders: Sequence[int] = ()) -> AscendingColumn:
    values = np.array(numbers, np.int64)
    writer = FolderWriter(folder / "made", sync=False)
    column = AscendingColumnWriter(writer, "number")
    for first, last in pairwise([0, *sorted(border for border in borders if border <= len(values)), len(values)]):
        column.append(values[first:last])
    column.finish()
    return AscendingColumn(CheckedFolder(writer.folder, writer.close()), "number")


steps = st.lists(st.sampled_from([0, 0, 1, 1, 2, 100, 255, 256, 257, 600, 2**17]), max_size=60)


@settings(max_examples=effort(10, 5000, thorough=200), deadline=None)
@given(steps, st.lists(st.integers(0, 60), max_size=3), st.lists(st.integers(0, 2**24), max_size=9), st.data())
def test_what_was_written_comes_back_and_is_found(
    steps: Sequence[int], borders: Sequence[int], others: Sequence[int], data: st.DataObject
) -> None:
    numbers = np.cumsum([0, *steps])[1:]
    with TemporaryDirectory() as folder:
        column = written(Path(folder), numbers.tolist(), borders)

        assert len(column) == len(numbers)
        assert column.all().tolist() == numbers.tolist()
        first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(numbers))] * 2)))
        assert column.slice(first, last).tolist() == numbers[first:last].tolist()
        places = np.array(data.draw(st.lists(st.integers(0, max(len(numbers) - 1, 0)))), np.int64)[: 99 * len(numbers)]
        assert column.take(places).tolist() == numbers[places].tolist()
        asked = np.concatenate([numbers, numbers + 1, np.array(others, np.int64)])
        for place in range(len(numbers) - 1):
            assert column.neighbours(place) == (numbers[place], numbers[place + 1])
        for kernels in (nullcontext, without_kernels):
            with kernels():
                assert column.rank(asked).tolist() == np.searchsorted(numbers, asked).tolist()


@pytest.mark.parametrize("n_entries", [254, 255, 256, 257, 70_000])
def test_a_byte_an_entry(tmp_path: Path, n_entries: int) -> None:
    # 5 a step: numbers up to 5 n pass a multiple of 256 every 51.2 entries, so there are 5 (n - 1) // 256 carries
    written(tmp_path, range(0, 5 * n_entries, 5))

    assert (tmp_path / "made" / "number.npy").stat().st_size == n_entries + 128
    assert len(np.load(tmp_path / "made" / "number_carries.npy")) == 5 * (n_entries - 1) // 256


@given(st.dictionaries(st.integers(0, 8999), st.sampled_from([1, 255, 256, 257, 3000]), max_size=9), st.integers(1, 9))
def test_many_entries_of_numbers_that_rarely_step(steps: dict[int, int], stride: int) -> None:
    differences = np.zeros(9000, np.int64)
    differences[list(steps)] = list(steps.values())
    numbers = np.cumsum(differences)
    places = np.arange(9000)[::-stride]
    with TemporaryDirectory() as folder:
        column = written(Path(folder), numbers.tolist())

        assert len(places) > MIN_TABLE_LOOKUP
        assert SPARSE * (numbers[-1] >> 8) < len(numbers)
        for _ in range(COPY_SHARE):  # from then on the column is kept whole
            assert column.take(places).tolist() == numbers[places].tolist()
        assert (column._decoded is not None) == (len(places) * COPY_SHARE**2 > len(numbers))


@pytest.mark.parametrize("kernels", [nullcontext, without_kernels])
def test_many_entries_are_read_alike_with_and_without_kernels(tmp_path: Path, kernels: Any) -> None:
    draw = np.random.default_rng(5)
    n = 70_000  # carries are numbers of four bytes, which the kernel reads
    differences = np.zeros(n, np.int64)
    differences[draw.integers(0, n, 900)] = draw.choice([1, 255, 256, 257], 900)
    numbers = np.cumsum(differences)
    column = written(tmp_path, numbers.tolist())
    stepping = np.flatnonzero(np.diff(numbers >> 8, prepend=0))
    places = np.concatenate([draw.integers(0, n, 5000), [0, n - 1], stepping, np.maximum(stepping - 1, 0)])
    assert SPARSE * (numbers[-1] >> 8) < n

    with kernels():
        assert column.take(places).tolist() == numbers[places].tolist()


# Leaf postings packed into one number each give back rows and frequencies, and take the bytes that they promise.


Numbers = NDArray[Any]

FREQUENCIES = st.sampled_from([1, 1, 1, 2, 3, 4, 7, 8, 9, 254, 255, 256, 70_000])


def written_leaves(folder: Path, rows: Numbers, tf: Numbers, most_rows: int, borders: list[int]) -> CheckedFolder:
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
        files = written_leaves(Path(folder), rows, tf, most_rows, borders)
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
    written_leaves(tmp_path, np.arange(1000) % most_rows, np.ones(1000, np.int64), most_rows, [])

    arrays = {path.stem: np.load(path) for path in (tmp_path / "made").glob("*.npy")}
    assert {name: array.itemsize for name, array in arrays.items() if len(array)} == columns
    assert {len(arrays[name]) for name in columns} == {1000}
