"""A segment: a share of the documents in a folder of its own, written once and never changed.

    articles/   a Whoosh index: terms, article postings, ids, lengths, weights
    elements/   element columns, leaf postings, compressed texts
    segment.json   names of tags, sources, profiles and languages, counts, and the checksums of all files

A segment is named after its content, so equal input gives equal names and bytes.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.columns.ascending_column import AscendingColumn
from engine.columns.byte_column import ByteColumn
from engine.columns.checked_folder import CheckedColumn, CheckedFolder, ColumnType, Strings
from engine.columns.folder_writer import BLOCK
from engine.columns.leaf_column import LeafColumn
from engine.errors import INDEX_AGAIN, IndexFormatError, foreign_content
from engine.index.postings.article_terms import AccentedStrings, ArticleTerms
from engine.index.texts.text_store import TextStore
from engine.records import dataclass
from engine.system.files import read_regular
from engine.system.platform import is_link
from engine.threads import cached_property

DESCRIPTION = "segment.json"
FOLDERS = ("articles", "elements")
# Column of the words before stemming, where terms are stems.
FORMS = "forms"
# Bytes of a column's header, and of the distance to a parent.
HEADER, WIDEST_PARENT = 128, 4

_COUNTS = ("n_documents", "n_elements", "n_leaf_postings", "n_terms", "n_tokens", "n_words")
_LISTS = ("languages", "profiles", "sources", "tags")
_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.]*")

# Size and checksums by file name.
Files = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class SegmentCounts:
    """The counts of a segment, and the lists of names that are too small for columns."""

    lists: dict[str, list[str]]  # tags, sources, profiles and languages, which columns refer to by number
    n_documents: int
    n_elements: int
    n_leaf_postings: int
    n_terms: int
    n_tokens: int
    n_words: int


@dataclass(frozen=True)
class Description(SegmentCounts):
    """The description of a segment: its counts, and size and checksums of all its files."""

    articles: Files
    elements: Files

    def to_bytes(self) -> bytes:
        """Return the content of the file."""
        return json.dumps(vars(self), sort_keys=True).encode()


def read_description(folder: Path, digest: str) -> Description:
    """Return the description of the segment in a folder.

    Args:
        digest: the expected SHA-256.
    Raises: IndexFormatError if it is missing, damaged or inconsistent, or the segment is behind a link.
    """
    path = folder / DESCRIPTION
    try:
        for inside in (folder.parent, folder, *(folder / name for name in FOLDERS)):
            if is_link(inside):
                raise IndexFormatError(f"{inside}: a link, and an index contains none: replace it by what it leads to.")
        raw = read_regular(path)
    except PermissionError as error:
        raise IndexFormatError(f"{error.filename}: cannot be read: {error.strerror}.") from None
    except OSError as error:
        raise IndexFormatError(f"{path}: cannot be read ({error.strerror}): {INDEX_AGAIN}.") from None
    if hashlib.sha256(raw).hexdigest() != digest:
        raise IndexFormatError(f"{path}: does not match its checksum: the file is damaged, {INDEX_AGAIN}.")
    return parse_description(path, raw)


def parse_description(path: Path | str, raw: bytes) -> Description:
    """Return the description that a file contains; messages name the path; raises IndexFormatError."""
    try:
        content = json.loads(raw)
        _check(content)
        return Description(**content)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise foreign_content(path, error) from None


def _check(content: dict[str, Any]) -> None:
    """Raise an error for values that foxir never writes; the description may come from a stranger."""
    for name in _COUNTS:
        if type(content[name]) is not int or content[name] < 0:
            raise ValueError(f"{name}: {content[name]!r}")
    for name in _LISTS:
        values = content["lists"][name]
        if type(values) is not list or not all(isinstance(value, str) for value in values):
            raise ValueError(f"{name}: no list of names")
    for folder in FOLDERS:
        for name, entry in content[folder].items():
            if not _FILE_NAME.fullmatch(name):
                raise ValueError(f"{name!r} is not a valid name of a file of a segment")
            size, checksums = entry["size"], entry["crc32"]
            if type(size) is not int or not all(type(checksum) is int for checksum in checksums):
                raise ValueError(f"{name!r} has a size or checksums that are not numbers")
            if size < 0 or len(checksums) != -(-size // BLOCK):
                raise ValueError(f"{name!r} has {len(checksums)} checksums for {size} bytes")
    # Signed or wider distances could lead from a parent to a later row, and following them would never end.
    if content["elements"]["parent.npy"]["size"] > HEADER + WIDEST_PARENT * content["n_elements"]:
        raise ValueError("'parent.npy' has wider numbers than a document has elements")


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
        type_of = partial(column_type, counts={name: getattr(described, name) for name in _COUNTS})
        self.articles = CheckedFolder(folder / "articles", described.articles, type_of)
        self.elements = CheckedFolder(folder / "elements", described.elements, type_of)

    @classmethod
    def open(cls, folder: Path, digest: str) -> Segment:
        """Return the segment in a folder, whose description has this SHA-256; raises IndexFormatError."""
        return cls(folder, read_description(folder, digest))

    @cached_property
    def terms(self) -> ArticleTerms:
        """Terms and article postings."""
        return ArticleTerms(self.articles)

    @property
    def has_forms(self) -> bool:
        """Whether terms are stems, and the words before stemming are known: segments of older versions lack them."""
        return self.articles.has(f"{FORMS}.npy")

    @property
    def forms(self) -> Strings:
        """The words before stemming, sorted: terms, where these are not stems."""
        return self.articles.strings(FORMS if self.has_forms else "terms")

    @cached_property
    def accented_forms(self) -> AccentedStrings:
        """The words before stemming that are beyond ASCII."""
        return AccentedStrings(self.forms)

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
        """The kind of each element (`engine.index.elements.element_table`)."""
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


# Columns of one byte a value: kinds of elements, byte columns, the low bytes of ascending columns.
_BYTES = {
    *("kind", "extent", "leaf_tf", "n_leaves", "opening_tf", "parent", "position", "subtree_words", "tf"),
    *(
        "attribute_values",
        "leaves_of_term",
        "positions_of_term",
        "postings_of_term",
        "sentence",
        "text_node",
        "word",
        "vector_word",
    ),
}
# By the count of a segment that says how many values they have, columns, and the number of values beyond the count.
_LENGTHS = {
    "n_documents": (
        "digest language leaf_count length_tokens profile size_bytes source text_bytes weight",
        "attributes_of_document fields_of_document first_row ids images_of_document",
    ),
    "n_elements": ("depth extent kind ordinal parent subtree_words tag", "word"),
    "n_terms": ("", "leaves_of_term positions_of_term postings_of_term terms"),
    "n_leaf_postings": ("leaf leaf_tf", ""),
}
_LENGTH_OF = {
    name: (count, beyond)
    for count, columns in _LENGTHS.items()
    for beyond, names in enumerate(columns)
    for name in names.split()
}
_DIGEST_BYTES = 16


def column_type(name: str, counts: dict[str, int]) -> ColumnType:
    """Return the type of a column of a segment with these counts: numbers without sign unless listed otherwise."""
    count, beyond = _LENGTH_OF.get(name, ("", 0))
    length = counts[count] + beyond if count else None
    if name == "weight":
        return ColumnType("f", 8, 1, length)
    if name == "digest":
        return ColumnType("u", 1, 2, length, _DIGEST_BYTES)
    if name == "vector":
        return ColumnType("i", 1, 2)
    if name == "tag_totals":
        return ColumnType(n_dimensions=2)
    if name.startswith("image_"):
        from engine.index.images.image_columns import WIDE  # noqa: PLC0415  (few segments have images)

        wide = WIDE.get(name.removeprefix("image_"))
        if wide is not None:
            width, dtype = wide
            return ColumnType(dtype.kind, dtype.itemsize, 2, None, width)
    return ColumnType("u", 1 if name in _BYTES else None, 1, length)
