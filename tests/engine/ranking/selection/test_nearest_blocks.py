"""Answers without a word of the query: those of the blocks that a slow comparison finds nearest."""

from __future__ import annotations

from itertools import pairwise
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from engine.columns.ascending_column import AscendingColumn
from engine.errors import QueryTimeError, SettingsError
from engine.explain.explain import explain
from engine.index import block_vectors
from engine.index.block_vectors import VECTOR, WORD, quantised
from engine.index.reader import IndexReader
from engine.indexing import block_encoding
from engine.query_limits import limited
from engine.ranking.selection.semantic_order import DECIMALS
from engine.semantic.encoders import loaded_encoder
from engine.settings import Settings
from tests.engine.semantic import toy_encoder
from tests.engine.semantic.toy_encoder import encode
from tests.engine.small_index import answers_to, grown_index, index_of, unchecked_answers
from tests.reference import random_collections
from tests.trust.soak import effort

TOY = "tests.engine.semantic.toy_encoder:encode"
DOCUMENTS = {
    "a": "<art><p>sea fog over the quay, and a lamp is lit</p><p>gulls and terns cry in the wind</p></art>",
    "b": "<art><sec><t>Bells</t><p>zzz zzz zzz zzz zzz zzz zzz</p><p>oil for lamps, and for bells</p></sec></art>",
    "c": "<art><p>jjj jjj kkk jjj jjj kkk jjj</p><p>nothing but sea</p></art>",
}
MEANING = {"semantic": TOY, "semantic_blocks": 3}


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> IndexReader:
    with patch.multiple(block_encoding, LEAST=4, MOST=8):
        return index_of(tmp_path_factory.mktemp("nearest"), DOCUMENTS, vectors=TOY)


def slow_blocks(index: IndexReader, query: str) -> list[tuple[float, int, int, int]]:
    """Of each block with a cosine above 0: the cosine, its document, its first word and the one after its last."""
    (asked,) = quantised(encode([query]).astype(np.float64)).astype(np.float64)
    found, base = [], 0
    for segment in index.segments:
        starts = AscendingColumn(segment.elements, WORD).all().tolist()
        vectors = segment.elements.column(VECTOR).all().astype(np.float64)
        ends = [*starts[1:], segment.n_words][: len(starts)]
        for begin, end, vector in zip(starts, ends, vectors, strict=True):
            length = float(np.sqrt(vector @ vector) * np.sqrt(asked @ asked))
            cosine = float(vector @ asked) / length if length else 0.0
            leaf = next(
                row
                for row in range(int(index.elements.row_base[-1]) - 1, -1, -1)
                if words_of(index, row)[0] <= base + begin < sum(own_words_of(index, row))
            )
            document = int(index.elements.document(np.array([leaf]))[0])
            found.append((cosine, document, base + begin, base + end))
        base += segment.n_words
    return sorted((each for each in found if each[0] > 0), key=lambda each: (-each[0], index.ids[each[1]], each[2]))


def words_of(index: IndexReader, row: int) -> tuple[int, int]:
    here = np.array([row])
    begin = int(index.elements.first_word(here)[0])
    return begin, begin + int(index.elements.n_words(here)[0])


def own_words_of(index: IndexReader, row: int) -> tuple[int, int]:
    here = np.array([row])
    return int(index.elements.first_word(here)[0]), int(index.elements.n_own_words(here)[0])


def is_of_block(index: IndexReader, row: int, begin: int, end: int) -> bool:
    """Whether an element contains a block, or lies in it."""
    first, last = words_of(index, row)
    return (first <= begin and end <= last) or (begin <= first and last <= end)


def places(answers: Any) -> list[tuple[str, str]]:
    return [(answer.document, answer.path) for answer in answers]


def test_a_text_without_a_word_of_the_query_is_found_by_its_meaning(index):
    assert not len(answers_to(index, "zzzzz", semantic=TOY))
    found = answers_to(index, "zzzzz", **MEANING)
    assert places(found) == [("b", "/art[1]/sec[1]")]
    (cosine,) = {round(each[0], DECIMALS) for each in slow_blocks(index, "zzzzz")}
    assert found.scores.tolist() == pytest.approx([0.25 * cosine])
    assert found.ranked.scores.tolist() == [0.0]


def test_they_stand_among_the_answers_by_words_with_the_scores_of_their_articles(index):
    by_words = answers_to(index, "sea jjjj", semantic=TOY)
    found = answers_to(index, "sea jjjj", **MEANING)
    assert set(places(by_words)) < set(places(found))
    assert ("c", "/art[1]/p[1]") in places(found)
    assert found.scores.tolist() == sorted(found.scores.tolist(), reverse=True)
    for answer in found:
        why = explain(index, "sea jjjj", answer.document, answer.path, Settings.from_options(**MEANING))
        assert why.outcome.rank == answer.rank
        assert why.element.value == answer.score
        assert sum(part.value for part in why.element.details) == pytest.approx(answer.score, rel=1e-12)
        assert list(why.element.find("semantic"))


@pytest.mark.parametrize(
    ("path", "query"), [("/art[1]", "zzzzz"), ("/art[1]/sec[1]/p[1]", "zzzzz"), ("/art[1]", "sea zzzz")]
)
def test_beside_the_answer_of_a_block_its_rank_is_told(index, path, query):
    (answer,) = [each for each in answers_to(index, query, **MEANING) if each.document == "b"]
    outcome = explain(index, query, "b", path, Settings.from_options(**MEANING)).outcome
    assert outcome.rank is None
    assert f"by its meaning, {answer.path} is the answer here, rank {answer.rank}" in outcome.description
    alone = explain(index, query, "b", path, Settings.from_options(semantic=TOY)).outcome
    assert "meaning" not in alone.description


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("+sea zzzz", {}),
        ("//p[about(., zzzz)]", {"reading": "SS"}),
        ("zzzz", {"documents": "a"}),
        ("zzzz", {"outside": "//sec"}),
        ("zzzz -zzz", {}),
    ],
)
def test_what_a_query_excludes_is_not_found_by_its_meaning(index, query, options):
    found = answers_to(index, query, **MEANING, **options)
    assert "b" not in [answer.document for answer in found]


def test_answers_of_an_article_are_no_more_than_asked_for(index):
    for most in (1, 2):
        found = answers_to(index, "sea jjjj lamp", **MEANING, max_per_article=most)
        assert max(np.bincount(found.article)) <= most
        why = explain(
            index, "sea jjjj lamp", "c", "/art[1]/p[2]", Settings.from_options(**MEANING, max_per_article=most)
        )
        assert why.outcome.description


def test_passages_have_whole_elements_beside_them(index):
    found = answers_to(index, "sea jjjj", **MEANING, passages=True)
    assert ("c", "/art[1]/p[1]") in places(found)
    settings = Settings.from_options(**MEANING, passages=True)
    for answer in found:
        why = explain(index, "sea jjjj", answer.document, answer.path, settings)
        assert answer.score in [passage.score.value for passage in why.passages]


def test_no_answer_is_more_than_twice_as_long_as_its_block_but_a_text_of_which_it_is_a_part(tmp_path):
    names = "".join(f"<ref><name>zzz{letter}</name></ref>" for letter in "abcdefgh")
    long = " ".join(["gull"] * 40)
    documents = {
        "names": f"<art><p>{long}</p><p>{long}</p><back>{names}</back></art>",
        "text": f"<art><p>{' '.join(['jjj'] * 60)}</p></art>",
    }
    with patch.multiple(block_encoding, LEAST=4, MOST=8):
        opened = index_of(tmp_path, documents, vectors=TOY)
    with opened:
        assert "/art[1]" not in [path for _, path in places(answers_to(opened, "zzzz", **MEANING))]
        assert places(answers_to(opened, "jjjj", **MEANING)) == [("text", "/art[1]/p[1]")]


def test_where_only_sentences_are_answers_there_are_none(index):
    assert len(answers_to(index, "zzzzz", **MEANING, passages=True))
    assert not len(answers_to(index, "zzzzz", **MEANING, passages=True, whole_weight=0))


def test_a_word_budget_counts_them(index):
    everything = list(answers_to(index, "sea jjjj", **MEANING))
    budget = sum(answer.words for answer in everything) - 1
    assert sum(answer.words for answer in answers_to(index, "sea jjjj", **MEANING, word_budget=budget)) <= budget


def test_a_failing_encoder_may_be_skipped(tmp_path):
    changing = "tests.engine.semantic.toy_encoder:changing"
    with index_of(tmp_path, DOCUMENTS, vectors=changing) as index, patch.object(toy_encoder, "NOW", toy_encoder.raises):
        loaded_encoder.cache_clear()
        with pytest.raises(SettingsError, match="semantic_failures"):
            unchecked_answers(index, "sea", semantic=changing, semantic_blocks=2)
        found = unchecked_answers(index, "sea", semantic=changing, semantic_blocks=2, semantic_failures="skip")
        assert [notice.code for notice in found.notices] == ["by_words_alone"]
        assert places(found) == places(answers_to(index, "sea"))


def test_the_comparison_of_all_blocks_reads_the_clock(index):
    with (
        patch.object(block_vectors, "AT_ONCE", 1),
        pytest.raises(QueryTimeError),
        limited(None, 1e-9),
    ):
        index.vectors.every(np.ones(26) / np.sqrt(26))


@hypothesis_settings(max_examples=effort(3, 200, thorough=30), deadline=None)
@given(
    st.lists(random_collections.collections, min_size=1, max_size=2),
    st.sampled_from(["sea", "qqq", "tide lamp qq", "zzzz"]),
    st.sampled_from([1, 2, 5]),
    st.sampled_from([{}, {"passages": True}, {"overlap": "keep"}, {"max_per_article": 1}]),
)
@pytest.mark.long
def test_each_answer_without_a_word_is_of_one_of_the_nearest_blocks(sources, query, n_blocks, way):
    with patch.multiple(block_encoding, LEAST=4, MOST=8), grown_index(sources, vectors=TOY) as index:
        by_words = answers_to(index, query, semantic=TOY, **way)
        found = answers_to(index, query, semantic=TOY, semantic_blocks=n_blocks, **way)
        live = set(index.live_documents.tolist())
        nearest = [block for block in slow_blocks(index, query) if block[1] in live][:n_blocks]
        known = set(by_words.elements.tolist())
        others = [row for row in found.elements.tolist() if row not in known]
        assert len(others) <= n_blocks
        for row in others:
            assert any(is_of_block(index, row, begin, end) for *_, begin, end in nearest)
        if way.get("overlap") != "keep" and "passages" not in way:
            spans = sorted(words_of(index, row) for row in found.elements.tolist())
            assert all(one[1] <= two[0] for one, two in pairwise(spans))
        if "max_per_article" in way and len(found):
            assert max(np.bincount(found.article)) == 1
