"""Highlights and best entry points of documents that have changed since: moved, or kept and shown as lost.

Intervals of highlighted characters.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import foxir
from foxir.service.judging.judged import (
    DONE,
    Action,
    carried,
    checksum_of,
    compared,
    intersection,
    judged,
    size,
    united,
    without,
)
from tests.foxir.service.desk import JUDGED, desk, judged_index, spans
from tests.foxir.service.living import page_of


def changed(folder: Path, **documents: str) -> None:
    judged_index(folder, {**JUDGED, **documents})


@pytest.mark.long
def test_highlights_move_with_the_text_where_it_is_found_once(changing: Path) -> None:
    with desk(changing) as ana:
        ana.act("a", "mark", start=4, end=13)
        ana.act("a", "mark", start=19, end=23)
        ana.act("a", "entry", offset=4)
        before = ana.act("a", "note", text="kept")
    article = "<article><front/><body><p>Zero. One <i>two</i> three.</p><p>Four five six, five.</p></body></article>"
    changed(changing, a=article)
    with desk(changing) as ana:
        state = ana.state("a")
        assert state["highlights"] == [{"start": 10, "end": 19, "quote": "two three"}]
        assert [(each["quote"], each["start"]) for each in state["lost"]] == [("five", 19)]  # now there twice
        assert (state["moved"], state["note"], state["best_entry_point"]) == (1, "kept", 10)
        assert state["checksum"] != before["checksum"]
        page = page_of(ana.web.get("/judge/document", params={"topic": "1", "document": "a"}))
        assert page.xpath("//section[@id='lost']//li/text()") == ["five"]
        assert "The document has changed: 1 mark has moved with the text." in page.xpath("//p/text()")

        state = ana.act("a", "mark", start=0, end=4)
        assert spans(state) == [(0, 4), (10, 19)]
        assert len(state["lost"]) == 1
        assert ana.act("a", "forget")["lost"] == []
        ana.act("a", "undo")
        ana.act("a", "undo")
        state = ana.act("a", "undo")  # what was done on the earlier text stays
        assert (spans(state), state["note"], state["can_undo"]) == ([(10, 19)], "kept", False)


@pytest.mark.long
def test_a_best_entry_point_is_moved_or_shown_as_lost(changing: Path) -> None:
    """In a highlight it moves with it, elsewhere with the text after it; what is lost is shown until it is seen."""
    with desk(changing) as ana:
        ana.act("a", "mark", start=4, end=13)
        ana.act("a", "entry", offset=8)  # three; what follows changes
        ana.act("b", "entry", offset=4)
        ana.act("c", "entry", offset=3)
    changed(
        changing,
        a="<article><front/><body><p>Zero. One <i>two</i> three.</p><p>Five.</p></body></article>",
        b=JUDGED["b"].replace("end.", "other end."),
        c=JUDGED["c"].replace("<tr>", "<tr><td>new</td>"),
    )
    with desk(changing) as ana:
        assert [ana.state(document)["best_entry_point"] for document in "abc"] == [14, None, 6]
        assert [ana.state(document)["lost_entry_point"] for document in "ac"] == [None, None]
        assert [ana.state(document)["moved"] for document in "abc"] == [1, 0, 1]
        quote = "\U0001f40b\U0001f3fd whales שלום עולם end."
        assert ana.state("b")["lost_entry_point"] == {"start": 4, "end": 28, "quote": quote}
        page = page_of(ana.web.get("/judge/document", params={"topic": "1", "document": "b"}))
        assert page.xpath("//section[@id='lost'][not(@hidden)]//li/text()") == [f"Best entry point: {quote}"]
        assert "best entry point lost" in ana.web.get("/judge/topic?topic=1").text
        assert json.loads(ana.export("json"))["topics"]["1"]["b"]["lost_entry_point"]["quote"] == quote

        assert ana.act("b", "note", text="Carried over.")["lost_entry_point"]["quote"] == quote
        assert ana.act("b", "entry", offset=4)["lost_entry_point"] is None
        assert ana.act("b", "undo")["lost_entry_point"]["quote"] == quote
        assert ana.act("b", "forget")["lost_entry_point"] is None


def test_a_finished_document_whose_highlights_are_lost_is_to_be_judged_again(changing: Path) -> None:
    """Else it would count as not relevant, against the assessor; once the loss is seen, it does."""
    with desk(changing) as ana:
        ana.act("a", "mark", start=19, end=23)
        ana.act("a", "done")
    changed(changing, a="<article><front/><body><p>One two three.</p></body></article>")
    with desk(changing) as ana:
        queue = page_of(ana.web.get("/judge/topic?topic=1"))
        assert queue.xpath("//td/span[@class='error']/text()") == ["1 lost"]
        assert ana.web.get("/api/topics").json()[0]["judged"] == 0
        assert ana.web.get("/api/judgements/export?format=trec").status_code == 404
        assert json.loads(ana.export("json"))["topics"]["1"]["a"]["lost"][0]["quote"] == "five"

        ana.act("a", "forget")
        assert ana.export("trec") == b"1 0 a 0\n"


def test_a_document_that_vanished_keeps_its_judgements(changing: Path) -> None:
    with desk(changing) as ana:
        ana.act("a", "mark", start=4, end=7)
    (changing / "source/a.xml").unlink()
    foxir.build_index(changing / "source", into=changing / "judged.foxir")
    with desk(changing) as ana:
        assert ana.state("a")["highlights"] == [{"start": 4, "end": 7, "quote": "two"}]
        assert json.loads(ana.export("json"))["topics"]["1"]["a"]["highlights"][0]["quote"] == "two"
        assert ana.post(topic="1", document="a", kind="done").status_code == 404
        assert ana.web.get("/api/judgements/export?format=fol").status_code == 404
    changed(changing)
    with desk(changing) as ana:
        assert ana.export("fol").split() == b"1 Q0 a 3 28 4 4:3".split()


words = st.text(alphabet="ab \U0001f40b", max_size=12)


@given(before=words, quote=words.filter(bool), after=words, new=words)
def test_a_moved_highlight_has_its_text(before: str, quote: str, after: str, new: str) -> None:
    """Against all occurrences, counted one by one."""
    old = before + quote + after
    marks = [Action(1, "mark", checksum_of(old), {"start": len(before), "end": len(before + quote)}, DONE)]
    found = carried(judged(marks), new, lambda _: old)
    places = [place for place in range(len(new)) if new.startswith(quote, place)]

    if new == old:
        assert found.marks == ((len(before), len(before + quote)),)
    elif len(places) == 1:
        assert found.marks == ((places[0], places[0] + len(quote)),)
        assert not found.lost
    else:
        assert not found.marks
        assert found.lost[0].quote == quote


intervals = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=6)


@given(one=intervals, other=intervals, start=st.integers(0, 20), end=st.integers(0, 20))
def test_intervals_are_sets_of_characters(
    one: list[tuple[int, int]], other: list[tuple[int, int]], start: int, end: int
) -> None:
    def characters(pairs: object) -> set[int]:
        return {each for first, last in pairs for each in range(first, last)}  # type: ignore[attr-defined]

    first, second = united(one), united(other)
    assert characters(first) == characters(one)
    assert size(first) == len(characters(one))
    assert all(a[1] < b[0] for a, b in pairwise(first))
    assert characters(without(first, start, end)) == characters(first) - set(range(start, end))
    assert characters(intersection(first, second)) == characters(first) & characters(second)
    kinds = {each: kind for a, b, kind in compared(first, second) for each in range(a, b)}
    assert kinds == {
        each: "both"
        if each in characters(first) & characters(second)
        else "first"
        if each in characters(first)
        else "second"
        for each in characters(first) | characters(second)
    }
