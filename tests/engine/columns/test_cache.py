"""What is kept is what was asked for last, and never more than there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.columns.cache import CAPACITY, LARGEST, SizedCache, capacity_for
from engine.index.postings.article_postings import ArticlePostings
from tests.engine.small_index import index_of


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
