"""The best elements that kernels find at once are those of the stages, bit by bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine.ranking.best_elements
import engine.ranking.search
from engine import kernels
from engine.index.reader import IndexReader
from engine.ranking.articles import best
from engine.ranking.scoring import pruning_choice
from engine.settings import Settings
from engine.similarity.presets import PRESETS, TermPostings, best_by_bm25, bm25_part, opening_part, scores
from tests.engine.check_answers import search
from tests.engine.kernels.test_kernels import many, same, seeds
from tests.engine.kernels.test_refusals import FORGED, MASK, PLAIN, ints, table
from tests.engine.kernels.test_searches import COLUMNS, queries

pytestmark = pytest.mark.skipif(kernels.native is None, reason="no kernels were compiled")


@pytest.fixture(scope="module")
def index(sample: IndexReader) -> IndexReader:
    return sample


def columns(found: Any) -> list[bytes | None]:
    of_answers = (getattr(found.columns, name) for name in COLUMNS)
    return [None if column is None else np.ascontiguousarray(column).tobytes() for column in of_answers]


def counted(function: Callable[..., Any], found: list[Any]) -> Callable[..., Any]:
    def called(*arguments: Any, **options: Any) -> Any:
        found.append(function(*arguments, **options))
        return found[-1]

    return called


@pytest.mark.parametrize("n_answers", [1, 10, 1500])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"coverage": 0},
        {"heading_weight": 0},
        {"neighbour_weight": 0, "focus": 1},
        {"max_words": "2x", "min_leaf_words": "0x"},
        {"parent_weight": 0, "min_words": "1x"},
    ],
    ids=str,
)
def test_as_stage_by_stage(index: IndexReader, options: dict[str, Any], n_answers: int) -> None:
    settings = Settings.from_options(max_answers=n_answers, **options)
    at_once: list[Any] = []
    function = counted(engine.ranking.best_elements.best_elements, at_once)
    with patch.object(engine.ranking.search, "best_elements", function):
        for query in queries():
            by_stages = search(index, query, settings, observe=lambda *_: None)  # stages are reported: not at once
            assert columns(search(index, query, settings)) == columns(by_stages), query
    assert sum(found is not None for found in at_once) > len(queries()) / 2


@pytest.mark.parametrize("n_terms", [1, 5, 6, 7, 8, 12])
@pytest.mark.parametrize("n_answers", [1, 10])
def test_queries_of_few_and_many_terms_are_as_stage_by_stage(index: IndexReader, n_terms: int, n_answers: int) -> None:
    words = ["light", "lamp", "sea", "water", "tide", "fog", "glass", "clock", "engine", "air", "sound", "wind"]
    settings = Settings.from_options(max_answers=n_answers)
    at_once: list[Any] = []
    function = counted(engine.ranking.best_elements.best_elements, at_once)
    with patch.object(engine.ranking.search, "best_elements", function):
        for first in range(len(words)):
            query = " ".join((words + words)[first : first + n_terms])
            by_stages = search(index, query, settings, observe=lambda *_: None)
            assert columns(search(index, query, settings)) == columns(by_stages), query
    assert sum(found is not None for found in at_once) > len(words) / 2


def test_batches_are_as_stage_by_stage(index: IndexReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning_choice, "FEWEST_LEAVES", 0)
    settings = Settings.from_options(max_answers=3, focus=0.8)
    at_once: list[Any] = []
    function = counted(engine.ranking.best_elements.best_elements, at_once)
    monkeypatch.setattr(engine.ranking.article_pruning, "best_elements", function)
    for query in queries():
        by_stages = search(index, query, settings, observe=lambda *_: None)
        assert columns(search(index, query, settings)) == columns(by_stages), query
    assert sum(found is not None for found in at_once) > len(queries()) / 2


def counted_in(given: Any, leaves: list[int], roots: list[int], n_others: int = 0) -> Any:
    """Count a term, and others that occur nowhere, in a table."""
    native: Any = kernels.native
    others = [ints()] * n_others
    postings = [ints(*leaves), *others], [np.ones(len(leaves), np.int64), *others]
    return native.count_in_tree(given, MASK, *postings, ints(*roots))


TWO = [0, 0, 0, 0, 2], [2, 2, 5, 4, 5]  # two documents, of which the second one ends with an element of the first one


@pytest.mark.parametrize(
    ("given", "leaves", "roots"),
    [
        *((table(*columns, **changed), [1, 2], [0]) for columns, changed in FORGED),
        (table([0, 0, 1], [2, 2, 3]), [1, 2], [0]),  # a posting behind the document
        (table(*PLAIN), [2, 1], [0]),  # not ascending
        (table(*PLAIN), [2, 2], [0]),  # twice
        (table(*PLAIN), [999], [0]),  # not in the index
        (table(*PLAIN), [-1], [0]),
        (table(*PLAIN), [2], []),  # in no document
        (table(*PLAIN), [2], [999]),  # a document that is not in the index
        (table(*PLAIN), [2], [-1]),
        (table([0, 0, 1], [9, 3, 3]), [2], [0]),  # a root that ends behind the index
        (table([0, 0, 1], [0, 3, 3]), [0], [0]),  # a root that ends before it begins
        (table(*TWO), [0, 3], [0, 2]),  # a parent in another document
    ],
)
@pytest.mark.parametrize("n_others", [0, 6])  # rows of six terms are merged, those of more marked in a bit map
def test_a_forged_table_is_refused(given: Any, leaves: list[int], roots: list[int], n_others: int) -> None:
    with pytest.raises(ValueError, match=r"\.npy"):
        counted_in(given, leaves, roots, n_others)


def best_of(made: object, *, is_fragment: Any = (False,), **changed: Any) -> Any:
    of_documents = {
        "factors": np.ones(1),
        "articles": ints(0),
        "of_articles": np.zeros(1),
        **changed,
    }
    weights = True, 0.0, 9.0, 0.0, 0.0, 0.0
    native: Any = kernels.native
    return native.best_in_tree(made, *of_documents.values(), np.array(is_fragment, np.bool_), *weights, 10)


def test_what_does_not_fit_the_elements_is_refused() -> None:
    native: Any = kernels.native
    counted, n, n_pairs = counted_in(table([0, 0], [2, 2]), [1], [0])
    made, shares = native.weigh_in_tree(counted, np.ones((1, 1)), np.ones(1), 1.2, 0.75, 80.0)
    assert (n, n_pairs, np.frombuffer(shares).tolist()) == (2, 2, [1.0])
    numbers, _ = best_of(made)
    assert np.frombuffer(numbers, np.int64).tolist() == [0, 0, 2, 0]  # the root: row, article, end, words
    for changed in (
        {"factors": np.ones(2)},
        {"articles": ints()},
        {"of_articles": np.ones(2)},
        {"is_fragment": ()},
    ):
        with pytest.raises(ValueError, match=r"differ|tag|factors"):
            best_of(made, **changed)
    for of_weights in ((np.ones((1, 2)), np.ones(1)), (np.ones((1, 1)), np.ones(2)), (np.ones((2, 1)), np.ones(1))):
        with pytest.raises(ValueError, match="weights have other shapes"):
            native.weigh_in_tree(counted, *of_weights, 1.2, 0.75, 80.0)
    with pytest.raises(TypeError, match="not elements that weigh_in_tree returned"):
        best_of(counted)
    with pytest.raises(TypeError, match="not elements that count_in_tree returned"):
        native.weigh_in_tree(made, np.ones((1, 1)), np.ones(1), 1.2, 0.75, 80.0)


@many
@given(seeds, st.sampled_from([1, 9, 300]), st.integers(1, 4), st.sampled_from([1, 5, 1000]), st.sampled_from([0, 0.7]))
def test_the_best_by_bm25(rng: np.random.Generator, n: int, n_terms: int, n_best: int, opening_weight: float) -> None:
    class Collection:
        n_documents, mean_length = n, 7.5
        lengths = rng.integers(1, 4, n).astype(np.float64)  # few different ones, so that scores tie

    class Frequencies:
        document_frequency, opening_frequency = 3, 2

    terms = []
    for number in range(n_terms):
        documents = np.flatnonzero(rng.random(n) < 0.6)
        postings = documents, rng.integers(1, 3, len(documents))
        is_opening = rng.random(len(documents)) < 0.3
        terms.append(TermPostings(str(number), 1, *postings, *(each[is_opening] for each in postings), Frequencies()))
    order = rng.permutation(n) if n_terms % 2 else None
    parameters = PRESETS["bm25"].defaults

    found = best_by_bm25(kernels.native, terms, Collection(), parameters, n_best, order, opening_weight)  # type: ignore[arg-type]

    documents, expected_scores = scores("bm25", terms, Collection(), parameters)  # type: ignore[arg-type]
    for postings in terms if opening_weight else []:
        places = documents.searchsorted(postings.opening_documents)
        expected_scores[places] += opening_part(postings, Collection(), opening_weight)  # type: ignore[arg-type]
    expected = best(documents, expected_scores, n_best, order)
    assert PRESETS["bm25"].fast.part is bm25_part
    assert found[0].tolist() == expected.documents.tolist()
    assert same(found[1], expected.scores)


@many
@given(seeds, st.integers(0, 4), st.sampled_from([np.uint8, np.uint16, np.uint32]))
def test_leaves_are_found_and_read_at_once(rng: np.random.Generator, n_terms: int, dtype: Any) -> None:
    packed = rng.integers(0, 256, 500).astype(dtype)
    documents = np.flatnonzero(rng.random(200) < 0.3)
    keys = [np.flatnonzero(rng.random(200) < 0.2).astype(np.uint16) for _ in range(n_terms)]
    borders = [np.cumsum(rng.integers(1, 4, len(each) + 1)) for each in keys]
    native: Any = kernels.native

    *found, of_documents = native.find_leaves(keys, borders, packed, 3, documents, documents)

    values = np.frombuffer(native.find_documents(keys, borders, documents, True), np.int64)
    begins, counts = values.reshape(2, n_terms, len(documents))
    assert tuple(found) == native.read_leaves(packed, 3, begins, counts, documents)
    assert np.frombuffer(of_documents, np.int64).tolist() == counts.ravel().tolist()
