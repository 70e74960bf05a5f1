"""Columns and strings on disk are read like arrays and lists."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.columns.cache import CAPACITY, LARGEST, SizedCache, capacity_for
from engine.columns.sliced import SlicedColumn, SlicedStrings
from engine.index.postings.article_postings import ArticlePostings
from tests.engine.small_index import index_of

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


# What is kept is what was asked for last, and never more than there is room for.


@given(st.lists(st.integers(0, 9)), st.integers(0, 20), st.booleans())
def test_the_most_recently_used_values_are_cached(asked: Sequence[int], room: int, keeps_newest: bool) -> None:
    cache: SizedCache[int, list[int]] = SizedCache(len, room, keeps_newest=keeps_newest)
    expected: list[int] = []  # keys that are kept, the one asked for last at the end
    for key in asked:
        made: list[int] = []
        assert cache.get(key, lambda key=key, made=made: made.append(key) or [key] * key) == [key] * key
        assert made == ([] if key in expected else [key])
        expected = [*(kept for kept in expected if kept != key), key]
        while sum(expected) > room and len(expected) > keeps_newest:
            expected.pop(0)


@pytest.mark.parametrize(
    ("n_documents", "capacity"), [(0, CAPACITY), (1000, CAPACITY), (10_000, 10_240_000), (10**9, LARGEST)]
)
def test_a_capacity_suits_the_number_of_documents(n_documents: int, capacity: int) -> None:
    assert capacity_for(n_documents) == capacity


def test_the_counts_of_a_word_are_cached_without_its_postings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of(tmp_path, {"one": "<a><p>sea sea</p><p>sea</p></a>", "two": "<a><p>sea</p><p>fog</p></a>"})

    def counts() -> tuple[int, int, int, float]:
        of_term = index.statistics.term("sea|fog")
        return (
            of_term.document_frequency,
            of_term.collection_frequency,
            of_term.leaf_frequency,
            float(of_term.element_frequency_by_tag.sum()),
        )

    first = counts()
    monkeypatch.setattr(ArticlePostings, "of", lambda *_: pytest.fail("postings are read again"))

    assert counts() == first == (2, 5, 4, 6.0)


def test_values_that_are_added_together_do_not_replace_those_that_are_cached() -> None:
    cache: SizedCache[str, int] = SizedCache(lambda value: value, 9)
    cache.add([("a", 3), ("b", 4)])
    cache.add([("a", 5), ("c", 2)])

    assert [cache.find(key) for key in "abc"] == [3, 4, 2]

    cache.add([("d", 6)])  # the ones that were used least recently give way

    assert [cache.find(key) for key in "abcd"] == [None, None, 2, 6]


def test_a_value_that_is_replaced_counts_with_its_new_size() -> None:
    cache: SizedCache[str, int] = SizedCache(lambda value: value, 9)
    cache.add([("a", 3), ("b", 4)])
    cache.replace("a", 5)

    assert [cache.find(key) for key in "ba"] == [4, 5]

    cache.replace("c", 3)  # 12 in all

    assert [cache.find(key) for key in "abc"] == [5, None, 3]

    cache.replace("a", 10)  # more than there is room for

    assert [cache.find(key) for key in "abc"] == [None, None, None]
