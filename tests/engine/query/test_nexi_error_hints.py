"""Common mistakes, such as operators of other languages, are refused with a hint at what to write."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.errors import QueryError
from engine.index.reader import open_reader
from engine.query.nexi.parser import parse_nexi
from tests.engine.small_index import answers_to, build_index, write


@pytest.mark.parametrize(
    ("query", "position", "message", "fix"),
    [
        ("//sec|//p", 6, "unexpected '|'", "Write tags to choose from in parentheses, such as //(sec|p)."),
        ("//sec[about(., x)] | //p", 20, "unexpected '|'", "Write tags to choose from in parentheses"),
        ("//a[about(.//b|.//c, x)]", 15, "a comma was expected", "Write tags to choose from in parentheses"),
        ("//a[about(.;lens)]", 12, "a comma was expected", "Write about(., lens)."),
        ("//a[and about(., x)]", 5, "a condition was expected, not 'and'", "Remove 'and', or add the missing"),
        ("//a[about(., x) AND or about(., y)]", 21, "a condition was expected, not 'or'", "Remove 'or', or add the"),
        ("//a[2000 <= .//yr]", 5, "a comparison begins with the path", "Write .//yr >= 2000."),
        ("//a['x' = @type]", 5, "a comparison begins with the path", "Write @type = 'x'."),
        ("//a[about(p, lens)]", 11, "about() begins with a path", "Write about(.//p, lens), or about(., lens) for"),
        ("//a[about(fm//yr , x y)]", 11, "about() begins with a path", "Write about(.//fm//yr, x y), or about(., x y)"),
        ("//a[.//yr > .5]", 13, "a number or a string in quotes was expected", "Write .//yr > 0.5."),
        ("//a[.//yr > -.5]", 13, "a number or a string in quotes was expected", "Write .//yr > -0.5."),
        ("//a[.//yr>1998and about(.,y)]", 11, "a number or a string", "Write .//yr > 1998 and, with a blank"),
        ("//a[.//yr > 1e3]", 13, "a number or a string in quotes was expected", 'Write .//yr > "1e3", or a number.'),
        ("//android[orange]", 11, "a condition was expected (about()", "Write [about(., orange)]."),
        ("//a[2000 <= yr]", 5, "a comparison begins with the path", "Write .//yr >= 2000."),
        ("//a[!about(., x)]", 5, "a condition was expected (about()", "Write not(...), such as not(about(., words))."),
        ("//a[about(.,x)andabout(.,y)]", 15, "] was expected", "Join conditions with and, or with or."),
        ("//a[about(., x) and]", 20, "a condition was expected (about()", "Write the missing condition here"),
        ("//a[not()]", 9, "a condition was expected (about()", "Write the missing condition here"),
        ("//a[[about(., x)]]", 5, "a condition was expected (about()", "Conditions are written between one ["),
        ("//a[.//b[about(., x y)]]", 9, "a path inside a condition takes no", "Write about(.//b, x y)."),
        ("//a[.//b[2] = 'x']", 9, "a path inside a condition takes no", "Remove [2]: NEXI has no positions."),
        ("//a[about(.//b[1], x)]", 15, "a path inside a condition takes no", "Remove [1]: NEXI has no positions."),
        ("//a[about(.//b[about(., x)], y)]", 15, "a path inside a condition takes no", "Move it to the enclosing ["),
        ("//a[about(., x))]", 16, "] was expected, for the [ at position 4, not ')'", "Remove this ), or add the ("),
        ("//a[about(., x and about(., y)]", 16, ") was expected, for the ( at position 10", "Write ) here"),
        ("//a[about(., x OR NOT about(.//p, y))]", 16, ") was expected, for the ( at position 10", "Write ) here"),
        ("//a[about(., x about (., y)]", 16, ") was expected, for the ( at position 10", "Write ) here"),
        ("//a[about(., all about (it))]", 24, ") was expected, for the ( at position 10", "The words of about()"),
        ("//a[about(., (x))]", 14, ") was expected, for the ( at position 10", "The words of about() must not"),
        ("//a[about((b|c), x)]", 11, "about() begins with a path", "Write about(.//(b|c), x)."),
        ("//a[about(b|c, x y)]", 11, "about() begins with a path", "Write about(.//(b|c), x y)."),
        ("//a[about((.//b|.//c), x)]", 11, "about() begins with a path", "Write about(.//(sec|p), words) for several"),
        ("//a[about(*, x)]", 11, "about() begins with a path", "Write about(.//*, x), or about(., x) for the"),
        ("//a[about(.//b or .//c, x)]", 16, "a comma was expected", "Write tags to choose from in parentheses"),
        ("//a[about(.@id, x)]", 12, "a comma was expected", "Write ./@ for an attribute of the element, .//@ for"),
        ("//a[. @id = 'x']", 7, "one of = != < > <= >= was expected", "Write ./@ for an attribute of the element"),
        ("//a[.//yr 2000]", 11, "one of = != < > <= >= was expected", "Write .//yr = 2000."),
        ("//a[@n = - 3]", 10, "a number or a string in quotes was expected", "Write ./@n = -3."),
        ("//a[@n = 3.]", 10, "a number or a string in quotes was expected", "Write ./@n = 3."),
        ("//a[@n = 1,000]", 10, "a number or a string in quotes was expected", 'Write ./@n = "1,000", or a number.'),
        ("//a[@d > 1998-01-31]", 10, "a number or a string in quotes", 'Write ./@d > "1998-01-31", or a number.'),
        ("//a[@d = May 1998 and about(., x)]", 10, "a number or a string in", 'Write ./@d = "May 1998", or a number.'),
        ("//a[@n = “x y”]", 10, "a number or a string in quotes was expected", 'Write ./@n = "x y".'),
        ("//a[.//b = .//c]", 12, "a number or a string in quotes was expected", "A path is compared with a number or"),
        ("//a{about(., x)}", 4, "unexpected '{'", "Conditions are written between [ and ]: write [about(., words)]."),
        ("//a, //b", 4, "unexpected ','", "Write tags to choose from in parentheses, such as //(sec|p)."),
        ("//a or //b", 5, "unexpected 'or'", "Write tags to choose from in parentheses, such as //(sec|p)."),
        ("//a[about(., x)];", 17, "unexpected ';'", "Remove it."),
        ("//*:title", 4, "unexpected ':'", "Tags are written without prefix: remove it, and the colon."),
        ("//dc:*", 6, "unexpected '*'", "Tags are written without prefix: remove it, and the colon."),
        ("//a///b", 6, "a tag was expected, not '/'", "Write / for a step to children, // for one to all below."),
        ("//a/./b", 5, "a tag was expected, not '.'", "A path goes down only: write a tag instead of the dot"),
        ("//a/@*", 6, "the name of an attribute was expected", "Write one attribute by its name, such as @id."),
        ("//(a|*)", 6, "a tag was expected, not '*'", "Separate the tags by |, such as //(sec|p); *"),
        ("//@id[. = 'x']", 6, "an attribute ends its path", 'Compare it in the [ ] of the step before, such as //*['),
    ],
)  # fmt: skip
def test_a_hint_says_what_was_probably_meant(query, position, message, fix):
    with pytest.raises(QueryError) as error:
        parse_nexi(query)
    first, _, _, last = str(error.value).splitlines()

    assert first.startswith(f"query, position {position}: {message}")
    assert last.startswith(fix)


@pytest.mark.parametrize(
    "written",
    [
        *("//(sec|p)", "//a[about(., lens)]", "//a[.//yr >= 2000]", "//a[@type = 'x']", "//a[about(.//p, lens)]"),
        *("//a[about(.//fm//yr, x y)]", "//a[.//yr > 0.5]", "//a[.//yr > -0.5]", "//a[.//yr > 1998 and about(.,y)]"),
        *(
            "//a[not(about(., words))]",
            "//a[about(.//(b|c), x y)]",
            "//a[about(.//*, x)]",
            "//a[@n = -3]",
            "//a[@n = 3]",
        ),
        *("//a[@n = '1,000']", "//a[@d > '1998-01-31' and about(., x)]", '//a[@n = "x y"]', "//*[@id = 'x']"),
    ],
)
def test_suggested_queries_are_valid(written):
    assert parse_nexi(written)


def test_suggested_words_are_valid_where_suggested():
    for query in (
        *("//a[]", "//a[about()]", "//a[about(,)]", "//a[about(. ()]", '//a[about(" x)]', "//a[|]", "//a {[x]}"),
    ):
        with pytest.raises(QueryError) as error:
            parse_nexi(query)
        if proposed := re.search(r"about\([^()]*\)", str(error.value).splitlines()[-1]):
            assert parse_nexi(f"//a[{proposed[0]}]"), query


# Queries accept every tag and attribute name that XML allows, and no XPath axes.


HINDI = "हिन्दी"  # with vowel signs, which are not letters to `str.isalnum`
ACCENT = "e\u0301tude"  # an e, and an accent that combines with it
NAMES = [HINDI, ACCENT, "ns\u00b7x", "a\u203fb", "\U00010400", "章節", "данные", "_a.b-c_9", "été", "ไทย"]


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_xml_is_a_name_of_nexi(name):
    query = parse_nexi(f"//({name}|p)/{name}[about(.//{name}, x) and @{name} = 1]/@{name}")

    assert [step.names for step in query.steps] == [(name, "p"), (name,), (name,)]
    assert parse_nexi(str(query)) == query


def test_names_with_combining_characters_are_found(tmp_path: Path):
    write(tmp_path / "in", {"a": f'<{HINDI}><{ACCENT} {HINDI}="1">lamp</{ACCENT}><n:p xmlns:n="u">fog</n:p></{HINDI}>'})
    (tmp_path / "profile.toml").write_text(f'attributes = ["{HINDI}"]', "utf-8")
    build_index(tmp_path / "in", into=tmp_path / "index", profile=str(tmp_path / "profile.toml"))
    index = open_reader(tmp_path / "index")

    def paths(query: str) -> list[str]:
        return [answer.path for answer in answers_to(index, query, overlap="keep")]

    assert paths(f"//{HINDI}[about(., lamp)]") == [f"/{HINDI}[1]"]
    assert paths(f"//{HINDI}/{ACCENT}[@{HINDI} = 1]") == [f"/{HINDI}[1]/{ACCENT}[1]"]
    assert paths(f"//@{HINDI}") == [f"/{HINDI}[1]/{ACCENT}[1]"]
    assert paths("//any:p[about(., fog)]") == [f"/{HINDI}[1]/p[1]"]


@pytest.mark.parametrize("step", ["child::p", "descendant-or-self::p", "following-sibling::p", "attribute::id"])
def test_an_axis_is_not_a_prefix(step):
    with pytest.raises(QueryError, match=r"^query, position 7: [a-z-]+:: is not a step of a path") as error:
        parse_nexi(f"//sec/{step}[about(., x)]")
    assert str(error.value).endswith("write / for one to children, // for one to all below.")


@pytest.mark.parametrize("name", ["1sec", "-a", ".a", "\u0301a", "\u00b7", "a\u2028b", "\u00d7"])
def test_names_that_xml_does_not_allow_are_refused(name):
    with pytest.raises(QueryError):
        parse_nexi(f"//{name}")


@pytest.mark.parametrize(
    ("name", "columns"), [("p", 1), ("章節", 4), (ACCENT, 5), (HINDI, 5), ("ｐ", 2), ("\U00010400", 1)]
)
def test_the_caret_is_below_the_position_on_a_terminal(name, columns):
    with pytest.raises(QueryError) as error:
        parse_nexi(f"//{name}!")
    first, _, caret, _ = str(error.value).splitlines()

    assert first.startswith(f"query, position {3 + len(name)}: ")
    assert caret == " " * (2 + 2 + columns) + "^"
