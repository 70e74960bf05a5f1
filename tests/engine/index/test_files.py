"""Checked files: written values are read back, changed ones are detected."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.columns import checked_folder as files
from engine.columns.checked_folder import FRUITLESS, CheckedFolder
from engine.columns.folder_writer import BLOCK, FolderWriter, narrow, narrowest
from engine.errors import IndexFormatError

NUMBERS = st.lists(st.integers(0, 2**63 - 1), max_size=40)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "written"


def columns(folder: Path, **values: Any) -> CheckedFolder:
    writer = FolderWriter(folder, sync=False)
    for name, each in values.items():
        if isinstance(each, np.ndarray):
            writer.column(name, each)
        else:
            writer.strings(name, each)
    return CheckedFolder(folder, writer.close())


@given(NUMBERS)
def test_narrow_preserves_values_in_the_fewest_bytes(numbers: Sequence[int]) -> None:
    values = np.array(numbers, np.uint64)
    largest = max(numbers, default=0)

    assert narrow(values).tolist() == numbers
    assert narrow(values).itemsize == next(size for size in (1, 2, 4, 8) if largest < 1 << 8 * size)


@pytest.mark.parametrize(
    ("largest", "dtype"),
    [(0, "<u1"), (255, "<u1"), (256, "<u2"), (65535, "<u2"), (65536, "<u4"), (2**32 - 1, "<u4"), (2**32, "<u8")],
)
def test_narrowest_changes_at_the_limits_of_each_type(largest: int, dtype: str) -> None:
    assert narrowest(largest) == np.dtype(dtype)


def test_a_column_may_span_many_blocks(folder: Path) -> None:
    values = np.arange(3 * BLOCK // 4 + 5, dtype="<u4")
    column = columns(folder, made=values).column("made")
    rows = np.array([len(values) - 1, 0, BLOCK // 4, BLOCK // 4 - 1, BLOCK // 2])

    assert column.take(rows).tolist() == rows.tolist()
    assert column.slice(BLOCK // 4 - 40, BLOCK // 4 + 2).tolist() == list(range(BLOCK // 4 - 40, BLOCK // 4 + 2))
    assert np.array_equal(column.all(), values)


def test_a_column_of_digests_is_read_by_the_row(folder: Path) -> None:
    values = np.arange(16 * 5000, dtype=np.int64).astype(np.uint8).reshape(5000, 16)
    column = columns(folder, digest=values).column("digest")

    assert column.slice(4999, 5000).tobytes() == values[4999].tobytes()
    assert column.take(np.array([4096, 7])).tolist() == [values[4096].tolist(), values[7].tolist()]


def test_checksums_do_not_depend_on_how_the_file_was_written(folder: Path) -> None:
    data = bytes(range(256)) * (BLOCK // 256) * 2 + b"rest"
    writer = FolderWriter(folder, sync=False)
    file = writer.create("pieces")
    for first in range(0, len(data), 7000):
        file.write(data[first : first + 7000])
    writer.finish(file)
    writer.bytes("whole", data)
    written = writer.close()

    blocks = [zlib.crc32(data[first : first + BLOCK]) for first in range(0, len(data), BLOCK)]
    assert written["pieces"] == written["whole"] == {"size": len(data), "crc32": blocks}
    assert (folder / "pieces").read_bytes() == data


def flipped(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 0x10
    path.write_bytes(data)


@pytest.fixture
def many(folder: Path) -> CheckedFolder:
    values = np.arange(BLOCK, dtype="<u4")  # four blocks and the header
    return columns(folder, made=values, words=[b"a" * 100] * 1000)


@pytest.mark.parametrize("place", [0, 60, 128, BLOCK - 1, BLOCK, 2 * BLOCK + 5, 4 * BLOCK + 127])
def test_a_changed_byte_is_detected_in_its_block(many: CheckedFolder, place: int) -> None:
    flipped(many.folder / "made.npy", place)

    with pytest.raises(IndexFormatError, match=rf"made\.npy: block {place // BLOCK} .* does not match its checksum"):
        many.column("made").all()
    with pytest.raises(IndexFormatError, match=r"made\.npy: block"):
        many.check_all()


def test_undamaged_blocks_can_still_be_read(many: CheckedFolder) -> None:
    flipped(many.folder / "made.npy", 2 * BLOCK)
    column = many.column("made")

    assert column.slice(0, 10).tolist() == list(range(10))
    assert column.take(np.array([BLOCK - 1])).tolist() == [BLOCK - 1]
    with pytest.raises(IndexFormatError):
        column.slice(0, BLOCK)
    with pytest.raises(IndexFormatError):
        column.take(np.array([0, BLOCK // 2]))


def test_a_column_that_is_read_often_is_checked_completely(many: CheckedFolder) -> None:
    flipped(many.folder / "made.npy", 2 * BLOCK)
    column, place = many.column("made"), np.array([1])
    n_blocks = len(many._files["made.npy"]["crc32"])

    for _ in range(FRUITLESS * (n_blocks - 1)):  # the first block is checked when the column is opened
        assert column.take(place).tolist() == [1]
    with pytest.raises(IndexFormatError, match=r"made\.npy: block 2 "):
        column.take(place)


def test_a_column_of_which_ranges_are_checked_often_is_checked_completely(many: CheckedFolder) -> None:
    flipped(many.folder / "made.npy", 2 * BLOCK)
    column, first = many.column("made"), np.array([1])
    n_blocks = len(many._files["made.npy"]["crc32"])

    for _ in range(FRUITLESS * (n_blocks - 1)):
        column.check_ranges(first, first + 1)
    with pytest.raises(IndexFormatError, match=r"made\.npy: block 2 "):
        column.check_ranges(first, first + 1)


def test_a_completely_checked_column_is_not_checked_again(many: CheckedFolder) -> None:
    column = many.column("made")
    for _ in range(FRUITLESS * len(column)):
        column.take(np.array([1]))

    assert not many.file("made.npy").has_unchecked


def test_changed_strings_and_offsets_are_detected(many: CheckedFolder) -> None:
    flipped(many.folder / "words.bin", 70_000)

    assert many.strings("words")[0] == b"a" * 100
    with pytest.raises(IndexFormatError, match=r"words\.bin: block 1"):
        many.strings("words").find(b"b")
    flipped(many.folder / "words.npy", 200)
    fresh = CheckedFolder(many.folder, many._files)
    with pytest.raises(IndexFormatError, match=r"words\.npy: block 0"):
        fresh.strings("words")


def test_a_longer_shorter_or_missing_file_is_refused_when_it_is_opened(many: CheckedFolder) -> None:
    path = many.folder / "made.npy"
    whole = path.read_bytes()
    for damaged in (whole[:-1], whole + b"\0", b""):
        path.write_bytes(damaged)
        with pytest.raises(IndexFormatError, match=rf"made\.npy: {len(damaged):,} bytes where {len(whole):,}"):
            many.column("made")
    path.unlink()
    with pytest.raises(IndexFormatError, match=r"made\.npy: missing from the index"):
        many.column("made")


def test_a_file_that_was_never_written_is_refused(many: CheckedFolder) -> None:
    with pytest.raises(IndexFormatError, match=r"no file 'other\.npy'"):
        many.column("other")


def test_a_file_that_is_not_a_column_is_refused(folder: Path) -> None:
    writer = FolderWriter(folder, sync=False)
    writer.bytes("made.npy", b"x" * 300)

    with pytest.raises(IndexFormatError, match=r"made\.npy: not a column of numbers"):
        CheckedFolder(folder, writer.close()).column("made")


def test_a_folder_without_checksums_is_read_unchecked(many: CheckedFolder) -> None:
    unchecked = CheckedFolder.unchecked(many.folder)

    assert unchecked.column("made").slice(3, 5).tolist() == [3, 4]
    assert unchecked.strings("words")[2] == b"a" * 100


@pytest.mark.posix("Windows makes no folder durable")
def test_files_and_folders_are_synced(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    monkeypatch.setattr(files.os, "fsync", lambda handle: synced.append(Path(f"/proc/self/fd/{handle}").resolve().name))
    writer = FolderWriter(folder, sync=True)
    writer.column("made", np.arange(3))
    writer.strings("words", [b"x"])
    writer.close()

    assert sorted(synced) == ["made.npy", "words.bin", "words.npy", "written"]
