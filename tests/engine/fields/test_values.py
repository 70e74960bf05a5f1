"""Values of fields: how texts of documents are read, and in which order they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.fields.values import bounds_of, number_key, packed_date, plain, read_date, read_value, shown_date, typed


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        *(("1857", "1857"), ("1857-05", "1857-05"), ("1857-05-01", "1857-05-01"), ("-0043-03-15", "-0043-03-15")),
        *(("1857-05-01T10:00:00Z", "1857-05-01"), ("20160314", "2016-03-14"), ("1.5.1857", "1857-05-01")),
        *(("14 March 2016", "2016-03-14"), ("March 14, 2016", "2016-03-14"), ("Sept. 1998", "1998-09")),
        *(("1st of May 1857", "1857-05-01"), ("January/February 1998", "1998-01"), ("c. 1857", "1857")),
        *(("[1850-1900]", "1850"), ("1857-02-30", "1857"), ("between 1850 and 1860", "1850")),
    ],
)
def test_dates_are_read_as_exactly_as_they_are_given(text: str, shown: str) -> None:
    value = read_value("date", text)

    assert value is not None
    assert value.shown == shown


@pytest.mark.parametrize("text", ["n.d.", "undated", "12", "spring", "123456", ""])
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
