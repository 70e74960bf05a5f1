"""Inverts a batch of flat documents: words become postings, documents become a part."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Array, FloatArray, mask_of
from engine.collection.markup.flat_documents import FlatDocuments
from engine.columns.folder_writer import narrow
from engine.index.attribute_columns import Attributes
from engine.index.field_columns import FieldColumns
from engine.index.images.image_columns import ImageColumns
from engine.index.texts.opening import opening_frequencies
from engine.index.texts.text_store import FrameCompressor, Spans, Texts
from engine.indexing.index_part import TERM_POINTERS, IndexPart
from engine.kernels.table import compiled, native
from engine.records import NamedTuple


class InvertedPostings(NamedTuple):
    """Terms in documents, below them in leaves, below these at positions; each level is sorted by term and place."""

    documents: Array  # per posting: number of the document
    tf: Array
    n_leaves: Array
    leaves: Array  # per leaf posting: row, from the root of its document
    leaf_tf: Array
    positions: Array  # per occurrence: index in the leaf's own words
    of_terms: Sequence[Array]  # of each level: the first row of each term, then the number of rows


class DocumentFacts(NamedTuple):
    """The data of a document outside its markup."""

    id: str
    digest: bytes  # of the file's content, 16 bytes
    size_bytes: int
    source: int
    profile: int


def invert(
    flat: FlatDocuments,
    facts: Sequence[DocumentFacts],
    sources: Sequence[str],
    profiles: Sequence[str],
    compressor: FrameCompressor | None = None,
    *,
    images: ImageColumns | None = None,
    is_last: bool = True,
) -> IndexPart:
    """Return the part of the documents of a batch, or of a share of them.

    Args:
        facts: one record per document, in the order of the batch.
        images: those that the documents refer to.
        compressor: of the texts of the batch. is_last: whether the documents are the last ones of the batch.
    """
    n_documents, n_elements = len(facts), len(flat.tag)
    encoded = "\n".join(flat.terms).encode().split(b"\n") if flat.terms else []
    by_term = _occurring(flat.word_terms, encoded)
    rank = np.full(len(encoded), -1, np.int64)
    rank[by_term] = np.arange(len(by_term))
    postings = _postings(flat, rank, len(by_term))
    document_of_row = np.repeat(np.arange(n_documents), np.diff(flat.first_rows))
    posting_document, tf = postings.documents, postings.tf
    is_leaf = mask_of(flat.word_leaves.compress(flat.word_terms >= 0), n_elements)
    numbers = {languages: number for number, languages in enumerate(sorted(set(flat.languages)))}
    sentences = flat.sentences
    sentences_of_document = np.searchsorted(sentences.words, flat.first_words[flat.first_rows])
    elements, borders = Spans(flat.start, flat.stop), Spans(sentences.starts, sentences.ends)
    texts = Texts(flat.texts, elements, flat.first_rows, borders, sentences_of_document)
    frames, firsts = (compressor or FrameCompressor()).add(texts, is_last=is_last)
    return IndexPart(
        ids=[fact.id for fact in facts],
        tags=flat.tags,
        sources=sources,
        profiles=profiles,
        languages=sorted(numbers),
        terms=[encoded[number] for number in by_term],
        first_row=flat.first_rows,
        columns={
            "digest": np.frombuffer(b"".join(fact.digest for fact in facts), np.uint8).reshape(n_documents, -1),
            "size_bytes": np.array([fact.size_bytes for fact in facts], np.int64),
            "source": np.array([fact.source for fact in facts], np.int64),
            "profile": np.array([fact.profile for fact in facts], np.int64),
            "language": np.array([numbers[languages] for languages in flat.languages], np.int64),
            "length_tokens": np.bincount(posting_document, tf, n_documents).astype(np.int64),
            "leaf_count": np.bincount(document_of_row[is_leaf], minlength=n_documents),
            "weight": document_weights(posting_document, tf, n_documents),
            "text_bytes": np.array(list(map(len, flat.texts)), np.int64),
            "tag": narrow(flat.tag),
            "parent": narrow(np.arange(n_elements) - flat.parent),
            "extent": narrow(flat.end - np.arange(n_elements)),
            "depth": narrow(flat.depth),
            "ordinal": narrow(flat.ordinal),
            "document": narrow(posting_document),
            "tf": narrow(tf),
            "opening_tf": narrow(opening_frequencies(flat, rank, posting_document, postings.of_terms[0])),
            "n_leaves": narrow(postings.n_leaves),
            "leaf": narrow(postings.leaves),
            "leaf_tf": narrow(postings.leaf_tf),
            "position": narrow(postings.positions),
            "word": narrow(flat.first_words),
            "text_node": narrow(sentences.words[sentences.text_nodes]),
            "sentence": narrow(sentences.words[~sentences.text_nodes]),
        },
        pointers=dict(zip(TERM_POINTERS, postings.of_terms, strict=True)),
        text_frames=frames,
        block_document=np.array([*firsts, n_documents], np.int64),
        attributes=Attributes.of(flat.attributes, flat.first_rows),
        fields=FieldColumns.of(flat.fields, n_documents),
        images=images,
        forms=flat.forms,
    )


def _occurring(word_terms: Array, encoded: Sequence[bytes]) -> list[int]:
    """Return the terms of indexed words, sorted by their UTF-8; terms of skipped elements alone are left out."""
    counts = np.bincount(word_terms + 1, minlength=len(encoded) + 1)
    return sorted(np.flatnonzero(counts[1:]).tolist(), key=encoded.__getitem__)


def _postings_in_numpy(flat: FlatDocuments, rank: NDArray[np.int64], n_terms: int) -> InvertedPostings:
    indexed = np.flatnonzero(flat.word_terms >= 0)
    term = rank[flat.word_terms[indexed]]
    order = np.argsort(term, kind="stable")
    term, word = term[order], indexed[order]  # words are numbered leaf by leaf
    leaf = flat.word_leaves[word]
    document_of_row = np.repeat(np.arange(len(flat.first_rows) - 1), np.diff(flat.first_rows))
    leaves = _starts(term, leaf)
    leaf_term, leaf_row = term[leaves], leaf[leaves]
    leaf_document = document_of_row[leaf_row]
    postings = _starts(leaf_term, leaf_document)
    return InvertedPostings(
        documents=leaf_document[postings],
        tf=np.diff(np.append(leaves[postings], len(term))),
        n_leaves=np.diff(np.append(postings, len(leaf_term))),
        leaves=leaf_row - flat.first_rows[leaf_document],
        leaf_tf=np.diff(np.append(leaves, len(term))),
        positions=word - flat.first_words[leaf],
        of_terms=(_pointers(leaf_term[postings], n_terms), _pointers(leaf_term, n_terms), _pointers(term, n_terms)),
    )


@compiled(_postings_in_numpy)
def _postings(flat: FlatDocuments, rank: NDArray[np.int64], n_terms: int) -> InvertedPostings:
    """Return the postings of the indexed words; `rank` has the places of the terms in their order."""
    found = native.invert_words(flat.word_terms, rank, flat.word_leaves, flat.first_words, flat.first_rows, n_terms)
    columns = [np.frombuffer(each, np.int64) for each in found]
    return InvertedPostings._make([*columns[:6], columns[6:]])


def document_weights(document: Array, tf: Array, n_documents: int) -> FloatArray:
    """Return W_d of every document, shape (n_documents,): sqrt of the sum over its distinct terms of (1 + ln f_dt)^2.

    Source: thesis (2.1), as its engine computes it. Equal frequencies are counted before `fsum` adds them, so the
    result does not depend on the order of the terms.
    """
    bits = int(tf.max(initial=0)).bit_length()
    packed = np.sort((document.astype(np.int64) << bits) | tf)
    begins = _starts(packed, packed)
    keys, counts = packed[begins], np.diff(np.append(begins, len(packed)))
    frequencies = (keys & ((1 << bits) - 1)).tolist()
    squares = {frequency: (1 + math.log(frequency)) ** 2 for frequency in set(frequencies)}
    terms = [squares[frequency] * count for frequency, count in zip(frequencies, counts.tolist(), strict=True)]
    borders = np.searchsorted(keys >> bits, np.arange(n_documents + 1)).tolist()
    sums = (math.fsum(terms[a:b]) for a, b in pairwise(borders))
    return np.fromiter(map(math.sqrt, sums), np.float64, n_documents)


def _starts(major: Array, minor: Array) -> Array:
    """Return the start of each run of equal (major, minor) pairs."""
    if not len(major):
        return np.empty(0, np.int64)
    change = (major[1:] != major[:-1]) | (minor[1:] != minor[:-1])
    return np.concatenate([np.zeros(1, np.int64), np.flatnonzero(change) + 1])


def _pointers(sorted_terms: Array, n_terms: int) -> NDArray[np.int64]:
    pointers = np.zeros(n_terms + 1, np.int64)
    np.cumsum(np.bincount(sorted_terms, minlength=n_terms), out=pointers[1:])
    return pointers
