"""Queries are parsed into analysed terms."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import foxir
from engine.errors import QueryError
from engine.notices import Notice
from engine.query.query import CACHED, parse_query
from engine.text.analyser import Analyser, make_analyser

PLAIN = Analyser()


def read(text: str, analyser: Analyser = PLAIN) -> list[tuple[str, str]]:
    return [(term.sign, str(term)) for term in parse_query(text, analyser).terms]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Jedi FORCE", [("", "jedi"), ("", "force")]),
        ("+jedi -sith", [("+", "jedi"), ("-", "sith")]),
        ('"the Force" -"dark side"', [("", '"the force"'), ("-", '"dark side"')]),
        ("“the force”", [("", '"the force"')]),  # as text processors write quotes
        ("-wi-fi", [("-", "wi"), ("-", "fi")]),
        ("jedi - force + - yoda", [("", "jedi"), ("", "force"), ("", "yoda")]),  # lone signs are dashes
        ('"jedi"', [("", "jedi")]),  # a phrase of one word is a word
        ('"wi-fi network"', [("", '"wi fi network"')]),
        ("jedi src:images/yoda.jpg", [("", "jedi")]),
        ("Straße ÖL", [("", "strasse"), ("", "öl")]),
        ("jedi ... & force", [("", "jedi"), ("", "force")]),
    ],
)
def test_query_terms_are_those_typed(text, expected):
    assert read(text) == expected


def test_terms_keep_the_order_in_which_they_were_typed():
    assert read("b a b") == [("", "b"), ("", "a"), ("", "b")]


def test_wanted_terms_are_distinct_and_include_required_ones():
    query = parse_query('tide +sea "high tide" sea -lamp "high tide"', PLAIN)

    assert [str(term) for term in query.wanted] == ["tide", "sea", '"high tide"']
    assert [str(term) for term in query.required] == ["sea"]
    assert [str(term) for term in query.unwanted] == ["lamp"]


def test_word_counts_are_query_frequencies_with_phrases_counted_by_word():
    query = parse_query('tide +sea "high tide" sea -lamp', PLAIN)

    assert list(query.word_counts.items()) == [("high", 1), ("sea", 2), ("tide", 2)]


def test_stop_words_are_not_terms_but_keep_their_position_in_phrases(tmp_path):
    stop = tmp_path / "stop.txt"
    stop.write_text("the\nof\n", "utf-8")
    query = parse_query('the bank of england "the bank of the england" "of the"', make_analyser(stop=str(stop)))

    assert [(term.words, term.places) for term in query.terms] == [
        (("bank",), (0,)),
        (("england",), (0,)),
        (("bank", "england"), (0, 3)),
    ]


def test_words_are_stemmed_as_in_the_index():
    assert read("Lamps ponies", make_analyser(stem="light")) == [("", "lamp"), ("", "pony")]


def test_the_zettair_analyser_removes_joiners():
    assert read("wi-fi 3.14", make_analyser("zettair")) == [("", "wifi"), ("", "314")]


@pytest.mark.parametrize("text", ["", "   "])
def test_an_empty_query_is_refused(text):
    with pytest.raises(QueryError, match="the query is empty"):
        parse_query(text, PLAIN)


@pytest.mark.parametrize("text", ["-", "+ -", "...", '""', "?"])
def test_a_query_without_a_word_has_no_terms(text):
    assert read(text) == []


def test_a_quote_that_is_not_closed_is_text():
    query = parse_query('jedi "the force', PLAIN)

    assert [term.words for term in query.terms] == [("jedi",), ("the",), ("force",)]
    assert query.notices == (Notice("not_closed", {"position": 6, "sign": '"'}),)


def test_the_syntax_says_how_a_query_is_written():
    def terms(text, syntax):
        return [f"{term.sign}{term}" for term in parse_query(text, PLAIN, syntax=syntax).terms]

    assert terms('-tide "high sea"', "plain") == ["tide", "high", "sea"]
    assert terms('-tide "high sea"', "keywords") == ["-tide", '"high sea"']
    assert terms("/tide/sea", "keywords") == ["tide", "sea"]
    assert parse_query("//sec[about(., sea)]", PLAIN, "SS", "path").path is not None
    assert parse_query("//sec[about(., sea)]", PLAIN, "CO", "plain").path is None
    with pytest.raises(QueryError, match="a path query begins with / or //, not with 'tide'"):
        parse_query("tide", PLAIN, "SS", "path")


ANY_TEXT = st.text(st.sampled_from('ab1 +-"“”()[]{}/:*~^@|&\\é'), min_size=1).filter(str.strip)


@given(ANY_TEXT, st.sampled_from(["plain", "keywords"]))
def test_no_keyword_query_is_refused(text, syntax):
    query = parse_query(text, PLAIN, syntax=syntax)

    assert query.reading == "CO"
    if syntax == "plain":
        assert not query.notices
        assert all(term.sign == "" and not term.is_phrase for term in query.terms)


@pytest.mark.long
def test_parsed_queries_are_cached_unless_very_long() -> None:
    (usual, many), (longest, few) = CACHED
    long = "jedi " * (longest // 5 + 1)

    for text in ("jedi " * (usual // 5), "jedi " * (longest // 5)):
        assert parse_query(text, PLAIN) is parse_query(text, PLAIN)
        assert parse_query(text, PLAIN) is not parse_query(text, Analyser(stem="english"))
    assert many * usual > few * longest
    assert parse_query(long, PLAIN) is not parse_query(long, PLAIN)
    assert parse_query(long, PLAIN) == parse_query(long, PLAIN)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the sea is in it", ["sea"]),
        ("in_array", ["in", "array"]),
        ("is_in_the_array of sea", ["is", "in", "the", "array", "sea"]),
        ("in-array _in array", ["array", "array"]),
    ],
)
def test_function_words_are_dropped_but_in_identifiers(text, expected):
    query = parse_query(text, PLAIN, function_words=frozenset(("the", "is", "in", "it", "of")))

    assert [str(term) for term in query.terms] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("vitamin A of a fish", ["vitamin", "a", "fish"]),
        ("A fish is in IT", ["fish", "it"]),
        ("Mark I and the sea", ["mark", "i", "sea"]),
        ("Should I swim", ["swim"]),
        ("fog AND horn", ["fog", "horn"]),
        ("WHAT IS IT", ["what", "is", "it"]),
        ("WHAT IS FOG", ["fog"]),
    ],
)
def test_function_words_in_capitals_are_names(text, expected):
    query = parse_query(
        text, PLAIN, function_words=frozenset(["a", "and", "i", "is", "in", "it", "of", "should", "the", "what"])
    )

    assert [str(term) for term in query.terms] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("kept at -20?", ["kept", "at", "20"]),
        ("regctl --office", ["regctl", "office"]),
        ("fog -tide -0.5", ["fog", "-tide", "0", "5"]),
        ("--20 ---", ["20"]),
    ],
)
def test_hyphens_before_numbers_and_options_are_text(text, expected):
    assert [f"{term.sign}{term}" for term in parse_query(text, PLAIN).terms] == expected


# Numbers are found however their digits are grouped.


TEXTS = ("It paid 50,000 francs.", "It paid 50000 francs.", "It paid 50\u00a0000 francs.", "It paid 500 francs.")
MORE = ("In 1914 the war began.", "The 1,914 ships were lost.")


@pytest.mark.parametrize(
    ("query", "paragraphs"),
    [
        ("50000", {1, 2, 3}),
        ("50,000", {1, 2, 3}),
        ("£50.000?", {1, 2, 3}),
        ("+50000", {1, 2, 3}),
        ("//p[about(., 50000)]", {1, 2, 3}),
        ("1914", {5}),
        ("1,914", {5, 6}),
        ("500", {4}),
    ],
)
def test_numbers_are_found_with_and_without_groups(tmp_path: Path, query: str, paragraphs: set[int]) -> None:
    (tmp_path / "a.xml").write_text(f"<d>{''.join(f'<p>{each}</p>' for each in (*TEXTS, *MORE))}</d>", "utf-8")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    found = foxir.open_index(tmp_path / "x.foxir").search(query, min_words="0", min_leaf_words="0")

    assert {answer.path for answer in found} == {f"/d[1]/p[{number}]" for number in paragraphs}
