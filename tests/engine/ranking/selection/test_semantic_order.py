"""The order by meaning equals a slow one: all answers by words, their cosines one by one, sorted."""

from __future__ import annotations

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from engine.errors import QueryError, SettingsError
from engine.explain.explain import explain
from engine.index.reader import IndexReader, open_reader
from engine.query.query import parse_query
from engine.ranking.selection.semantic_order import DECIMALS, LONGEST, query_text
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
TOY = f"{MODULE}:encode"
DOCUMENTS = {
    "a": "<art><p>sea fog over the quay. The lamp is lit.</p><p>sea lamp</p><p>zzz sea zzz</p></art>",
    "b": "<art><sec><p>fog, fog and sea</p><p>gulls</p></sec><p>the sea, the sea, and a bell</p></art>",
    "c": "<art><p>lamp oil for the sea light. Fog signals are other things.</p></art>",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> IndexReader:
    return index_of(tmp_path_factory.mktemp("semantic"), DOCUMENTS)


def cosine(one: str, other: str) -> float:
    a, b = (vector / (np.sqrt(vector @ vector) or 1) for vector in encode([one, other]).astype(np.float64))
    return round(float(a @ b), DECIMALS)


def expected(index: IndexReader, query: str, weight: float, n_best: int, **settings: Any) -> list[tuple[Any, ...]]:
    """All answers in their order: the best n by words get the cosine, then everything is sorted."""
    wanted = settings.pop("max_answers", 1500)
    found = list(answers_to(index, query, **{**settings, "max_answers": max(n_best, wanted)}))
    best = abs(found[0].score) if found else 1.0
    scores = [
        (answer.score + weight * best * max(0.0, cosine(query, " ".join(answer.readable_text[:LONGEST].split()))))
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
    with grown_index([sources]) as index:
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


def test_negative_cosines_count_as_0(index):
    opposite = f"{MODULE}:opposite"
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


FAILING = ("raises", "not_a_number", "too_few", "unreadable", "too_large", "stops", "other_dimensions")


@pytest.mark.parametrize("name", FAILING)
def test_a_failing_encoder_stops_the_search_unless_it_may_be_skipped(index, name):
    failing = f"{MODULE}:{name}"
    with pytest.raises(SettingsError, match=f"semantic = '{failing}'"):
        unchecked_answers(index, "sea fog", semantic=failing)
    found = unchecked_answers(index, "sea fog", semantic=failing, semantic_failures="skip")
    assert described(found) == described(answers_to(index, "sea fog"))
    (notice,) = found.notices
    assert notice.code == "by_words_alone"
    assert notice.fields["reason"].startswith(f"semantic = '{failing}'")


def test_vectors_kept_from_before_have_the_dimensions_of_those_of_now(tmp_path, monkeypatch):
    with index_of(tmp_path, DOCUMENTS) as fresh:
        answers_to(fresh, "sea fog", semantic=TOY, semantic_answers=2)
        monkeypatch.setattr(toy_encoder, "LETTERS", "abcdefg")
        with pytest.raises(SettingsError, match="had 26 dimensions, then 7"):
            answers_to(fresh, "sea fog", semantic=TOY)
        loaded_encoder.cache_clear()
        with pytest.raises(SettingsError, match="vectors of 7 and of 26 dimensions"):
            answers_to(fresh, "sea fog", semantic=TOY)
        loaded_encoder.cache_clear()


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
        grown(Path(folder), [DOCUMENTS], None) as whole,
        grown(Path(folder), [DOCUMENTS], 2) as parts,
        open_reader(whole) as one,
        open_reader(parts) as several,
    ):
        expected_answers = described(answers_to(one, "sea fog", semantic=TOY))
        assert described(answers_to(several, "sea fog", semantic=TOY)) == expected_answers
        with pytest.raises(SettingsError, match="a cluster cannot order answers by meaning"):
            Shards(parts).search("sea fog", semantic=TOY)
