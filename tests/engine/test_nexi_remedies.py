"""Slips that come from other languages, or from haste: each is met with what to write instead."""

import pytest

from engine.errors import QueryError
from engine.nexi import parse_nexi


@pytest.mark.parametrize(
    ("query", "position", "message", "fix"),
    [
        ("//sec|//p", 6, "'|' belongs to no part", "Write tags to choose from in parentheses, such as //(sec|p)."),
        ("//sec[about(., x)] | //p", 20, "'|' belongs to no part", "Write tags to choose from in parentheses"),
        ("//a[about(.//b|.//c, x)]", 15, "a comma was expected", "Write tags to choose from in parentheses"),
        ("//a[about(.;lens)]", 12, "a comma was expected", "Write about(., lens)."),
        ("//a[and about(., x)]", 5, "a condition was expected, not 'and'", "Remove 'and', or put the condition before"),
        ("//a[about(., x) AND or about(., y)]", 21, "a condition was expected, not 'or'", "Remove 'or', or put the"),
        ("//a[2000 <= .//yr]", 5, "a comparison begins with its path", "Write .//yr >= 2000."),
        ("//a['x' = @type]", 5, "a comparison begins with its path", "Write @type = 'x'."),
        ("//a[about(p, lens)]", 11, "about() begins with a path", "Write about(.//p, lens), or without comma about("),
        ("//a[about(fm//yr , x y)]", 11, "about() begins with a path", "Write about(.//fm//yr, x y), or without comma"),
        ("//a[.//yr > .5]", 13, "a number or a string in quotes was expected", "Write .//yr > 0.5."),
        ("//a[.//yr > -.5]", 13, "a number or a string in quotes was expected", "Write .//yr > -0.5."),
        ("//a[.//yr>1998and about(.,y)]", 11, "a number or a string", "Write .//yr > 1998 and, with a blank between."),
        ("//a[.//yr > 1e3]", 13, "a number or a string in quotes was expected", 'Write .//yr > "1e3", or a number.'),
        ("//android[orange]", 11, "a condition was expected (about()", "Write [about(., orange)]."),
    ],
)  # fmt: skip
def test_a_remedy_says_what_was_meant(query, position, message, fix):
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
    ],
)
def test_what_the_remedies_say_is_read(written):
    assert parse_nexi(written)
