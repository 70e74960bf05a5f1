"""Judgements as the JSON interface returns and takes them."""

from __future__ import annotations

from dataclasses import dataclass

from foxir.service.judging.judged import Highlight, Judged


@dataclass(frozen=True)
class JudgedDocument:
    """What an assessor has judged in a document.

    lost: highlights of an earlier text that were not found again; lost_entry_point: the same of the best entry point,
    with the text after it. moved: highlights, and a best entry point outside them, that are at another
    place now.
    version: to be sent with the next action. checksum: SHA-256 of the text that the highlights are in.
    """

    topic: str
    assessor: str
    document: str
    highlights: list[Highlight]
    best_entry_point: int | None
    note: str
    done: bool
    nothing_relevant: bool
    lost: list[Highlight]
    lost_entry_point: Highlight | None
    moved: int
    checksum: str
    version: str
    can_undo: bool
    can_redo: bool


@dataclass(frozen=True)
class JudgingAction:
    """An action of an assessor.

    kind: mark and erase (start, end), change (also old_start, old_end), entry (offset), note (text), nothing, done,
    reopen, forget (what was lost), undo, redo. version: of the judgements that were seen; without it, of any. checksum:
    of the text that was seen, as in the judgements; without it, the present text is meant.
    """

    topic: str
    document: str
    kind: str
    start: int | None = None
    end: int | None = None
    old_start: int | None = None
    old_end: int | None = None
    offset: int | None = None
    text: str | None = None
    version: str | None = None
    checksum: str | None = None


@dataclass(frozen=True)
class TopicToJudge:
    """A topic, how many documents are to be judged, and how many the assessor has judged."""

    id: str
    title: str
    castitle: str
    description: str
    narrative: str
    documents: int
    judged: int


@dataclass(frozen=True)
class SessionState:
    """Who asks, and the token that requests which change something send as X-Form-Token."""

    name: str
    form_token: str
    assessors: list[str]


@dataclass(frozen=True)
class SessionName:
    """The name under which an assessor judges, on a service without tokens."""

    name: str


@dataclass(frozen=True)
class Imported:
    """How many judged documents were taken in, what was left out, and which lines of the file are doubtful."""

    documents: int
    skipped: list[str]
    notices: list[str]


def judged_document(topic: str, assessor: str, document: str, found: Judged, text: str) -> JudgedDocument:
    """Return judgements with the quotes of their highlights."""
    return JudgedDocument(
        topic=topic,
        assessor=assessor,
        document=document,
        highlights=[Highlight(start, end, text[start:end]) for start, end in found.marks],
        best_entry_point=found.entry,
        note=found.note,
        done=found.is_done,
        nothing_relevant=found.is_irrelevant,
        lost=list(found.lost),
        lost_entry_point=found.lost_entry,
        moved=found.n_moved,
        checksum=found.checksum,
        version=found.version,
        can_undo=found.can_undo,
        can_redo=found.can_redo,
    )
