from __future__ import annotations

from contextlib import nullcontext

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels.table import without_kernels
from engine.text.analyser import Analyser
from engine.text.utf8 import encode
from engine.text.vocabulary import number_slices, surfaces_of, term_ids
from tests.reference.random_xml import LETTERS, SIGNS, analysers

TEXTS = st.one_of(st.text(max_size=60), st.text(st.sampled_from(LETTERS + SIGNS + "-'&_/."), max_size=60))
PIECES = st.lists(st.text(st.sampled_from("abé"), min_size=1, max_size=200).map(str.encode), max_size=12)


@given(TEXTS, analysers())
def test_term_ids_equal_those_of_the_analyser_word_by_word(text: str, analyser: Analyser) -> None:
    words = analyser.words(encode(text))
    ids, terms = term_ids(surfaces_of(words), analyser)

    assert ids.dtype == np.int32
    assert [terms[number] if number >= 0 else None for number in ids.tolist()] == list(
        map(analyser.term, words.surfaces)
    )
    assert len(set(terms)) == len(terms)


@given(PIECES)
def test_slices_have_equal_numbers_exactly_if_they_are_equal(pieces: list[bytes]) -> None:
    ends = np.cumsum([0, *map(len, pieces)]).astype(np.int64)

    for kernels in (nullcontext, without_kernels):
        with kernels():
            numbers, example = number_slices(b"".join(pieces), ends[:-1], ends[1:])

        assert [pieces[example[number]] for number in numbers.tolist()] == pieces
        assert len(example) == len(set(pieces))


@given(st.integers(0, 2**32 - 1), st.integers(1, 9))
def test_a_table_of_words_grows(seed: int, length: int) -> None:
    values = np.random.default_rng(seed).integers(0, 3000, 2000).tolist()
    pieces = [str(value).zfill(length).encode() for value in values]
    ends = np.cumsum([0, *map(len, pieces)]).astype(np.int64)

    numbers, example = number_slices(b"".join(pieces), ends[:-1], ends[1:])

    assert len(example) == len(set(values))
    assert [values[example[number]] for number in numbers.tolist()] == values


def test_long_words_that_differ_at_their_end_have_different_numbers() -> None:
    words = [b"x" * 64, b"x" * 64 + b"a", b"x" * 64 + b"b", b"x" * 64 + b"a"]
    ends = np.cumsum([0, *map(len, words)]).astype(np.int64)

    for kernels in (nullcontext, without_kernels):
        with kernels():
            numbers, _ = number_slices(b"".join(words), ends[:-1], ends[1:])

        assert numbers[1] == numbers[3]
        assert len(set(numbers.tolist())) == 3
