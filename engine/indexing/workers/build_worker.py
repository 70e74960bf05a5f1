"""The work of one worker process: a batch of files in, one part on disk out."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

from engine.collection.entities.entity_declarations import ExternalId
from engine.collection.entities.entity_references import Entities
from engine.collection.limits import Limits
from engine.collection.markup.flat_documents import flatten
from engine.collection.markup.held_text import has_held_text, with_held_text
from engine.collection.markup.splitting import part_id, refusals_of_whole_files, split_markup
from engine.collection.profiles.profile import Profile
from engine.collection.profiles.profile_files import profile_for
from engine.collection.sources.concatenated import FileContents, contents
from engine.collection.sources.document_entry import DocumentEntry, Skipped
from engine.collection.xml_reader import DEFAULT_ENTITIES, read_markup
from engine.errors import CollectionError
from engine.index.texts.text_store import FrameCompressor
from engine.indexing.document_images import DocumentImages, ImageRules
from engine.indexing.index_part import IndexPart
from engine.indexing.workers.document_memory import (
    MOST_PER_BYTE,
    check_distinct_names,
    check_distinct_words,
    check_memory,
    document_memory,
    most_memory,
)
from engine.indexing.workers.inversion import DocumentFacts, invert
from engine.progress import Progress, no_progress
from engine.records import NamedTuple, dataclass
from engine.system.process import release_memory
from engine.text.analyser import Analyser

# Bytes of XML per batch, which bounds the memory of a worker; results do not depend on it.
BATCH_BYTES = 8 * 2**20
# Names of elements that are collected to suggest one for a tag that no file has.
MOST_NAMES = 10_000


@dataclass(frozen=True)
class ParseRules:
    """How documents are read; the same for the whole index. images: None if they are not read."""

    analyser: Analyser
    profile: Profile
    limits: Limits
    entities: Entities = DEFAULT_ENTITIES
    images: ImageRules | None = ImageRules()


class MisreadField(NamedTuple):
    """The documents of a batch in which a field has no value of its type: their number, and the first with its text."""

    n_documents: int
    document: str
    text: str
    expected: str

    def plus(self, other: MisreadField | None) -> MisreadField:
        """Return the documents of both, of which the first by name is shown."""
        if other is None:
            return self
        first = min(self, other, key=lambda each: each.document)
        return first._replace(n_documents=self.n_documents + other.n_documents)


class BatchResult(NamedTuple):
    """The result of a batch: the folders of its parts; counts; skipped documents.

    kept_entities: how many references to undefined entities are kept as text, by name; None for none.
    large: estimated memory, in bytes, of the documents for which it exceeds what the batch may take, by name.
    n_outside: characters of files that are split, in none of their documents.
    is_deferred: whether nothing was read because of a large document; the batch has to be read alone.
    images: counts of `DocumentImages`; None for none.
    n_inclusions, n_web_pages: xi:include elements, and web pages that are no XML.
    n_with_wrong_ids: files in which xml:id repeats a value, or has one that is not a name.
    misread: of each field, documents without a value for one of another type, with the first, see `MisreadField`.
    n_values_left_out: values of fields beyond the most of one document.
    names: local names of the elements of files that are split. dtds: those for which a catalog was asked.
    """

    folders: list[Path]
    n_documents: int
    n_bytes: int
    skipped: list[Skipped]
    kept_entities: dict[str, int] | None = None
    large: dict[str, int] | None = None
    is_deferred: bool = False
    images: dict[str, int] | None = None
    n_outside: int = 0
    n_inclusions: int = 0
    n_web_pages: int = 0
    n_with_wrong_ids: int = 0
    names: frozenset[str] = frozenset()
    dtds: frozenset[ExternalId] = frozenset()
    misread: dict[str, MisreadField] | None = None
    n_values_left_out: int = 0


def process_batch(
    entries: Sequence[DocumentEntry],
    rules: ParseRules,
    folder: Path,
    memory: int,
    *,
    is_alone: bool = True,
    progress: Progress = no_progress,
) -> BatchResult:
    """Read a batch, write its parts to folders that begin with the name of `folder`, and return the result.

    Args:
        memory: bytes that the batch may take. is_alone: whether a document that needs more is read all the same.
        progress: called with the images of a part that have been read.
    """
    folders: list[Path] = []
    batch = _Batch(rules, memory, progress, is_alone=is_alone)
    try:
        with batch.images:
            for part in batch.parts(entries):
                folders.append(folder.with_name(f"{folder.name}-{len(folders):06d}"))
                part.save(folders[-1])
                del part  # else it would stay in memory while the next one is made
                release_memory()
    except _LargeDocumentError:
        for written in folders:
            shutil.rmtree(written)
        return BatchResult([], 0, 0, [], is_deferred=True)
    kept, large = dict(batch.kept_entities) or None, batch.large or None
    skipped, images = batch.skipped + batch.images.refused, dict(batch.images.counts) or None
    counts = batch.n_outside, batch.n_inclusions, batch.n_web_pages, batch.n_with_wrong_ids
    sets = frozenset(batch.names), frozenset(batch.dtds)
    fields = batch.misread or None, batch.n_values_left_out
    return BatchResult(
        folders, batch.n_documents, batch.n_bytes, skipped, kept, large, False, images, *counts, *sets, *fields
    )


class _LargeDocumentError(Exception):
    """A document needs more memory than the batch may take beside others."""


class _Batch:
    """Reads the documents of a batch and inverts them in parts, each as large as the memory allows.

    The texts are compressed through all parts, so nothing that is written depends on where a part ends.
    """

    def __init__(self, rules: ParseRules, memory: int, progress: Progress, *, is_alone: bool) -> None:
        self.n_documents = self.n_bytes = 0
        self.skipped: list[Skipped] = []
        self.kept_entities: Counter[str] = Counter()
        self.large: dict[str, int] = {}
        self.n_outside = self.n_inclusions = self.n_web_pages = self.n_with_wrong_ids = 0
        self.misread: dict[str, MisreadField] = {}
        self.n_values_left_out = 0
        self.names: set[str] = set()
        self.dtds: set[ExternalId] = set()
        self.images = DocumentImages(rules.limits, rules.images or ImageRules(), progress)
        self._rules = rules
        self._memory = memory
        self._is_alone = is_alone
        self._compressor = FrameCompressor()
        self._profiles: dict[Profile, int] = {}
        self._sources: dict[str, int] = {}
        self._markups: list[bytes] = []
        self._facts: list[DocumentFacts] = []
        self._entries: list[DocumentEntry] = []  # of the same documents

    def parts(self, entries: Sequence[DocumentEntry]) -> Iterator[IndexPart]:
        """Yield the parts of the documents, in order."""
        taken = 0  # memory that the documents of the next part take
        for entry in entries:
            for markup, facts in self._read(entry):
                needed = most_memory(markup)
                if self._rules.analyser.splits_camel_case or taken + needed > self._memory:
                    needed = self._needed(entry, markup)
                if self._markups and taken + needed > self._memory:
                    yield self._part(is_last=False)
                    taken = 0
                taken += needed
                self._markups.append(markup)
                self._facts.append(facts)
                self._entries.append(entry)
        if self._markups:
            yield self._part(is_last=True)

    def _read(self, entry: DocumentEntry) -> Iterator[tuple[bytes, DocumentFacts]]:
        """Yield the markup and facts of each document of a file: of one, unless it holds several or is split."""
        try:
            with contents(entry, self._rules.limits.max_file_bytes) as found:
                yield from self._read_documents(entry, found)
        except CollectionError as error:
            self.skipped.append(skipped_because(entry, error))

    def _read_documents(self, entry: DocumentEntry, contained: FileContents) -> Iterator[tuple[bytes, DocumentFacts]]:
        ranges, number, line = contained.ranges, 0, 0
        for place, (begin, end) in enumerate(ranges, 1):
            raw = contained.read(begin, end)
            try:
                with refusals_of_whole_files() if self._rules.profile.split else nullcontext():
                    documents = self._read_document(entry, raw, contained.digest)
            except CollectionError as error:
                found = skipped_because(entry, error)
                if len(ranges) > 1:
                    found = found._replace(line=line + found.line, reason=f"document {place} of it: {found.reason}")
                self.skipped.append(found)
                documents = [] if self._rules.profile.split else [None]
            line += raw.count(b"\n")
            for document in documents:
                number += 1
                if document is not None:
                    markup, facts = document
                    several = len(ranges) > 1 or self._rules.profile.split
                    yield markup, facts._replace(id=part_id(entry.document_id, number)) if several else facts

    def _read_document(
        self, entry: DocumentEntry, raw: bytes, digest: bytes
    ) -> Sequence[tuple[bytes, DocumentFacts] | None]:
        """Return the markup and facts of a document of a file, or of each that it is split into."""
        rules = self._rules
        if MOST_PER_BYTE * len(raw) > self._memory:
            self._needed(entry, raw)
        self.n_bytes += len(raw)
        markup = read_markup(raw, entry.name, rules.limits, rules.entities)
        profile = profile_for(rules.profile, markup.root_name, markup.namespace, markup.children)
        if has_held_text(profile):
            markup = markup._replace(text=with_held_text(markup.text, profile, entry.name, rules.limits))
        check_memory(markup.text, entry.name, rules.limits, splits_camel_case=rules.analyser.splits_camel_case)
        check_distinct_words(markup.text, entry.name, rules.limits, rules.analyser)
        check_distinct_names(markup.text, entry.name, rules.limits)
        profile_number = self._profiles.setdefault(profile, len(self._profiles))
        source_number = self._sources.setdefault(entry.source, len(self._sources))
        self.kept_entities.update(markup.kept_entities)
        self.n_inclusions += markup.n_inclusions
        self.n_with_wrong_ids += markup.has_wrong_ids
        self.dtds.update(markup.dtds)
        self.n_web_pages += markup.is_page
        facts = DocumentFacts(entry.document_id, digest, entry.size, source_number, profile_number)
        if not rules.profile.split:
            return [(markup.text, facts)]
        split = split_markup(markup.text, rules.profile.split, entry.name)
        self.n_outside += split.n_outside
        if len(self.names) < MOST_NAMES:
            self.names |= split.names
        else:
            self.names |= split.names & rules.profile.split
        return [(text, facts) for text in split.markups]

    def _needed(self, entry: DocumentEntry, encoded: bytes) -> int:
        """Return the memory that a document takes; raises _LargeDocumentError if it has to be read alone."""
        is_split = self._rules.analyser.splits_camel_case
        needed = document_memory(encoded, splits_camel_case=is_split)
        if needed > self._memory:
            needed = document_memory(encoded, is_exact=True, splits_camel_case=is_split)
        if needed > self._memory:
            if not self._is_alone:
                raise _LargeDocumentError
            self.large[entry.name] = max(needed, self.large.get(entry.name, 0))
        return needed

    def _part(self, *, is_last: bool) -> IndexPart:
        """Return the part of the documents that have been read since the last one."""
        facts, markups, entries = self._facts, self._markups, self._entries
        self._facts, self._markups, self._entries = [], [], []
        self.n_documents += len(facts)
        flat = flatten(markups, list(self._profiles), [fact.profile for fact in facts], self._rules.analyser)
        del markups
        self.n_values_left_out += flat.fields.n_left_out
        for each in flat.fields.misread:
            found = MisreadField(1, facts[each.document].id, each.text, each.expected)
            self.misread[each.field] = found.plus(self.misread.get(each.field))
        profiles = [profile.name for profile in self._profiles]
        images = self.images.columns(flat.images, flat.first_rows, entries) if self._rules.images else None
        return invert(flat, facts, list(self._sources), profiles, self._compressor, images=images, is_last=is_last)


def skipped_because(entry: DocumentEntry, error: CollectionError) -> Skipped:
    """Return the report entry of a document that could not be read, from a message `file:line: reason`."""
    message = str(error).removeprefix(entry.name).lstrip(":")
    line, colon, reason = message.partition(":")
    if colon and line.strip().isdigit():
        return Skipped(entry.name, int(line), reason.strip())
    return Skipped(entry.name, 0, message.strip())
