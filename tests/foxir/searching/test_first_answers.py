"""The first answers of a search are those of a slice of all, however deep the search ranks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

import foxir
from foxir.searching.first_answers import total_relation
from tests.foxir.conftest import Sample

WAYS: Mapping[str, dict[str, Any]] = {
    "elements": {},
    "passages": {"passages": True, "max_sentences": 2},
    "grouped": {"group_by_article": True},
    "few of an article": {"max_per_article": 2},
    "overlapping": {"overlap": "keep"},
    "structure": {"rank_by": "structure"},
    "a run of the thesis": {"named": "H-oCRE-MpE"},
    "articles": {"approach": "fulltext"},
    "budget": {"word_budget": 400},
    "fewer than are asked for": {"max_answers": 2},
}
QUERIES = ("fog signal range", "the lamp of the lighthouse keeper", "//sec[about(., fog signal)]//p", "zeppelin")


@pytest.mark.parametrize("settings", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("query", QUERIES)
def test_first_answers_are_a_slice_of_all(sample: Sample, query: str, settings: dict[str, Any]) -> None:
    every = sample.index.search(query, **settings)
    for n_first in (1, 3, 11):
        assert_same(sample.index.search(query, first=n_first, **settings), every[:n_first])


def test_images_are_combined_with_text_by_the_ranks_of_all(sample: Sample) -> None:
    key = sample.index.reader.images.key(0)
    query = f"//p[about(., lamp src:{key})]"
    every = sample.index.search(query, rank_by="structure")

    assert len(every) > 3
    assert_same(sample.index.search(query, rank_by="structure", first=3), every[:3])


def assert_same(found: foxir.Answers, expected: foxir.Answers) -> None:
    assert found == expected
    for name in ("rsv", "article_ranks", "article_scores"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()
    assert (found.settings, found.notices) == (expected.settings, expected.notices)
    assert found.snippets == expected.snippets


def test_fewer_are_ranked(sample: Sample) -> None:
    assert len(sample.index.search("lamp", first=3)._columns) == 3
    assert len(sample.index.search("lamp")) > 3


def test_a_total_is_exact_if_fewer_answers_were_found_than_ranked() -> None:
    assert [total_relation(found, 10) for found in (0, 9, 10)] == ["exact", "exact", "at_least"]
