"""A segment: a share of the documents in a folder of its own, written once and never changed.

    articles/   a Whoosh index: terms, article postings, ids, lengths, weights
    elements/   element columns, leaf postings, compressed texts
    segment.json   names of tags, sources, profiles and languages, counts, and the checksums of all files

A segment is named after its content, so equal input gives equal names and bytes.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.columns.ascending_column import AscendingColumn
from engine.columns.byte_column import ByteColumn
from engine.columns.checked_files import CheckedColumn
from engine.columns.checked_folder import CheckedFolder
from engine.columns.leaf_column import LeafColumn
from engine.index.postings.article_terms import ArticleTerms
from engine.index.segment_description import Description, read_description
from engine.index.texts.text_store import TextStore


class Segment:
    """An open segment: its columns by name, memory-mapped and checked as they are read."""

    def __init__(self, folder: Path, described: Description) -> None:
        self.name = folder.name
        self.folder = folder
        self.tags = described.lists["tags"]
        self.sources = described.lists["sources"]
        self.profiles = described.lists["profiles"]
        self.languages = described.lists["languages"]
        self.n_documents = described.n_documents
        self.n_elements = described.n_elements
        self.n_terms = described.n_terms
        self.n_tokens = described.n_tokens
        self.n_words = described.n_words
        self.articles = CheckedFolder(folder / "articles", described.articles)
        self.elements = CheckedFolder(folder / "elements", described.elements, kinds="u")

    @classmethod
    def open(cls, folder: Path, digest: str) -> Segment:
        """Return the segment in a folder, whose description has this SHA-256; raises IndexFormatError."""
        return cls(folder, read_description(folder, digest))

    @cached_property
    def terms(self) -> ArticleTerms:
        """Terms and article postings."""
        return ArticleTerms(self.articles)

    @cached_property
    def ids(self) -> list[str]:
        """Document ids by number."""
        return [document.decode() for document in self.articles.strings("ids").all()]

    @cached_property
    def first_row(self) -> NDArray[np.int64]:
        """Row of each document's root, then the number of elements, shape (n_documents + 1,)."""
        return self.elements.column("first_row").all().astype(np.int64)

    @cached_property
    def parents(self) -> ByteColumn:
        """Distance in rows from each element to its parent, 0 of roots."""
        return ByteColumn(self.elements, "parent")

    @cached_property
    def extents(self) -> ByteColumn:
        """Number of rows of each element's subtree."""
        return ByteColumn(self.elements, "extent")

    @cached_property
    def subtree_words(self) -> ByteColumn:
        """Number of words in each element's subtree."""
        return ByteColumn(self.elements, "subtree_words")

    @property
    def kinds(self) -> CheckedColumn:
        """What each element is (`engine.index.elements.element_table`)."""
        return self.elements.column("kind")

    @cached_property
    def leaves(self) -> LeafColumn:
        """Rows and term frequencies of the leaf postings."""
        return LeafColumn(self.elements, int(np.diff(self.first_row).max(initial=0)))

    @cached_property
    def leaves_of_term(self) -> AscendingColumn:
        """First leaf posting of each term, then their number, shape (n_terms + 1,)."""
        return AscendingColumn(self.elements, "leaves_of_term")

    @cached_property
    def words(self) -> AscendingColumn:
        """Number of each element's first word, then n_words."""
        return AscendingColumn(self.elements, "word")

    @cached_property
    def sentences(self) -> AscendingColumn:
        """The numbers of the first words of sentences that begin inside a text node."""
        return AscendingColumn(self.elements, "sentence")

    @cached_property
    def text_nodes(self) -> AscendingColumn:
        """The numbers of the first words of text nodes inside a leaf, which begin sentences, too."""
        return AscendingColumn(self.elements, "text_node")

    @cached_property
    def texts(self) -> TextStore:
        """Texts and spans of the documents."""
        return TextStore(self.elements)

    @property
    def size_bytes(self) -> int:
        """Bytes of all files."""
        return self.articles.size + self.elements.size

    def open_files(self) -> None:
        """Open every file, so that the segment stays readable if a writer removes it."""
        self.articles.open_all()
        self.elements.open_all()

    def verify(self) -> None:
        """Check every block of every file; raises IndexFormatError at the first that is damaged."""
        self.articles.check_all()
        self.elements.check_all()
