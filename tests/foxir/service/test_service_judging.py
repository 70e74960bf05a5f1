"""Judging: actions and their undoing, several assessors, names and tokens, queues and pools."""

from __future__ import annotations

import html
import json
from dataclasses import replace
from pathlib import Path

import pytest

import foxir
from foxir.service.http.authentication import COOKIE
from foxir.service.judging.judged import checksum_of
from tests.foxir.service.desk import Assessor, desk, judged_index, spans, write_runs
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


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("mark", {"start": 0, "end": 3}),
        ("change", {"old_start": 0, "old_end": 3, "start": 0, "end": 7}),
        ("entry", {"offset": 4}),
    ],
)
def test_what_is_found_after_nothing_relevant_contradicts_it(ana: Assessor, kind: str, body: dict[str, int]) -> None:
    ana.act("a", "mark", start=0, end=3)
    assert ana.act("a", "nothing")["nothing_relevant"]

    assert not ana.act("a", kind, **body)["nothing_relevant"]
    assert ana.act("a", "undo")["nothing_relevant"]


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
        {"kind": "note", "text": "half \ud800 a character"},
        {"kind": "done", "topic": "half \ud800 a character"},
        {"kind": "carry", "marks": []},
        {"kind": "import"},
        {"kind": 3},
        {"kind": "mark", "start": 0, "end": 3, "version": 7},
        {"kind": "mark", "start": 0, "end": 3, "checksum": 7},
    ],
)
def test_wrong_actions_are_refused(ana: Assessor, body: dict[str, object]) -> None:
    content = json.dumps({"topic": "1", "document": "a", **body})  # which also writes what is not text
    kind = {"Content-Type": "application/json", "X-Form-Token": ana.token}
    answer = ana.web.post("/api/judgements", content=content, headers=kind)

    assert answer.status_code == 422, answer.text
    assert answer.json()["status"] == 422
    assert ana.state("a")["version"] == "0.0"


def test_offsets_of_another_text_are_refused(ana: Assessor) -> None:
    """As from a page that was opened before the document changed; only a note is about no place in the text."""
    checksum = ana.state("a")["checksum"]
    place = {"topic": "1", "document": "a", "start": 0, "end": 3, "offset": 4, "text": "noted"}
    refused = ("mark", "erase", "entry", "nothing", "done", "undo", "redo", "forget")
    answers = [ana.post(**place, kind=kind, checksum="0" * 64) for kind in refused]
    assert {answer.status_code for answer in answers} == {409}
    assert "has changed" in answers[0].json()["detail"]
    assert ana.state("a")["version"] == "0.0"

    assert ana.post(**place, kind="note", checksum="0" * 64).json()["checksum"] == checksum
    assert spans(ana.act("a", "mark", start=0, end=3, checksum=checksum)) == [(0, 3)]


def test_unknown_topics_and_documents_are_refused(ana: Assessor) -> None:
    assert ana.post(topic="9", document="a", kind="done").status_code == 404
    assert ana.post(topic="1", document="z", kind="done").status_code == 404
    assert ana.web.get("/judge/document", params={"topic": "1", "document": "z"}).status_code == 404
    assert ana.web.get("/api/judgements", params={"topic": "1", "document": "z"}).status_code == 404
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


def test_values_are_in_the_order_of_the_topics(folder: Path) -> None:
    topics = folder / "topics.xml"
    text = topics.read_text("utf-8").replace('topic_id="2"', 'topic_id="10"').replace('topic_id="1"', 'topic_id="2"')
    topics.write_text(text, "utf-8")
    with desk(folder, pool=write_runs(folder)) as ana:
        ana.act("b", "done", "10")
        ana.act("a", "mark", "2", start=4, end=7)
        page = page_of(ana.web.get("/evaluate"))

    named = [each.text_content().split() for each in page.xpath("//h2/following::tbody//th")]
    assert named == [["2", "two"], ["10", "whales"]]


def test_who_evaluates_before_anything_is_judged_is_led_to_the_topics(folder: Path) -> None:
    with desk(folder) as ana:
        ana.web.cookies.clear()
        page = page_of(ana.web.get("/evaluate"))
        (link,) = page.xpath("//main//p[@class='notice']/a/@href")
        ana.call("ana").act("a", "mark", start=0, end=3)
        judged = page_of(ana.web.get("/evaluate"))

    assert link == "/judge"
    assert not page.xpath("//main//form")
    assert judged.xpath("//main//form//select/option/text()")[0] == "ana"


def test_the_title_of_a_judged_document_is_whole(tmp_path: Path) -> None:
    title = " ".join(["Lamps of two harbours"] * 12)
    judged_index(tmp_path, {"a": f"<article><title>{title}</title><p>Two lamps.</p></article>"})
    with desk(tmp_path) as ana:
        page = page_of(ana.web.get("/judge/document", params={"topic": "1", "document": "a"}))
    assert page.xpath("//h1/text()") == [title]


def test_without_runs_the_elements_of_the_search_are_retrieved(folder: Path) -> None:
    page = "/judge/document?topic=1&document=a"
    with desk(folder) as ana:
        found = page_of(ana.web.get(page))
    with desk(folder, pool=write_runs(folder)) as ana:
        of_runs = page_of(ana.web.get(page))

    (side,) = found.xpath("//*[@data-retrieved]")
    assert json.loads(side.get("data-retrieved"))
    assert found.xpath("string(//*[@class='dotted'])") == "dotted: what a search retrieved"
    assert of_runs.xpath("string(//*[@class='dotted'])") == "dotted: what a run retrieved"


def test_documents_are_named_where_assessors_are_compared(tmp_path: Path) -> None:
    judged_index(tmp_path, {"a": "<article><title>Lamps</title><p>Two lamps.</p></article>"})
    with desk(tmp_path) as ana:
        ana.act("a", "done")
        ana.call("bob").act("a", "done")
        page = page_of(ana.web.get("/judge/compare?topic=1&first=ana&second=bob"))

    assert page.xpath("string(//tbody//th)") == "Lamps a"
