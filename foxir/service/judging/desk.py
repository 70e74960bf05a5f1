"""The desk of assessors: topics, pools and judgements, joined with the index."""

from __future__ import annotations

import hashlib
import random
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import foxir
from engine.errors import ArgumentError
from engine.query_limits import check_time
from foxir.service.http.problems import ProblemError, not_found
from foxir.service.indexes import Snapshot
from foxir.service.judging.judged import Assignment, Judged, Steps, carried, checked_body, checksum_of, judged
from foxir.service.judging.store import ConflictError, Store, StoreError
from foxir.service.options import ServiceOptions

ORDERS = ("rank", "random")


@dataclass(frozen=True)
class QueueEntry:
    """A document to judge; rank: its best rank in the pool, None for one that was judged without being in it."""

    document: str
    rank: int | None
    found: Judged


@dataclass(frozen=True)
class Seen:
    """The version of the judgements and the checksum of the text that an assessor saw; None for any."""

    version: str | None = None
    checksum: str | None = None


class Desk:
    """Topics and judgements of one service."""

    def __init__(self, options: ServiceOptions, file: Path, topics: Path) -> None:
        self.topics = foxir.read_topics(topics)
        self.runs = [foxir.read_run(run) for run in options.pool]
        names = [run.run_id for run in self.runs]
        for name in names:
            if names.count(name) > 1:
                raise ArgumentError(f"two runs of the pool are named {name!r}: give one of them another id.")
        self._depth = options.pool_depth
        self._pool = foxir.pool(self.runs, self._depth).topics if self.runs else {}
        self._found: dict[tuple[str, str], tuple[str, ...]] = {}
        self._checksums: tuple[str, dict[str, str | None]] = "", {}  # by document, of one generation
        self._lock = threading.Lock()
        try:
            self.store = Store(file)
        except StoreError as error:
            raise ArgumentError(str(error)) from None

    def topic(self, topic_id: str) -> foxir.Topic:
        """Return a topic; raises ProblemError 404."""
        try:
            return self.topics[topic_id]
        except foxir.TopicError as error:
            raise not_found(error) from None

    def pooled(self, snapshot: Snapshot, topic: foxir.Topic) -> tuple[str, ...]:
        """Return the documents to judge, best first: from the runs, or from a search where there are none."""
        if self._pool:
            places = self._pool.get(topic.topic_id, ())
            return tuple(dict.fromkeys(place.document for place in places))
        key = (topic.topic_id, snapshot.tag)
        with self._lock:
            known = self._found.get(key)
        if known is None:
            try:
                answers = snapshot.index.search(topic.title or topic.castitle, max_articles=self._depth)
                known = tuple(dict.fromkeys(answers.documents))[: self._depth]
            except foxir.FoxirError:
                known = ()
            with self._lock:
                self._found[key] = known
        return known

    def retrieved(self, topic: foxir.Topic, document: str) -> list[str]:
        """Return the paths of the elements of a document that runs have for a topic."""
        found: list[str] = []
        for run in self.runs:
            if ranking := run.rankings.get(topic.topic_id):
                results = zip(ranking.documents, ranking.paths, strict=True)
                found += [path for name, path in results if path is not None and name == document]
        return found

    def queue(self, snapshot: Snapshot, topic: foxir.Topic, assessor: str, order: str = "rank") -> list[QueueEntry]:
        """Return the documents of a topic with what the assessor has judged; random orders differ by assessor."""
        pooled = self.pooled(snapshot, topic)
        ranks = {document: rank for rank, document in enumerate(pooled, 1)}
        begun = {each.document: each for each in self.store.assignments(topic.topic_id, assessor)}
        documents = [*pooled, *(document for document in begun if document not in ranks)]
        if order == "random":
            seed = hashlib.sha256(f"{topic.topic_id}\0{assessor}".encode()).digest()
            random.Random(seed).shuffle(documents)
        return [
            QueueEntry(
                document, ranks.get(document), self.state(snapshot, begun[document]) if document in begun else Judged()
            )
            for document in documents
        ]

    def state(self, snapshot: Snapshot, assignment: Assignment) -> Judged:
        """Return the judgements on the document's present text; on its last text where it is not in the index."""
        found = judged(self.store.actions(assignment))
        if found.checksum and found.checksum == self._checksum(snapshot, assignment.document):
            return found
        text = text_in(snapshot, assignment.document)
        return found if text is None else carried(found, text, self.store.text)

    def text(self, snapshot: Snapshot, document: str, found: Judged) -> str:
        """Return the text that judgements are on: the present one, or the last one of a document that vanished."""
        text = text_in(snapshot, document)
        if text is not None:
            return text
        return self.store.text(found.checksum) if found.checksum else ""

    def _checksum(self, snapshot: Snapshot, document: str) -> str | None:
        """Return the checksum of a document's present text, computed once in a generation; None for an unknown one."""
        with self._lock:
            tag, known = self._checksums
            if tag != snapshot.tag:
                known = {}
                self._checksums = snapshot.tag, known
        if document not in known:
            text = text_in(snapshot, document)
            known[document] = None if text is None else checksum_of(text)
        return known[document]

    def act(self, snapshot: Snapshot, assignment: Assignment, kind: str, body: Mapping[str, Any], seen: Seen) -> Judged:
        """Carry out an action, and return the judgements after it; when this returns, it is on disk.

        Raises: ProblemError 404 for an unknown topic or document, 409 where the judgements or the text were changed
            meanwhile (a note is about no place in the text), 422 for a wrong action.
        """
        self.topic(assignment.topic)
        text = text_in(snapshot, assignment.document)
        if text is None:
            raise not_found(f"document {assignment.document!r} is not in the index.")
        if kind != "note" and seen.checksum not in (None, self._checksum(snapshot, assignment.document)):
            raise ProblemError(409, "the document has changed meanwhile: load the page again.", "conflict")
        checked = checked_body(kind, body, len(text))
        try:
            if kind == "undo":
                self.store.undo(assignment, seen.version)
            elif kind == "redo":
                self.store.redo(assignment, seen.version)
            else:
                self._add(assignment, text, (kind, checked), seen.version)
        except ConflictError:
            raise ProblemError(
                409, "these judgements were changed in another window: load the page again.", "conflict"
            ) from None
        return self.state(snapshot, assignment)

    def _add(self, assignment: Assignment, text: str, step: tuple[str, Mapping[str, Any]], version: str | None) -> None:
        """Append an action, after one that moves judgements of an earlier text to the current one.

        Raises: ConflictError where the judgements are of another version than that given.
        """
        while True:
            before = judged(self.store.actions(assignment))
            steps: Steps = [step]
            if before.checksum and before.checksum != checksum_of(text):
                steps.insert(0, ("carry", carry_body(carried(before, text, self.store.text))))
            try:
                self.store.add(assignment, text, steps, before.version if version is None else version)
            except ConflictError:
                if version is not None:
                    raise
            else:  # another process was no faster
                return

    def assessors(self, topic: str | None = None) -> list[str]:
        """Return the names of those who have judged something."""
        return sorted({assignment.assessor for assignment in self.store.assignments(topic)})

    def all_judged(
        self, snapshot: Snapshot, assessor: str, topics: Sequence[str] | None = None
    ) -> dict[str, dict[str, Judged]]:
        """Return topic -> document -> judgements of an assessor, where there are any."""
        found: dict[str, dict[str, Judged]] = {}
        for assignment, state in self.all_begun(snapshot, assessor, topics):
            if state.is_judged:
                found.setdefault(assignment.topic, {})[assignment.document] = state
        return found

    def all_begun(
        self, snapshot: Snapshot, assessor: str, topics: Sequence[str] | None = None
    ) -> Iterator[tuple[Assignment, Judged]]:
        """Yield all that an assessor has begun to judge, also what does not count as judged."""
        for assignment in self.store.assignments(None, assessor):
            check_time()
            if topics is None or assignment.topic in topics:
                yield assignment, self.state(snapshot, assignment)

    def close(self) -> None:
        """Close the database."""
        self.store.close()


def carry_body(found: Judged) -> dict[str, Any]:
    """Return the body of an action that takes judgements over to a new text."""
    return {
        "marks": [list(mark) for mark in found.marks],
        "entry": found.entry,
        "lost": [[each.start, each.end, each.quote] for each in found.lost],
        "lost_entry": astuple(found.lost_entry) if found.lost_entry else None,
    }


def text_in(snapshot: Snapshot, document: str) -> str | None:
    """Return the text of a document, None for an unknown one."""
    number = snapshot.reader.number(document)
    return None if number is None else snapshot.reader.text(number)
