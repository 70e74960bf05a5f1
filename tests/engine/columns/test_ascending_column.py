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

from engine.columns.ascending_column import COPY_SHARE, MIN_TABLE_LOOKUP, SPARSE, AscendingColumn, AscendingColumnWriter
from engine.columns.checked_folder import CheckedFolder
from engine.columns.folder_writer import FolderWriter
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
