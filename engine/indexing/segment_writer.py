"""A new segment: parts merged into a folder named after its content.

Its element table (`engine.index.elements.element_table`) is written once its other columns are there: it depends on
the documents and the profile of the index alone, so compaction makes it again.

By a table of contents Whoosh itself opens the articles; foxir never reads it. It is, byte for byte, what
`whoosh.index.TOC` writes of the schema and the segment in `engine/index/whoosh_codec.py`, but without the import of
Whoosh, which takes longer than indexing a small collection. Both are pickles: that of the schema is always the same,
that of the segment contains two numbers.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask, Rows, places_of
from engine.collection.profiles.profile import ATTRIBUTE_TITLE, Profile
from engine.collection.profiles.profile_files import load_profile, profile_named, profile_of_titles
from engine.columns.byte_column import ByteColumnWriter
from engine.columns.folder_writer import FolderWriter
from engine.errors import IndexFormatError
from engine.index.elements.element_store import Elements
from engine.index.elements.element_table import GROUP, HEADER_ROW, HEADING, HEADINGS, INLINE, MOSTLY_TITLES, TITLE
from engine.index.elements.header_rows import HeaderRowStore
from engine.index.elements.headings import (
    LEAD_IN_SIGNS,
    LONGEST_OF_TITLES,
    LONGEST_OPENER,
    LONGEST_TITLE,
    MOST_OF_DOCUMENT,
    MOST_OF_TITLES,
)
from engine.index.segment import DESCRIPTION, Description, Segment
from engine.indexing.index_part import IndexPart
from engine.indexing.part_merging import merge
from engine.records import NamedTuple
from engine.system.held_folder import HeldFolder
from engine.system.platform import sync_folder

if TYPE_CHECKING:
    from engine.indexing.block_encoding import BlockEncoding

# Name of the file.
CONTENTS = "_MAIN_1.toc"
# Bytes of int, long and float, a number that shows the order of bytes, the versions of the format and of Whoosh.
_HEADER = struct.pack(">3B2i3B", 4, 8, 4, -12345, -111, 2, 7, 4)
_SCHEMA = (
    b"\x80\x02cwhoosh.fields\nSchema\nq\x00)\x81q\x01}q\x02(X\x07\x00\x00\x00_fieldsq\x03}q\x04(X\x08\x00\x00\x00documentq"
    b"\x05cwhoosh.fields\nID\nq\x06)\x81q\x07}q\x08(X\x08\x00\x00\x00analyzerq\tcwhoosh.analysis.tokenizers\nIDTokenizer"
    b"\nq\n)\x81q\x0bX\x06\x00\x00\x00formatq\x0ccwhoosh.formats\nExistence\nq\r)\x81q\x0e}q\x0f(X\x0b\x00\x00\x00field_"
    b"boostq\x10G?\xf0\x00\x00\x00\x00\x00\x00X\x07\x00\x00\x00optionsq\x11}q\x12ubX\x06\x00\x00\x00storedq\x13\x88X\x06"
    b"\x00\x00\x00uniqueq\x14\x89X\x0b\x00\x00\x00column_typeq\x15NubX\x04\x00\x00\x00textq\x16cfoxir.engine.index.whoosh_"
    b"codec\nArrayField\nq\x17)\x81q\x18uX\n\x00\x00\x00_subfieldsq\x19}q\x1a(h\x05]q\x1bh\x05ah\x16]q\x1ch\x16auX\x0b\x00\x00"
    b"\x00_dyn_fieldsq\x1d}q\x1eub."
)
_SEGMENT = (
    b"]\x94\x8c\x1ffoxir.engine.index.whoosh_codec\x94\x8c\x0cArraySegment\x94\x93\x94)\x81\x94}\x94(\x8c\tindexname\x94\x8c\x04"
    b"MAIN\x94\x8c\x05segid\x94\x8c\x010\x94\x8c\x08compound\x94\x89\x8c\x0bn_documents\x94%b\x8c\x08n_tokens\x94%buba."
)


def whoosh_contents(n_documents: int, n_tokens: int) -> bytes:
    """Return the content of the file, for a segment with so many articles and words."""
    segment = _SEGMENT % (_pickled(n_documents), _pickled(n_tokens))
    schema = struct.pack(">2B", 0x80 | len(_SCHEMA) & 0x7F, len(_SCHEMA) >> 7) + _SCHEMA
    generation = struct.pack(">2i", 1, 0)
    return b"".join([_HEADER, schema, generation, b"\x80\x05\x95", struct.pack("<q", len(segment)), segment])


def _pickled(number: int) -> bytes:
    """Return a number as part of a pickle."""
    return pickle.dumps(number, 2)[2:-1]


# Words of what a caption or a lead-in is of, at most, unless it is a table: more would be no answer in their place.
LONGEST_OPENED = 300
# Elements that are read at a time, at least one document.
READ_AT_A_TIME = 2**18
NO_ROW = np.iinfo(np.int64).max  # after every row


class Titles(NamedTuple):
    """Titles in no other title, ascending; no roots, no inline elements; columns of shape (n + 1,).

    rows: the titles, and NO_ROW. ends_before: one past the last row of the subtree of the title before each; 0 before
    the first. words_before: the number of words in the titles before each.
    """

    rows: Rows
    ends_before: Rows
    words_before: Rows

    def fill(self, rows: Rows, ends: Rows, words: Rows, most: float) -> Mask:
        """Return which elements are a title, lie in one, or have more than the share `most` of their words in titles.

        Args:
            rows, ends: elements, and one past the last row of the subtree of each; words: those of the subtree.
        """
        first = self.rows.searchsorted(rows)
        following = self.rows.take(first)
        found: Mask = (self.ends_before.take(first) > rows) | (following == rows)
        around = places_of(~found & (following < ends))
        last = self.rows.searchsorted(ends.take(around))
        of_titles = self.words_before.take(last) - self.words_before.take(first.take(around))
        found[around] = of_titles > most * words.take(around)
        return found


def write_element_table(segment: Segment, profile: Profile, writer: FolderWriter) -> Elements:
    """Write the columns of the table of a segment, of which `writer` has written those of its elements; return these.

    Args:
        profile: of the index.
    """
    words = ByteColumnWriter(writer, "subtree_words", segment.n_elements)
    for documents in _portions(segment):
        first, end = int(segment.first_row[documents[0]]), int(segment.first_row[documents[-1] + 1])
        numbers = segment.words.slice(first, end + 1)
        words.append(numbers.take(np.arange(end - first) + segment.extents.slice(first, end)) - numbers[:-1])
    words.finish()
    kinds = writer.start_column("kind", np.dtype(np.uint8), (segment.n_elements,))
    elements = Elements([segment], lambda name: profile_named(profile, name) or load_profile(name))
    names = frozenset[str]().union(*(profile_of_titles(profile, name).title_text_tags for name in segment.profiles))
    of_titles = sorted(elements.tag_numbers[tag] for tag in names if tag in elements.tag_numbers)
    are_titles = elements.with_role(lambda name: profile_of_titles(profile, name).title_text_tags)
    header_rows = HeaderRowStore(elements, profile.row_tags, profile.table_tags)
    are_headings = elements.with_role(lambda name: profile_of_titles(profile, name).title_and_heading_tags)
    are_labels = elements.with_role(lambda name: profile_of_titles(profile, name).labels)
    is_table = elements.is_tag(profile.table_tags)
    for documents in _portions(segment):
        titles = _titles(elements, of_titles, are_titles, documents)
        of_documents = _kinds(elements, documents, titles, header_rows, are_headings)
        first = int(elements.root(documents[:1])[0])
        of_documents[_openers(segment, elements, documents, are_labels, is_table) - first] |= MOSTLY_TITLES
        kinds.append(of_documents)
    writer.finish(kinds)
    return elements


def _openers(
    segment: Segment, elements: Elements, documents: Rows, are_labels: Callable[[Rows], Mask], is_table: Mask
) -> Rows:
    """Return the captions and lead-ins of consecutive documents that are answered with what they are of, ascending.

    A lead-in ends in one of LEAD_IN_SIGNS, and a list follows it: an element with others and no text of its own.
    """
    rows = np.arange(int(elements.root(documents[:1])[0]), int(elements.document_end(documents[-1:])[0]))
    words, around = elements.n_words(rows), elements.parent(rows)
    could_be = (words > 0) & (words <= LONGEST_OPENER) & (elements.n_own_words(rows) == words) & (around != rows)
    could_be &= ~elements.is_inline(rows)
    rows, around = rows.compress(could_be), elements.nearest_non_inline(around.compress(could_be))
    opened = elements.n_words(around)
    is_short = (opened <= LONGEST_OPENED) | is_table.take(elements.tag(around))
    rows, around = rows.compress(is_short), around.compress(is_short)
    are_captions, ends = are_labels(rows), elements.end(rows)
    could_lead = places_of(~are_captions & (ends < elements.end(around)))
    following = ends.take(could_lead)
    opens_list = (elements.n_own_words(following) == 0) & (elements.end(following) > following + 1)
    could_lead = could_lead.compress(opens_list & (elements.n_words(following) > 0))
    spans = segment.texts.spans_of(rows.take(could_lead))
    spans[:, 0] = np.maximum(spans[:, 0], spans[:, 1] - _LAST_SIGNS)
    of_rows = elements.document(rows.take(could_lead)).tolist()
    ends_so = [text.rstrip().endswith(LEAD_IN_SIGNS) for text in segment.texts.parts(of_rows, spans)]
    is_opener = are_captions.copy()
    is_opener[could_lead] = np.array(ends_so, np.bool_)
    return rows.compress(is_opener)


# Characters at the end of a text in which its last sign is looked for.
_LAST_SIGNS = 20


def _portions(segment: Segment) -> Iterator[Rows]:
    """Yield consecutive documents with about READ_AT_A_TIME elements together."""
    portion = segment.first_row[:-1] // READ_AT_A_TIME
    yield from np.split(np.arange(segment.n_documents), places_of(np.diff(portion)) + 1)


def _titles(elements: Elements, tags: Sequence[int], are_titles: Callable[[Rows], Mask], documents: Rows) -> Titles:
    """Return the titles of documents (ascending), given the numbers of all tags of titles."""
    rows = elements.with_tags(tags, documents)
    rows = rows.compress(are_titles(rows))
    rows = rows.compress(~elements.is_inline(rows) & (elements.parent(rows) != rows))
    rows = rows.compress(elements.n_words(rows) <= LONGEST_TITLE)
    furthest = np.maximum.accumulate(np.append(0, elements.end(rows)))[:-1]
    rows = rows.compress(rows >= furthest)
    words_before = np.append(0, np.cumsum(elements.n_words(rows)))
    return Titles(np.append(rows, NO_ROW), np.append(0, elements.end(rows)), words_before)


def _kinds(
    elements: Elements,
    documents: Rows,
    titles: Titles,
    header_rows: HeaderRowStore,
    are_headings: Callable[[Rows], Mask],
) -> NDArray[np.uint8]:
    """Return the kinds of all elements of consecutive documents."""
    roots, root_ends = elements.root(documents), elements.document_end(documents)
    first = int(roots[0])
    rows = np.arange(first, int(root_ends[-1]))
    tags, words = elements.tag(rows), elements.n_words(rows)
    kinds = elements.is_inline(rows, tags) * np.uint8(INLINE)
    document = np.arange(len(documents)).repeat(root_ends - roots)
    are_mostly_titles = titles.fill(rows, elements.end(rows), words, MOST_OF_TITLES)
    words_of_documents = words.take(roots - first)
    are_of_titles = are_mostly_titles.take(roots - first) & (words_of_documents <= LONGEST_OF_TITLES)
    are_of_titles |= titles.fill(roots, root_ends, words_of_documents, MOST_OF_DOCUMENT)
    are_mostly_titles &= ~are_of_titles.take(document)
    are_mostly_titles[roots - first] = False
    # The source has no such element: it is never an answer.
    are_mostly_titles |= elements.is_tag([ATTRIBUTE_TITLE]).take(tags)
    kinds[are_mostly_titles] += MOSTLY_TITLES
    headers = header_rows.found_in(documents)
    headings = np.zeros(len(rows), np.uint8)
    headings[headers.rows - first] = HEADER_ROW + headers.levels
    headings[are_headings(rows) & (words <= LONGEST_TITLE)] = TITLE
    groups = np.zeros(len(rows), np.uint8)
    for number, column in enumerate(headers.groups.T):
        is_group = column >= 0
        groups[column.compress(is_group) - first] = headers.levels.compress(is_group) - (number + 1)
    kinds += headings * HEADING + groups * GROUP
    kinds[roots - first] &= np.uint8(0xFF ^ HEADINGS)
    return kinds


# Prefix of the folders of segments that are being written.
UNFINISHED = "new-"


def write_segment(
    parts: Sequence[IndexPart],
    segments: HeldFolder,
    profile: Profile,
    advance: Callable[[int], None] | None = None,
    memory: int = 2**30,
    encoding: BlockEncoding | None = None,
) -> tuple[str, str]:
    """Merge parts into a new segment in `segments`, within `memory` bytes.

    Args:
        profile: of the index. encoding: of the vectors that the segment shall have, None for none.

    Returns: its name and the SHA-256 of its description.

    Every file and folder is durable on return; no manifest names the segment yet.
    """
    unfinished = f"{UNFINISHED}{os.getpid()}"
    folder = segments.path_of(unfinished)
    folder.mkdir()
    elements, articles = FolderWriter(folder / "elements", sync=True), FolderWriter(folder / "articles", sync=True)
    counts = merge(parts, elements, articles, advance, memory)
    articles.bytes(CONTENTS, whoosh_contents(counts.n_documents, counts.n_tokens))
    described = Description(**vars(counts), articles=articles.close(), elements=elements.written)
    segment = Segment(folder, described)
    read = write_element_table(segment, profile, elements)
    if encoding is not None:
        from engine.indexing.block_encoding import write_vectors  # noqa: PLC0415  (few indexes have vectors)

        write_vectors(read, segment, parts, encoding, elements)
    del read, segment  # whose files could else not be renamed on Windows
    raw = replace(described, elements=elements.close()).to_bytes()
    digest = hashlib.sha256(raw).hexdigest()
    with (folder / DESCRIPTION).open("wb") as written:
        written.write(raw)
        written.flush()
        os.fsync(written.fileno())
    sync_folder(folder)
    name = digest[:16]
    if _is_whole(segments / name, digest):  # equal content: a live segment, or one that a killed build left
        segments.remove([unfinished])
    else:
        segments.remove([name])
        segments.rename(unfinished, name)
    segments.sync()
    return name, digest


def _is_whole(folder: Path, digest: str) -> bool:
    """Return whether a folder contains the complete segment of this digest."""
    try:
        Segment.open(folder, digest).verify()
    except IndexFormatError:
        return False
    return True
