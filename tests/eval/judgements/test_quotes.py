"""Quotes are found exactly, by their words, or nearly; what is not like any passage is not."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.judgements.quotes import QuotedText, merged

TEXT = (
    "The lamp was lit at dusk.\nA fog-signal, of two blasts, follows each minute; the keeper slept. The lamp went out."
)


def found(quote: str) -> tuple[str, str] | None:
    place = QuotedText(TEXT).find(quote)
    return None if place is None else (place.how, TEXT[place.start : place.end])


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("was lit at dusk.", ("exact", "was lit at dusk.")),
        ("  was lit  at\nDUSK", ("words", "was lit at dusk")),
        ("“A fog signal of two blasts”", ("words", "A fog-signal, of two blasts")),
        (
            "a fog signal of three blasts follows each minute",
            ("nearly", "A fog-signal, of two blasts, follows each minute"),
        ),
        ("the fog signal of blasts follows every minute", ("nearly", "fog-signal, of two blasts, follows each minute")),
        ("the sea is dark tonight", None),
        ("", None),
        ("…", None),
    ],
)
def test_a_quote_is_found(quote: str, expected: tuple[str, str] | None) -> None:
    assert found(quote) == expected


def test_places_are_counted() -> None:
    place = QuotedText(TEXT).find("The lamp")
    assert place is not None
    assert (place.start, place.times) == (0, 2)


WORDS = st.lists(st.sampled_from(["fog", "sea", "Lamp", "ﬁre", "x-ray", "tide,"]), min_size=1, max_size=9)


@given(WORDS, WORDS, WORDS, st.data())
def test_every_passage_is_found_with_its_words(before, inside, after, data) -> None:
    quote = " ".join(inside)
    text = "  ".join([*before, *inside, *after])
    place = QuotedText(text).find(data.draw(st.sampled_from([quote, quote.upper(), quote.replace(" ", "; ")])))

    assert place is not None
    assert place.how in ("exact", "words")
    assert text[place.start : place.end].casefold().split()[0].startswith(inside[0].strip(",").casefold()[:1])


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9)).map(lambda span: (span[0], sum(span)))))
def test_merged_spans_cover_the_same_characters(spans) -> None:
    once = merged(spans)

    assert {c for start, end in once for c in range(start, end)} == {
        c for start, end in spans for c in range(start, end)
    }
    assert all(one[1] < other[0] for one, other in pairwise(once))


TABLE = "Sizes\n40\t76 cm100 cm1.6 m\n42\t80 cm104 cm1.6 m Nordstraße 11 96\n"


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("40 76 cm 100 cm 1.6 m", "40\t76 cm100 cm1.6 m"),
        ("4076cm100cm1.6m", "40\t76 cm100 cm1.6 m"),
        ("40|76 cm|100 cm", "40\t76 cm100 cm"),
        ("100cm", None),  # so short, and not from the beginning of a word
        ("NORDSTRASSE11", "Nordstraße 11"),
        ("Nordstr. asse 1196", "Nordstraße 11 96"),
        ("6 m 42 80 cm", "6 m\n42\t80 cm"),
        ("strasse 11 96", "straße 11 96"),
    ],
)
def test_a_quote_of_a_table_is_found_however_its_cells_are_divided(quote: str, expected: str | None) -> None:
    found = QuotedText(TABLE).find(quote)

    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert (TABLE[found.start : found.end], found.how) == (expected, "words")
