"""Conditions on fields: what they say, and where a mistake is."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ProfileError, SettingsError
from engine.fields.conditions import DEEPEST, LONGEST, AllOf, AnyOf, Negated, Where, checked, field_tests
from engine.fields.definitions import fields_of, parsed_paths
from engine.fields.values import (
    FieldType,
    bounds_of,
    number_key,
    packed_date,
    plain,
    range_of,
    read_date,
    read_value,
    shown_date,
    typed,
)

TYPES: Mapping[str, FieldType] = {"author": "text", "year": "year", "date": "date", "words": "number"}


def names(text: str) -> list[str]:
    return [str(each) for each in field_tests(Where.parse(text).condition)]


def test_and_binds_more_than_or_and_not_more_than_both() -> None:
    condition = Where.parse("author = a or not year = 1 and date = 2").condition

    assert isinstance(condition, AnyOf)
    assert isinstance(condition.parts[1], AllOf)
    assert isinstance(condition.parts[1].parts[0], Negated)


@pytest.mark.parametrize(
    ("text", "tests"),
    [
        ("year>=2019 AND author='J. Strand'", ["year >= 2019", 'author = "J. Strand"']),
        ("author in (a, 'b c')", ["author = a", 'author = "b c"']),
        ("doi = 10.1000/a:b and x:y", ['doi = "10.1000/a:b"', "x:y"]),
        ("date:1857-05-01..1860", ["date:1857-05-01..1860"]),
        ("(((a == 1)))", ["a = 1"]),
        ("author:O'Brien or author:James' and doi:'a'", ['author:"O\'Brien"', 'author:"James\'"', 'doi:"a"']),
        ("author:a|author:b | 'c d' and year = 1|2", ["author:a", "author:b", 'author:"c d"', "year = 1", "year = 2"]),
        ("(a:1)|b in (1)|c:2", ["a:1", "b = 1", "c:2"]),
        ("a = and", ["a = and"]),
    ],
)
def test_tests_are_read(text: str, tests: list[str]) -> None:
    assert names(text) == tests


@pytest.mark.parametrize(
    ("text", "position", "expected"),
    [
        ("", 1, "expected a condition"),
        ("year", 5, "expected =, !="),
        ("year >=", 8, "expected a value"),
        ("year >= 2019 author = a", 14, "expected and, or"),
        ("(year = 1", 1, "not closed"),
        ("author = 'x", 10, "quote is not closed"),
        ("= 1", 1, "the name of a field"),
        ("author in a", 11, "in parentheses"),
        ("author in (a b)", 14, "comma"),
        ("yaer = 1", 1, "did you mean 'year'?"),
        ("author = a and journal = b", 16, "fields of the index are author, date, words, year"),
        ("year = spring", 8, "year is a year or a date, found 'spring'"),
        ("words > many", 9, "words is a number"),
        ("date = 1857-13", 8, "1857, 1857-05 or 1857-05-01"),
        ("date = 1857-02-30", 8, "1857-05-01"),
        ("date = 1860..1857", 8, "1857..1860"),
        ("date = 1860-1857", 8, "1857..1860"),
        ("date != 1857|1858", 13, "write not date in"),
        ("date > 1857..1860", 8, "a range stands after"),
        ("date = ..", 8, "a value on one side"),
        ("author:*x", 8, "at the end of a word"),
        ("author:' '", 8, "no word"),
        ("(" * (DEEPEST + 1) + "a = 1", DEEPEST + 1, "parentheses"),
    ],
)
def test_a_mistake_is_shown_with_its_place(text: str, position: int, expected: str) -> None:
    with pytest.raises(SettingsError) as caught:
        checked(Where.parse(text), TYPES)

    message = str(caught.value)
    assert message.startswith(f"condition, position {position}: ")
    assert expected in message
    _, shown, caret = message.split("\n")
    assert shown[caret.index("^") :].startswith(text[position - 1 : position + 10])


def test_a_long_condition_is_refused() -> None:
    with pytest.raises(SettingsError, match="characters"):
        Where.parse("a = 1 or " * LONGEST)


@given(st.text(alphabet="aor nd()=<>!:,|'\"*.19-", max_size=40))
def test_any_text_is_a_condition_or_a_mistake_in_one(text: str) -> None:
    with suppress(SettingsError):
        checked(Where.parse(text), {"a": "text", "o": "date"})


WRONG_PATHS = ["a[", "@x", "a/b/", "a///b", "m:b", "a[@b=c d]", "", "a/@b/c", "a//@b", "a[b]", "x y"]


@pytest.mark.parametrize("path", WRONG_PATHS)
def test_a_wrong_path_of_a_field_is_refused(path: str) -> None:
    with pytest.raises(ProfileError, match=r"own\.toml"):
        parsed_paths(path, "own.toml")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"Year": "a"}, "cannot name a field"),
        ({"score": "a"}, "cannot name a field"),
        ({"year": {"from": "a", "type": "int"}}, "expected text, number, date or year"),
        ({"year": {"type": "year"}}, "expected the paths"),
        ({"year": {"from": "a", "form": "b"}}, "did you mean 'from'?"),
        ({"year": {"from": "a", "several": 1}}, "true or false"),
        ({"year": {"from": "a", "separator": ",", "several": False}}, "has several"),
        ({"year": 5}, "expected a path"),
        (["year"], "tables such as"),
        ({f"f{number}": "a" for number in range(100)}, "at most 64"),
    ],
)
def test_a_wrong_definition_is_refused(fields: object, expected: str) -> None:
    with pytest.raises(ProfileError, match=r"own\.toml: fields") as caught:
        fields_of(fields, "own.toml")

    assert expected in str(caught.value)


def test_a_hyphen_before_a_month_makes_a_range_of_years_of_no_value() -> None:
    assert range_of("year", "2003-05") == range_of("date", "2003-05") == ("2003-05", "", "")
    assert range_of("year", "2003-43") == range_of("date", "2003–43") == ("2003", "..", "2043")
    with pytest.raises(SettingsError, match=r"found '2003-05': expected 1857, or a range a\.\.b"):
        checked(Where.parse("year = 2003-05"), TYPES)


# Values of fields: how texts of documents are read, and in which order they are.


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        *(("1857", "1857"), ("1857-05", "1857-05"), ("1857-05-01", "1857-05-01"), ("-0043-03-15", "-0043-03-15")),
        *(("1857-05-01T10:00:00Z", "1857-05-01"), ("20160314", "2016-03-14"), ("1.5.1857", "1857-05-01")),
        *(("14 March 2016", "2016-03-14"), ("March 14, 2016", "2016-03-14"), ("Sept. 1998", "1998-09")),
        *(("1st of May 1857", "1857-05-01"), ("January/February 1998", "1998-01"), ("c. 1857", "1857")),
        *(("[1850-1900]", "1850"), ("1858-59", "1858"), ("between 1850 and 1860", "1850")),
    ],
)
def test_dates_are_read_as_exactly_as_they_are_given(text: str, shown: str) -> None:
    value = read_value("date", text)

    assert value is not None
    assert value.shown == shown


IMPOSSIBLE = ["1857-02-30", "1857-13-01", "31.4.1857", "30 February 1857", "April 31, 1857"]


@pytest.mark.parametrize("text", ["n.d.", "undated", "12", "spring", "123456", "", *IMPOSSIBLE])
def test_what_is_no_date_is_none(text: str) -> None:
    assert read_value("date", text) is None


@pytest.mark.parametrize(("text", "value"), [("12", 12), ("1,200", 1200), ("-0.5", -0.5), ("1e3", 1000), ("٣", None)])
def test_numbers_are_read(text: str, value: float | None) -> None:
    found = read_value("number", text)

    assert (None if found is None else typed("number", found.shown)) == value


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_keys_of_numbers_are_in_their_order(one: float, other: float) -> None:
    assert (number_key(one) < number_key(other)) == (one < other)
    assert (number_key(one) == number_key(other)) == (one == other)


dates = st.tuples(st.integers(-9999, 9999), st.integers(0, 12), st.integers(0, 28)).map(
    lambda each: packed_date(each[0], each[1], each[2] if each[1] else 0)
)


@given(dates, dates)
def test_a_date_lies_in_another_where_its_first_day_does(value: int, wanted: int) -> None:
    def first_day(date: int) -> tuple[int, int, int]:
        year, rest = divmod(date, 10_000)
        return year, max(rest // 100, 1), max(rest % 100, 1)

    bounds = bounds_of("date", shown_date(wanted))
    assert bounds is not None
    year, rest = divmod(wanted, 10_000)
    first = first_day(wanted)
    last = (year, rest // 100 or 12, rest % 100 or 31)
    assert (bounds.lowest <= value <= bounds.highest) == (first <= first_day(value) <= last)
    assert (value < bounds.lowest) == (first_day(value) < first)


@given(dates)
def test_a_shown_date_is_read_as_itself(date: int) -> None:
    assert read_date(shown_date(date)) == date


def test_texts_are_equal_but_for_case_accents_and_white_space() -> None:
    assert plain(" \u00c9TIENNE\n Vauquelin") == plain("e\u0301tienne vauquelin") == "etienne vauquelin"
    assert read_value("text", "—\u200b ") is not None
    assert read_value("text", " \n") is None


def test_a_long_text_is_cut() -> None:
    value = read_value("text", "x" * 10_000)

    assert value is not None
    assert len(value.shown) == 500
