"""For random queries on random collections: explained values are those of the search, named stages did drop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from engine.errors import FoxirError
from engine.explain.explain import explain
from engine.index.locator import element_paths
from engine.index.reader import IndexReader
from engine.settings import Settings
from tests.engine.explain.adding_up import assert_adds_up
from tests.engine.explain.expected_drop import ExpectedDrops
from tests.engine.small_index import grown_index
from tests.reference import nexi_random
from tests.reference.nexi_random import PROFILE, STOP_WORDS
from tests.trust.soak import effort

WORDS = st.lists(st.sampled_from(["sea", "tide", "lamp", "+sea", "-lamp", '"sea tide"']), min_size=1, max_size=4)
SETTINGS: list[dict[str, Any]] = [
    {},
    {"overlap": "keep"},
    {"min_words": 3, "max_words": 8},
    {"max_articles": 2, "max_answers": 3},
    {"answers": "blocks", "min_words": 2},
    {"answers": "nCRE"},
    {"answers": "//(p|sec)", "max_per_article": 1},
    {"word_budget": 40},
    {"passages": True, "max_sentences": 2},
    {"passages": True, "word_budget": 40},
    {"max_matches": 3},
    {"inside": "//(sec|p)"},
    {"outside": "//p", "documents": "[!a]*", "max_articles": 2},
    {"passages": True, "outside": "//(sec|note)"},
    {"passages": True, "whole_weight": 0},
    {"passages": True, "whole_weight": 1, "min_words": 3, "max_words": 8},
    {"rank_by": "structure", "inside": "//sec", "max_matches": 4},
    {"group_by_article": True, "max_per_article": 2},
    {"rank_by": "structure"},
    {"heuristic": "TPF", "answers": "nCRE", "overlap": "remove"},
    {"rank_by": "structure", "answers": "oCRE", "max_per_article": 1, "max_answers": 2},
    {"rank_by": "structure", "answers": "matching", "approach": "native", "max_matches": 4},
    {"rank_by": "structure", "operator": "and", "max_articles": 2},
    {"approach": "fulltext", "max_answers": 2},
    {"element_similarity": "gpx"},
]


def assert_explained(index: IndexReader, query: str, settings: Settings) -> None:
    try:
        expected = ExpectedDrops(index, query, settings)
    except FoxirError:
        return  # settings that exclude one another, or a budget below every answer
    answers = expected.values["search"]
    first = {row: place for place, row in reversed(list(enumerate(answers.elements.tolist())))}
    rows = np.arange(int(index.elements.row_base[-1]))
    rows = rows[np.isin(index.elements.document(rows), index.live_documents)][::3]
    for row, path in zip(rows.tolist(), element_paths(index, rows), strict=True):
        document = index.ids[int(index.elements.document(np.array([row]))[0])]
        explained = explain(index, query, document, path, settings)
        place = first.get(row)
        assert explained.outcome.rank == (None if place is None else place + 1)
        if place is None:
            stage, reason, blocker = expected.of(row)
            assert (explained.outcome.stage, explained.outcome.reason) == (stage, reason)
            assert (explained.outcome.blocker and explained.outcome.blocker.path) == expected.described(blocker)
        elif answers.scores is not None:
            assert explained.score == answers.scores[place]
            for node in [explained.element, *(passage.score for passage in explained.passages)]:
                if node:
                    assert_adds_up(node)


@hypothesis_settings(max_examples=effort(2, 1000, thorough=20), deadline=None)
@given(nexi_random.collections, st.lists(st.tuples(WORDS, st.sampled_from(SETTINGS)), min_size=4, max_size=8))
@pytest.mark.long
def test_explanations_of_keyword_queries_are_those_of_the_search(sources, asked):
    with grown_index([sources], profile_text=PROFILE, stop_words=STOP_WORDS) as index:
        for words, given_settings in asked:
            assert_explained(index, " ".join(words), Settings.from_options(**given_settings))


@hypothesis_settings(max_examples=effort(2, 600, thorough=12), deadline=None)
@given(nexi_random.collections, st.lists(nexi_random.asked(), min_size=1, max_size=2))
@pytest.mark.long
def test_explanations_of_path_queries_are_those_of_the_search(sources, asked):
    with grown_index([sources], profile_text=PROFILE, stop_words=STOP_WORDS) as index:
        for query, given_settings in (pair for pairs in asked for pair in pairs[:3]):
            assert_explained(index, str(query), Settings.from_options(**given_settings))
            assert_explained(index, str(query), Settings.from_options(reading=given_settings["reading"]))
