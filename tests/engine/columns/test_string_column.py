"""Strings of a sorted column are found as in a dictionary, by bisection and by the kernels."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.columns import checked_folder
from engine.columns.checked_folder import CheckedFolder, Strings
from engine.columns.folder_writer import FolderWriter
from engine.kernels.table import has_kernels, native
from tests.trust.soak import effort

STRINGS = st.sets(st.text("abü", max_size=4).map(str.encode), max_size=40)


def column_of(folder: Path, strings: Sequence[bytes]) -> Strings:
    writer = FolderWriter(folder / "made", sync=False)
    writer.strings("string", strings)
    return CheckedFolder(writer.folder, writer.close()).strings("string")


@settings(max_examples=effort(40, 5000, thorough=500), deadline=None)
@given(STRINGS, STRINGS, st.integers(1, 9), st.sampled_from([0, 64]))
def test_strings_are_found_together_as_one_by_one(
    stored: set[bytes], wanted: set[bytes], at_a_time: int, read_for_each: int
) -> None:
    ordered = sorted(stored)
    with (
        TemporaryDirectory() as folder,
        patch.multiple(checked_folder, AT_A_TIME=at_a_time, READ_FOR_EACH=read_for_each),
    ):
        column = column_of(Path(folder), ordered)

        found = column.find_each(list(wanted)).tolist()

        assert found == [ordered.index(string) if string in stored else -1 for string in wanted]
        assert found == [max(column.find(string), -1) for string in wanted]


@pytest.mark.skipif(not has_kernels(), reason="no kernels were compiled")
@pytest.mark.parametrize(("n_wanted", "by_bisection"), [(1, True), (2, False)])
def test_a_large_column_is_bisected_for_a_few_strings(tmp_path: Path, n_wanted: int, by_bisection: bool) -> None:
    column = column_of(tmp_path, [f"{number:04}".encode() for number in range(2 * checked_folder.READ_FOR_EACH)])

    with patch.object(native, "known_slices", wraps=native.known_slices) as known_slices:
        assert column.find_each([b"0007", b"x"][:n_wanted]).tolist() == [7, -1][:n_wanted]
    assert known_slices.called is not by_bisection


def test_a_long_string_beside_wanted_ones_is_not_copied(tmp_path: Path) -> None:
    n_bytes, names = 4_000_000, [b"%05d" % number for number in range(10_000)]
    column = column_of(tmp_path, [*names, b"x" * n_bytes])
    wanted = [b"x%d" % number for number in range(100)]
    column.find_each(wanted)

    tracemalloc.start()
    try:
        assert set(column.find_each(wanted).tolist()) == {-1}
        assert column.find(b"xa") == -10_001
        assert tracemalloc.get_traced_memory()[1] < n_bytes / 4
    finally:
        tracemalloc.stop()
