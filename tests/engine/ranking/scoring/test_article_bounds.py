"""Articles that cannot have an answer are not searched: the answers are the same, bit by bit."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.answers.answer_columns import AnswerColumns
from engine.answers.stage_recorder import search_stages
from engine.errors import QueryError
from engine.index.reader import IndexReader
from engine.kernels.table import has_kernels, without_kernels
from engine.planning.plan import ByScore
from engine.planning.planning import make_plan
from engine.ranking import answers_in_batches, batches, search
from engine.ranking.parts.inheritance import INHERITANCE
from engine.ranking.scoring import article_bounds as choice_of_bounds
from engine.ranking.scoring import element_bounds
from engine.ranking.scoring.article_bounds import Bounds, article_bounds
from engine.ranking.scoring.focus import focused
from engine.ranking.trace import Trace
from engine.settings import Settings
from engine.similarity.registry import COMBINING, FREQUENCY, METHOD, TERM_WEIGHT, legal
from engine.text.function_words import counted_words
from tests.engine.small_index import answers_to, grown_index, index_of
from tests.trust.soak import effort, some

WORDS = ["sea", "tide", "fog", "lamp", "reef", "buoy", "gale", "keel", "mast", "helm", "oar", "rope"]
FILLER = [f"w{number}" for number in range(40)] + 4 * list(counted_words("english"))
PROFILE = 'inline = ["i"]\ntitles = ["li"]\ntables = ["sec"]\nrows = ["p"]\n'
N_DOCUMENTS = 60
MOST_WORDS = 40


def text(rng: random.Random, topic: str) -> str:
    """Return sentences in which some words are frequent, others rare, and the words of the topic come often."""
    found = []
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        n_words = rng.randint(1, 14)
        drawn = [
            topic if rng.random() < 0.2 else WORDS[min(int(rng.expovariate(0.4)), 11)] if rng.random() < 0.4 else None
            for _ in range(n_words)
        ]
        found.append(" ".join(word or rng.choice(FILLER) for word in drawn).capitalize() + ".")
    return " ".join(found)


def element(rng: random.Random, topic: str, depth: int) -> str:
    tag = rng.choice([*2 * ["sec", "p", "p", "li"], "fig"] if depth else ["article"])
    inner = [text(rng, topic)]
    for _ in range(rng.choice([0, 1, 2, 4]) if 0 < depth < 5 else 3 * (depth == 0)):
        inner += [element(rng, topic, depth + 1), text(rng, topic)]
    if rng.random() < 0.2:
        inner.append(f"<i>{rng.choice(WORDS)}</i>")
    return f"<{tag}>{' '.join(inner)}</{tag}>"


def sentences_of(documents: Iterable[str]) -> list[str]:
    """Return runs of four words in documents, half of which are function words."""
    runs = re.findall(r"\w+ \w+ \w+ \w+", " . ".join(documents))
    return [run for run in runs if sum(word in counted_words("english") for word in run.split()) == 2]


@pytest.fixture(scope="module")
def index() -> Iterator[IndexReader]:
    """Three segments of documents of all sizes, some of them deleted or replaced."""
    with grown_index(steps_of_growth(), profile_text=PROFILE) as grown:
        yield grown


def steps_of_growth() -> list[dict[str, str]]:
    rng = random.Random(1)
    documents = {f"{number:02}": element(rng, rng.choice(WORDS), 0) for number in range(N_DOCUMENTS)}
    for number, word in enumerate([*WORDS, f"{WORDS[0]} {WORDS[1]}"]):
        documents[f"t{number:02}"] = f"<article><li>{word}</li>{element(rng, rng.choice(WORDS), 1)}</article>"
    names = list(documents)
    first = {name: documents[name] for name in names[: N_DOCUMENTS // 2]} | {
        "00": "<article>old sea</article>",
        "x": "<article>sea</article>",
    }
    second = {name: documents[name] for name in names[: N_DOCUMENTS - 9]} | {"y": "<article>tide sea</article>"}
    return [first, second, documents]


@pytest.fixture(scope="module")
def lengths(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    """Documents with a section that has the term at both ends, of any length, behind any number of words."""
    documents = {
        f"{n}/{first}": f"<a><q>{'w ' * first}</q><s><p>sea</p><p>{'w ' * n}</p><p>sea</p></s></a>"
        for n in range(MOST_WORDS)
        for first in range(8)
    }
    return index_of(tmp_path_factory.mktemp("lengths"), documents)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    """Documents with a passage of two words, the last ones of a leaf of any length."""
    documents = {
        f"{n}/{first}": f"<a><q>{'w ' * first}</q><s><p>{'w ' * n}w. Tide. Sea.</p></s></a>"
        for n in range(MOST_WORDS)
        for first in range(8)
    }
    return index_of(tmp_path_factory.mktemp("runs"), documents)


def monotone(table: str, context: str) -> list[str]:
    return [letter for letter, each in legal(table, context).items() if each.is_monotone]


bounded_expressions = st.builds(
    "E[{}{}-{}{}{}-{}{}A]".format,
    *map(st.sampled_from, [monotone(COMBINING, "E"), monotone(TERM_WEIGHT, "E")]),
    *map(st.sampled_from, [monotone(METHOD, "E"), monotone(FREQUENCY, "E"), ["A", "D", "F", "H", "K", "L", "M"]]),
    *map(st.sampled_from, [monotone(METHOD, "Q"), monotone(FREQUENCY, "Q")]),
)
expressions = st.one_of(st.just("adaptive"), st.just("adaptive"), bounded_expressions)
words = st.sampled_from([*WORDS, *WORDS, *FILLER[:4], "unknown"])
queries = st.builds(
    lambda plain, signed: " ".join([*plain, *signed]),
    st.lists(words, min_size=1, max_size=8),
    st.lists(st.builds("{}{}".format, st.sampled_from("+-"), words), max_size=1),
)
sentences = st.sampled_from(sentences_of(steps_of_growth()[-1].values()))
paths = st.one_of(
    st.builds("//sec[about(., {})]".format, queries),
    st.builds("//article[about(., {})]//p[about(., {})]".format, queries, queries),
    st.builds("//sec[about(.//p, {}) or about(., {})]".format, queries, queries),
    st.builds("//i[about(., {})]".format, queries),
    st.just("//sec//li"),
)
chosen = st.fixed_dictionaries(
    {"max_answers": st.sampled_from([1, 3, 10, 100, 1500]), "element_similarity": expressions},
    optional={
        "passages": st.just("on"),
        "max_sentences": st.integers(1, 3),
        "whole_weight": st.sampled_from([0, 0.7, 1]),
        "min_passage_words": st.sampled_from(["0", "5", "13", "1000"]),
        "overlap": st.just("keep"),
        "word_budget": st.sampled_from([10, 60, 400]),
        "max_per_article": st.sampled_from([1, 2]),
        "parent_weight": st.sampled_from([0, 0.3, 0.9]),
        "sequence_weight": st.sampled_from([0, 0.3, 4]),
        "figure_weight": st.sampled_from([0, 0.7, 1]),
        "article_weight": st.sampled_from([0, 0.3, 4]),
        "focus": st.sampled_from([0, 0.6, 1]),
        "similarity": st.sampled_from(["okapi", "dirichlet", "pcosine"]),
        "operator": st.just("and"),
        "block_words": st.sampled_from(["1", "5", "3x"]),
        "answers": st.sampled_from(["any", "blocks", "oCRE", "//p"]),
    },
)


@contextmanager
def bounds_for_any_number_of_answers() -> Iterator[None]:
    """Compute bounds however many answers are wanted."""
    with patch.object(batches, "FIRST_BY_SCORE", 0), patch.object(batches, "ANSWERS_OF_ONE", 10**9):
        yield


@contextmanager
def small_batches() -> Iterator[None]:
    """Search few articles at a time, with bounds however little there is to search."""
    with (
        patch.object(batches, "FIRST_BY_SCORE", 1),
        patch.object(batches, "ANSWERS_OF_ONE", 50),
        patch.object(choice_of_bounds, "FEWEST_OF_A_SHARD", 0),
        patch.object(choice_of_bounds, "LEAST_FOCUS", 0),
        patch.object(choice_of_bounds, "FEWEST_LEAVES", 0),
        patch.object(element_bounds, "SHORTEST_BITS", 2),
        patch.object(element_bounds, "STEP", 1),
        patch.object(answers_in_batches, "GROWTH", 2),
    ):
        yield


def answers(index: IndexReader, query: str, options: dict[str, Any], *, pruned: bool) -> AnswerColumns | str:
    """Return the answers, or the message of the error."""
    asked = Settings.from_options(**options)
    try:
        with small_batches():
            if pruned:
                return search.search(index, query, asked)
            with patch.object(search, "article_bounds", lambda *_: Bounds(np.empty(0, np.int64), None, "a test")):
                return search.search(index, query, asked)
    except QueryError as error:
        return str(error)


def assert_equal(index: IndexReader, query: str, options: dict[str, Any]) -> None:
    pruned, whole = (answers(index, query, options, pruned=each) for each in (True, False))
    if isinstance(pruned, str) or isinstance(whole, str):
        assert pruned == whole
    else:
        assert pruned == whole


@settings(max_examples=effort(4, 20_000, thorough=500), deadline=None)
@given(queries | sentences, chosen)
def test_pruned_answers_equal_unpruned(index: IndexReader, query: str, options: dict[str, Any]) -> None:
    if "passages" in options:
        options = {**options, "answers": "auto"}
    assert_equal(index, query, options)


@settings(max_examples=effort(4, 5000, thorough=200), deadline=None)
@given(paths, chosen, st.sampled_from(["SS", "SV", "VS", "VV"]))
def test_pruned_answers_to_path_queries_equal_unpruned(
    index: IndexReader, query: str, options: dict[str, Any], reading: str
) -> None:
    assert_equal(index, query, {**options, "answers": "auto", "reading": reading})


@settings(max_examples=effort(4, 10_000, thorough=300), deadline=None)
@given(queries | sentences, chosen)
def test_no_answer_of_an_article_scores_more_than_its_bound(
    index: IndexReader, query: str, options: dict[str, Any]
) -> None:
    options = {**options, "answers": "auto", "overlap": "keep", "max_answers": 100_000, "word_budget": "all"}
    found = answers(index, query, options, pruned=False)
    if isinstance(found, str) or not len(found.ranked):
        return
    assert found.scores is not None
    plan = found.plan
    assert isinstance(plan.order, ByScore)
    with small_batches(), bounds_for_any_number_of_answers():
        bounds = article_bounds(index, plan, plan.order, found.ranked)
    assert bounds.highest is not None

    best = np.full(len(found.ranked), -np.inf)
    np.maximum.at(best, found.article, found.scores)
    assert np.all(best <= bounds.highest)


@pytest.mark.skipif(not has_kernels(), reason="no kernels were compiled")
@settings(max_examples=effort(5, 10_000, thorough=300), deadline=None)
@given(queries | sentences, st.booleans(), st.sampled_from([0, 0.2, 1, 3]), st.sampled_from([0.3, 0.6, 1]))
def test_bounds_are_the_same_without_kernels(
    index: IndexReader, query: str, passages: bool, coverage: float, focus: float
) -> None:
    asked = Settings.from_options(passages=passages, coverage=coverage, focus=focus)
    plan, _, ranked = search.begin_search(index, query, asked)
    assert isinstance(plan.order, ByScore)
    with small_batches(), bounds_for_any_number_of_answers():
        found = article_bounds(index, plan, plan.order, ranked)
        with without_kernels():
            expected = article_bounds(index, plan, plan.order, ranked)

    assert found == expected


@pytest.mark.parametrize("budget", some(range(20, 260, 12), 7))
def test_a_word_budget_that_better_answers_leave_to_others_is_filled(index: IndexReader, budget: int) -> None:
    for query in ("reef lamp", "sea", "tide gale reef"):
        assert_equal(index, query, {"word_budget": budget, "element_similarity": "adaptive"})


@pytest.mark.parametrize("shortest_bits", [0, 2, 5])
@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize("of_passages", [False, True], ids=["elements", "passages"])
def test_bounds_of_answers_of_any_length_at_any_place(
    lengths: IndexReader, runs: IndexReader, shortest_bits: int, step: int, *, of_passages: bool
) -> None:
    options = {
        "parent_weight": 0,
        "article_weight": 0,
        "focus": 0,
        "block_words": "1",
        "element_b": 0.1,
        "max_answers": 10_000,
        "overlap": "keep",
    }
    if of_passages:
        index, query = runs, "tide sea"
        of_two = {"passages": "on", "max_sentences": 2, "min_passage_words": "0"}
        found = answers_to(index, query, **options, **of_two, whole_weight=0)
        assert len(found) == 3 * 8 * MOST_WORDS  # "tide", "sea" and both together
    else:
        index, query = lengths, "sea"
        found = answers_to(index, query, **options, min_words="0", min_leaf_words="0", answers="//s")
    plan = focused(index, make_plan(query, index.analyser, found.settings), found.ranked)
    assert isinstance(plan.order, ByScore)

    of_any_size = (
        patch.object(element_bounds, "SHORTEST_BITS", shortest_bits),
        patch.object(element_bounds, "STEP", step),
    )
    with small_batches(), bounds_for_any_number_of_answers(), of_any_size[0], of_any_size[1]:
        bounds = article_bounds(index, plan, plan.order, found.ranked)

    assert bounds.highest is not None
    assert found.scores is not None
    assert len(found.ranked) == 8 * MOST_WORDS
    best = np.zeros(len(found.ranked))
    np.maximum.at(best, found.article, found.scores)
    assert np.all(best <= bounds.highest)


@pytest.mark.parametrize("options", [{}, {"passages": "on"}, {"word_budget": 30}], ids=str)
def test_articles_are_left_out(index: IndexReader, options: dict[str, Any]) -> None:
    searched: dict[str, int] = {}

    def count(name: str, value: Any, _seconds: float) -> None:
        if name == "matches":
            searched[query] = searched.get(query, 0) + len(value.documents)

    asked = Settings.from_options(max_answers=3, **options)
    n_ranked = 0
    for query in WORDS:
        with small_batches():
            n_ranked += len(search.search(index, query, asked, count).ranked)

    assert n_ranked > 400
    assert sum(searched.values()) < n_ranked / 2


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"element_similarity": "E[DM-AFI-BAA]"}, "the score of an element has no bound"),
        ({"element_similarity": "E[CV-AKA-BBD]"}, "the score of an element has no bound"),
        ({"parent_weight": 1, "focus": 1}, "the score of an element has no bound"),
        ({"group_by_article": True}, "answers are grouped by article"),
        ({"max_matches": 9}, "max_matches counts matches in the order of the articles"),
        ({"max_answers": 1500}, "few articles are ranked for so many answers"),
        ({"focus": 0.4}, "no article stands out: the focus is 0.40"),
        ({"focus": 1}, "there is little to search"),
    ],
    ids=str,
)
def test_without_bounds_all_articles_are_searched_and_the_stages_say_why(
    index: IndexReader, options: dict[str, Any], reason: str
) -> None:
    asked = Settings.from_options(**{"max_answers": 3, **options})

    stages = {stage.name: stage for stage in search_stages(index, "helm oar", asked)[1]}

    assert reason in stages["bounds"].value
    assert stages["matches"].n_batches == 1


def test_a_filter_that_drops_the_articles_that_stand_out_has_all_others_searched(index: IndexReader) -> None:
    every = answers_to(index, "helm oar", focus=0.7).ranked
    others = [index.ids[number] for number in every.documents[9:].tolist()]

    stages = search_stages(index, "helm oar", Settings.from_options(max_answers=3, focus=0.7, documents=others))[1]

    odds = 0.7 / 0.3 * (every.scores[9] / every.scores[0]) ** 6
    focus = odds / (1 + odds)
    assert focus < 0.6
    reason = f"no article stands out: the focus is {focus:.2f}"
    assert reason in {stage.name: stage for stage in stages}["bounds"].value


def test_a_part_of_the_score_without_a_bound_switches_pruning_off(index: IndexReader) -> None:
    with patch.object(type(INHERITANCE), "has_bound", lambda *_: False):
        stages = search_stages(index, "reef gale", Settings.from_options(max_answers=3, focus=0.5))[1]

    assert "the score of an element has no bound" in {stage.name: stage for stage in stages}["bounds"].value


def test_a_phrase_that_is_a_term_has_no_bound(index: IndexReader) -> None:
    asked = Settings.from_options(max_answers=3, element_similarity="text-blocks")

    stages = {stage.name: stage for stage in search_stages(index, 'reef "gale sea"', asked)[1]}

    assert "no bound" in stages["bounds"].value


def test_a_trace_is_of_all_articles(index: IndexReader) -> None:
    asked = Settings.from_options(max_answers=3)

    with patch.object(search, "article_bounds", side_effect=AssertionError):
        found = search.search(index, "reef gale", asked, trace=Trace(index.elements, 0))

    assert found == search.search(index, "reef gale", asked)


def test_matches_of_all_articles_are_estimated_exactly(index: IndexReader) -> None:
    query = make_plan("reef gale sea", index.analyser, Settings(), index.function_words).query
    every = index.live_documents

    leaves = [len(index.elements.occurrences(word, every).rows) for word in query.word_counts]

    assert choice_of_bounds.leaves_with_words(index, query, len(every)) == sum(leaves) > 0
    assert 0 < choice_of_bounds.leaves_with_words(index, query, 9) < sum(leaves)
