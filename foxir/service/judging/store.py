"""The database of judgements: actions of assessors, in SQLite, each on disk before it is confirmed.

Nothing is overwritten: an action is added, or marked as undone. What an assessor has judged is the sum of the actions
that are not undone (`judged.py`). The text of each judged document is stored with its SHA-256, so that highlights can
be found again where a document has changed.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from engine.query_limits import check_time
from engine.system.files import not_a_folder
from foxir.service.judging.judged import (
    DONE,
    DROPPED,
    UNDONE,
    Action,
    Assignment,
    Steps,
    checksum_of,
    last_carry,
    version_of,
)

APPLICATION = 0x464F5849  # FOXI
FORMAT = 1
SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;
CREATE TABLE text (checksum TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT;
CREATE TABLE action (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    topic TEXT NOT NULL,
    assessor TEXT NOT NULL,
    document TEXT NOT NULL,
    checksum TEXT NOT NULL REFERENCES text (checksum),
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    at TEXT NOT NULL,
    state INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX action_of ON action (topic, assessor, document, number);
"""
# Seconds to wait while another process writes, which takes it milliseconds; searches wait for their turn meanwhile.
BUSY = 2.0


class StoreError(Exception):
    """The file is not a database of judgements, or cannot be read or written."""


class ConflictError(Exception):
    """The judgements were changed since they were read."""


class Store:
    """An open database; safe to use from several threads and processes."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._lock = threading.Lock()
        try:
            self._database = sqlite3.connect(file, isolation_level=None, check_same_thread=False, timeout=BUSY)
            try:
                self._prepare()
                self._inode = _inode_of(file)
            except BaseException:
                self._database.close()
                raise
        except sqlite3.Error as error:
            reason = not_a_folder(file.parent) or error
            raise StoreError(f"{file}: judgements cannot be stored there: {reason}. Name another file.") from None

    def _prepare(self) -> None:
        database = self._database
        database.execute("BEGIN")  # another process may be making it: all of that is seen, or none
        application, version = (
            database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        database.execute("COMMIT")
        if application == APPLICATION and version > FORMAT:
            raise StoreError(
                f"{self.file}: judgements of format {version}, which a newer foxir has written; this one reads formats "
                f"up to {FORMAT}: install that version, or name another file."
            )
        if (application, version) != (APPLICATION, FORMAT) and (application or version or tables):
            raise StoreError(
                f"{self.file}: found another database, expected judgements of foxir serve: name another file."
            )
        self._write_ahead()
        database.execute("PRAGMA synchronous = FULL")
        database.execute("PRAGMA foreign_keys = ON")
        if version == 0:
            with self._writing():
                if not database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:  # another was no faster
                    for statement in SCHEMA.split(";"):
                        database.execute(statement)
                    database.execute("INSERT INTO meta VALUES ('secret', ?)", (secrets.token_bytes(32),))
                    database.execute(f"PRAGMA application_id = {APPLICATION}")
                    database.execute(f"PRAGMA user_version = {FORMAT}")

    def _write_ahead(self) -> None:
        """Have changes written into a log; SQLite itself does not wait for others that have this done just now."""
        until = time.monotonic() + BUSY
        while True:
            try:
                self._database.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
                time.sleep(0.01)
            else:
                return

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Hold a transaction, which is on disk at the end, or has not happened."""
        try:
            self._database.execute("BEGIN IMMEDIATE")
            yield self._database
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:  # a full disk has ended it
                self._database.execute("ROLLBACK")
            raise

    @contextmanager
    def _held(self, done: str = "read") -> Iterator[sqlite3.Connection]:
        """Hold the database against other threads.

        Raises: StoreError for what SQLite cannot do, and where the file is not the one that was opened any more:
            what is written to that is lost.
        """
        try:
            with self._lock:
                if _inode_of(self.file) != self._inode:
                    raise StoreError(
                        f"{self.file}: it was removed, or another file put in its place; restart the service."
                    )
                yield self._database
        except (sqlite3.Error, zlib.error, json.JSONDecodeError) as error:
            raise StoreError(f"the judgements cannot be {done} now: {error}.") from error

    def secret(self) -> bytes:
        """Return the key that signs cookies of this database's assessors."""
        with self._held() as database:
            value: bytes = database.execute("SELECT value FROM meta WHERE name = 'secret'").fetchone()[0]
        return value

    def actions(self, assignment: Assignment) -> list[Action]:
        """Return the actions of an assessor on a document, the undone ones included, in their order."""
        with self._held():
            return self._actions(assignment)

    def _actions(self, assignment: Assignment) -> list[Action]:
        rows = self._database.execute(
            "SELECT number, kind, checksum, body, state FROM action "
            "WHERE topic = ? AND assessor = ? AND document = ? ORDER BY number",
            assignment,
        )
        return [Action(number, kind, checksum, json.loads(body), state) for number, kind, checksum, body, state in rows]

    def add(self, assignment: Assignment, text: str, actions: Steps, version: str | None = None) -> None:
        """Add actions on a text, all or none; when this returns they are on disk.

        Args:
            version: of the judgements that the assessor saw (`version_of`); None for any.

        Raises: ConflictError where they were changed since.
        """
        with self._held("saved"), self._writing():
            self._check(assignment, version)
            self._add(assignment, text, actions)

    def add_all(self, several: Iterable[tuple[Assignment, str, Steps]]) -> None:
        """Add actions on several texts, all or none, whatever was judged meanwhile; none where time is over."""
        with self._held("saved"), self._writing():
            for assignment, text, actions in several:
                check_time()
                self._add(assignment, text, actions)

    def _add(self, assignment: Assignment, text: str, actions: Steps) -> None:
        checksum, database = checksum_of(text), self._database
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        if database.execute("SELECT 1 FROM text WHERE checksum = ?", (checksum,)).fetchone() is None:
            content = zlib.compress(text.encode("utf-8", "surrogatepass"))
            database.execute("INSERT INTO text VALUES (?, ?)", (checksum, content))
        database.execute(
            "UPDATE action SET state = ? WHERE topic = ? AND assessor = ? AND document = ? AND state = ?",
            (DROPPED, *assignment, UNDONE),
        )
        database.executemany(
            "INSERT INTO action (topic, assessor, document, checksum, kind, body, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(*assignment, checksum, kind, json.dumps(body), now) for kind, body in actions],
        )

    def undo(self, assignment: Assignment, version: str | None = None) -> bool:
        """Undo the last action on the present text, and return whether there was one."""
        return self._move(assignment, version, "state = 0 AND number > ?4 ORDER BY number DESC", UNDONE)

    def redo(self, assignment: Assignment, version: str | None = None) -> bool:
        """Redo the action undone last, and return whether there was one."""
        return self._move(assignment, version, "state = 1 AND number > ?4 ORDER BY number", DONE)

    def _move(self, assignment: Assignment, version: str | None, chosen: str, state: int) -> bool:
        with self._held("saved"), self._writing() as database:
            self._check(assignment, version)
            found = database.execute(
                f"SELECT number FROM action WHERE topic = ?1 AND assessor = ?2 AND document = ?3 AND {chosen} LIMIT 1",
                (*assignment, last_carry(self._actions(assignment))),
            ).fetchone()
            if found is None:
                return False
            database.execute("UPDATE action SET state = ? WHERE number = ?", (state, found[0]))
            return True

    def _check(self, assignment: Assignment, version: str | None) -> None:
        if version is not None and version != version_of(self._actions(assignment)):
            raise ConflictError

    def text(self, checksum: str) -> str:
        """Return a text that was judged."""
        with self._held() as database:
            row = database.execute("SELECT content FROM text WHERE checksum = ?", (checksum,)).fetchone()
            return zlib.decompress(row[0]).decode("utf-8", "surrogatepass")

    def assignments(self, topic: str | None = None, assessor: str | None = None) -> list[Assignment]:
        """Return the assignments with an effective action, of a topic, an assessor or all, ascending."""
        with self._held() as database:
            rows = database.execute(
                "SELECT DISTINCT topic, assessor, document FROM action WHERE state = 0 AND (?1 IS NULL OR topic = ?1) "
                "AND (?2 IS NULL OR assessor = ?2) ORDER BY topic, assessor, document",
                (topic, assessor),
            )
            return [Assignment(*row) for row in rows]

    def check(self) -> str:
        """Return "ok" for a database without damage, else what is damaged."""
        with self._held() as database:
            return str(database.execute("PRAGMA integrity_check").fetchone()[0])

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._database.close()


def _inode_of(file: Path) -> tuple[int, int] | None:
    """Return what identifies a file whatever its name; None for none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
