"""A read-only Whoosh codec that stores postings as arrays.

Whoosh's default codec makes a Python object of every posting. Here a postings list is a slice of two columns, document
numbers and frequencies. Columns are written by `merge`; `whoosh.index.open_dir` opens the articles of an index by the
file of `whoosh_contents`, which names this module: it must stay where it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from engine.columns.checked_folder import CheckedFolder
from engine.index.postings.article_terms import ArticleTerms
from engine.whoosh import (
    ID,
    Codec,
    Existence,
    FieldType,
    FileStorage,
    ListMatcher,
    PerDocumentReader,
    Schema,
    Segment,
    TermInfo,
    TermNotFound,
    TermsReader,
)

FIELD = "text"
INDEX_NAME = "MAIN"


# The module on disk, in Whoosh's table of contents: the same in a checkout and where foxir is installed.
STORED_NAME = "foxir.engine.index.whoosh_codec"


class ArrayField(FieldType):  # type: ignore[misc]  # whoosh is untyped
    """A field whose terms were made by foxir's analyser; it does not change query words."""

    __module__ = STORED_NAME
    analyzer = None
    column_type = None
    format = Existence()
    indexed = True
    multitoken_query = "default"
    scorable = True
    sortable_typecode = None
    spelling = False
    stored = False
    unique = False
    vector = None

    def __init__(self) -> None:
        """Create the field; it has no options."""

    def process_text(self, qstring: str, **_: object) -> Iterable[str]:
        """Yield the query word unchanged."""
        return iter([qstring])


class ArraySegment(Segment):  # type: ignore[misc]
    """A segment as stored in Whoosh's table of contents."""

    __module__ = STORED_NAME

    def __init__(self, name: str, n_documents: int, n_tokens: int) -> None:
        self.indexname = INDEX_NAME
        self.segid = name
        self.compound = False
        self.n_documents = n_documents
        self.n_tokens = n_tokens

    def codec(self) -> ArrayCodec:
        """Return the codec that reads the segment."""
        return ArrayCodec()

    def doc_count_all(self) -> int:
        """Return the number of articles, deleted ones included."""
        return self.n_documents

    def deleted_count(self) -> int:
        """Return 0: deletions are in the manifest."""
        return 0

    def is_deleted(self, _docnum: int) -> bool:
        """Return False: deletions are in the manifest."""
        return False


class ArrayCodec(Codec):  # type: ignore[misc]
    """Returns the readers of an `ArraySegment`."""

    def new_segment(self, _storage: object, _indexname: str) -> ArraySegment:
        """Return an empty segment."""
        return ArraySegment("0", 0, 0)

    def terms_reader(self, storage: FileStorage, segment: ArraySegment) -> ArrayTermsReader:
        """Return the reader of terms and their postings."""
        return ArrayTermsReader(_files(storage), segment)

    def per_document_reader(self, storage: FileStorage, segment: ArraySegment) -> ArrayPerDocumentReader:
        """Return the reader of ids and lengths."""
        return ArrayPerDocumentReader(_files(storage), segment)


def _files(storage: FileStorage) -> CheckedFolder:
    """Return the files of a storage; Whoosh knows no checksums."""
    return CheckedFolder.unchecked(Path(storage.folder))


class ArrayTermsReader(TermsReader):  # type: ignore[misc]
    """Reads terms and postings as Whoosh asks for them."""

    def __init__(self, files: CheckedFolder, segment: ArraySegment) -> None:
        self._segment = segment
        self._terms = ArticleTerms(files)
        self._lengths = files.column("length_tokens")

    def __contains__(self, term: tuple[str, bytes]) -> bool:
        return term[0] == FIELD and self._terms.term_number(term[1]) >= 0

    def indexed_field_names(self) -> list[str]:
        """Return the names of the indexed fields."""
        return [FIELD]

    def terms(self) -> Iterator[tuple[str, bytes]]:
        """Yield all terms in order."""
        return self.terms_from(FIELD, b"")

    def terms_from(self, fieldname: str, prefix: bytes) -> Iterator[tuple[str, bytes]]:
        """Yield the terms from the first one that is not less than `prefix`."""
        if fieldname == FIELD:
            for term in self._terms.terms_from(prefix):
                yield FIELD, term

    def items(self) -> Iterator[tuple[tuple[str, bytes], TermInfo]]:
        """Yield all terms with their statistics."""
        return self.items_from(FIELD, b"")

    def items_from(self, fieldname: str, prefix: bytes) -> Iterator[tuple[tuple[str, bytes], TermInfo]]:
        """Yield terms with their statistics, from `prefix` on."""
        for name, term in self.terms_from(fieldname, prefix):
            yield (name, term), self.term_info(name, term)

    def term_info(self, fieldname: str, text: bytes) -> TermInfo:
        """Return a term's statistics; raises Whoosh's TermNotFound."""
        if (fieldname, text) not in self:
            raise TermNotFound(f"no term {fieldname}:{text!r}")
        number = self._terms.term_number(text)
        documents, tf, *_ = self._terms.postings(number)
        first, end = self._terms.position_range(number)
        lengths = self._lengths.take(documents.astype(np.int64))
        return TermInfo(
            weight=end - first,
            df=len(documents),
            minlength=int(lengths.min()),
            maxlength=int(lengths.max()),
            maxweight=int(tf.max()),
            minid=int(documents[0]),
            maxid=int(documents[-1]),
        )

    def matcher(self, fieldname: str, text: bytes, format_: object, scorer: object = None) -> ListMatcher:
        """Return Whoosh's matcher over the term's postings."""
        info = self.term_info(fieldname, text)
        documents, tf, *_ = self._terms.postings(self._terms.term_number(text))
        return ListMatcher(
            documents.tolist(),
            tf.astype(np.float64).tolist(),
            format=format_,
            scorer=scorer,
            term=(fieldname, text),
            terminfo=info,
        )

    def close(self) -> None:
        """Nothing to close: the columns are memory-mapped."""


class ArrayPerDocumentReader(PerDocumentReader):  # type: ignore[misc]
    """Reads document ids as stored fields, and exact lengths in tokens."""

    def __init__(self, files: CheckedFolder, segment: ArraySegment) -> None:
        self._segment = segment
        self._ids = files.strings("ids")
        self._lengths = files.column("length_tokens")

    def doc_count(self) -> int:
        """Return the number of articles."""
        return self._segment.n_documents

    doc_count_all = doc_count

    def has_deletions(self) -> bool:
        """Return False: deletions are in the manifest."""
        return False

    def is_deleted(self, _docnum: int) -> bool:
        """Return False: deletions are in the manifest."""
        return False

    def deleted_docs(self) -> frozenset[int]:
        """Return no article: deletions are in the manifest."""
        return frozenset()

    def doc_field_length(self, docnum: int, fieldname: str, default: int = 0) -> int:
        """Return an article's length in tokens."""
        return int(self._lengths.slice(docnum, docnum + 1)[0]) if fieldname == FIELD else default

    def field_length(self, fieldname: str) -> int:
        """Return the length of all articles in tokens."""
        return self._segment.n_tokens if fieldname == FIELD else 0

    def min_field_length(self, fieldname: str) -> int:
        """Return the length of the shortest article in tokens."""
        return int(self._lengths.all().min()) if fieldname == FIELD else 0

    def max_field_length(self, fieldname: str) -> int:
        """Return the length of the longest article in tokens."""
        return int(self._lengths.all().max()) if fieldname == FIELD else 0

    def stored_fields(self, docnum: int) -> dict[str, str]:
        """Return the article's id, under `document`."""
        return {"document": self._ids[docnum].decode()}


def schema() -> Schema:
    """Return the schema of the article index: the id stored, the text indexed."""
    return Schema(document=ID(stored=True), text=ArrayField())
