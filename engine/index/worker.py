"""What a worker process does: some files in, one part out, spilled to disk."""

from __future__ import annotations

import hashlib
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from engine.analysis import Analyser
from engine.collection.document import flatten
from engine.collection.limits import Limits
from engine.collection.profile import Profile
from engine.collection.reader import read_markup
from engine.collection.sources import Entry, Skipped
from engine.errors import CollectionError
from engine.index.inversion import DocumentFacts, invert
from engine.index.lock import leave_locks_to_parent
from engine.index.part import Part

BATCH_BYTES = 8 * 2**20  # of XML: what a worker holds in memory at a time; results do not depend on it


@dataclass(frozen=True)
class Recipe:
    """How documents are read: the same for all of an index."""

    analyser: Analyser
    profile: Profile
    limits: Limits


class BatchResult(NamedTuple):
    """What became of a batch: the folder of its part (None where nothing could be read), and what was left out."""

    folder: Path | None
    n_documents: int
    n_bytes: int
    skipped: list[Skipped]


def digest_of(raw: bytes) -> bytes:
    """Return the digest by which a changed document is told from one that was only touched."""
    return hashlib.blake2b(raw, digest_size=16).digest()


def begin_worker() -> None:
    """Tie a worker process to the one that started it: it ends when that one does, and keeps no lock."""
    leave_locks_to_parent()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # the one that started it says that it was interrupted
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Let an interrupt wait until the end: a process that is started meanwhile is not met by it half made."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def process_batch(entries: Sequence[Entry], recipe: Recipe, folder: Path) -> BatchResult:
    """Read the documents, spill their part to a folder, and say what was left out."""
    part, skipped, n_bytes = read_part(entries, recipe)
    if part is None:
        return BatchResult(None, 0, n_bytes, skipped)
    part.save(folder)
    return BatchResult(folder, len(part.ids), n_bytes, skipped)


def read_part(entries: Sequence[Entry], recipe: Recipe) -> tuple[Part | None, list[Skipped], int]:
    """Return the part of the documents that could be read (None without any), what was left out, and bytes read."""
    skipped: list[Skipped] = []
    markups: list[bytes] = []
    facts: list[DocumentFacts] = []
    profiles: dict[Profile, int] = {}
    sources: dict[str, int] = {}
    n_bytes = 0
    for entry in entries:
        try:
            raw = entry.read(recipe.limits.max_file_bytes)
            n_bytes += len(raw)
            markup = read_markup(raw, entry.name, recipe.limits)
        except CollectionError as error:
            skipped.append(skipped_because(entry, error))
            continue
        profile = recipe.profile.for_document(markup.root_name, markup.namespace, markup.children)
        profile_number = profiles.setdefault(profile, len(profiles))
        source_number = sources.setdefault(entry.source, len(sources))
        markups.append(markup.text)
        facts.append(DocumentFacts(entry.document, digest_of(raw), entry.size, source_number, profile_number))
    if not markups:
        return None, skipped, n_bytes
    flat = flatten(markups, list(profiles), [fact.profile for fact in facts], recipe.analyser)
    return invert(flat, facts, list(sources), [profile.name for profile in profiles]), skipped, n_bytes


def skipped_because(entry: Entry, error: CollectionError) -> Skipped:
    """Return the report line of a document that could not be read: `file:line: reason` taken apart."""
    message = str(error).removeprefix(entry.name).lstrip(":")
    line, colon, reason = message.partition(":")
    if colon and line.strip().isdigit():
        return Skipped(entry.name, int(line), reason.strip())
    return Skipped(entry.name, 0, message.strip())
