"""NEXI is parsed into trees that give their text back; errors show the position and a hint."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import QueryError
from engine.query.nexi.element_path import begins_with_slash
from engine.query.nexi.parser import parse_nexi
from engine.query.nexi.terms import CO_SIGN, parse_co, parse_plain
from engine.query.nexi.tree import (
    About,
    And,
    Comparison,
    Condition,
    Nexi,
    Not,
    Or,
    Phrase,
    Reference,
    RelativePath,
    Step,
    Term,
    Word,
)
from tests.trust.soak import effort

GOLDEN = Path(__file__).parents[2] / "golden"
HERE = RelativePath()


def about(*words: str, path: RelativePath = HERE) -> About:
    return About(path, tuple(map(Word, words)))


def below(*names: str) -> RelativePath:
    return RelativePath(tuple(Step("//", (name,)) for name in names))


def condition_of(text: str) -> Condition:
    """Return the one condition of ``//a[text]``."""
    (condition,) = parse_nexi(f"//a[{text}]").steps[0].conditions
    return condition


# ---------------------------------------------------------------------------------------------------------- trees


def test_the_last_step_is_the_target():
    query = parse_nexi("//article[about(., jedi)]//sec[about(.//p, force)]")

    assert query == Nexi(
        (
            Step("//", ("article",), conditions=(about("jedi"),)),
            Step("//", ("sec",), conditions=(about("force", path=below("p")),)),
        )
    )


def test_steps_select_any_tag_alternatives_attributes_and_children():
    assert parse_nexi("//* // ( sec | p )/bdy//@id").steps == (
        Step("//"),
        Step("//", ("sec", "p")),
        Step("/", ("bdy",)),
        Step("//", ("id",), is_attribute=True),
    )


def test_a_step_may_have_several_conditions():
    (step,) = parse_nexi("//sec[about(., a)][about(., b)]").steps

    assert step.conditions == (about("a"), about("b"))


def test_terms_have_signs_phrases_and_references():
    condition = condition_of('about(., +jedi -"the dark side" force src:/images/BN7386_10.jpg)')

    assert condition == About(
        HERE,
        (Word("jedi", "+"), Phrase(("the", "dark", "side"), "-"), Word("force"), Reference("/images/BN7386_10.jpg")),
    )


def test_words_are_parsed_as_typed():
    condition = condition_of("about(., Al-Andalus k-means C++ D-Day's 3.14 female OR woman, and)")

    words = ["Al-Andalus", "k-means", "C++", "D-Day's", "3.14", "female", "OR", "woman,", "and"]
    assert condition == about(*words)


def test_not_binds_more_tightly_than_and_and_and_more_tightly_than_or():
    a, b, c = about("a"), about("b"), about("c")

    assert condition_of("about(.,a) OR about(.,b) AND about(.,c)") == Or((a, And((b, c))))
    assert condition_of("(about(.,a) or about(.,b)) And Not about(.,c)") == And((Or((a, b)), Not(c)))
    assert condition_of("not(about(.,a) and about(.,b))") == Not(And((a, b)))


@pytest.mark.parametrize("operator", ["=", "!=", "<", ">", "<=", ">="])
def test_comparisons_with_numbers_and_strings(operator):
    year = below("fm", "yr")

    assert condition_of(f".//fm//yr {operator} -1998.5") == Comparison(year, operator, -1998.5)
    assert condition_of(f".//fm//yr{operator}'1998'") == Comparison(year, operator, "1998")
    assert condition_of(f'.{operator}"it\'s"') == Comparison(HERE, operator, "it's")


def test_attributes_can_be_compared():
    assert condition_of(".//@yr > 1999").path.steps == (Step("//", ("yr",), is_attribute=True),)
    assert condition_of("@type = 'x'") == condition_of("./@type = 'x'")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/article[./fm//yr < '2000']//sec[about(.,'\"search engines\"')]", None),
        (
            "//article[about(./, 'hollerith')]//sec[about(./, 'DEHOMAG')]",
            "//article[about(., hollerith)]//sec[about(., DEHOMAG)]",
        ),
        (
            "//article[(./fm//yr='2000' OR ./fm//yr='1999') AND about(.,'\"smart car\"')]//sec[about(.,'a +b')]",
            '//article[(./fm//yr = "2000" or ./fm//yr = "1999") and about(., "smart car")]//sec[about(., a +b)]',
        ),
        ("/article/bdy/sec[about(//st,'learning')]", "/article/bdy/sec[about(.//st, learning)]"),
        ("//bb[./au/snm != 'kohonen']", '//bb[./au/snm != "kohonen"]'),
        ("//p[about(., 'rock'n'roll' )]", "//p[about(., rock'n'roll)]"),
        ("//p[about(., 'tis)]", "//p[about(., tis)]"),
    ],
)
def test_the_syntax_of_2003_is_parsed(old, new):
    query = parse_nexi(old)

    assert str(query) == (new or '/article[./fm//yr < "2000"]//sec[about(., "search engines")]')


def test_negated_abouts_have_no_query_terms():
    query = parse_nexi("//a[about(.,x) and not(about(.,y))]//b[about(.,z) or (.//yr>1 and about(.//p,w))]")

    assert list(map(str, query.abouts())) == ["about(., x)", "about(., z)", "about(.//p, w)"]


def test_all_castitles_of_inex_2009_round_trip():
    castitles = (GOLDEN / "inex2009_castitles.txt").read_text(encoding="utf-8").splitlines()

    assert len(castitles) == 115
    for castitle in castitles:
        query = parse_nexi(castitle)
        assert parse_nexi(str(query)) == query
        assert all(step.names or "*" in castitle for step in query.steps)


@pytest.mark.parametrize(("text", "expected"), [(" //sec", True), ("/a", True), ("jedi", False), ("", False)])
def test_a_path_query_begins_with_a_slash(text, expected):
    assert begins_with_slash(text) is expected


# --------------------------------------------------------------------------------------------------- keyword queries


def test_keyword_queries_are_parsed():
    assert parse_co('+jedi "the force" -sith src:/x.jpg') == (
        Word("jedi", "+"),
        Phrase(("the", "force")),
        Word("sith", "-"),
        Reference("/x.jpg"),
    )


def test_titles_of_any_kind_are_parsed():
    title = "FSH (r-FSH) versus 10 mg/day - Normals, “quoted text” & more"

    assert [str(term) for term in parse_co(title)] == [
        *("FSH", "(r-FSH)", "versus", "10", "mg/day", "Normals,", '"quoted text"', "more")
    ]


@pytest.mark.parametrize("text", ["", "  ", "-", '""', '"', "& ( )"])
def test_a_query_without_a_word_has_no_terms(text):
    assert parse_co(text) == ()


def test_a_quote_that_is_not_closed_separates_words():
    assert parse_co('a 5"disk') == (Word("a"), Word("5"), Word("disk"))
    assert parse_co('"high tide" "sea') == (Phrase(("high", "tide")), Word("sea"))


def test_plain_words_have_no_operators():
    assert [str(word) for word in parse_plain('+jedi "the force" -sith src:/x.jpg //sec[1] ++ a-b')] == [
        *("jedi", "the", "force", "sith", "src:/x.jpg", "//sec[1]", "a-b")
    ]


# --------------------------------------------------------------------------------------------------------- properties

BRACKETS_AND_QUOTES = "()[]\"“”„'"
TEXTS = st.text(st.characters(exclude_characters=BRACKETS_AND_QUOTES, exclude_categories=["Cs", "Z", "Cc"]), min_size=1)
# Neither patterns (`a*`), misspelt words (`a~1`) and exact forms (`=a`) nor references to images.
WORDS = TEXTS.filter(
    lambda text: (
        any(map(str.isalnum, text))
        and text[0] not in "+-="
        and text.split() == [text]
        and text[:4].lower() != "src:"
        and "*" not in text
        and re.fullmatch(r"[^\W\d_]+~[\d.,;:!?]*", text) is None
    )
)
SIGNS = st.sampled_from(["", "+", "-"])
NAMES = st.from_regex(r"[a-zß_ह][a-z0-9_.:éि्-]{0,5}", fullmatch=True).filter(lambda name: "::" not in name)
TERMS: st.SearchStrategy[Term] = st.one_of(
    st.builds(Word, WORDS, SIGNS),
    st.builds(Phrase, st.lists(WORDS, min_size=1, max_size=3).map(tuple), SIGNS),
    st.builds(Reference, TEXTS.filter(lambda text: text.split() == [text]), SIGNS),
)
AXES = st.sampled_from(["/", "//"])
ELEMENTS = st.builds(Step, AXES, st.lists(NAMES, max_size=3).map(tuple))
ATTRIBUTES = st.builds(Step, AXES, st.tuples(NAMES), st.just(True))
PATHS = st.builds(
    lambda steps, last: RelativePath((*steps, *last)), st.lists(ELEMENTS, max_size=2), st.lists(ATTRIBUTES, max_size=1)
)
VALUES = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False), st.text().filter(lambda text: '"' not in text or "'" not in text)
)
SIMPLE = st.one_of(
    st.builds(About, PATHS, st.lists(TERMS, min_size=1, max_size=4).map(tuple)),
    st.builds(Comparison, PATHS, st.sampled_from(["=", "!=", "<", ">", "<=", ">="]), VALUES),
)
CONDITIONS: st.SearchStrategy[Condition] = st.recursive(
    SIMPLE,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(And, st.lists(inner, min_size=2, max_size=3).map(tuple)),
        st.builds(Or, st.lists(inner, min_size=2, max_size=3).map(tuple)),
    ),
    max_leaves=6,
)
QUERIES = st.builds(
    lambda steps, last: Nexi((*steps, *last)),
    st.lists(
        st.builds(
            lambda step, conditions: Step(step.axis, step.names, conditions=tuple(conditions)),
            ELEMENTS,
            st.lists(CONDITIONS, max_size=2),
        ),
        min_size=1,
        max_size=3,
    ),
    st.lists(ATTRIBUTES, max_size=1),
)


@settings(max_examples=effort(6, 2000, thorough=200), deadline=None)
@given(query=QUERIES)
def test_every_tree_round_trips_through_its_text(query):
    assert parse_nexi(str(query)) == query


@settings(max_examples=effort(5, 1000, thorough=100), deadline=None)
@given(terms=st.lists(TERMS.filter(lambda term: CO_SIGN.match(str(term))[0] == term.sign), min_size=1, max_size=6))
@pytest.mark.long
def test_every_keyword_query_round_trips_through_its_text(terms):
    assert parse_co(" ".join(map(str, terms))) == tuple(terms)


@settings(max_examples=effort(10, 3000, thorough=300), deadline=None)
@given(pieces=st.lists(st.sampled_from([*"/ab()[]|*@.,\"'+-=<>1 \0é", "about(., ", " and ", "not ", "//a[", ")]"])))
def test_any_text_is_parsed_or_raises_a_query_error(pieces):
    text = "".join(pieces)
    for parse, back in ((parse_nexi, str), (parse_co, lambda terms: " ".join(map(str, terms)))):
        try:
            tree = parse(text)
        except QueryError:
            continue
        assert parse(back(tree)) == tree


def test_errors_on_long_random_queries_are_short(random_bytes):
    for start in ("", "//a[", "//a[about(., ", "//a[about(., '"):
        with pytest.raises(QueryError) as error:
            parse_nexi(start + random_bytes)
        assert len(str(error.value)) < 500
        assert str(error.value).replace("\n", "").isprintable()


@pytest.fixture
def random_bytes() -> str:
    state = 1
    numbers = []
    for _ in range(100_000):
        state = state * 1103515245 + 12345 & 0x7FFFFFFF
        numbers.append(state >> 16 & 0xFF)
    return bytes(numbers).decode("latin-1")


# --------------------------------------------------------------------------------------------------------- messages


@pytest.mark.parametrize(
    ("query", "position", "message", "fix"),
    [
        ("//sec[about(.//p information)]", 18, "a comma was expected between path", "Write about(.//p, information)."),
        ("//sec[about(information)]", 13, "about() begins with a path", "Write about(., information)."),
        ("//sec[about(., jedi]", 20, ") was expected, for the ( at position 12, not ']'", "Add ) here"),
        ("//sec[about(., jedi)", 21, "] was expected, for the [ at position 6, not the end", "Add ] here"),
        ("//sec[about(., jedi)]]", 22, "unexpected ']'", "Remove this ]"),
        ("//sec)", 6, "unexpected ')'", "Remove this )"),
        ("//sec jedi force", 7, "unexpected 'jedi'", "Write //sec[about(., jedi force)]"),
        (
            "//sec about(., lens)",
            7,
            "unexpected 'about'",
            "Conditions are written between [ and ]: write //sec[about(., lens)].",
        ),
        (
            "//a about(., x)//b about(., y)",
            5,
            "unexpected 'about'",
            "Conditions are written between [ and ]: write //a[about(., x)].",
        ),
        (
            "//sec .//yr > 2000",
            7,
            "unexpected '.'",
            "Conditions are written between [ and ]: write //sec[.//yr > 2000].",
        ),
        (
            "//sec not(about(., x))",
            7,
            "unexpected 'not'",
            "Conditions are written between [ and ]: write //sec[not(about(., x))].",
        ),
        ("//sec[yr > 2000]", 7, "a path in a condition begins with . or .//, not with 'yr'", "Write [.//yr > 2000]."),
        ('//sec[fm/yr="1999"]', 7, "a path in a condition begins with", 'Write [.//fm/yr="1999"].'),
        ("//sec[jedi force]", 7, "a condition was expected", "Write [about(., jedi force)]."),
        ("//sec[]", 7, "a condition was expected", "Write [about(., words)]."),
        ("//sec[12]", 7, "NEXI has no positions such as [1]", "Remove [12], and other positions; index.element"),
        ("//sec[contains(., x)]", 7, "unknown function contains()", "NEXI has one: about(path, words)."),
        ("//sec[about]", 12, "( was expected after about", "Write about(., words)."),
        ("//sec[about(., -)]", 7, "about() has no word", "Write what to look for: about(., words)."),
        ("//sec[about(., a (b))]", 18, ") was expected", "The words of about() must not contain brackets"),
        ('//sec[about(., "jedi force)]', 16, "this quote is not closed", "Close the phrase"),
        ("//sec[about(.,a) about(.,b)]", 18, "] was expected", "Join conditions with and, or with or."),
        ("//sec[about(.,a) & about(.,b)]", 18, "] was expected", "Join conditions with and, or with or."),
        ("//sec[(about(.,a) about(.,b))]", 19, ") was expected", "Join conditions with and, or with or."),
        ("//sec[.//yr == 2000]", 13, "unknown operator '=='", "Write =."),
        ("//sec[.//yr &gt; 2000]", 13, "unknown operator '&gt;'", "Write >."),
        ("//sec[.//yr = abc]", 15, "a number or a string in quotes", 'Write .//yr = "abc"'),
        ("//sec[.//yr = 'abc]", 15, "this quote is not closed", "Close the string with '."),
        (f"//sec[.//yr = {'9' * 400}]", 15, "this number is too large", "Write a number below"),
        ("//sec[.//image]", 15, "one of = != < > <= >= was expected", "Write about(.//image, words)"),
        ("//sec[about(../p, x)]", 14, "a path goes down only", "Begin with ."),
        ("//sec[about(.//p[about(.,x)], y)]", 17, "a path inside a condition", "Move it to the enclosing [ ]"),
        ("//", 3, "a tag was expected, not the end of the query", "Write a tag"),
        ("//text()", 3, "text() is not a step of a path", "NEXI has one function"),
        ("//@id/p", 6, "an attribute ends its path", "Remove what follows"),
        ("//(sec p)", 8, ") was expected, for the ( at position 3", "Separate the tags by |"),
        ("jedi", 1, "a path query begins with / or //, not with 'jedi'", "Write //tag[about(., words)]"),
        ("", 1, "a path query begins with / or //, not with the end of the query", "Write //tag"),
    ],
)
def test_errors_show_the_position_and_a_hint(query, position, message, fix):
    with pytest.raises(QueryError) as error:
        parse_nexi(query)
    first, shown, caret, last = str(error.value).splitlines()
    assert first.startswith(f"query, position {position}: {message}")
    assert last.startswith(fix)
    if len(query) < 60:
        assert shown == f"  {query}"
        assert caret == " " * (position + 1) + "^"


@pytest.mark.parametrize("nested", ["(", "not ", "not("])
def test_nesting_beyond_the_limit_is_refused(nested):
    with pytest.raises(QueryError, match="nested deeper than 50 levels"):
        parse_nexi("//a[" + nested * 10_000)


def test_nesting_up_to_the_limit_is_parsed():
    assert condition_of("(" * 50 + "about(., x)" + ")" * 50) == about("x")


def test_long_queries_are_shown_around_the_position_only():
    with pytest.raises(QueryError) as error:
        parse_nexi("//a[about(., " + "x" * 500 + "\0 ] " + "y" * 500)
    _, shown, caret, _ = str(error.value).splitlines()

    # 36 characters before the place, 34 of them x, a NUL and a blank; 36 from it on: ], a blank, 34 of them y
    assert shown == "  ..." + "x" * 34 + "· ] " + "y" * 34 + "..."
    assert shown[caret.index("^")] == "]"
