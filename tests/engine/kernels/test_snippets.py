"""The words of a query in texts by the kernels are those that Python finds, in texts of all kinds.

Runs of ASCII characters are counted as a regular expression finds them.
"""

from __future__ import annotations

import re
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.index.texts import text_store
from engine.kernels.table import has_kernels, native, without_kernels
from engine.presentation.snippets import OPENING, inner_borders, snippets
from engine.presentation.term_spans import SearchedText, term_spans, words_found
from engine.query.query import parse_query
from engine.text import known_surfaces
from engine.text.analyser import Analyser, make_analyser
from engine.text.characters import ascii_letters
from tests.engine.small_index import index_of
from tests.trust.soak import effort

pytestmark = pytest.mark.skipif(not has_kernels(), reason="no kernels were compiled")

# Every white space, openings and signs about them, letters of one to four bytes; of these, some are not plain.
BLANKS = "".join(filter(str.isspace, map(chr, range(0x3001))))
PLAIN = f"aab  .\n\"'”)]}}{OPENING}éßλ\U00010400{BLANKS}"
ODD = "\u00ad\u0301茶道\u0e01\u1160\u0640"
TEXTS = st.text(PLAIN, max_size=60) | st.text("aab  \n", max_size=120) | st.text(PLAIN + ODD, max_size=40)
SEARCHED = st.tuples(TEXTS, st.sets(st.integers(1, 119), max_size=8), st.tuples(st.booleans(), st.booleans()))
ANALYSERS = [
    Analyser(),
    make_analyser("zettair"),
    make_analyser(camel_case="split"),
    make_analyser(stem="auto").with_languages(["german", "english"]),
]


def searched(parts: list[tuple[str, set[int], tuple[bool, bool]]]) -> list[SearchedText]:
    return [
        SearchedText(text, sorted(border for border in borders if border < len(text)), continues)
        for text, borders, continues in parts
    ]


@settings(max_examples=effort(60, 20_000, thorough=4000), deadline=None)
@given(
    st.lists(SEARCHED, max_size=4),
    st.lists(st.sampled_from(["a", "aa", "b", "ab", "é", "λ", "茶", "ß"]), min_size=1, max_size=5),
    st.sampled_from(ANALYSERS),
)
@pytest.mark.long
def test_words_are_those_without_kernels(
    parts: list[tuple[str, set[int], tuple[bool, bool]]], words: list[str], analyser: Analyser
) -> None:
    texts, query = searched(parts), parse_query(" ".join(words), analyser)
    with without_kernels():
        expected = term_spans(texts, query, analyser)

    assert term_spans(texts, query, analyser) == expected


@pytest.mark.parametrize("blank", BLANKS)
def test_each_blank_is_collapsed(blank: str) -> None:
    query = parse_query("sea", Analyser())

    (found,) = snippets([SearchedText(f"{blank}by the{blank}{blank}sea{blank}")], query, Analyser())

    assert found == ("by the sea", ((7, 10),))


def test_plain_texts_are_searched_by_the_kernels_and_others_are_not() -> None:
    query = parse_query("sea", Analyser())
    texts = [SearchedText("Über dem Meer: the Sea"), SearchedText("sea")]
    term_spans(texts, query, Analyser())  # now its letters are known

    found = words_found(texts, query, Analyser())

    assert found is not None
    assert [column.tolist() for column in found[:4]] == [[0, 1], [19, 0], [22, 3], [0, 0]]
    for other in ("the s\u00adea", "茶 sea"):
        assert words_found([*texts, SearchedText(other)], query, Analyser()) is None
    assert words_found(texts, query, ANALYSERS[1]) is None
    assert words_found(texts, parse_query("茶", Analyser()), Analyser()) is None  # matches all words that begin with it


@settings(max_examples=effort(80, 10_000, thorough=2000), deadline=None)
@given(
    st.lists(
        st.tuples(
            st.tuples(st.integers(0, 9), st.integers(0, 12)),
            st.lists(st.tuples(st.integers(0, 22), st.integers(0, 22), st.booleans()), max_size=6),
        ),
        max_size=5,
    )
)
@pytest.mark.long
def test_inner_borders_are_those_without_kernels(
    parts: list[tuple[tuple[int, int], list[tuple[int, int, bool]]]],
) -> None:
    texts = np.array([(start, start + length) for (start, length), _ in parts], np.int64).reshape(-1, 2)
    n_elements = np.array([len(elements) for _, elements in parts], np.int64)
    every = [element for _, elements in parts for element in elements]
    edges = np.array([element[:2] for element in every], np.int64).reshape(-1, 2)
    columns = texts, n_elements, edges, np.array([element[2] for element in every], np.bool_)
    with without_kernels():
        expected = inner_borders(*columns)

    assert inner_borders(*columns) == expected


def test_spans_of_elements_are_those_without_kernels(tmp_path: Path) -> None:
    sources = {f"d{number}": f"<a>{'<b>sea <i>é</i></b>' * number}</a>" for number in range(9)}
    with patch.object(text_store, "BLOCK_TEXT", 64):
        index = index_of(tmp_path, sources)
    rows = np.random.default_rng(1).permutation(sum(1 + 2 * number for number in range(9)))
    with without_kernels():
        expected = index.spans_of(rows)

    assert index.spans_of(rows).tolist() == expected.tolist()
    assert index.spans_of(rows[:0]).shape == (0, 2)
    texts = [
        index.text(document)[start:end]
        for document, (start, end) in zip(index.elements.document(rows).tolist(), expected.tolist(), strict=True)
    ]
    assert index.texts_of(rows) == texts
    with patch.object(text_store, "TOGETHER", 0):  # one document after the other
        assert index.texts_of(rows) == texts


def test_a_lone_surrogate_is_left_to_python() -> None:
    query = parse_query("sea", Analyser())

    assert term_spans([SearchedText("a \ud800 sea")], query, Analyser()) == [[(4, 7, "sea")]]


def test_words_are_found_however_few_are_known() -> None:
    query, analyser = parse_query("sea tide", Analyser()), Analyser()
    with patch.object(known_surfaces, "MOST_KNOWN", 6), patch.object(known_surfaces, "MOST_RECENT", 2):
        for number in range(30):
            texts = [SearchedText(f"sea{number} sea", [3]), SearchedText(f"other{number % 4} tide sea")]

            assert term_spans(texts, query, analyser) == [
                [(0, 3, "sea"), (len(texts[0].text) - 3, len(texts[0].text), "sea")],
                [(7, 11, "tide"), (12, 15, "sea")],
            ]


@settings(max_examples=effort(120, 20_000, thorough=3000), deadline=None)
@given(st.text([*map(chr, range(128)), *"abcdefgh   "], max_size=40) | st.text("a \x00\x7f/0:9@AZ[`z{", max_size=40))
@example("".join(map(chr, range(128))))
@example("abcdefgh" * 9)
@pytest.mark.long
def test_words_are_runs_of_letters_and_digits(text: str) -> None:
    found = native.count_runs(text.encode(), *ascii_letters())

    assert found == len(re.findall("[0-9A-Za-z]+", text))


@given(st.text("ab \u00e9", max_size=40))
def test_text_beyond_ascii_is_not_counted(text: str) -> None:
    assert (native.count_runs(text.encode(), *ascii_letters()) < 0) == (not text.isascii())


def test_any_ranges_can_be_counted() -> None:
    assert native.count_runs(b"\x00\x00a\x7f\x7f-\x00", b"\x00\x7f", b"\x00\x7f") == 3
    assert native.count_runs(b"abc", b"", b"") == 0
