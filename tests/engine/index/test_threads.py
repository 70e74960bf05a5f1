"""One open index, several threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from threading import Barrier

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.columns.checked_folder import CheckedFolder
from engine.columns.folder_writer import BLOCK, FolderWriter
from engine.errors import IndexFormatError
from engine.index.reader import IndexReader, open_reader
from tests.engine.small_index import index_of, unchecked_answers
from tests.trust.soak import effort

pytestmark = pytest.mark.usefixtures("hasty_threads")
N_THREADS = 8
N_BLOCKS = 24
WORDS = ["sea", "tide", "lamp", "fog", "night", "rock"]
QUERIES = ["sea tide", "lamp -fog", '"sea tide"', "//p[about(., rock)]", "night", "//sec[about(.//p, fog lamp)]"]


@pytest.fixture(scope="module")
def column(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, dict[str, object]]]:
    folder = tmp_path_factory.mktemp("threads") / "columns"
    writer = FolderWriter(folder, sync=False)
    writer.column("numbers", np.arange(N_BLOCKS * BLOCK // 8, dtype="<u8"))
    return folder, writer.close()


def in_threads(task: object) -> list[object]:
    """Return what a task returns or raises in each of the threads, which all start at the same time."""
    barrier = Barrier(N_THREADS)

    def run(thread: int) -> object:
        barrier.wait()
        try:
            return task(thread)  # type: ignore[operator]
        except IndexFormatError as error:
            return error

    with ThreadPoolExecutor(N_THREADS) as pool:
        return list(pool.map(run, range(N_THREADS)))


def read_all(files: CheckedFolder, seed: int) -> int:
    """Return the sum of all numbers, read block by block in random order."""
    numbers = files.column("numbers")
    places = np.array_split(np.arange(len(numbers)), 2 * N_BLOCKS)
    Random(seed).shuffle(places)
    return sum(int(numbers.take(each[:: len(each) // 20]).sum()) for each in places)


@settings(max_examples=effort(2, 625, thorough=25))
@given(damaged=st.integers(1, N_BLOCKS - 1), seed=st.integers(0, 999))
def test_every_thread_gets_the_error_of_a_damaged_block(
    column: tuple[Path, dict[str, dict[str, object]]], damaged: int, seed: int
) -> None:
    folder, described = column
    path = folder / "numbers.npy"
    whole = path.read_bytes()
    broken = bytearray(whole)
    broken[damaged * BLOCK + seed] ^= 1
    path.write_bytes(broken)
    try:
        files = CheckedFolder(folder, described)
        found = in_threads(lambda thread: read_all(files, seed + thread))
    finally:
        path.write_bytes(whole)

    assert all(isinstance(each, IndexFormatError) and f"block {damaged} " in str(each) for each in found), found


def test_a_file_is_wholly_checked_once_all_threads_have_read_it(
    column: tuple[Path, dict[str, dict[str, object]]],
) -> None:
    for seed in range(effort(8, 200, thorough=20)):
        files = CheckedFolder(*column)
        sums = in_threads(lambda thread, files=files, seed=seed: read_all(files, seed + thread))

        assert set(sums) == {read_all(CheckedFolder(*column), seed)}
        assert not files.file("numbers.npy").has_unchecked


def test_threads_that_open_a_file_at_once_share_it(column: tuple[Path, dict[str, dict[str, object]]]) -> None:
    for _ in range(effort(20, 500, thorough=50)):
        files = CheckedFolder(*column)
        columns = in_threads(lambda thread, files=files: files.column("numbers"))

        assert {id(each) for each in columns} == {id(files.column("numbers"))}
        assert files.column("numbers")._file is files.file("numbers.npy")


def document(random: Random) -> str:
    sections = [
        f"<sec><p>{' '.join(random.choices(WORDS, k=9))}</p><p>{' '.join(random.choices(WORDS, k=5))}</p></sec>"
        for _ in range(random.randint(1, 5))
    ]
    return f"<a>{''.join(sections)}</a>"


def found_by(reader: IndexReader, seed: int) -> dict[str, list[tuple[str, str, float]]]:
    queries = Random(seed).sample(QUERIES, len(QUERIES))
    return {
        query: [(answer.document, answer.path, answer.rsv) for answer in unchecked_answers(reader, query)]
        for query in queries
    }


def test_threads_on_a_damaged_index_all_get_the_error(tmp_path: Path) -> None:
    random = Random(6)
    index_of(tmp_path, {f"d{number:03}": document(random) for number in range(60)})
    (tags,) = (tmp_path / "index").glob("segments/*/elements/leaf.npy")
    broken = bytearray(tags.read_bytes())
    broken[-3] ^= 1
    tags.write_bytes(broken)

    for seed in range(effort(2, 50, thorough=4)):
        reader = open_reader(tmp_path / "index")
        found = in_threads(lambda thread, reader=reader, seed=seed: found_by(reader, seed + thread))
        assert all(isinstance(each, IndexFormatError) for each in found)
