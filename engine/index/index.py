"""An open index: one generation, read-only, its columns memory-mapped.

Documents and elements are numbered through all segments; a document's place in the collection is that of its id among
all ids by code point.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.analysis import analyser_from
from engine.collection.profile import Profile, load_profile, profile_names
from engine.errors import IndexFormatError
from engine.index.codec import Postings
from engine.index.elements import Elements
from engine.index.generation import open_segments, profile_of
from engine.index.manifest import read_manifest, verify_manifest
from engine.index.recent import Recent

if TYPE_CHECKING:
    from engine.answers import Answers
    from engine.collection.report import IngestReport

Numbers = NDArray[np.int64]


class Index:
    """An index as `open_index` returns it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        while True:
            self.manifest = read_manifest(folder)
            try:
                self.segments = open_segments(folder, self.manifest)
                for segment in self.segments:
                    segment.hold()
                break
            except IndexFormatError:  # perhaps a writer published a new generation and swept this one
                if read_manifest(folder).generation == self.manifest.generation:
                    raise
        self.analyser = analyser_from(self.manifest.analyser)
        self.profile = profile_of(self.manifest)
        if self.profile.digest != self.manifest.profile["digest"]:
            raise IndexFormatError(
                f"{folder}: was made with other built-in profiles than this foxir has: index the sources anew into a "
                "new folder."
            )
        self.elements = Elements(self.segments, self.profile_named)
        self.n_slots = int(self.elements.document_base[-1])  # documents of all segments, deleted ones included
        self._postings: Recent[str, Postings] = Recent(lambda found: 2 * len(found.documents) + 1)
        self._leaf_frequencies: dict[str, int] = {}

    @property
    def n_documents(self) -> int:
        """Live documents."""
        return self.manifest.statistics.documents

    @cached_property
    def live(self) -> NDArray[np.bool_] | None:
        """Which documents are live, None when all are."""
        if not any(entry.deleted for entry in self.manifest.segments):
            return None
        live = np.ones(self.n_slots, np.bool_)
        for base, entry in zip(self.elements.document_base.tolist(), self.manifest.segments, strict=False):
            live[base + np.array(entry.deleted, np.int64)] = False
        return live

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """Length of each document in tokens."""
        return self._document_column("length_tokens")

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """W_d of each document."""
        return self._document_column("weight")

    @cached_property
    def order(self) -> Numbers | None:
        """Each document's place in the collection, None when documents are numbered in that order."""
        ids = self.ids
        if all(a < b for a, b in pairwise(ids)):
            return None
        order = np.empty(len(ids), np.int64)
        order[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
        return order

    @cached_property
    def ids(self) -> Sequence[str]:
        """Document ids by number, deleted documents' included."""
        return [document for segment in self.segments for document in segment.ids]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        live = self.live
        return {document: number for number, document in enumerate(self.ids) if live is None or live[number]}

    def number(self, document: str) -> int | None:
        """Return the number of a live document, None when there is none of that id."""
        return self._numbers.get(document)

    def profile_named(self, name: str) -> Profile:
        """Return a profile that documents of the index were read with."""
        if name == self.profile.name:
            return self.profile
        if name not in profile_names():
            raise IndexFormatError(f"{self.folder}: documents were read with the unknown profile {name!r}.")
        return load_profile(name)

    def profile_of(self, document: int) -> Profile:
        """Return the profile a document was read with."""
        segment, own = self.locate(document)
        number = int(self.segments[segment].elements.column("profile").slice(own, own + 1)[0])
        return self.profile_named(self.segments[segment].profiles[number])

    def postings(self, term: str) -> Postings:
        """Return the live documents that hold a term, ascending, and how often; empty for an unknown term."""
        return self._postings.get(term, lambda: self._read_postings(term))

    def _read_postings(self, term: str) -> Postings:
        documents, tfs = [], []
        for base, segment in zip(self.elements.document_base.tolist(), self.segments, strict=False):
            number = segment.terms.term_number(term.encode())
            if number >= 0:
                found = segment.terms.postings(number)
                documents.append(found.documents.astype(np.int64) + base)
                tfs.append(found.tf.astype(np.int64))
        none = np.empty(0, np.int64)
        joined = Postings(np.concatenate([none, *documents]), np.concatenate([none, *tfs]))
        if self.live is None:
            return joined
        stays = self.live[joined.documents]
        return Postings(joined.documents[stays], joined.tf[stays])

    @cached_property
    def n_leaves(self) -> int:
        """Live leaves: elements whose own text holds a term."""
        return self._live_sum([segment.elements.column("leaf_count").all() for segment in self.segments])

    @cached_property
    def n_words(self) -> int:
        """Words of the live documents, stop words included; the terms are `manifest.statistics.tokens`."""
        return self._live_sum([np.diff(segment.words.take(segment.first_row)) for segment in self.segments])

    @cached_property
    def block_words(self) -> float:
        """How many words the text block has in which a word usually stands: the mean over words, of own texts.

        Entries of tables, which are many and short, hardly count in it.
        """
        squares = 0
        for number, segment in enumerate(self.segments):
            own, places, whole = segment.words.steps()
            low = own[places]
            if self.live is not None:
                base = int(self.elements.document_base[number])
                live = self.live[base : base + segment.n_documents]
                is_live = np.repeat(live, np.diff(segment.first_row))
                own, whole, low = own[is_live], whole[is_live[places]], low[is_live[places]]
            texts = np.bincount(own, minlength=256)  # by their number of words
            squares += int((texts * np.arange(256) ** 2).sum() + (whole**2).sum() - (low.astype(np.int64) ** 2).sum())
        return squares / max(self.n_words, 1)

    @cached_property
    def mean_density(self) -> float:
        """Words an element of the live documents."""
        n_elements = self._live_sum([np.diff(segment.first_row) for segment in self.segments])
        return self.n_words / max(n_elements, 1)

    def leaf_frequency(self, term: str) -> int:
        """Return how many live leaves hold a term."""
        known = self._leaf_frequencies.get(term)
        if known is None:
            known = self._leaf_frequencies[term] = self._count_leaves(term)
        return known

    def frequency(self, term: str) -> int:
        """Return how often a term occurs in the live documents."""
        return int(self.postings(term).tf.sum())

    def _count_leaves(self, term: str) -> int:
        if self.live is not None:
            return len(self.elements.occurrences(term, self.postings(term).documents).rows)
        count = 0
        for segment in self.segments:
            number = segment.terms.term_number(term.encode())
            if number >= 0:
                first, end = segment.elements.column("leaves_of_term").slice(number, number + 2).tolist()
                count += end - first
        return count

    def _live_sum(self, columns: Sequence[NDArray[Any]]) -> int:
        values = np.concatenate([np.empty(0, np.int64), *columns])
        return int((values if self.live is None else values[self.live]).sum())

    def locate(self, document: int) -> tuple[int, int]:
        """Return the segment that holds a document, and the document's number in it."""
        segment = int(np.searchsorted(self.elements.document_base, document, side="right")) - 1
        return segment, document - int(self.elements.document_base[segment])

    def text(self, document: int) -> str:
        """Return a document's text."""
        segment, own = self.locate(document)
        return self.segments[segment].texts.text(own)

    def spans(self, document: int, rows: Numbers) -> Numbers:
        """Return start and end offset (code points, end exclusive) of some elements of a document, shape (n, 2)."""
        segment, own = self.locate(document)
        spans = self.segments[segment].texts.spans(own)
        places = rows - self.elements.row_base[segment] - self.segments[segment].first_row[own]
        return np.stack([spans.starts[places], spans.stops[places]], axis=1).astype(np.int64)

    def passages(self, document: int, leaves: Numbers, first: Numbers, last: Numbers) -> Numbers:
        """Return start and end offset (code points, end exclusive) of windows of sentences, shape (n, 2).

        Args:
            leaves: leaves of the document; `first` and `last` (inclusive) are sentences of theirs, counted from 0.
        Raises: ValueError for sentences that a leaf has not.
        """
        from engine.index.passages import passages  # noqa: PLC0415  (that module names this class)

        return passages(self, document, leaves, first, last)

    def search(self, query: str, **settings: Any) -> Answers:
        """Return the ranked answers to a query: words with `+ - "phrases"`, or a path query (NEXI).

        Settings are those of `engine.settings.Settings`, by name; what is not given is the engine's default.
        Raises: QueryError, SettingsError.
        """
        from engine.search import search  # noqa: PLC0415  (search imports this module)
        from engine.settings import Settings  # noqa: PLC0415

        return search(self, query, Settings.from_options(**settings))

    def report(self) -> IngestReport:
        """Return what the last build took in and left out."""
        from engine.collection.report import IngestReport  # noqa: PLC0415  (brings the readers of sources along)

        return IngestReport.load(self.folder)

    def verify(self) -> None:
        """Check every block of every file; raises IndexFormatError at the first that is damaged."""
        from engine.collection.report import IngestReport  # noqa: PLC0415  (brings the readers of sources along)

        verify_manifest(self.folder)
        for segment in self.segments:
            segment.verify()
        IngestReport.verify(self.folder)

    def _document_column(self, name: str) -> NDArray[np.float64]:
        columns = [segment.articles.column(name).all().astype(np.float64) for segment in self.segments]
        return np.concatenate([np.empty(0), *columns])


def open_index(folder: str | Path) -> Index:
    """Return the index in a folder, as its newest generation is now.

    Raises: IndexFormatError when there is none, or one of another format, or a damaged one.
    """
    return Index(Path(folder))
