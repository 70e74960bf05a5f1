"""Notices about keyword queries: what is read as text, and operators of other query languages.

Signs of pasted text are text: of numbers, amounts, options and items; those of long queries are told.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.notices import Notice
from engine.query.keyword_notices import MOST_NOTICES, NEEDS_SYNTAX, keyword_notices
from engine.query.nexi.terms import all_expanded, parse_co
from engine.query.nexi.tree import Fuzzy, Pattern, Word
from engine.query.query import parse_query
from engine.text.analyser import Analyser
from tests.reference.keyword_terms import keyword_terms
from tests.trust.soak import effort


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('5" gun', [("not_closed", 2, '"')]),
        ("fog (horn", [("not_closed", 5, "(")]),
        ("fog) horn", [("closes_nothing", 4, ")")]),
        ("a [b) c]", [("closes_nothing", 5, ")")]),
        ("+ fog", [("stands_alone", 1, "+")]),
        ("fog - horn", [("stands_alone", 5, "-")]),
        ("fog sec[about(., horn)]", [("condition_as_words", 9)]),
        ("//sec[about(., horn)]", [(NEEDS_SYNTAX, 7)]),
        ("//sec[about(., horn", [(NEEDS_SYNTAX, 7)]),
        ("//sec", [(NEEDS_SYNTAX, 1)]),
        ("/article[1]/sec[2]", [("element_path_as_words", 1)]),
        ("fog AND", [("no_operator", 5, "AND")]),
        ("fog AND horn OR bell", [("no_operator", 5, "AND"), ("lone_or", 14)]),
        ("fog horn AND NOT", [("no_operator", 10, "AND NOT")]),
        ("fog AND horn NOT bell", []),
        ("title:fog horn", [("no_field", 1, "title", "fog")]),
        ("+title:fog", [("no_field", 1, "title", "fog")]),
        ("fog arc-light*", [("no_pattern", 5, "arc-light*")]),
        ("fog (-lamp)", [("sign_in_parentheses", 6, "-lamp")]),
        ("(lamp OR -fog)", [("sign_in_parentheses", 10, "-fog")]),
        ("(+lamp | fog)", [("sign_in_parentheses", 2, "+lamp")]),
        ('-(lamp OR fog) (lamp -fog) "(-lamp)" (lamp|"fog signal") (-v) f(-ab)', []),
        ('="fog signals"', [("exact_phrase", 1)]),
        ('lamp|"fog signal" -"fog signal"~2|lamp*', []),
        ('lamp|"fog signal"s', [("alternative_phrase", 4)]),
        ('"fog signal"~2|lamp/x', [("alternative_phrase", 1)]),
        ('"fog signal"~2~3 "a b"~4, "c d"^2', [("no_proximity", 13, "~2~3"), ("no_proximity", 32, "^2")]),
        ("!fog hi! !1 !=", [("foreign_operator", 1, "!")]),
        ("fog && lamp || bell", [("foreign_operator", 5, "&&"), ("foreign_operator", 13, "||")]),
        ("f2~3 horn^2", [("no_fuzziness", 1, "f2~3"), ("no_fuzziness", 6, "horn^2")]),
        ("fgo~3 horn~0.8", [("other_edits", 1, "fgo~3", "~2"), ("other_edits", 7, "horn~0.8", "~")]),
        ("fgo~0 horn~1 fog~", []),
        ("wom?n what? a/b?c=d", [("no_wildcard", 1, "wom?n")]),
        ("fog OR horn", [("lone_or", 5)]),
        ("fog NEAR/3 horn NOT bell", [("lone_near", 5, "NEAR/3")]),
    ],
)
def test_ambiguous_query_syntax_is_reported(text: str, expected: list[tuple[object, ...]]) -> None:
    assert [(notice.code, *notice.fields.values()) for notice in keyword_notices(text)] == expected


@pytest.mark.parametrize(
    "text",
    [
        *('+tide "chart datum" -gauge', "fog (and horns)", "what is fog?", "C++", "F*", "TCP/IP AND UDP SOCKETS USAGE"),
        *("http://example.org/a", "at 10:30", "std::vector", "src:/images/x.jpg", "rock and roll", "e-mail", "a * b"),
    ],
)
def test_usual_queries_have_no_notice(text: str) -> None:
    assert keyword_notices(text) == ()


@given(st.text())
def test_notices_are_few_and_short(text: str) -> None:
    found = keyword_notices(text)

    assert len(found) <= MOST_NOTICES
    assert all(len(str(notice)) < 200 for notice in found)


PLAIN = Analyser()


@pytest.mark.parametrize(
    "text",
    [
        *(
            "+49 30 123456 fog",
            "+5V supply",
            "12:00:01 +0200",
            "a change of -.5 or -£30",
            "+/-15 degrees",
            "++i --force",
        ),
        *("lens -l, or -f: and -x.", "costs -₹5 or +₩9", "help:\n--lamp on\n  - -fog off\n* -lens"),
        *("sort -r array", 'echo -n"string"', "-v", "chmod -R 777", "~ -=x -> y"),
        *("aims:\n-to compare vaccines\n-to assess", "+the line\n  -another line", "one\n\t+ two"),
    ],
)
def test_signs_that_are_text(text: str) -> None:
    assert [term.sign for term in parse_co(text)].count("") == len(parse_co(text)) > 0


@pytest.mark.parametrize(
    ("text", "signed"),
    [
        ("+tide -gauge fog", ["+tide", "-gauge"]),
        ('-"20" +"49"', ['-"20"', '+"49"']),
        ('-ab +x +été -"fog signal"', ["-ab", "+x", "+été", '-"fog signal"']),
        ("+tide\nfog -gauge", ["-gauge"]),
    ],
)
def test_signs_that_are_operators(text: str, signed: list[str]) -> None:
    assert [str(term) for term in parse_co(text) if term.sign] == signed


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("effect of etanercept on TNF -alpha and IL", [((), ("alpha",))]),
        ("HER2 +ve breast cancer trastuzumab -ab -cd -ef", [(("ve",), ("ab", "cd", "ef"))]),
        ("+tide fog -gauge horn", []),
        ("the fog of the lamp", []),
    ],
)
def test_the_signs_of_a_long_query_are_told(text: str, told: list[tuple[tuple[str, ...], tuple[str, ...]]]) -> None:
    expected = [Notice("signs", {"required": required, "unwanted": unwanted}) for required, unwanted in told]

    assert parse_query(text, PLAIN).notices == tuple(expected)
    assert parse_query(text, PLAIN, syntax="plain").notices == ()


@pytest.mark.parametrize(
    ("text", "words"), [("src:eth0", ["src", "eth0"]), ("src:a SRC:b", ["src", "a", "src", "b"]), ("src:lens.png", [])]
)
def test_a_reference_to_no_file_alone_is_words(text: str, words: list[str]) -> None:
    query = parse_query(text, PLAIN)

    assert [word for term in query.terms for word in term.words] == words
    assert bool(query.image_references) == (not words)


# Keywords are split into the terms that a reference finds sign by sign.


OPERATORS = {
    "fog AND lamp": "+fog +lamp",
    "fog AND lamp AND bell": "+fog +lamp +bell",
    "fog NOT lamp": "fog -lamp",
    "fog lamp AND NOT bell": "fog +lamp -bell",
    'fog AND "tide gauge" NOT (bell OR horn)': '+fog +"tide gauge" -(bell | horn)',
    "FOG AND LAMP": "+FOG +LAMP",
    "TCP/IP AND UDP SOCKETS": "TCP/IP AND UDP SOCKETS",
    "AND fog": "AND fog",
    "fog AND": "fog AND",
    "fog AND lamp OR bell": "fog AND lamp OR bell",
    "fog and lamp not bell": "fog and lamp not bell",
}

KEYWORDS = (
    st.text(st.sampled_from('aé5+-+-"”\u201c" \u2003\t\x1c_.:*'))
    | st.lists(
        st.sampled_from(["fog", "src:", "SRC:x", "+", "-", '"', " ", " ", "-5", "--a", "+-", "wi-fi", "\u00df"])
    ).map("".join)
    | st.lists(
        st.sampled_from(
            ["(", ")", "|", " OR ", "a", "lamp", "*", "~", "1", "=", '"', " ", "+", "-", "~3", ".", "src:x"]
        )
    ).map("".join)
    | st.lists(
        st.sampled_from(
            ["AND", "NOT", "AND", "NOT", "OR", "fog", "LAMP", "+bell", "-sea", '"a b"', "=AND", "(a|b)", "."]
        )
    ).map(" ".join)
)


def test_operators_between_terms_are_their_signs() -> None:
    read = {text: " ".join(map(str, parse_co(text))) for text in OPERATORS}

    assert read == OPERATORS
    assert all(" ".join(map(str, keyword_terms(text))) == terms for text, terms in OPERATORS.items())


def test_what_equal_words_stand_for_is_found_once() -> None:
    asked: list[Word | Pattern | Fuzzy] = []

    def stands_for(word: Word | Pattern | Fuzzy) -> tuple[str, ...]:
        asked.append(word)
        return "light", "lights"

    found = all_expanded(parse_co("light* fog light* +light*"), stands_for)

    assert " ".join(map(str, found)) == "(light | lights) (light | lights) (light | lights) +(light | lights)"
    assert list(map(str, asked)) == ["light*", "fog", "light*"]


@settings(max_examples=effort(120, 20_000, thorough=3000))
@given(KEYWORDS)
@pytest.mark.long
def test_keywords_are_read_as_sign_by_sign(text: str) -> None:
    assert parse_co(text) == keyword_terms(text)
