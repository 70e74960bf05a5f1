"""The work of one worker process: a batch of files in, one part on disk out."""

from __future__ import annotations

import hashlib
import multiprocessing.connection
import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from engine.collection.entities import Entities
from engine.collection.flat_documents import flatten
from engine.collection.limits import Limits
from engine.collection.profile import Profile
from engine.collection.sources import DocumentEntry, Skipped
from engine.collection.xml_reader import DEFAULT_ENTITIES, read_markup
from engine.errors import CollectionError
from engine.index.index_part import Part
from engine.index.inversion import DocumentFacts, invert
from engine.index.write_lock import leave_locks_to_parent
from engine.text.analyser import Analyser

# Bytes of XML per batch, which bounds the memory of a worker; results do not depend on it.
BATCH_BYTES = 8 * 2**20


@dataclass(frozen=True)
class ParseRules:
    """How documents are read; the same for the whole index."""

    analyser: Analyser
    profile: Profile
    limits: Limits
    entities: Entities = DEFAULT_ENTITIES


class BatchResult(NamedTuple):
    """The result of a batch: the folder of its part, None if no document could be read; counts; skipped documents.

    kept_entities: how many references to undefined entities are kept as text, by name; None for none.
    """

    folder: Path | None
    n_documents: int
    n_bytes: int
    skipped: list[Skipped]
    kept_entities: dict[str, int] | None = None


def content_digest(raw: bytes) -> bytes:
    """Return the digest of a document's bytes; a document with a new time but an equal digest has not changed."""
    return hashlib.blake2b(raw, digest_size=16).digest()


def initialise_worker() -> None:
    """Initialise a worker process: it ends with its parent and holds no lock."""
    leave_locks_to_parent()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # the parent reports the interrupt
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Defer interrupts (SIGINT) to the end of the context, so that none hits a worker before it is initialised."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def process_batch(entries: Sequence[DocumentEntry], rules: ParseRules, folder: Path) -> BatchResult:
    """Read a batch, write its part to a folder, and return the result."""
    part, result = parse_batch(entries, rules)
    if part is None:
        return result
    part.save(folder)
    return result._replace(folder=folder, n_documents=len(part.ids))


def parse_batch(entries: Sequence[DocumentEntry], rules: ParseRules) -> tuple[Part | None, BatchResult]:
    """Return the part of a batch, None if no document could be read, and the result but for its folder."""
    kept: Counter[str] = Counter()
    skipped: list[Skipped] = []
    markups: list[bytes] = []
    facts: list[DocumentFacts] = []
    profiles: dict[Profile, int] = {}
    sources: dict[str, int] = {}
    n_bytes = 0
    for entry in entries:
        try:
            raw = entry.read(rules.limits.max_file_bytes)
            n_bytes += len(raw)
            markup = read_markup(raw, entry.name, rules.limits, rules.entities)
        except CollectionError as error:
            skipped.append(skipped_because(entry, error))
            continue
        profile = rules.profile.for_document(markup.root_name, markup.namespace, markup.children)
        profile_number = profiles.setdefault(profile, len(profiles))
        source_number = sources.setdefault(entry.source, len(sources))
        kept.update(markup.kept_entities)
        markups.append(markup.text)
        facts.append(DocumentFacts(entry.document_id, content_digest(raw), entry.size, source_number, profile_number))
    result = BatchResult(None, 0, n_bytes, skipped, dict(kept) or None)
    if not markups:
        return None, result
    flat = flatten(markups, list(profiles), [fact.profile for fact in facts], rules.analyser)
    return invert(flat, facts, list(sources), [profile.name for profile in profiles]), result


def skipped_because(entry: DocumentEntry, error: CollectionError) -> Skipped:
    """Return the report entry of a document that could not be read, from a message `file:line: reason`."""
    message = str(error).removeprefix(entry.name).lstrip(":")
    line, colon, reason = message.partition(":")
    if colon and line.strip().isdigit():
        return Skipped(entry.name, int(line), reason.strip())
    return Skipped(entry.name, 0, message.strip())
