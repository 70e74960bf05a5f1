"""Who an action counts for, where uploaded names lead, and what survives a loss of power."""

from __future__ import annotations

import io
import tempfile
import zipfile
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

import foxir
from engine.query_limits import limited
from foxir import Settings, make_settings
from foxir.service.http.authentication import Session, Sessions
from foxir.service.json.requests import SearchRequest, search_request
from foxir.service.judging.judged import NEAR, Judged, carried
from foxir.service.judging.store import Store
from foxir.service.pages.document_view import view_of
from foxir.service.pages.lasting_links import (
    CHANGED,
    GONE,
    MOVED,
    checksum_of,
    checksums_of_answers,
    destination,
)
from foxir.service.searching import run_search
from tests.foxir.service.desk import Assessor, desk, spans
from tests.foxir.service.living import client

ASSESSMENTS = """<assessments pool="{0}" topic="{0}" version="2"><file name="a"><passage offset="4" length="3"/>
<element path="/article[1]" size="28" rsize="3"/></file></assessments>"""


def test_an_action_counts_for_who_is_signed_in(ana: Assessor) -> None:
    answer = ana.post(topic="1", document="a", kind="mark", start=4, end=7, assessor="bob")
    assert answer.status_code in (200, 422)
    ana.act("b", "mark", start=4, end=7)

    assert spans(ana.state("b")) == [(4, 7)]
    assert spans(ana.state("a", assessor="bob")) == []


def test_the_form_token_is_of_one_session(ana: Assessor) -> None:
    """Also of two sessions under the same name."""
    before = ana.token
    ana.call("ana")
    own, ana.token = ana.token, before
    assert ana.post(topic="1", document="a", kind="nothing").status_code == 403
    ana.token = own
    assert ana.post(topic="1", document="a", kind="nothing").status_code == 200


def test_a_cookie_ends_with_the_token_of_its_person() -> None:
    cookie = Sessions(b"secret", {"ana": "t" * 20}).cookie("ana")

    assert isinstance(Sessions(b"secret", {"ana": "t" * 20}).read(cookie), Session)
    for tokens in ({"ana": "u" * 20}, {"bob": "t" * 20}, {}, None):
        assert Sessions(b"secret", tokens).read(cookie) is None


def packed(members: dict[str, str]) -> bytes:
    """Return an archive of assessments: topics by the name of their file."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, topic in members.items():
            archive.writestr(name, ASSESSMENTS.format(topic))
    return content.getvalue()


def test_files_of_one_name_in_an_archive_are_all_taken_in(ana: Assessor) -> None:
    answer = ana.take(packed({"x/1.xml": "1", "y/1.xml": "2"}))
    assert answer.status_code == 200, answer.text
    assert [spans(ana.state("a", topic)) for topic in "12"] == [[(4, 7)], [(4, 7)]]


def test_names_in_an_archive_lead_nowhere(ana: Assessor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "temporary" / "inner"
    inner.mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(inner))
    before = sorted(tmp_path.rglob("*"))
    answer = ana.take(packed({"../../evil.xml": "1", f"{tmp_path}/evil.xml": "2"}))

    assert answer.status_code == 200, answer.text
    assert sorted(tmp_path.rglob("*")) == before


def test_what_is_stored_is_on_disk_before_it_is_answered(tmp_path: Path) -> None:
    """With a log that is synchronised at each commit, a loss of power loses no answered action."""
    with closing(Store(tmp_path / "judged.db")) as store:
        read = {
            name: store._database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")
        }
    assert read == {"journal_mode": "wal", "synchronous": 2}


@pytest.mark.parametrize(("inserted", "is_found"), [(NEAR, True), (NEAR + 1, False)])
def test_a_highlight_is_looked_for_near_its_place(inserted: int, is_found: bool) -> None:
    old = "One two three."
    found = carried(Judged(marks=((4, 7),), checksum="old"), "x" * inserted + old, lambda _: old)

    assert found.marks == (((inserted + 4, inserted + 7),) if is_found else ())
    assert len(found.lost) == (not is_found)


def test_a_highlight_that_occurs_twice_with_an_overlap_is_lost() -> None:
    found = carried(Judged(marks=((4, 6),), checksum="old"), "One aaa.", lambda _: "One aa.")
    assert (found.marks, found.lost[0].quote) == ((), "aa")


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (b"1 0 a --1\n", "judgements.txt:1"),
        (b"1 0 a 1\n1 0 a 0\n", "judgements.txt:2: document 'a' is judged again"),
        (b"1 0 a " + b"9" * 5000 + b"\n", "judgements.txt:1: relevance '99"),
    ],
)
def test_trec_qrels_that_cannot_be_meant_are_refused(ana: Assessor, lines: bytes, reason: str) -> None:
    answer = ana.take(lines)
    assert answer.status_code == 422
    assert reason in answer.json()["detail"]


def test_trec_qrels_of_any_relevance_are_taken_in(ana: Assessor) -> None:
    lines = b"\xef\xbb\xbf1 0 a 99\n1 0 b -1\n1 0 c 000\n"
    assert ana.take(lines).json()["documents"] == 2  # a negative grade says that b is not judged
    assert [len(ana.state(document)["highlights"]) for document in "abc"] == [1, 0, 0]


def test_a_name_with_a_blank_is_not_written_as_trec_qrels(folder: Path) -> None:
    source = folder / "source"
    (source / "my file.xml").write_text((source / "a.xml").read_text("utf-8"), "utf-8")
    foxir.build_index(source, into=folder / "judged.foxir")
    with desk(folder) as ana:
        ana.act("my file", "mark", start=4, end=7)
        answer = ana.web.get("/api/judgements/export", params={"format": "trec"})
        assert answer.status_code == 422
        assert "'my file' contains white space" in answer.json()["detail"]


def test_lines_of_the_log_are_lines(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "foxir.service.json.requests"), client(folder / "judged.foxir") as web:
        web.get("/" + quote("x\n127.0.0.1 GET /forged 200"))
    assert "forged" in caplog.text
    assert all("\n" not in record.getMessage() for record in caplog.records)


def test_characters_that_are_not_text_are_refused(ana: Assessor) -> None:
    assert ana.web.get("/api/search?q=two%00").status_code == 422


def test_a_page_of_answers_is_bounded(ana: Assessor) -> None:
    assert ana.web.get("/api/search", params={"q": "two", "limit": 100}).status_code == 200
    assert ana.web.get("/api/search", params={"q": "two", "limit": 101}).status_code == 422


@pytest.mark.parametrize("base", [None, make_settings(max_query_memory="1G", max_terms=20, max_seconds=2)])
def test_a_request_may_lower_the_bounds_of_a_query_but_not_raise_them(base: Settings | None) -> None:
    def bounds(**given: str) -> tuple[int | None, int | None, float | None]:
        found = search_request({"q": "fog", **given}, max_query=100, max_seconds=5.0, base=base).settings()
        return found.max_terms, found.max_query_memory, found.max_seconds

    allowed = (256, 2 << 30, 5.0) if base is None else (20, 1 << 30, 2.0)
    assert bounds() == allowed
    assert bounds(max_query_memory="64G", max_terms="9999", max_seconds="60") == allowed
    assert bounds(max_query_memory="all", max_terms="all", max_seconds="all") == allowed
    assert bounds(max_query_memory="1M", max_terms="3", max_seconds="0.5") == (3, 1 << 20, 0.5)


def nested(folder: Path) -> Path:
    """Return the folder of an index of one document, in which 60 elements have the same 60,000 characters."""
    (folder / "deep.xml").write_text("<a>" * 60 + "<p>fog lamp sea horn.</p>\n" * 3_000 + "</a>" * 60, "utf-8")
    foxir.build_index(folder / "deep.xml", into=folder / "deep.foxir")
    return folder / "deep.foxir"


def test_the_texts_of_answers_take_no_more_memory_than_a_query_may(tmp_path: Path) -> None:
    asked = "/api/search?q=fog&answers=//a&overlap=keep&text=1"
    with client(nested(tmp_path), settings=make_settings(max_query_memory="16M")) as web:
        few, many = web.get(f"{asked}&limit=5"), web.get(f"{asked}&limit=60")

    assert (few.status_code, len(few.json()["answers"])) == (200, 5)
    assert (many.status_code, many.json()["detail"]) == (413, "it needs more than 16M of memory: ask for less.")


def test_checksums_of_texts_are_computed_within_the_time_of_a_request(tmp_path: Path) -> None:
    with client(nested(tmp_path)) as web:
        snapshot = web.app.state.service.indexes.snapshot("")
        view = view_of(snapshot, "deep")
        result = run_search(snapshot, SearchRequest("fog"))
        link = {"path": "/a[1]", "checksum": "0" * 16}
        assert destination(view, link).notice == CHANGED
        assert checksums_of_answers(snapshot.reader, result.answers)
        with limited(None, 1e-9), pytest.raises(foxir.QueryTimeError):
            destination(view, link)
        with limited(None, 1e-9), pytest.raises(foxir.QueryTimeError):  # not 404
            destination(view, {"path": "/a[1]"})
        with limited(None, 1e-9), pytest.raises(foxir.QueryTimeError):
            checksums_of_answers(snapshot.reader, result.answers)


def test_a_text_that_has_moved_is_looked_for_in_the_shorter_elements_of_a_deep_document(tmp_path: Path) -> None:
    text = "<sec><p>fog</p></sec><sec>" + "<p>a lamp at sea</p>" * 20_000 + "</sec>"
    (tmp_path / "deep.xml").write_text("<sec><p>sea</p>" * 900 + text + "</sec>" * 900, "utf-8")
    foxir.build_index(tmp_path / "deep.xml", into=tmp_path / "deep.foxir")
    with client(tmp_path / "deep.foxir") as web:
        view = view_of(web.app.state.service.indexes.snapshot(""), "deep")
        moved = [
            destination(view, {"path": "/gone[1]", "checksum": checksum_of(looked_for)}).notice
            for looked_for in ("fog", view.text)
        ]
    assert moved == [MOVED, GONE]
