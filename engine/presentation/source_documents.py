"""The XML that documents were indexed from, read again from their sources if it has not changed."""

from __future__ import annotations

import os
import re
from contextlib import ExitStack

import numpy as np

from engine.collection.encodings import to_utf_8
from engine.collection.html_reader import page_as_xml
from engine.collection.limits import Limits
from engine.collection.markup.held_text import has_held_text
from engine.collection.markup.source_markup import SourceMarkup
from engine.collection.markup.splitting import file_and_number
from engine.collection.profiles.profile import ATTRIBUTE_TITLE, STYLED_HEADINGS
from engine.collection.sources.concatenated import Ranges, content_digest, document_ranges
from engine.collection.sources.document_entry import ByteRange, DocumentEntry
from engine.collection.sources.file_names import is_gzipped
from engine.collection.sources.patterns import check_is_there, is_exclusion
from engine.collection.sources.source_listing import open_sources
from engine.errors import CollectionError
from engine.index.reader import IndexReader
from engine.threads import cached_property

INK = re.compile(r"\S")
# Tags of elements that the source has not, the first in their parents.
ADDED = (ATTRIBUTE_TITLE, *STYLED_HEADINGS)
# What a document's id may lack of its file's name.
EXTENSIONS = (".xml", "", ".xml.gz", ".gz", ".XML", ".XML.gz")


class SourceDocument:
    """A document as it was indexed, with the file that contains it."""

    def __init__(self, index: IndexReader, number: int, file: str, encoded: bytes, lines_before: int = 0) -> None:
        self.file = file
        self._lines_before = lines_before
        self._index, self._number = index, number
        self._first_row = int(index.elements.root(np.array([number]))[0])
        self._markup = SourceMarkup(encoded)
        if split := index.profile.split:
            _, place = file_and_number(index.id_in_index(number))
            self._markup = self._markup.outermost(split, place) or self._markup
        n_elements = int(index.elements.document_end(np.array([number]))[0]) - self._first_row
        self._has_held_text = has_held_text(index.profile_of(number))
        rows = np.arange(self._first_row, self._first_row + n_elements)
        self._is_added = index.elements.is_tag(ADDED).take(index.elements.tag(rows))
        self._is_whole = len(self._markup) == n_elements - self._is_added.sum()
        if index.profile.split:
            self._check(is_known=False)

    def xml(self, row: int) -> str:
        """Return the markup of an element as it was written; raises CollectionError if its place is not known."""
        element = self._element(row)
        self._check(is_known=self._markup.begins_before_unknown(element))
        return self._markup.xml(element)

    def line(self, row: int) -> int:
        """Return the line on which an element begins, from 1; raises CollectionError if it is not known."""
        element = self._element(row)
        self._check(is_known=self._markup.begins_before_unknown(element))
        return self._lines_before + self._markup.line(element)

    def line_of_text(self, offset: int) -> int:
        """Return the line on which the text from an offset of the document's text on begins, white space apart."""
        self._check(is_known=False)
        starts, stops = self._spans
        text = self._index.text(self._number)
        word = INK.search(text, offset)
        line = self._markup.line_of_text(word.start() if word else offset, text, starts, stops)
        return self._lines_before + line

    def _element(self, row: int) -> int:
        """Return the number of an element in the source; of one that is added to the source, that of its parent."""
        n_added = int(self._is_added[: row - self._first_row + 1].sum())
        return row - self._first_row - n_added

    def _check(self, *, is_known: bool) -> None:
        """Raise CollectionError for a place that is not known although the source is.

        Elements may be in entities, or in markup that is text of the source.
        """
        if not self._is_whole and self._has_held_text:
            raise CollectionError(
                f"{self.file}: some of its elements come from escaped markup, so the places of elements in the "
                "file are unknown."
            )
        if not self._is_whole and not is_known:
            raise CollectionError(
                f"{self.file}: some of its elements come from entities that it does not declare, so the lines in and "
                "after the first of these elements are unknown."
            )

    @cached_property
    def _spans(self) -> tuple[list[int], list[int]]:
        rows = self._first_row + np.flatnonzero(~self._is_added)[: len(self._markup)]
        starts, stops = self._index.spans(self._number, rows).T.tolist()
        return starts, stops


class SourceDocuments:
    """The documents of an index as their sources have them; a context, at whose end unpacked archives are removed."""

    def __init__(self, index: IndexReader) -> None:
        self._index = index
        self._stack = ExitStack()
        self._listed: dict[str, dict[str, DocumentEntry]] = {}
        self._known: dict[int, SourceDocument | CollectionError] = {}
        # The last file: its name and digest, its bytes, the places of several documents in it.
        self._file: tuple[str, bytes] | None = None
        self._raw, self._ranges = b"", Ranges()

    def __enter__(self) -> SourceDocuments:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def document(self, number: int) -> SourceDocument:
        """Return a document as it was indexed.

        Raises: CollectionError if its source is not there any more, or has changed.
        """
        if number not in self._known:
            try:
                self._known[number] = self._read(number)
            except CollectionError as error:
                self._known[number] = error
        found = self._known[number]
        if isinstance(found, CollectionError):
            raise found
        return found

    def _read(self, number: int) -> SourceDocument:
        index = self._index
        place, local = index.locate(number)
        segment = index.segments[place]
        columns = {
            name: segment.elements.column(name).slice(local, local + 1) for name in ("source", "size_bytes", "digest")
        }
        source, document = segment.sources[int(columns["source"][0])], index.id_in_index(number)
        digest, limit = columns["digest"].tobytes(), max(Limits().max_file_bytes, 2 * int(columns["size_bytes"][0]))
        files = [(document, 0)]
        if index.profile.split:
            files = [(file_and_number(document)[0], 0)]
        elif document.rpartition("/")[2].isdecimal():  # or a document of a file with several
            files.append(file_and_number(document))
        entries: list[DocumentEntry] = []
        for file, place in files:
            found = _files_of(source, file)
            if not found and (listed := self._listing(source).get(file)):
                found = [listed]
            for entry in found:
                if self._is_as_indexed(entry, digest, limit, place):
                    return self._found(number, entry, self._raw, place)
            entries += found
        what = (
            f"{_shown(entries[0].name)} has changed since it was indexed"
            if entries
            else f"document '{document}' is not in {source} any more"
        )
        raise CollectionError(f"{what}: 'foxir index {index.folder_of(number)}' brings the index up to date.")

    def _is_as_indexed(self, entry: DocumentEntry, digest: bytes, limit: int, place: int) -> bool:
        """Return whether a file is as it was indexed; it is read once for its documents that are asked for in turn."""
        if (entry.name, digest) != self._file:
            self._file, self._raw, self._ranges = None, entry.read(limit), []
            if content_digest(self._raw) != digest:
                return False
            self._file = entry.name, digest
        if place and not self._ranges:
            self._ranges = document_ranges(self._raw)
        return True

    def _found(self, number: int, entry: DocumentEntry, raw: bytes, place: int) -> SourceDocument:
        """Return a document, given its file and its place among several in it, from 1; 0 for the only one."""
        before = b""
        if place:
            begin, end = self._ranges[place - 1]
            before, raw = raw[:begin], raw[begin:end]
        page = page_as_xml(raw, entry.name, Limits())
        encoded = to_utf_8(raw, entry.name) if page is None else page
        return SourceDocument(self._index, number, _shown(entry.name), encoded, before.count(b"\n"))

    def _listing(self, source: str) -> dict[str, DocumentEntry]:
        """Return the documents of a source that is not a folder, by id."""
        if source not in self._listed:
            check_is_there(source)
            import tempfile  # noqa: PLC0415  (most calls read no archive)

            folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="foxir-"))
            sources = [source, *filter(is_exclusion, self._index.manifest.sources)]
            listing = self._stack.enter_context(open_sources(sources, temporary_folder=folder))
            self._listed[source] = {entry.document_id: entry for entry in listing.entries}
        return self._listed[source]


def _files_of(source: str, document: str) -> list[DocumentEntry]:
    """Return the files of a folder that a document may have been read from; none if the source is not a folder."""
    if not os.path.isdir(source):
        return []
    paths = [os.path.join(source, document + extension) for extension in EXTENSIONS]
    return [
        DocumentEntry(document, path, source, os.stat(path).st_size, 0, ByteRange(path, 0, -1, is_gzipped(path)))
        for path in paths
        if os.path.isfile(path)
    ]


def _shown(name: str) -> str:
    """Return the name of a file as a user would type it: below the working folder, without that."""
    here = os.path.join(os.getcwd(), "")
    return name.removeprefix(here)
