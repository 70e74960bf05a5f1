"""Document frequencies of many words at once are those of each word's postings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.index.postings import article_postings
from tests.engine.small_index import grown_index
from tests.trust.soak import effort

LETTERS = "abcdef"
DOCUMENTS = st.dictionaries(
    st.sampled_from(["one", "two", "three", "four"]),
    st.lists(st.sampled_from(LETTERS), min_size=1, max_size=5).map(lambda words: f"<a><p>{' '.join(words)}</p></a>"),
    min_size=1,
)
WORDS = st.lists(st.sampled_from([*LETTERS, "x"]), min_size=1, max_size=3, unique=True).map("|".join)


@settings(max_examples=effort(10, 2000, thorough=150), deadline=None)
@given(st.lists(DOCUMENTS, min_size=1, max_size=3), st.lists(WORDS, max_size=12), st.integers(1, 9))
@pytest.mark.long
def test_words_are_counted_together_as_one_by_one(
    steps: Sequence[Mapping[str, str]], words: list[str], at_a_time: int
) -> None:
    with grown_index(steps) as index, patch.object(article_postings, "AT_A_TIME", at_a_time):
        expected = [
            sum(any(f" {each} " in f" {_text(markup)} " for each in word.split("|")) for markup in steps[-1].values())
            for word in words
        ]

        assert index.document_frequencies(words).tolist() == expected
        assert [len(index.postings(word).documents) for word in words] == expected


def _text(markup: str) -> str:
    return markup.removeprefix("<a><p>").removesuffix("</p></a>")
