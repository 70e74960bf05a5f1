"""Quotes are found exactly, by their words, or nearly; what is not like any passage is not."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from engine.errors import MeasureError, RunFormatError
from engine.runs import Ranking, Run
from eval.judgements.pool import pool
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


def run(run_id, *results, topic="1"):
    return Run(run_id, {topic: Ranking.ranked(topic, [d for d, _ in results], [p for _, p in results])})


ONE = run("one", ("a", "/a[1]/s[1]"), ("b", "/a[1]"), ("a", "/a[1]"))
TWO = run("two", ("b", "/a[1]"), ("c", None), ("a", "/a[1]"))


def test_the_first_results_of_all_runs_by_their_best_rank():
    found = pool([ONE, TWO], depth=2)

    assert [(p.document, p.path, p.rank, p.n_runs) for p in found.topics["1"]] == [
        ("a", "/a[1]/s[1]", 1, 1),
        ("b", "/a[1]", 1, 2),
        ("c", None, 2, 1),
    ]
    assert found.documents("1") == ("a", "b", "c")


def test_places_of_one_document_stand_together():
    assert [p.document for p in pool([ONE, TWO], depth=3).topics["1"]] == ["a", "a", "b", "c"]


def test_the_order_of_runs_does_not_matter():
    assert pool([ONE, TWO], depth=3).topics == pool([TWO, ONE], depth=3).topics


def test_a_place_counts_once_for_a_run_that_returns_it_twice():
    assert pool([run("r", ("a", "/a[1]"), ("a", "/a[1]"))], depth=5).topics["1"][0].n_runs == 1


def test_topics_of_any_run_are_pooled():
    assert list(pool([ONE, run("other", ("z", None), topic="2")], depth=1).topics) == ["1", "2"]


def test_files_as_xml_and_as_text(tmp_path):
    passages = Run("p", {"1": Ranking.ranked("1", ["a&b", "c"], starts=[4, -1], lengths=[10, -1])})
    found = pool([passages, ONE], depth=1)
    root = etree.parse(found.write(tmp_path / "pool.xml")).getroot()

    assert [(f.get("name"), dict(f[0].attrib)) for f in root.iter("file")] == [
        ("a", {"path": "/a[1]/s[1]", "rank": "1", "runs": "1"}),
        ("a&b", {"offset": "4", "length": "10", "rank": "1", "runs": "1"}),
    ]
    assert found.write(tmp_path / "pool.tsv").read_text().splitlines() == [
        "topic\tdocument\tplace\trank\truns",
        "1\ta\t/a[1]/s[1]\t1\t1",
        "1\ta&b\t4 10\t1\t1",
    ]
    assert json.loads(found.json())["topics"]["1"][1] == {
        "document": "a&b",
        "offset": 4,
        "length": 10,
        "rank": 1,
        "runs": 1,
    }
    assert found.tables()[0].texts() == [["1", "2", "2"], ["all", "2", "2"]]


def test_what_cannot_be_pooled_is_refused(tmp_path):
    with pytest.raises(MeasureError, match="no run given"):
        pool([], depth=1)
    with pytest.raises(MeasureError, match="depth=0"):
        pool([ONE], depth=0)
    with pytest.raises(RunFormatError, match="cannot be written"):
        pool([ONE], depth=1).write(tmp_path / "none" / "pool.xml")
