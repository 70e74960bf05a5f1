"""The index reader: columns, postings, elements, texts and statistics of one generation, read-only.

Documents and elements are numbered through all segments. Collection order is the order of document ids by code point.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from sys import getsizeof
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask, Numbers, Rows, ranges
from engine.collection.profiles.profile import Profile
from engine.collection.profiles.profile_files import is_known, profile_named, profile_of_titles
from engine.columns.cache import SizedCache
from engine.columns.checked_folder import reads_columns
from engine.errors import INDEX_AGAIN, IndexFormatError, closed_index
from engine.index.elements.element_store import Elements
from engine.index.elements.found_in_documents import FoundInDocuments
from engine.index.elements.header_rows import HeaderRowStore
from engine.index.elements.headings import (
    NO_FOLLOWING_SCOPES,
    DocumentTitles,
    FollowingScopes,
    Scopes,
    following_scopes,
    with_blocks,
)
from engine.index.elements.table_cells import TableCells, table_cells
from engine.index.fields import MOST_MASKS, FieldValues
from engine.index.generation import current_profile, open_segments
from engine.index.joined import JoinedSegment, current_generation, ids_told_apart
from engine.index.manifest import Manifest
from engine.index.postings.article_postings import ArticlePostings
from engine.index.postings.article_terms import Postings
from engine.index.postings.term_stretches import TermStretches
from engine.index.shard_exchange import ALONE, Exchange
from engine.index.statistics.collection_statistics import CollectionStatistics
from engine.index.statistics.tag_sums import ELEMENTS, FragmentTags, fragment_tags
from engine.index.texts.element_texts import TextReader, WordForms
from engine.text.alternative_terms import EITHER
from engine.text.analyser import analyser_from
from engine.text.function_words import function_words_in
from engine.text.languages import language_codes
from engine.threads import cached_property

if TYPE_CHECKING:
    from engine.index.block_vectors import BlockVectors
    from engine.index.images.image_store import Images

# Least length of the block that answers for a heading before it, in text blocks.
BLOCK_AFTER_HEADING = 0.2
# Titles of documents that are cached, in numbers of eight bytes: 8 MiB; documents whose profiles are.
TITLES, MOST_PROFILES = 2**20, 2**16
# Lengths by which tags of fragments are cached.
MOST_LENGTHS = 2**8
# Misspelt words of which the ones that may have been meant are cached.
MOST_WORDS_MEANT = 2**10


class IndexReader(TextReader):
    """One generation of an index, as `open_reader` returns it."""

    # The connection to the searches over other shards, where this is a reader of one.
    exchange: Exchange = ALONE

    def __init__(self, folder: Path, manifest: Manifest | None = None) -> None:
        """Open the newest generation in a folder, or a given one."""
        self.folder = folder
        while True:
            self.manifest = manifest or current_generation(folder)
            try:
                self.segments = open_segments(folder, self.manifest)
                for segment in self.segments:
                    segment.open_files()
                break
            except IndexFormatError:  # a writer may have replaced this generation and removed its files
                if manifest or current_generation(folder) == self.manifest:
                    raise
        self.profile = current_profile(folder, self.manifest)
        super().__init__(self.segments, Elements(self.segments, self.profile_named))
        # The scopes of headings, by the fewest words of a block: those of all shards where this is one.
        self._following: dict[float, FoundInDocuments[FollowingScopes]] = {}
        self.header_rows = HeaderRowStore(self.elements, self.profile.row_tags, self.profile.table_tags)
        self.stretches = TermStretches(self.elements, self.profile.all_title_tags, self.header_rows)
        self.n_slots = int(self.elements.document_base[-1])  # documents of all segments, deleted ones included
        self.languages = self._languages()
        self.analyser = analyser_from(self.manifest.analyser).with_languages(self.languages)
        self.elements.forms = WordForms(self.segments, self.analyser)
        self._postings = ArticlePostings(self.segments, self.elements, self.live)
        self._accented: SizedCache[str, tuple[str, ...]] = SizedCache(lambda found: 1 + len(found))
        self.words_meant: SizedCache[tuple[str, tuple[str, ...]], str | None] = SizedCache(
            lambda _: 1, MOST_WORDS_MEANT
        )
        self.title_texts: SizedCache[int, str] = SizedCache(getsizeof)  # white space collapsed, by row
        # What elements of each tag are for readers of a text, by profile.
        self.text_kinds: SizedCache[str, NDArray[np.uint8]] = SizedCache(len)
        self._fragment_tags: SizedCache[tuple[float, float], FragmentTags] = SizedCache(lambda _: 1, MOST_LENGTHS)
        self.document_titles: SizedCache[int, DocumentTitles] = SizedCache(
            attrgetter("size"), TITLES, keeps_newest=True
        )
        self._table_cells: SizedCache[int, TableCells] = SizedCache(
            lambda found: 8 + 7 * len(found), TITLES, keeps_newest=True
        )
        self._profiles: dict[int, Profile] = {}
        self.document_masks: SizedCache[Hashable, Mask] = SizedCache(lambda mask: 1 + mask.nbytes // 8, MOST_MASKS)
        self.statistics = CollectionStatistics(
            self.segments,
            self.elements,
            self._postings,
            self.live,
            self.manifest.statistics,
            has_stop_words=bool(self.analyser.stop_words),
        )

    def __repr__(self) -> str:
        manifest = self.__dict__.get("manifest")
        if manifest is None:
            return f"IndexReader('{self.folder}', closed)"
        n_documents = manifest.statistics.documents
        return f"IndexReader('{self.folder}', generation {manifest.generation}, {n_documents:,} documents)"

    def __enter__(self) -> IndexReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def alone(self) -> IndexReader:
        """Return the reader of this shard's documents alone; statistics are those of the whole collection."""
        return self

    def close(self) -> None:
        """Release the memory maps, files and caches; any later use raises ClosedIndexError."""
        self.__dict__ = {"folder": self.folder}  # at once: other threads see all attributes, or a closed reader

    if not TYPE_CHECKING:  # a type checker would take every name for an attribute

        def __getattr__(self, name: str) -> Any:
            """Raise the error of a missing attribute: after `close()` only the folder is left."""
            if "folder" in self.__dict__ and "manifest" not in self.__dict__ and not name.startswith("__"):
                raise closed_index(self.folder)
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def table_cells(self, document: int) -> TableCells:
        """Return the cells of the tables of a document, with the columns and rows that each covers; cached."""

        def found() -> TableCells:
            headers = self.header_rows.of(np.array([document]))
            titles, text = headers.rows[headers.are_titles], partial(self.text, document)
            return table_cells(self.elements, document, self.profile_of(document), titles, text, self.spans_of)

        return self._table_cells.get(document, found)

    @property
    def n_documents(self) -> int:
        """Number of live documents."""
        return self.manifest.statistics.documents

    @property
    def tags(self) -> Sequence[str]:
        """Tags of the elements of live documents, sorted."""
        return self._live_tags

    @cached_property
    def _live_tags(self) -> Sequence[str]:
        tags = self.elements.tags
        if self.live is None:
            return tags
        return [tag for tag, number in zip(tags, self.statistics.tag_sums[ELEMENTS].tolist(), strict=True) if number]

    @cached_property
    def live(self) -> Mask | None:
        """Mask of the documents that are not deleted; None if there is no deleted one."""
        if not any(entry.deleted for entry in self.manifest.segments):
            return None
        entries = zip(self.manifest.segments, self.segments, strict=True)
        return np.concatenate([entry.live(segment.n_documents) for entry, segment in entries])

    @cached_property
    def fields(self) -> FieldValues:
        """The fields of the documents."""
        return FieldValues(self.segments, self.elements.document_base, self.profile.fields)

    @cached_property
    def images(self) -> Images:
        """The images that live documents refer to; none in most collections."""
        from engine.index.images.image_store import Images  # noqa: PLC0415  (few searches have images)

        return Images(self.segments, self.elements.row_base, self.elements.document_base, self.live)

    @cached_property
    def vectors(self) -> BlockVectors:
        """The vectors of blocks of the documents, by which answers are ordered by meaning."""
        from engine.index.block_vectors import BlockVectors  # noqa: PLC0415  (few searches use them)

        return BlockVectors(self.segments, self.elements.word_base)

    def _languages(self) -> set[str]:
        """Return the languages in which the words of live documents are stemmed."""
        found: set[str] = set()
        for segment, entry in zip(self.segments, self.manifest.segments, strict=True):
            numbers = np.arange(len(segment.languages))
            if entry.deleted:
                numbers = np.unique(np.delete(segment.elements.column("language").all(), entry.deleted))
            found.update(*(segment.languages[number].split() for number in numbers.tolist()))
        return found

    @cached_property
    def live_documents(self) -> Numbers:
        """Numbers of the live documents, ascending."""
        return np.arange(self.n_slots) if self.live is None else np.flatnonzero(self.live)

    @cached_property
    def order(self) -> Numbers | None:
        """Rank of each document in collection order; None if documents are numbered in that order."""
        ids = self.ids
        if all(a < b for a, b in pairwise(ids)):
            return None
        order = np.empty(len(ids), np.int64)
        order[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
        return order

    @cached_property
    def ids(self) -> Sequence[str]:
        """Document ids by number, those of deleted documents included."""
        ids = [document for segment in self.segments for document in segment.ids]
        if not self._labels:
            return ids
        return ids_told_apart(ids, self._labels, [True] * len(ids) if self.live is None else self.live.tolist())

    @cached_property
    def _labels(self) -> list[str]:
        """Of several indexes, the name of that of each document; else nothing."""
        labels = [entry.label if isinstance(entry, JoinedSegment) else "" for entry in self.manifest.segments]
        sizes = [segment.n_documents for segment in self.segments]
        return np.repeat(labels, sizes).tolist() if any(labels) else []

    @cached_property
    def other_names(self) -> Sequence[tuple[int, str]]:
        """Of several indexes, names of live documents beside their ids: those in their own, bare or after its name."""
        ids, live = self.ids, self.live
        return [
            (number, name)
            for number, label in enumerate(self._labels)
            if live is None or live[number]
            for own in [self.id_in_index(number)]
            for name in (own, f"{label}/{own}")
            if name != ids[number]
        ]

    @cached_property
    def _with_other_name(self) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = {}
        for number, name in self.other_names:
            found.setdefault(name, []).append(number)
        return found

    def numbers(self, name: str) -> list[int]:
        """Return the live documents of an id; of several indexes, also those with it as another name."""
        number = self.number(name)
        return [*([] if number is None else [number]), *self._with_other_name.get(name, ())]

    @property
    def has_several_indexes(self) -> bool:
        """Whether the segments are those of several indexes."""
        return bool(self._labels)

    def folder_of(self, number: int) -> Path:
        """Return the folder of the index of a document: of several, its own."""
        entry = self.manifest.segments[self.locate(number)[0]]
        return Path(entry.index) if isinstance(entry, JoinedSegment) else self.folder

    def id_in_index(self, number: int) -> str:
        """Return the id of a document in its own index, of which that in several indexes may be made."""
        segment, local = self.locate(number)
        return self.segments[segment].ids[local]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        live = self.live
        return {document: number for number, document in enumerate(self.ids) if live is None or live[number]}

    def number(self, document: str) -> int | None:
        """Return the number of a live document; None for an unknown id."""
        return self._numbers.get(document)

    @cached_property
    def function_words(self) -> frozenset[str]:
        """The function words of the collection's languages, unstemmed."""
        return function_words_in(self.analyser, self.n_documents, self.document_frequencies)

    def profile_named(self, name: str) -> Profile:
        """Return a profile by name; raises IndexFormatError for an unknown one."""
        found = profile_named(self.profile, name)
        if found is None:
            raise IndexFormatError(
                f"{self.folder}: documents were read with an unknown profile, {name!r}: {INDEX_AGAIN}."
            )
        return found

    def profile_of(self, document: int) -> Profile:
        """Return the profile that a document was read with."""
        found = self._profiles.get(document)
        if found is None:
            segment, local = self.locate(document)
            number = int(self.segments[segment].elements.column("profile").slice(local, local + 1)[0])
            found = self.profile_named(self.segments[segment].profiles[number])
            if len(self._profiles) >= MOST_PROFILES:
                self._profiles.clear()
            self._profiles[document] = found
        return found

    def languages_of(self, document: int) -> list[str]:
        """Return the languages in which the words of a document are stemmed."""
        segment, local = self.locate(document)
        number = int(self.segments[segment].elements.column("language").slice(local, local + 1)[0])
        return self.segments[segment].languages[number].split()

    def language_code(self, document: int) -> str | None:
        """Return the code of the one language in which the words of a document are; None for several or an unknown one.

        Of ISO 639, with two letters.
        """
        names = self.languages_of(document)
        codes = language_codes(names[0]) if len(names) == 1 else ()
        return codes[0] if codes else None

    def of_unknown_vocabularies(self, documents: Rows) -> Rows:
        """Return those of some documents (ascending, distinct) whose vocabulary no profile knows."""
        return documents.compress([not is_known(self.profile_of(each)) for each in documents.tolist()])

    def title_tags(self, profile: Profile) -> frozenset[str]:
        """Return the tags of titles in documents of a profile; where it knows none, those of the whole index."""
        return self._with_titles(profile).titles

    def heading_tags(self, profile: Profile) -> tuple[str, ...]:
        """Return the tags of headings in documents of a profile; where it knows no titles, those of the whole index."""
        return self._with_titles(profile).headings

    def label_tags(self, profile: Profile) -> frozenset[str]:
        """Return the tags of labels in documents of a profile; where it knows no titles, those of the whole index."""
        return self._with_titles(profile).labels

    def _with_titles(self, profile: Profile) -> Profile:
        return profile if profile.names_titles else self.profile

    def following_scopes(self, documents: Rows) -> FollowingScopes:
        """Return the scopes of headings with a rank in at least some documents (ascending), and their blocks there."""
        if not self._has_ranked_headings:
            return NO_FOLLOWING_SCOPES
        fewest = BLOCK_AFTER_HEADING * self.statistics.block_words
        if fewest not in self._following:
            self._following[fewest] = FoundInDocuments(self.elements)
        found = self._following[fewest].of(
            documents, lambda asked: with_blocks(self.elements, self._following_scopes(asked), fewest)
        )
        if not len(found.headings) or len(documents) == self.n_slots:
            return found
        borders = self.elements.root(documents), self.elements.document_end(documents)
        first, end = (found.before_blocks.searchsorted(rows) for rows in borders)
        return FollowingScopes(*found[:3], *(column.take(ranges(first, end - first)) for column in found[3:]))

    @cached_property
    def _has_ranked_headings(self) -> bool:
        return any(tag in self.elements.tag_numbers for of_profile in self._ranked_headings[0] for tag in of_profile)

    def _following_scopes(self, documents: Rows) -> Scopes:
        ranked, number = self._ranked_headings
        if len(ranked) == 1:
            return following_scopes(self.elements, ranked[0], documents)
        numbers = number.take(documents)
        found = [
            following_scopes(self.elements, of_some, documents.compress(numbers == each))
            for each, of_some in enumerate(ranked)
        ]
        columns = [np.concatenate(column) for column in zip(*found, strict=True)]
        order = columns[0].argsort()
        return Scopes(*(column.take(order) for column in columns))

    @cached_property
    def _ranked_headings(self) -> tuple[list[tuple[str, ...]], Rows]:
        """The lists of headings with a rank of the index, and the number of the list of each document."""
        known: dict[tuple[str, ...], int] = {}
        of_documents = []
        for segment in self.segments:
            names = [profile_of_titles(self.profile, name).headings for name in segment.profiles]
            numbers = np.array([known.setdefault(each, len(known)) for each in names], np.int64)
            of_documents.append(
                numbers.take(segment.elements.column("profile").all())
                if len(set(names)) > 1
                else np.full(segment.n_documents, numbers[0])
                if names
                else np.empty(0, np.int64)
            )
        number = np.concatenate(of_documents) if of_documents else np.empty(0, np.int64)
        return list(known) or [self.profile.headings], number

    @cached_property
    def names_records(self) -> bool:
        """Whether a profile of the documents names tags of records, or of entries, that there are."""
        return any(
            not (named.records | named.entries).isdisjoint(segment.tags)
            for segment in self.segments
            for named in map(self.profile_named, segment.profiles)
        )

    @cached_property
    def are_records(self) -> Callable[[Rows], Mask]:
        """A function that says which elements have a tag of records in the profile of their document."""
        return self.elements.with_role(lambda name: self.profile_named(name).records, with_roots=True)

    @cached_property
    def are_entries(self) -> Callable[[Rows], Mask]:
        """A function that says which elements have a tag of entries in the profile of their document."""
        return self.elements.with_role(lambda name: self.profile_named(name).entries)

    def fragment_tags(self, shortest: float, longest: float) -> FragmentTags:
        """Return which tags contain fragments, and which are fragments, by lengths of leaves and elements; cached."""
        tags = self.statistics.tags
        return self._fragment_tags.get(
            (shortest, longest), lambda: fragment_tags(self.elements, tags, self.profile, shortest, longest)
        )

    def postings(self, term: str) -> Postings:
        """Return the live documents that contain a term, ascending, and its frequencies; empty for an unknown term."""
        return self._postings.of(term)

    def accented(self, word: str) -> tuple[str, ...]:
        """Return the terms of this index that are a word of a query but for accents; of each alternative in it."""
        return self._accented.get(word, lambda: self._find_accented(word))

    def _find_accented(self, word: str) -> tuple[str, ...]:
        words, stems = word.split(EITHER), self.analyser.alternatives
        found = {term for segment in self.segments for each in words for term in segment.terms.accented(each, stems)}
        return tuple(sorted(found.difference(word.split(EITHER))))

    def document_frequencies(self, terms: Sequence[str]) -> Numbers:
        """Return the number of live documents that contain each term, shape (n_terms,)."""
        return self._postings.document_frequencies(terms)


@reads_columns
def open_reader(folder: str | Path) -> IndexReader:
    """Return the reader of the index in a folder, at its newest generation; of several, with commas between, as one.

    Raises: IndexFormatError if there is no index, or it is damaged or has another format.
    """
    return IndexReader(Path(folder))
