"""The order by meaning equals a slow one: all answers by words, their cosines one by one, sorted."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from engine.columns.ascending_column import AscendingColumn
from engine.errors import QueryError, SettingsError
from engine.explain.explain import explain
from engine.index.block_vectors import VECTOR, WORD
from engine.index.reader import IndexReader, open_reader
from engine.indexing import block_encoding
from engine.query.query import parse_query
from engine.ranking.scoring.passages import WHOLE, words_of_passage
from engine.ranking.selection.semantic_order import DECIMALS, query_text
from engine.semantic.encoders import loaded_encoder
from engine.settings import Settings
from engine.text.analyser import make_analyser
from tests.engine.index.sharded import grown
from tests.engine.ranking.shards_in_process import Shards
from tests.engine.semantic import toy_encoder
from tests.engine.semantic.toy_encoder import encode
from tests.engine.small_index import answers_to, grown_index, index_of, unchecked_answers
from tests.reference import random_collections
from tests.trust.soak import effort

MODULE = "tests.engine.semantic.toy_encoder"
TOY, CHANGING = f"{MODULE}:encode", f"{MODULE}:changing"
DOCUMENTS = {
    "a": "<art><p>sea fog over the quay. The lamp is lit.</p><p>sea lamp</p><p>zzz sea zzz</p></art>",
    "b": "<art><sec><p>fog, fog and sea</p><p>gulls</p></sec><p>the sea, the sea, and a bell</p></art>",
    "c": "<art><p>lamp oil for the sea light. Fog signals are other things.</p></art>",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> IndexReader:
    with pytest.MonkeyPatch.context() as small:
        small.setattr(block_encoding, "LEAST", 3)
        small.setattr(block_encoding, "MOST", 6)
        return index_of(tmp_path_factory.mktemp("semantic"), DOCUMENTS, vectors=TOY)


def cosines_by_word(index: IndexReader, query: str) -> list[float]:
    """Of each word of an index of one segment, the cosine of the query and its block."""
    (asked,) = encode([query]).astype(np.float64)
    (segment,) = index.segments
    starts = AscendingColumn(segment.elements, WORD).all().tolist()
    vectors = segment.elements.column(VECTOR).all().astype(np.float64)
    lengths = np.sqrt((vectors**2).sum(axis=1)) * np.sqrt(asked @ asked)
    of_blocks = vectors @ asked / np.where(lengths > 0, lengths, 1.0)
    return np.repeat(of_blocks, np.diff([*starts, segment.n_words])).tolist()


def cosine(index: IndexReader, of_words: list[float], answer: Any, row: int) -> float:
    """The best cosine of a block with a word of an answer."""
    return round(max(of_words[slice(*answer_words(index, answer, row))]), DECIMALS)


def answer_words(index: IndexReader, answer: Any, row: int) -> tuple[int, int]:
    if answer.sentences is not None and answer.sentences[0] != WHOLE:
        return words_of_passage(index.elements, row, *answer.sentences)
    begin = int(index.elements.first_word(np.array([row]))[0])
    return begin, begin + int(index.elements.n_words(np.array([row]))[0])


def expected(index: IndexReader, query: str, weight: float, n_best: int, **settings: Any) -> list[tuple[Any, ...]]:
    """All answers in their order: the best n by words get the cosine, then everything is sorted."""
    wanted = settings.pop("max_answers", 1500)
    answers = answers_to(index, query, **{**settings, "max_answers": max(n_best, wanted)})
    found, rows = list(answers), answers.elements.tolist()
    best = abs(found[0].score) if found else 1.0
    of_words = cosines_by_word(index, query)
    scores = [
        answer.score + weight * best * max(0.0, cosine(index, of_words, answer, rows[place]))
        if place < n_best
        else answer.score
        for place, answer in enumerate(found)
    ]
    order = sorted(range(len(found)), key=lambda place: (-scores[place], found[place].article_rank, place))
    return [(found[n].document, found[n].path, found[n].sentences, scores[n]) for n in order[:wanted]]


def described(answers: Any) -> list[tuple[Any, ...]]:
    return [(answer.document, answer.path, answer.sentences, answer.score) for answer in answers]


@hypothesis_settings(max_examples=effort(2, 300, thorough=30), deadline=None)
@given(
    random_collections.collections,
    st.sampled_from(["sea", "sea tide", "tide lamp sea"]),
    st.sampled_from([0.0, 0.2, 5.0]),
    st.sampled_from([1, 2, 5, 300]),
    st.sampled_from([{}, {"passages": True}, {"overlap": "keep"}, {"max_answers": 2}, {"element_similarity": "gpx"}]),
)
@pytest.mark.long
def test_answers_equal_those_of_a_slow_order(sources, query, weight, n_best, way):
    meaning = {"semantic": TOY, "semantic_weight": weight, "semantic_answers": n_best}
    sizes = {"LEAST": n_best + 1, "MOST": n_best + 4}  # of blocks
    with patch.multiple(block_encoding, **sizes), grown_index([sources], vectors=TOY) as index:
        found = described(answers_to(index, query, **way, **meaning))
        slow = expected(index, query, weight, n_best, **way)
        assert [answer[:3] for answer in found] == [answer[:3] for answer in slow]
        assert [answer[3] for answer in found] == pytest.approx([answer[3] for answer in slow], rel=1e-12)
        assert [score for *_, score in found] == sorted((score for *_, score in found), reverse=True)


def test_without_an_encoder_nothing_changes(index):
    plain = answers_to(index, "sea fog")
    assert described(answers_to(index, "sea fog", semantic="none", semantic_weight=9)) == described(plain)
    assert "semantic" not in plain.settings.to_dict()
    assert answers_to(index, "sea fog", semantic=TOY).settings.to_dict()["semantic"] == TOY


def test_a_weight_of_0_keeps_the_order_by_words(index):
    assert described(answers_to(index, "sea fog", semantic=TOY, semantic_weight=0)) == described(
        answers_to(index, "sea fog")
    )


def test_negative_cosines_count_as_0(tmp_path):
    opposite = f"{MODULE}:opposite"
    with index_of(tmp_path, DOCUMENTS, vectors=opposite) as index:
        assert described(answers_to(index, "sea fog", semantic=opposite)) == described(answers_to(index, "sea fog"))


def test_answers_of_an_article_stay_together_where_they_are_grouped(index):
    found = answers_to(index, "sea fog", semantic=TOY, semantic_weight=50, group_by_article=True)
    assert found.article.tolist() == sorted(found.article.tolist())
    for article in set(found.article.tolist()):
        scores = found.scores[found.article == article]
        assert scores.tolist() == sorted(scores.tolist(), reverse=True)


def test_a_word_budget_takes_the_best_by_words_and_meaning_that_fit(index):
    everything = described(answers_to(index, "sea fog", semantic=TOY, semantic_weight=3))
    found = answers_to(index, "sea fog", semantic=TOY, semantic_weight=3, word_budget=8)
    left, kept = 8, []
    for answer in answers_to(index, "sea fog", semantic=TOY, semantic_weight=3):
        if answer.words <= left:
            kept.append((answer.document, answer.path, answer.sentences, answer.score))
            left -= answer.words
    assert described(found) == kept
    assert kept != everything
    with pytest.raises(QueryError, match="the shortest answer has"):
        answers_to(index, "sea fog", semantic=TOY, word_budget=1)


@pytest.mark.parametrize("way", [{}, {"passages": True}, {"word_budget": 9}, {"max_answers": 1}, {"overlap": "keep"}])
def test_explained_scores_are_those_of_the_search_and_add_up(index, way):
    settings = Settings.from_options(semantic=TOY, semantic_weight=2, **way)
    found = list(answers_to(index, "sea fog", semantic=TOY, semantic_weight=2, **way))
    for rank, answer in enumerate(found, 1):
        why = explain(index, "sea fog", answer.document, answer.path, settings)
        nodes = [node for node in (why.element, *(passage.score for passage in why.passages)) if node]
        scores = [node.value for node in nodes]
        assert answer.score in scores
        if not settings.passages:
            assert why.outcome.rank == rank
        (node,) = (each for each in nodes if each.value == answer.score)
        assert sum(detail.value for detail in node.details) == pytest.approx(node.value, rel=1e-12)
        (part,) = node.find("semantic")
        assert part.value == part.facts["weight"] * part.facts["best_score"] * part.facts["cosine"]
    for document in DOCUMENTS:
        assert explain(index, "sea fog", document, "/art[1]", settings).outcome.description


def test_answers_beyond_the_best_have_no_part_of_meaning(index):
    settings = Settings.from_options(semantic=TOY, semantic_answers=1)
    last = list(answers_to(index, "sea fog", semantic=TOY, semantic_answers=1))[-1]
    why = explain(index, "sea fog", last.document, last.path, settings)
    assert not list(why.element.find("semantic"))
    assert why.element.value == last.score


@pytest.fixture
def changing(tmp_path, monkeypatch) -> Iterator[IndexReader]:
    """An index whose encoder is the function in `toy_encoder.NOW`."""
    loaded_encoder.cache_clear()
    with index_of(tmp_path, DOCUMENTS, vectors=CHANGING) as opened:
        yield opened
    loaded_encoder.cache_clear()


FAILING = ("raises", "not_a_number", "too_few", "unreadable", "too_large", "stops", "other_dimensions")


@pytest.mark.parametrize("name", FAILING)
def test_a_failing_encoder_stops_the_search_unless_it_may_be_skipped(changing, monkeypatch, name):
    monkeypatch.setattr(toy_encoder, "NOW", getattr(toy_encoder, name))
    with pytest.raises(SettingsError, match=f"encoder '{CHANGING}'.*semantic_failures|semantic = '{CHANGING}'"):
        unchecked_answers(changing, "sea fog", semantic=CHANGING)
    found = unchecked_answers(changing, "sea fog", semantic=CHANGING, semantic_failures="skip")
    assert described(found) == described(answers_to(changing, "sea fog"))
    (notice,) = found.notices
    assert notice.code == "by_words_alone"
    assert CHANGING in str(notice)
    assert "semantic_failures" not in str(notice)


@pytest.mark.parametrize(
    ("given", "code"), [({"semantic": f"{MODULE}:opposite"}, "other_encoder"), ({"semantic": "wordllama"}, None)]
)
def test_only_the_encoder_of_the_vectors_can_be_searched_with(index, given, code):
    with pytest.raises(SettingsError) as refused:
        answers_to(index, "sea fog", **given)
    assert code is None or (refused.value.notice.code, refused.value.notice.fields["known"]) == (code, TOY)


def test_an_index_without_vectors_says_how_to_make_them(tmp_path):
    with index_of(tmp_path, DOCUMENTS) as plain, pytest.raises(SettingsError) as refused:
        answers_to(plain, "sea fog", semantic=TOY)
    assert refused.value.notice.code == "no_vectors"


def test_an_encoder_that_makes_other_vectors_than_then_is_noticed(changing, monkeypatch):
    monkeypatch.setattr(toy_encoder, "NOW", lambda texts: encode(texts)[:, ::-1])
    with pytest.raises(SettingsError) as refused:
        answers_to(changing, "sea fog", semantic=CHANGING)
    assert refused.value.notice.code == "encoder_changed"
    loaded_encoder.cache_clear()
    monkeypatch.setattr(toy_encoder, "NOW", lambda texts: encode(texts)[:, :7])
    with pytest.raises(SettingsError) as refused:
        answers_to(changing, "sea fog", semantic=CHANGING)
    assert (refused.value.notice.fields["dimensions"], refused.value.notice.fields["known"]) == (7, 26)


@pytest.mark.parametrize("given_settings", [{"rank_by": "structure"}, {"approach": "fulltext"}])
def test_answers_without_scores_of_elements_are_refused(index, given_settings):
    with pytest.raises(SettingsError, match="only scored elements are ordered by meaning"):
        answers_to(index, "sea", semantic=TOY, **given_settings)


def test_a_query_without_answers_encodes_nothing(index):
    assert not len(answers_to(index, "unheard", semantic=f"{MODULE}:raises"))


def test_a_path_query_is_encoded_by_its_words():
    analyser = make_analyser()
    path = parse_query('//sec[about(., fog -bell "sea lamp")]//p[about(.//i, tide)]', analyser, "VV")
    assert query_text(path) == "fog sea lamp tide"
    assert query_text(parse_query("What is a fog-bell?", analyser)) == "What is a fog-bell?"


@pytest.mark.long
def test_threads_get_the_same_answers(index):
    ways = [{"passages": n % 2 == 0, "semantic_weight": n % 3} for n in range(24)]
    alone = [described(answers_to(index, "sea fog", semantic=TOY, **way)) for way in ways]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda way: described(answers_to(index, "sea fog", semantic=TOY, **way)), ways))
    assert together == alone


def test_shards_read_as_one_index_give_the_same_bits_and_separate_ones_are_refused():
    with (
        tempfile.TemporaryDirectory() as folder,
        grown(Path(folder), [DOCUMENTS], None, vectors=TOY) as whole,
        grown(Path(folder), [DOCUMENTS], 2, vectors=TOY) as parts,
        open_reader(whole) as one,
        open_reader(parts) as several,
    ):
        expected_answers = described(answers_to(one, "sea fog", semantic=TOY))
        assert described(answers_to(several, "sea fog", semantic=TOY)) == expected_answers
        with pytest.raises(SettingsError, match="a cluster cannot order answers by meaning"):
            Shards(parts).search("sea fog", semantic=TOY)
