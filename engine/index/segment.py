"""A segment: some documents, written once and never changed, in a folder of their own.

    articles/   a Whoosh index: terms, article postings, ids, lengths, weights
    elements/   element columns, leaf postings, compressed texts
    segment.json   names of tags, sources and profiles, counts, and the checksums of all files

A segment is named after its content, so equal input makes equal names and bytes.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import IndexFormatError
from engine.index.ascending import Ascending
from engine.index.attributes import Attributes
from engine.index.codec import INDEX_NAME, ArrayCodec, ArraySegment, ArrayStorage, ArrayTermsReader, schema
from engine.index.description import DESCRIPTION, Description, read_description
from engine.index.files import CheckedFolder
from engine.index.merging import MOSTLY_SMALL, merge
from engine.index.mostly_small import MostlySmall
from engine.index.part import DOCUMENT_COLUMNS, ELEMENT_COLUMNS, LEVELS, WORD_COLUMNS, Part
from engine.index.texts import TextStore
from engine.index.writing import FolderWriter, sync_folder

UNFINISHED = "new-"  # begins the names of segments that are being written
ARTICLE_COLUMNS = ("length_tokens", "weight", "document", "tf")  # these lie with the articles, all others with elements


def write_segment(
    parts: Sequence[Part], segments: Path, advance: Callable[[int], None] | None = None
) -> tuple[str, str]:
    """Merge parts into a new segment under `segments`; return its name and the SHA-256 of its description.

    Every file and folder is durable on return; nothing refers to the segment yet.
    """
    folder = segments / f"{UNFINISHED}{os.getpid()}"
    folder.mkdir(parents=True)
    elements, articles = FolderWriter(folder / "elements", sync=True), FolderWriter(folder / "articles", sync=True)
    merged = merge(parts, elements, articles, advance)
    _write_whoosh_toc(articles, merged.n_documents, merged.n_tokens)
    raw = Description(**asdict(merged), articles=articles.close(), elements=elements.close()).to_bytes()
    digest = hashlib.sha256(raw).hexdigest()
    (folder / DESCRIPTION).write_bytes(raw)
    with (folder / DESCRIPTION).open("rb") as written:
        os.fsync(written.fileno())
    sync_folder(folder)
    name = digest[:16]
    if _is_whole(segments / name, digest):  # the same content: a live segment, or left by a build that was killed
        shutil.rmtree(folder)
    else:
        shutil.rmtree(segments / name, ignore_errors=True)
        folder.rename(segments / name)
    sync_folder(segments)
    sync_folder(segments.parent)
    return name, digest


def _is_whole(folder: Path, digest: str) -> bool:
    """Return whether a folder holds the segment of that digest, every byte of it."""
    try:
        Segment(folder, digest).verify()
    except IndexFormatError:
        return False
    return True


def _write_whoosh_toc(articles: FolderWriter, n_documents: int, n_tokens: int) -> None:
    """Write the table of contents by which Whoosh itself opens the articles; foxir never reads it."""
    from whoosh.index import TOC  # noqa: PLC0415  (slow to import, and needed by writers only)

    storage = ArrayStorage(CheckedFolder(articles.folder, {}))
    TOC(schema(), [ArraySegment("0", n_documents, n_tokens)], 1).write(storage, INDEX_NAME)
    name = TOC._filename(INDEX_NAME, 1)
    raw = (articles.folder / name).read_bytes()
    (articles.folder / name).unlink()
    articles.bytes(name, raw)


class Segment:
    """An open segment: its columns by name, memory-mapped and checked as they are read."""

    def __init__(self, folder: Path, digest: str) -> None:
        self.name = folder.name
        self.folder = folder
        described = read_description(folder, digest)
        self.tags = described.lists["tags"]
        self.sources = described.lists["sources"]
        self.profiles = described.lists["profiles"]
        self.n_documents = described.n_documents
        self.n_elements = described.n_elements
        self.n_terms = described.n_terms
        self.n_tokens = described.n_tokens
        self.n_words = described.n_words
        self.articles = CheckedFolder(folder / "articles", described.articles)
        self.elements = CheckedFolder(folder / "elements", described.elements, kinds="u")

    @cached_property
    def terms(self) -> ArrayTermsReader:
        """Terms and article postings, read through the Whoosh codec."""
        whoosh_segment = ArraySegment("0", self.n_documents, self.n_tokens)
        return ArrayCodec().terms_reader(ArrayStorage(self.articles), whoosh_segment)

    @cached_property
    def ids(self) -> list[str]:
        """Document ids by number."""
        return [document.decode() for document in self.articles.strings("ids").all()]

    @cached_property
    def first_row(self) -> NDArray[np.int64]:
        """Row of each document's root, then the number of elements, shape (n_documents + 1,)."""
        return self.elements.column("first_row").all().astype(np.int64)

    @cached_property
    def words(self) -> Ascending:
        """Number of each element's first word, then n_words."""
        return Ascending(self.elements, "word")

    @cached_property
    def sentences(self) -> Ascending:
        """Numbers of the words with which a sentence begins inside a text node."""
        return Ascending(self.elements, "sentence")

    @cached_property
    def text_nodes(self) -> Ascending:
        """Numbers of the words with which a text node begins inside a leaf, and so a sentence, too."""
        return Ascending(self.elements, "text_node")

    @cached_property
    def texts(self) -> TextStore:
        """Texts and spans of the documents."""
        return TextStore(self.elements)

    @property
    def size_bytes(self) -> int:
        """Bytes of all files."""
        return self.articles.size + self.elements.size

    def hold(self) -> None:
        """Open every file, so that the segment can be read to the end whatever a writer removes."""
        self.articles.open_everything()
        self.elements.open_everything()

    def verify(self) -> None:
        """Check every block of every file; raises IndexFormatError at the first that is damaged."""
        self.articles.check_everything()
        self.elements.check_everything()

    def part(self) -> Part:
        """Return the segment's columns as a part, to be merged anew."""
        columns: dict[str, Any] = {name: Ascending(self.elements, name).all() for name in WORD_COLUMNS}
        for name in (*DOCUMENT_COLUMNS, *ELEMENT_COLUMNS, *chain(*LEVELS.values())):
            files = self.articles if name in ARTICLE_COLUMNS else self.elements
            columns[name] = MostlySmall(files, name).all() if name in MOSTLY_SMALL else files.column(name).all()
        pointers: dict[str, Any] = {
            "postings": self.articles.column("postings_of_term").all().astype(np.int64),
            "leaves": self.elements.column("leaves_of_term").all().astype(np.int64),
            "positions": self.elements.column("positions_of_term").all().astype(np.int64),
        }
        return Part(
            ids=self.ids,
            tags=self.tags,
            sources=self.sources,
            profiles=self.profiles,
            terms=self.articles.strings("terms").all(),
            first_row=self.first_row,
            columns=columns,
            pointers=pointers,
            text_frames=self.elements.strings("text_frames").all(),
            block_document=self.elements.column("block_document").all().astype(np.int64),
            attributes=Attributes.read(self.elements),
        )
