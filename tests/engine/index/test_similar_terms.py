"""Terms that are spelt alike are those that a slow edit distance finds."""

from __future__ import annotations

import random
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.index.postings.article_terms import shapes_of
from engine.index.similar_terms import EDITS, SimilarTerm, edit_distances, similar_terms
from tests.engine.small_index import index_of
from tests.trust.soak import effort

WORDS = st.text("abné日", min_size=0, max_size=7)
N_TERMS = effort(50_000, 210_000, thorough=210_000)


def slow_distance(a: str, b: str) -> int:
    """Optimal string alignment, cell by cell."""
    cells = {(i, 0): i for i in range(len(a) + 1)} | {(0, j): j for j in range(len(b) + 1)}
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            least = min(
                cells[i - 1, j] + 1, cells[i, j - 1] + 1, cells[i - 1, j - 1] + (a[i - 1] != b[j - 1])
            )  # fmt: skip
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                least = min(least, cells[i - 2, j - 2] + 1)
            cells[i, j] = least
    return cells[len(a), len(b)]


@given(WORDS, st.lists(WORDS, max_size=6))
def test_edit_distances_are_those_of_the_plain_algorithm(word: str, terms: list[str]) -> None:
    assert edit_distances(word, terms).tolist() == [slow_distance(word, term) for term in terms]


@pytest.mark.parametrize("most_terms", [0, 10**6])
@pytest.mark.long
def test_all_terms_in_reach_are_found(tmp_path: Path, most_terms: int) -> None:
    draws = random.Random(3)
    alphabet = "abcé日"
    words = sorted({"".join(draws.choices(alphabet, k=draws.randint(1, 11))) for _ in range(3000)})
    reader = index_of(tmp_path, {"d": f"<a>{' '.join(words)}</a>"})
    (segment,) = reader.segments
    offsets, blob = segment.terms.term_bytes()
    terms = [blob[a:b].tobytes().decode() for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)]
    for word in ["abca", "éacbba", "abcabcab", "cabécabca", "ccccc", *words[:: effort(422, 211, thorough=211)]]:
        most = next((edits for letters, edits in EDITS if len(word) >= letters), 0)
        expected = [
            SimilarTerm(edits, term)
            for term in terms
            if term != word and (most_terms or term[0] == word[0]) and (edits := slow_distance(word, term)) <= most
        ]
        assert similar_terms(word, [segment], most_terms) == (sorted(expected) if most else [])


@pytest.mark.parametrize("word", ["", "abc", "a1b2c3", "x" * 41, "a-b-c"])
def test_short_words_numbers_and_endless_ones_have_none(tmp_path: Path, word: str) -> None:
    assert similar_terms(word, index_of(tmp_path, {"d": "<a>abcd xxxx</a>"}).segments) == []


def test_a_long_word_is_compared_with_no_term_in_no_time() -> None:
    began = time.process_time()

    assert edit_distances("y" * 10_000_000, []).shape == (0,)
    assert time.process_time() - began < 2


@pytest.mark.long
def test_many_terms_are_compared_in_a_short_time(tmp_path: Path) -> None:
    draws = random.Random(5)
    letters = "etaoinshrdlucmfwypvbgkqjxz"
    words = {"".join(draws.choices(letters, range(26, 0, -1), k=draws.randint(3, 12))) for _ in range(N_TERMS)}
    reader = index_of(tmp_path, {"d": f"<a>{' '.join(sorted(words))}</a>"})
    similar_terms("hypertension", reader.segments)
    began = time.process_time()
    similar_terms("tarnisheo", reader.segments)
    assert time.process_time() - began < 0.25 * N_TERMS / 210_000  # 0.02 s for 210,000 on an idle machine


def test_the_letters_of_long_words_are_looked_at_some_words_at_a_time() -> None:
    n_words, n_letters = 9_000, 200
    blob = np.frombuffer(b"ab" * (n_words * n_letters // 2), np.uint8)
    offsets = np.arange(n_words + 1) * n_letters
    tracemalloc.start()
    shapes = shapes_of(offsets, blob)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert most < 4 * blob.size  # those of some words at a time
    assert set(shapes.lengths.tolist()) == {n_letters}
    assert shapes.near("ab", n_letters).all()
    assert not shapes.near("ab" * (n_letters // 2 - 2), 3).any()
