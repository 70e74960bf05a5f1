"""The whole line, from files through an index to answers, against the slow and obvious version."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import engine.search
from engine import Index
from tests.engine.small_index import grown_index, index_of
from tests.reference import co_search, random_collections
from tests.reference.random_collections import INLINE, PROFILE, SKIP, STOP_WORDS

ASKED = st.lists(st.tuples(random_collections.queries, random_collections.settings()), min_size=1, max_size=6)


def assert_equal(
    index: Index, documents: Mapping[str, co_search.Document], asked: Sequence[Any], stop_words: Sequence[str] = ()
) -> None:
    for query, settings in asked:
        found = index.search(query, reading="CO", **settings)
        expected = co_search.search(documents, query, stop_words, **settings)
        assert [(answer.document, answer.path) for answer in found] == [(name, path) for name, path, _ in expected]
        assert [answer.article_score for answer in found] == pytest.approx([s for *_, s in expected], abs=1e-9)


def read(
    sources: Mapping[str, str], inline: Sequence[str] = (), skip: Sequence[str] = (), stop: Sequence[str] = ()
) -> dict[str, co_search.Document]:
    return {name: co_search.Document.read(source, inline, skip, stop) for name, source in sources.items()}


@hypothesis_settings(max_examples=60, deadline=None)
@given(random_collections.collections, ASKED)
def test_every_element_for_itself(sources, asked):
    with grown_index([sources]) as index:
        assert_equal(index, read(sources), asked)


@hypothesis_settings(max_examples=80, deadline=None)
@given(random_collections.collections, ASKED)
def test_inline_tags_left_out_tags_and_stop_words(sources, asked):
    with grown_index([sources], profile_text=PROFILE, stop_words=STOP_WORDS) as index:
        assert_equal(index, read(sources, INLINE, SKIP, STOP_WORDS), asked, STOP_WORDS)


@hypothesis_settings(max_examples=40, deadline=None)
@given(st.lists(random_collections.collections, min_size=2, max_size=4), ASKED, st.sampled_from([1, 2, 64]))
def test_segments_and_deletions(steps, asked, first_articles):
    with grown_index(steps, profile_text=PROFILE) as index, pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine.search, "FIRST_ARTICLES", first_articles)
        assert_equal(index, read(steps[-1], INLINE, SKIP), asked)


def test_a_word_that_stands_only_in_what_is_left_out_is_unknown(tmp_path):
    profile = tmp_path / "profile.toml"
    profile.write_text(PROFILE, "utf-8")
    index = index_of(tmp_path, {"a": "<article>tide<note>sea</note></article>"}, profile=str(profile))

    assert index.search("sea tide", reading="CO").paths == ["/article[1]"]
    assert index.search('"sea sea" tide', reading="CO").paths == ["/article[1]"]
    assert not len(index.search("sea", reading="CO"))
