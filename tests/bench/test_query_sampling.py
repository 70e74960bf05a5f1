"""Queries drawn for the benches, of collections of any size."""

from __future__ import annotations

from pathlib import Path

from bench.corpus import open_corpus
from bench.query_sampling import LEAST, draw_queries

N_DOCUMENTS = 40
LETTERS = "abcdefghijklmnopqrstuvwxyz"
# Beginnings of words, and how many words have each: documents contain one of them in turn.
NAMES = (("rare", 20), ("seldom", 19), ("other", 18), ("usual", 5), ("often", 4))


def test_a_small_collection_gives_queries_of_two_to_four_words(tmp_path: Path) -> None:
    for number in range(N_DOCUMENTS):
        words = [f"{name}{LETTERS[number % of]}" for name, of in NAMES]
        (tmp_path / f"{number:02}.xml").write_text(f"<article><p>{' '.join(words)}</p></article>")

    queries = draw_queries(open_corpus([tmp_path], 1, 0), 12, 1)

    assert [len(query.words) for query in queries] == [2, 3, 4] * 4
    assert all(LEAST <= frequency < 0.3 * N_DOCUMENTS for query in queries for frequency in query.frequencies)
