"""The database of judgements: what it refuses, what cannot be saved, several processes."""

from __future__ import annotations

import errno
import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest

from foxir.service.judging.judged import Assignment, Steps, judged
from foxir.service.judging.store import FORMAT, Store, StoreError
from tests.foxir.service.desk import Assessor, desk, spans

# A database of each format, as SQL.
FORMATS = Path(__file__).parents[2] / "fixtures" / "judgement_formats"


def test_another_file_is_no_database_of_judgements(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database at all, but a text that is long enough" * 50, "utf-8")
    with pytest.raises(StoreError, match="judgements cannot be stored there"):
        Store(tmp_path / "text")
    with pytest.raises(StoreError, match="cannot be stored"):
        Store(tmp_path / "none/at/all.db")


@pytest.mark.parametrize("is_replaced", [False, True])
def test_nothing_is_confirmed_in_a_file_that_is_gone(folder: Path, is_replaced: bool) -> None:
    with desk(folder) as ana:
        ana.act("a", "mark", start=0, end=3)
        (folder / "judged.db").rename(folder / "moved.db")
        if is_replaced:
            (folder / "judged.db").write_bytes(b"")
        answer = ana.post(topic="1", document="a", kind="mark", start=4, end=7)
        assert (answer.status_code, "removed, or another file put in its place" in answer.json()["detail"]) == (
            503,
            True,
        )
        (folder / "moved.db").replace(folder / "judged.db")
        assert spans(ana.state("a")) == [(0, 3)]


def test_judgements_of_every_format_so_far_are_read_and_gone_on_with(folder: Path) -> None:
    kept = sorted(FORMATS.glob("format_*.sql"))
    assert [each.stem for each in kept] == [f"format_{number}" for number in range(1, FORMAT + 1)]
    for each in kept:
        file = folder / f"{each.stem}.db"
        with closing(sqlite3.connect(file)) as database:
            database.executescript(each.read_text("utf-8"))
        with desk(folder, judgements=file) as ana:
            assert [spans(ana.state(document)) for document in "abc"] == [[(4, 7)], [], []]
            assert (ana.state("a")["best_entry_point"], ana.state("c")["note"]) == (5, "two cells")
            assert [ana.state(document)["nothing_relevant"] for document in "abc"] == [False, True, False]
            ana.act("c", "mark", start=0, end=3)
            assert spans(ana.state("c")) == [(0, 3)]


def test_judgements_of_a_newer_format_are_left_alone_and_said_to_be_so(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "newer.db")) as database:
        database.executescript(f"PRAGMA application_id = {0x464F5849}; PRAGMA user_version = {FORMAT + 1};")
        database.execute("CREATE TABLE later (number INTEGER)")
    before = (tmp_path / "newer.db").read_bytes()
    with pytest.raises(StoreError, match=f"format {FORMAT + 1}, which a newer foxir has written; this one reads"):
        Store(tmp_path / "newer.db")
    assert (tmp_path / "newer.db").read_bytes() == before


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


def test_a_disk_that_is_full_when_judgements_come_in_is_reported(
    ana: Assessor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr("tempfile.TemporaryDirectory", full)
        refused = ana.take(b"1 0 a 1\n")
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
    assert refused.json()["detail"] == "a file cannot be written or read now: No space left on device."
    assert ana.take(b"1 0 a 1\n").json()["documents"] == 1


def test_an_action_of_any_version_is_added_although_another_process_was_faster(
    ana: Assessor, monkeypatch: pytest.MonkeyPatch
) -> None:
    add, others = Store.add, [(4, 7), (14, 18)]

    def late(store: Store, assignment: Assignment, text: str, steps: Steps, version: str | None = None) -> None:
        if others:
            start, end = others.pop(0)
            add(store, assignment, text, [("mark", {"start": start, "end": end})])
        add(store, assignment, text, steps, version)

    monkeypatch.setattr(Store, "add", late)
    assert spans(ana.act("a", "mark", start=0, end=3)) == [(0, 3), (4, 7), (14, 18)]
    others.append((19, 23))
    refused = ana.post(topic="1", document="a", kind="mark", start=8, end=13, version=ana.state("a")["version"])
    assert refused.status_code == 409


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


def test_several_processes_make_one_database(tmp_path: Path) -> None:
    """As those of `foxir serve --workers` do, at the same moment."""
    secrets = []
    with ThreadPoolExecutor(8) as threads:
        for number in range(60):
            file, together = tmp_path / f"{number}.db", Barrier(8)

            def secret(file: Path = file, together: Barrier = together) -> bytes:
                together.wait(10)
                with closing(Store(file)) as store:
                    return store.secret()

            secrets += [len({each.result() for each in [threads.submit(secret) for _ in range(8)]})]
    assert set(secrets) == {1}


def test_a_damaged_database_is_reported(tmp_path: Path) -> None:
    place = Assignment("1", "ana", "a")
    with closing(Store(tmp_path / "judged.db")) as store:
        store.add(place, "some text", [("mark", {"start": 0, "end": 4})])
        (action,) = store.actions(place)
        with closing(sqlite3.connect(tmp_path / "judged.db")) as database:
            database.executescript("UPDATE action SET body = '{\"start'; UPDATE text SET content = x'789c00'")
        with pytest.raises(StoreError, match="cannot be read now"):
            store.actions(place)
        with pytest.raises(StoreError, match="cannot be read now"):
            store.text(action.checksum)
