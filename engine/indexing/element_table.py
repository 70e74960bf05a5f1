"""Writes the element table of a new segment (`engine.index.elements.element_table`), once its other columns are there.

A table depends on the documents and the profile of the index alone, so compaction makes it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.array_types import Mask, Rows
from engine.arrays import places_of
from engine.collection.profiles.profile import Profile
from engine.collection.profiles.profile_files import load_profile
from engine.columns.byte_column import ByteColumnWriter
from engine.columns.checksum_writer import FolderWriter
from engine.index.elements.element_store import Elements
from engine.index.elements.element_table import GROUP, HEADER_ROW, HEADING, HEADINGS, INLINE, MOSTLY_TITLES, TITLE
from engine.index.elements.header_rows import HeaderRowStore
from engine.index.elements.titles import LONGEST_TITLE, MOST_OF_TITLES
from engine.index.segment import Segment
from engine.records import NamedTuple

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

    def fill(self, rows: Rows, ends: Rows, words: Rows) -> Mask:
        """Return which elements are a title, lie in one, or have more than MOST_OF_TITLES of their words in titles.

        Args:
            rows, ends: elements, and one past the last row of the subtree of each; words: those of the subtree.
        """
        first = self.rows.searchsorted(rows)
        following = self.rows.take(first)
        found: Mask = (self.ends_before.take(first) > rows) | (following == rows)
        around = places_of(~found & (following < ends))
        last = self.rows.searchsorted(ends.take(around))
        of_titles = self.words_before.take(last) - self.words_before.take(first.take(around))
        found[around] = of_titles > MOST_OF_TITLES * words.take(around)
        return found


def write_element_table(segment: Segment, profile: Profile, writer: FolderWriter) -> None:
    """Write the columns of the table of a segment, of which `writer` has written those of its elements.

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
    elements = Elements([segment], lambda name: profile if name == profile.name else load_profile(name))
    of_titles = sorted(elements.tag_numbers[tag] for tag in profile.title_text_tags if tag in elements.tag_numbers)
    header_rows = HeaderRowStore(elements, profile.row_tags, profile.table_tags)
    are_headings = elements.is_tag(profile.title_and_heading_tags)
    for documents in _portions(segment):
        kinds.append(_kinds(elements, documents, _titles(elements, of_titles, documents), header_rows, are_headings))
    writer.finish(kinds)


def _portions(segment: Segment) -> Iterator[Rows]:
    """Yield consecutive documents with about READ_AT_A_TIME elements together."""
    portion = segment.first_row[:-1] // READ_AT_A_TIME
    yield from np.split(np.arange(segment.n_documents), places_of(np.diff(portion)) + 1)


def _titles(elements: Elements, tags: Sequence[int], documents: Rows) -> Titles:
    """Return the titles of some documents (ascending), given the numbers of their tags."""
    rows = elements.with_tags(tags, documents)
    rows = rows.compress(~elements.is_inline(rows) & (elements.parent(rows) != rows))
    rows = rows.compress(elements.n_words(rows) <= LONGEST_TITLE)
    furthest = np.maximum.accumulate(np.append(0, elements.end(rows)))[:-1]
    rows = rows.compress(rows >= furthest)
    words_before = np.append(0, np.cumsum(elements.n_words(rows)))
    return Titles(np.append(rows, NO_ROW), np.append(0, elements.end(rows)), words_before)


def _kinds(
    elements: Elements, documents: Rows, titles: Titles, header_rows: HeaderRowStore, are_headings: Mask
) -> NDArray[np.uint8]:
    """Return the kinds of all elements of consecutive documents."""
    roots, root_ends = elements.root(documents), elements.document_end(documents)
    first = int(roots[0])
    rows = np.arange(first, int(root_ends[-1]))
    tags, words = elements.tag(rows), elements.n_words(rows)
    kinds = elements.is_inline(rows, tags) * np.uint8(INLINE)
    document = np.arange(len(documents)).repeat(root_ends - roots)
    are_mostly_titles = titles.fill(rows, elements.end(rows), words)
    are_mostly_titles &= ~are_mostly_titles.take(roots - first).take(document)
    kinds[are_mostly_titles] += MOSTLY_TITLES
    headers = header_rows.of(documents).within(first, first + len(rows))
    headings = np.zeros(len(rows), np.uint8)
    headings[headers.rows - first] = HEADER_ROW + headers.levels
    headings[are_headings.take(tags) & (words <= LONGEST_TITLE)] = TITLE
    groups = np.zeros(len(rows), np.uint8)
    for number, column in enumerate(headers.groups.T):
        is_group = column >= 0
        groups[column.compress(is_group) - first] = headers.levels.compress(is_group) - (number + 1)
    kinds += headings * HEADING + groups * GROUP
    kinds[roots - first] &= np.uint8(0xFF ^ HEADINGS)
    return kinds
