"""Articles are ranked and leaves read by kernels as by NumPy, bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels.table import has_kernels, native
from engine.ranking.articles import best
from engine.similarity.presets import PRESETS, TermPostings, best_by_bm25, bm25_part, opening_part, scores
from tests.engine.kernels.test_kernels import many, same, seeds

pytestmark = pytest.mark.skipif(not has_kernels(), reason="no kernels were compiled")


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

    found = best_by_bm25(terms, Collection(), parameters, n_best, order, opening_weight)  # type: ignore[arg-type]

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

    *found, of_documents = native.find_leaves(keys, borders, packed, 3, documents, documents)

    values = np.frombuffer(native.find_documents(keys, borders, documents, True), np.int64)
    begins, counts = values.reshape(2, n_terms, len(documents))
    assert tuple(found) == native.read_leaves(packed, 3, begins, counts, documents)
    assert np.frombuffer(of_documents, np.int64).tolist() == counts.ravel().tolist()
