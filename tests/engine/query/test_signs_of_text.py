"""Signs of pasted text are text: of numbers, amounts, options and items; those of long queries are told."""

from __future__ import annotations

import pytest

from engine.notices import Notice
from engine.query.nexi.terms import parse_co
from engine.query.query import parse_query
from engine.text.analyser import Analyser

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
