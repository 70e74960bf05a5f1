"""Judging: actions and their undoing, several assessors, changed documents."""

from __future__ import annotations

import html
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import foxir
from foxir.service.judging.intervals import compared, intersection, size, united, without
from foxir.service.judging.judged import judged
from foxir.service.judging.moved_highlights import carried
from foxir.service.judging.store import DONE, Action, Assignment, Store, StoreError, checksum_of
from foxir.service.sessions import COOKIE
from tests.foxir.service.desk import JUDGED, Assessor, desk, judged_index, spans, write_runs
from tests.foxir.service.living import page_of


def test_actions_and_their_undoing(ana: Assessor) -> None:
    text = "One two three.Four five six."
    state = ana.act("a", "mark", start=4, end=7)
    assert state["highlights"] == [{"start": 4, "end": 7, "quote": "two"}]
    assert spans(ana.act("a", "mark", start=7, end=13)) == [(4, 13)]
    assert spans(ana.act("a", "erase", start=7, end=8)) == [(4, 7), (8, 13)]
    assert spans(ana.act("a", "change", old_start=8, old_end=13, start=14, end=18)) == [(4, 7), (14, 18)]
    assert ana.act("a", "entry", offset=4)["best_entry_point"] == 4
    state = ana.act("a", "note", text="<b>why</b>")
    assert (state["note"], state["checksum"], state["can_undo"]) == ("<b>why</b>", checksum_of(text), True)

    assert ana.act("a", "undo")["note"] == ""
    assert ana.act("a", "undo")["best_entry_point"] is None
    assert spans(ana.act("a", "undo")) == [(4, 7), (8, 13)]
    assert spans(ana.act("a", "redo")) == [(4, 7), (14, 18)]
    state = ana.act("a", "mark", start=0, end=3)
    assert (spans(state), state["can_redo"]) == ([(0, 3), (4, 7), (14, 18)], False)
    assert spans(ana.act("a", "redo")) == [(0, 3), (4, 7), (14, 18)]


def test_nothing_relevant_and_finished(ana: Assessor) -> None:
    ana.act("a", "mark", start=0, end=3)
    state = ana.act("a", "nothing")
    assert (spans(state), state["nothing_relevant"], state["done"]) == ([], True, True)
    assert spans(ana.act("a", "undo")) == [(0, 3)]
    assert ana.act("a", "done")["done"]
    assert not ana.act("a", "reopen")["done"]


def test_judgements_are_there_again(folder: Path) -> None:
    with desk(folder) as ana:
        ana.act("b", "mark", start=4, end=6)
    with desk(folder) as ana:
        assert ana.state("b")["highlights"] == [{"start": 4, "end": 6, "quote": "\U0001f40b\U0001f3fd"}]


def test_two_assessors_do_not_see_each_others_highlights_as_theirs(ana: Assessor) -> None:
    ana.act("a", "mark", start=0, end=3)
    bob = ana.call("bob")
    assert spans(bob.state("a")) == []
    assert spans(bob.act("a", "mark", start=4, end=7)) == [(4, 7)]
    assert spans(bob.state("a", assessor="ana")) == [(0, 3)]
    assert bob.web.get("/api/session").json()["assessors"] == ["ana", "bob"]


def test_a_second_window_cannot_overwrite_what_it_has_not_seen(ana: Assessor) -> None:
    version = ana.state("a")["version"]
    ana.act("a", "mark", start=0, end=3, version=version)
    refused = ana.post(topic="1", document="a", kind="mark", start=4, end=7, version=version)

    assert refused.status_code == 409
    assert ana.post(topic="1", document="a", kind="undo", version=version).status_code == 409
    assert spans(ana.state("a")) == [(0, 3)]


@pytest.mark.parametrize(
    "body",
    [
        {"kind": "mark"},
        {"kind": "mark", "start": 3, "end": 3},
        {"kind": "mark", "start": 5, "end": 2},
        {"kind": "mark", "start": -1, "end": 3},
        {"kind": "mark", "start": 0, "end": 10**9},
        {"kind": "mark", "start": True, "end": 3},
        {"kind": "mark", "start": 0.5, "end": 3},
        {"kind": "mark", "start": "0", "end": 3},
        {"kind": "entry"},
        {"kind": "note", "text": "x" * 10_001},
        {"kind": "note", "text": None},
        {"kind": "carry", "marks": []},
        {"kind": "import"},
        {"kind": 3},
        {"kind": "mark", "start": 0, "end": 3, "version": 7},
    ],
)
def test_wrong_actions_are_refused(ana: Assessor, body: dict[str, object]) -> None:
    answer = ana.post(topic="1", document="a", **body)

    assert answer.status_code == 422, answer.text
    assert answer.json()["status"] == 422
    assert ana.state("a")["version"] == "0.0"


def test_unknown_topics_and_documents_are_refused(ana: Assessor) -> None:
    assert ana.post(topic="9", document="a", kind="done").status_code == 404
    assert ana.post(topic="1", document="z", kind="done").status_code == 404
    assert ana.web.get("/judge/document", params={"topic": "1", "document": "z"}).status_code == 404
    assert ana.web.get("/judge/topic", params={"topic": "9"}).status_code == 404
    refused = {
        "/judge": "unknown parameter 'topic': this address takes none.",
        "/judge/topic": "'topic' is empty: expected",
    }
    for address, words in refused.items():
        answer = ana.web.get(address, params={"topic": ""})
        assert (answer.status_code, words in html.unescape(answer.text)) == (422, True)


def test_requests_without_a_form_token_change_nothing(ana: Assessor) -> None:
    body = {"topic": "1", "document": "a", "kind": "done"}
    token = ana.token
    for headers in ({}, {"X-Form-Token": "x.y"}, {"X-Form-Token": token[:-1] + ("0" if token[-1] != "0" else "1")}):
        assert ana.web.post("/api/judgements", json=body, headers=headers).status_code == 403
    assert ana.web.post("/api/judgements/import", content=b"1 0 a 1\n").status_code == 403
    assert ana.web.post("/judge/import", files={"file": b"1 0 a 1\n"}).status_code == 403
    bob = ana.call("bob")
    assert bob.web.post("/api/judgements", json=body, headers={"X-Form-Token": token}).status_code == 403
    evil = {"X-Form-Token": bob.token, "Origin": "http://evil.example"}
    assert bob.web.post("/api/judgements", json=body, headers=evil).status_code == 403
    form = {"X-Form-Token": bob.token, "Content-Type": "text/plain"}
    assert bob.web.post("/api/judgements", content=json.dumps(body), headers=form).status_code == 415
    assert not bob.state("a")["done"]


@pytest.mark.parametrize("other", ['settings={"a": 1}', "words=a b", "flag", "expires=5", "word=é", '"', "$Path=/"])
def test_cookies_of_other_programs_do_not_hide_the_session(ana: Assessor, other: str) -> None:
    """Browsers send cookies of all ports of a host; some are of no form that a standard names."""
    own = f"{COOKIE}={ana.web.cookies[COOKIE]}"
    for cookies in (f"{other}; {own}", f"{own}; {other}"):
        found = ana.web.get("/api/session", headers={"Cookie": cookies.encode()})
        assert found.json()["name"] == "ana", cookies


def test_without_a_name_nothing_is_judged(ana: Assessor) -> None:
    ana.web.cookies.clear()
    session = ana.web.get("/api/session")
    token = session.json()["form_token"]
    refused = ana.web.post(
        "/api/judgements", json={"topic": "1", "document": "a", "kind": "done"}, headers={"X-Form-Token": token}
    )
    assert (session.json()["name"], refused.status_code) == ("", 403)
    for name in ("", "   ", "x" * 61, "a\nb", None, 5):
        assert ana.web.post("/api/session", json={"name": name}).status_code == 422
    assert ana.web.get("/judge/topic", params={"topic": "1"}).headers["location"] == "/judge"


def test_a_token_names_the_assessor(folder: Path) -> None:
    tokens = folder / "tokens"
    tokens.write_text("eva correct-horse-battery\n", "utf-8")
    with desk_with_tokens(folder, tokens) as web:
        headers = {"Authorization": "Bearer correct-horse-battery"}
        body = {"topic": "1", "document": "a", "kind": "mark", "start": 0, "end": 3}
        assert web.post("/api/judgements", json=body).status_code == 401
        assert web.post("/api/judgements", json=body, headers=headers).json()["assessor"] == "eva"
        assert web.post("/api/session", json={"name": "bob"}, headers=headers).status_code == 404


def desk_with_tokens(folder: Path, tokens: Path):  # type: ignore[no-untyped-def]
    from tests.foxir.service.living import client  # noqa: PLC0415

    return client(
        folder / "judged.foxir", judgements=folder / "judged.db", topic_file=folder / "topics.xml", token_file=tokens
    )


def test_topics_and_queues_show_progress(ana: Assessor) -> None:
    before = {topic["id"]: topic for topic in ana.web.get("/api/topics").json()}
    assert (before["1"]["documents"], before["1"]["judged"]) == (3, 0)
    ana.act("a", "nothing")
    ana.act("c", "mark", start=0, end=3)
    assert ana.web.get("/api/topics").json()[0]["judged"] == 2

    queue = page_of(ana.web.get("/judge/topic", params={"topic": "1"}))
    rows = [" ".join(row.text_content().split()) for row in queue.xpath("//tbody/tr")]
    assert sum("nothing relevant" in line for line in rows) == 1
    assert sum("1 highlight, 3 characters (not finished)" in line for line in rows) == 1
    assert sum("to do" in line for line in rows) == 1
    hidden = page_of(ana.web.get("/judge/topic", params={"topic": "1", "order": "random", "ranks": "hidden"}))
    assert len(hidden.xpath("//tbody/tr[1]/td")) == 2
    assert sorted(hidden.xpath("//tbody/tr/td[1]/span/text()")) == ["a", "b", "c"]


def test_the_pool_is_that_of_the_runs(folder: Path) -> None:
    run = foxir.Run("other", {"1": foxir.Ranking.ranked("1", ["c", "c"], ["/article[1]", "/article[1]/body[1]"])})
    foxir.write_run(run, folder / "other.xml")
    with desk(folder, pool=(folder / "other.xml",)) as ana:
        queue = page_of(ana.web.get("/judge/topic", params={"topic": "1"}))
        empty = page_of(ana.web.get("/judge/topic", params={"topic": "2"}))

    assert queue.xpath("//tbody/tr/td[2]/span/text()") == ["c"]
    assert "No document to judge" in empty.text_content()


def test_notes_and_names_do_not_become_markup(ana: Assessor) -> None:
    evil = "</textarea><script>alert(1)</script>\"'"
    bob = ana.call("<img src=x onerror=alert(1)>\"'")
    bob.act("a", "note", text=evil)
    bob.act("a", "mark", start=0, end=3)
    pages = [
        ("/judge", {}),
        ("/judge/topic", {"topic": "1"}),
        ("/judge/document", {"topic": "1", "document": "a"}),
        ("/judge/compare", {"topic": "1", "first": bob.name, "second": bob.name, "document": "a"}),
        ("/evaluate", {}),
    ]
    for path, parameters in pages:
        page = page_of(bob.web.get(path, params=parameters))
        assert not page.xpath("//img[@onerror]"), path
        assert [each.get("src", "")[:8] for each in page.xpath("//script")] in ([], ["/static/"])
    document = page_of(bob.web.get("/judge/document", params={"topic": "1", "document": "a"}))
    assert document.xpath("string(//textarea[@id='note'])") == evil
    assert json.loads(document.xpath("//div[@id='desk']/@data-state")[0])["note"] == evil


def test_names_of_runs_do_not_become_markup(folder: Path) -> None:
    names = ("<script>alert(1)</script>", "\"'><img src=x onerror=alert(2)>")
    for path, name in zip(write_runs(folder), names, strict=True):
        foxir.write_run(replace(foxir.read_run(path), run_id=name), path.with_suffix(".named"))
    with desk(folder, pool=tuple(folder.glob("*.named"))) as ana:
        ana.act("a", "mark", start=0, end=3)
        page = page_of(ana.web.get("/evaluate", params={"assessor": "ana"}))
        problem = page_of(ana.web.get("/evaluate", params={"assessor": "ana", "measures": names[0]}))

    assert {*page.xpath("//th[@scope='row']/text()")} >= {*names}
    for shown in (page, problem):
        assert not shown.xpath("//img[@onerror]")
        assert [each.get("src", "")[:8] for each in shown.xpath("//script")] in ([], ["/static/"])


def changed(folder: Path, **documents: str) -> None:
    judged_index(folder, {**JUDGED, **documents})


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
        assert (state["moved"], state["note"], state["best_entry_point"]) == (1, "kept", None)
        assert state["checksum"] != before["checksum"]
        page = page_of(ana.web.get("/judge/document", params={"topic": "1", "document": "a"}))
        assert page.xpath("//section[@id='lost']//li/text()") == ["five"]

        state = ana.act("a", "mark", start=0, end=4)
        assert spans(state) == [(0, 4), (10, 19)]
        assert len(state["lost"]) == 1
        assert ana.act("a", "forget")["lost"] == []
        ana.act("a", "undo")
        ana.act("a", "undo")
        state = ana.act("a", "undo")  # what was done on the earlier text stays
        assert (spans(state), state["note"], state["can_undo"]) == ([(10, 19)], "kept", False)


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


def test_another_file_is_no_database_of_judgements(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database at all, but a text that is long enough" * 50, "utf-8")
    with pytest.raises(StoreError, match="judgements cannot be stored there"):
        Store(tmp_path / "text")
    with pytest.raises(StoreError, match="cannot be stored"):
        Store(tmp_path / "none/at/all.db")


def test_a_database_that_cannot_be_written_now_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another process locks, or what a full disk cannot take, is not saved; later it is."""
    monkeypatch.setattr("foxir.service.judging.store.BUSY", 0.01)
    with desk(folder) as ana, closing(sqlite3.connect(folder / "judged.db", isolation_level=None)) as other:
        ana.act("a", "mark", start=0, end=3)
        other.execute("BEGIN IMMEDIATE")
        answer = ana.post(topic="1", document="a", kind="mark", start=4, end=7)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert answer.json()["detail"] == "the judgements cannot be saved now: database is locked."
        assert spans(ana.state("a")) == [(0, 3)]
        other.execute("ROLLBACK")

        database = ana.web.app.state.service.desk.store._database  # type: ignore[attr-defined]
        most = database.execute("PRAGMA max_page_count").fetchone()[0]
        database.execute(f"PRAGMA max_page_count = {database.execute('PRAGMA page_count').fetchone()[0]}")
        answer = ana.post(topic="1", document="b", kind="note", text="n" * 9_000)
        assert (answer.status_code, "disk is full" in answer.json()["detail"]) == (503, True)
        assert spans(ana.state("a")) == [(0, 3)]
        database.execute(f"PRAGMA max_page_count = {most}")
        assert spans(ana.act("a", "mark", start=4, end=7)) == [(0, 3), (4, 7)]


def test_a_file_of_judgements_is_taken_in_whole_or_not_at_all(folder: Path, ana: Assessor) -> None:
    lines = "".join(f"1 0 {document} 1\n" for document in "abc").encode()
    with closing(sqlite3.connect(folder / "judged.db", isolation_level=None)) as other:
        other.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON action WHEN NEW.document = 'c' BEGIN SELECT RAISE(ABORT, 'c'); END"
        )
        assert ana.take(lines).status_code == 503
        assert [spans(ana.state(document)) for document in "abc"] == [[], [], []]
        other.execute("DROP TRIGGER refuse")

    assert ana.take(lines).json()["documents"] == 3
    assert all(spans(ana.state(document)) for document in "abc")


def test_several_processes_use_one_database(tmp_path: Path) -> None:
    """Two connections, as two processes have them: each sees what the other wrote, and versions are compared."""
    stores = [Store(tmp_path / "judged.db") for _ in range(2)]
    assignment = Assignment("1", "ana", "a")
    for number in range(10):
        stores[number % 2].add(assignment, "some text", [("mark", {"start": number, "end": number + 1})])
    found = [store.actions(assignment) for store in stores]

    assert found[0] == found[1]
    assert judged(found[0]).marks == ((0, 10),)
    assert stores[0].secret() == stores[1].secret()
    for store in stores:
        assert store.check() == "ok"
        store.close()
