from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import QueryError, SettingsError
from engine.index.reader import IndexReader, open_reader
from engine.indexing.build import compact_index
from engine.ranking import answers_in_batches
from engine.ranking.batches import batch_at
from engine.settings import Settings
from engine.sharded_search.sharded_search import CombineRequest, NeedsTotals, ShardSession, SharedTotals
from engine.shards.shard_counts import exact_parts
from tests.engine.index.sharded import grown, pair
from tests.engine.index.test_shards import WAYS
from tests.engine.joined_answers import JoinedAnswers
from tests.engine.ranking.scoring.test_article_bounds import PROFILE, chosen, queries, small_batches, steps_of_growth
from tests.engine.ranking.shards_in_process import Shards
from tests.engine.small_index import answers_to
from tests.reference import nexi_random, random_collections
from tests.trust.soak import effort, some

NEED_NORMS = ("E[BD-ABB-BAA]", "E[BD-ABE-BAA]")
MORE_WAYS: tuple[dict[str, Any], ...] = (
    {"similarity": "pcosine", "weight_bits": 7},
    {"similarity": "pcosine", "query_norm": True},
    {"element_similarity": "C[G-]--D[BB-ACA-BCA]--E[BD-ACA-BCA]"},
    {"element_similarity": "T[AA-AAA-BAA]", "boolean": "and"},
    {"element_similarity": "E[BD-ADA-BAA]", "max_words": 5},
    {"max_terms": 1},
    {"passages": True, "min_passage_words": "3"},
    {"passages": True, "min_passage_words": "99"},
    {"inside": "sec", "documents": "[a-c]*"},
    {"outside": "p", "documents": "b"},
    {"inside": "scetion"},
    {"answers": "p,sec", "max_articles": 2},
)
# A word of one document.
IN_ONE = "binnacle"
OFFERED = (*WAYS, *MORE_WAYS)
few = settings(max_examples=effort(2, 150, thorough=5), suppress_health_check=[HealthCheck.too_slow])


def columns(answers: JoinedAnswers) -> Any:
    spans = answers.spans.tolist()
    articles = [(answer.article_rank, answer.article_score) for answer in answers]
    scores = None if answers.scores is None else answers.scores.tolist()
    sentences = None if answers.sentences is None else answers.sentences.tolist()
    return (
        list(zip(answers.document_ids, answers.paths, answers.rsv.tolist(), spans, articles, strict=True)),
        (scores, sentences, answers.notices, answers.interpretation, len(answers.ranked)),
    )


def found(search: Any, query: str, way: dict[str, Any]) -> Any:
    try:
        return columns(search(query, **way))
    except (QueryError, SettingsError) as error:
        return type(error), str(error)


def assert_equal(one: Any, shards: Shards, query: str, way: dict[str, Any]) -> None:
    assert found(shards.search, query, way) == found(lambda *q, **w: answers_to(one, *q, **w), query, way)


@pytest.mark.parametrize("n_shards", some([2, 1, 4, 7], 2))
@few
@given(st.lists(random_collections.collections, min_size=1, max_size=3), st.data())
def test_answers_of_separate_shards_equal_those_of_one_index(
    n_shards: int, steps: list[dict[str, str]], data: st.DataObject
) -> None:
    with pair(steps, n_shards) as (one, parts):
        shards = Shards(parts, replaced=data.draw(st.sampled_from([0.0, 0.5])))
        for way in data.draw(st.permutations(OFFERED))[: effort(5, len(OFFERED))]:
            assert_equal(one, shards, "sea tide", way)
            assert_equal(one, shards, data.draw(random_collections.queries), way)
        assert_equal(one, shards, data.draw(random_collections.queries), data.draw(random_collections.settings()))


@few
@given(st.lists(nexi_random.collections, min_size=1, max_size=2), st.sampled_from([2, 4]), st.data())
@pytest.mark.long
def test_path_queries_to_separate_shards_equal_those_to_one_index(
    steps: list[dict[str, str]], n_shards: int, data: st.DataObject
) -> None:
    with pair(steps, n_shards) as (one, parts):
        shards = Shards(parts)
        for query, way in data.draw(nexi_random.asked())[: effort(4, 99)]:
            assert_equal(one, shards, str(query), way)
            assert_equal(one, shards, str(query), {"reading": way["reading"]})


@pytest.fixture(scope="module")
def divided(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[IndexReader, list[Shards]]]:
    """An index of documents of all sizes, and its shards, 3 or 9 of them, of which some are without answers."""
    folder = tmp_path_factory.mktemp("divided")
    (folder / "profile.toml").write_text(PROFILE)
    *steps, last = steps_of_growth()
    last[IN_ONE] = f"<article><p>{IN_ONE} sea. Rope.</p></article>"
    with ExitStack() as stack:
        made = [
            stack.enter_context(grown(folder, [*steps, last], number, profile=str(folder / "profile.toml")))
            for number in (None, 3, 9)
        ]
        yield stack.enter_context(open_reader(made[0])), [Shards(each) for each in made[1:]]


@settings(max_examples=effort(2, 5000, thorough=60), deadline=None)
@given(st.one_of(queries, queries.map(lambda query: f"{query} {IN_ONE}")), chosen, st.integers(0, 1))
@pytest.mark.long
def test_shards_leave_out_articles_without_an_answer(
    divided: tuple[IndexReader, list[Shards]], query: str, options: dict[str, Any], which: int
) -> None:
    one, shards = divided
    if "passages" in options:
        options = {**options, "answers": "auto"}
    with small_batches():
        assert_equal(one, shards[which], query, options)


# In texts of words at random any title may say a query of rare words: bounds with headings leave out few articles.
@pytest.mark.parametrize(("query", "way"), [("sea rope", {}), ("rope oar helm", {"heading_weight": 0})])
@pytest.mark.long
def test_a_shard_searches_only_articles_that_can_be_among_its_best(
    divided: tuple[IndexReader, list[Shards]], query: str, way: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[int] = []

    def counted(documents: Any, places: Any) -> Any:
        searched.append(len(places))
        return batch_at(documents, places)

    monkeypatch.setattr(answers_in_batches, "batch_at", counted)
    with small_batches():
        found = divided[1][0].search(query, max_answers=1, **way)
    assert 0 < sum(searched) < len(found.ranked) / 2


@pytest.mark.parametrize("way", [{}, {"passages": True}, {"word_budget": 60}])
@pytest.mark.long
def test_a_word_of_one_shard_alone_is_asked_of_all(
    divided: tuple[IndexReader, list[Shards]], way: dict[str, Any]
) -> None:
    one, parts = divided
    with small_batches():
        for shards in parts:
            assert_equal(one, shards, f"rope sea {IN_ONE}", {"max_answers": 3, **way})


@pytest.fixture(scope="module")
def numbered() -> Iterator[tuple[IndexReader, Shards]]:
    documents = {f"{name}{name}": f"<a>sea fog {name}</a>" for name in "51372604"}
    with pair([{"old": "<a>sea</a>"}, documents], 5) as (one, parts):
        yield one, Shards(parts)


@pytest.mark.parametrize("pattern", ["*1", "[3-5]*", "none*"])
@pytest.mark.long
def test_a_pattern_that_fits_in_one_shard_has_no_notice(numbered: tuple[IndexReader, Shards], pattern: str) -> None:
    one, shards = numbered
    for way in ({}, {"passages": True}, {"rank_by": "structure"}, {"word_budget": 9}):
        assert_equal(one, shards, "sea fog", {"documents": pattern, **way})
        notices = shards.search("sea fog", documents=pattern, **way).notices
        assert bool(notices) == (pattern == "none*")
    assert all(notice.fields["example"] == "00" for notice in notices)


@pytest.mark.parametrize("compacted", ["one", "parts", "neither"])
@pytest.mark.long
def test_a_tag_of_deleted_documents_alone_is_a_tag_of_no_index(compacted: str) -> None:
    last = {name: f"<a><p>sea fog {name}</p></a>" for name in "abcdef"}
    with pair([{**last, "b": "<a><title>sea</title></a>", "z": "<a><title>fog</title></a>"}, last], 3) as (one, parts):
        if compacted != "neither":
            compact_index(one.folder if compacted == "one" else parts)
        with open_reader(one.folder) as whole, open_reader(parts) as sharded:
            assert whole.tags == sharded.tags == ["a", "p"]
            for way in ({"outside": "//title"}, {"inside": "//title"}, {"inside": "//p"}):
                assert_equal(whole, Shards(parts), "sea fog", way)
                found = answers_to(whole, "sea fog", **way)
                assert found.notices == answers_to(sharded, "sea fog", **way).notices
                assert bool(found.notices) == ("//p" not in way.values())


def test_totals_of_some_shards_are_of_their_query_alone(tmp_path: Path) -> None:
    kept: dict[Any, Any] = {}
    with grown(tmp_path, [{name: f"<a>sea {name}</a>" for name in "abcdef"}], 2) as index:
        for are_of_all in (False, True):
            session = ShardSession(IndexReader(index), "sea", Settings(), 0, 2, kept)
            are_given = False
            while isinstance(step := session.step(), NeedsTotals) or not are_given:
                assert isinstance(step, NeedsTotals | CombineRequest)
                if isinstance(step, NeedsTotals):
                    session.reply(SharedTotals(step.counts, are_of_all))
                    are_given |= ("term", "sea") in step.counts
                else:
                    session.reply(step.combiner([step.value]))
            session.cancel()
            assert isinstance(step, CombineRequest)
            assert (("term", "sea") in kept) is are_of_all


def test_vector_norms_are_refused_with_what_to_do(tmp_path: Path) -> None:
    with grown(tmp_path, [{name: f"<a>sea {name}</a>" for name in "abcdef"}], 2) as index:
        for name in NEED_NORMS:
            with pytest.raises(SettingsError, match="search the index itself"):
                Shards(index).search("sea", element_similarity=name)


@given(st.lists(st.floats(1e-3, 1e9), max_size=30))
def test_few_floats_have_the_exact_sum_of_many(values: list[float]) -> None:

    parts = exact_parts(values)
    assert sum(map(Fraction, parts)) == sum(map(Fraction, values))
    assert len(parts) <= 4
