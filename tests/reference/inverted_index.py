"""The inverted index of some documents the slow way: one word at a time into dictionaries.

`contents_of_part` reads the same out of a part, so that the two can be compared.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.collection.profiles.profile import Profile
from engine.index.reader import IndexReader
from engine.index.texts import opening, text_store
from engine.index.texts.passage_offsets import passage_offsets
from engine.indexing.index_part import IndexPart
from engine.text.analyser import Analyser
from tests.reference.flat_columns import Border, Element, FlatColumns, flat_columns

Positions = dict[int, list[int]]  # row of the leaf in its document -> places of the term in its own text


@dataclass
class Document:
    text: str
    elements: list[Element]
    length: int
    n_leaves: int
    weight: float
    first_words: list[int]  # of every element, counted from the document's first, then their number
    borders: list[Border]  # where sentences begin inside leaves


@dataclass
class Contents:
    """What an index holds: documents by id, in the order of the index; term -> document id -> leaf -> positions."""

    documents: dict[str, Document] = field(default_factory=dict)
    postings: dict[str, dict[str, Positions]] = field(default_factory=dict)


def weight(frequencies: Sequence[int]) -> float:
    """Return W_d of a document from the frequencies of its distinct terms: sqrt(sum over f of n_f (1 + ln f)^2)."""
    return math.sqrt(math.fsum(n_terms * (1 + math.log(f)) ** 2 for f, n_terms in Counter(frequencies).items()))


def contents(batch: Sequence[tuple[str, bytes]], profile: Profile, analyser: Analyser) -> Contents:
    """Return what an index of documents (id, bytes) holds."""
    made = Contents()
    for document, raw in batch:
        flat = flat_columns(raw, profile, analyser)
        _add(made, document, flat)
    return made


def _add(made: Contents, document: str, flat: FlatColumns) -> None:
    counts: Counter[str] = Counter()
    leaves = set()
    first_words = flat.first_words
    for number, word in enumerate(flat.words):
        if word.term is not None:
            by_leaf = made.postings.setdefault(word.term, {}).setdefault(document, {})
            by_leaf.setdefault(word.leaf, []).append(number - first_words[word.leaf])
            counts[word.term] += 1
            leaves.add(word.leaf)
    made.documents[document] = Document(
        flat.text, flat.elements, counts.total(), len(leaves), weight(list(counts.values())), first_words, flat.borders
    )


def contents_of_part(part: IndexPart) -> Contents:
    """Return what a part holds, in memory or on disk, one entry at a time."""
    part = replace(
        part,
        ids=list(part.ids),
        tags=list(part.tags),
        first_row=np.asarray(part.first_row),
        pointers={level: np.asarray(rows) for level, rows in part.pointers.items()},
    )
    made = Contents()
    column = {name: np.asarray(values).tolist() for name, values in part.columns.items()}
    frames = list(part.text_frames)
    spans = [text_store.decompress_spans(frame) for frame in frames[1::3]]
    gaps = [text_store.decompress_spans(frame) for frame in frames[2::3]]
    kinds = [(word, True) for word in column["text_node"]] + [(word, False) for word in column["sentence"]]
    borders = [
        Border(word, is_text_node, start, end)
        for (word, is_text_node), start, end in zip(
            sorted(kinds),
            [start for block in gaps for start in block.starts.tolist()],
            [stop for block in gaps for stop in block.stops.tolist()],
            strict=True,
        )
    ]
    starts = [start for block in spans for start in block.starts.tolist()]
    stops = [stop for block in spans for stop in block.stops.tolist()]
    text = b"".join(text_store.decompress(frame) for frame in frames[0::3])
    for number, document in enumerate(part.ids):
        first, last = part.first_row[number : number + 2].tolist()
        size = column["text_bytes"][number]
        elements = [_element(part, column, starts, stops, row, first) for row in range(first, last)]
        made.documents[document] = Document(
            text[:size].decode(),
            [element._replace(path=_path(elements, row)) for row, element in enumerate(elements)],
            column["length_tokens"][number],
            column["leaf_count"][number],
            column["weight"][number],
            [word - column["word"][first] for word in column["word"][first : last + 1]],
            [
                border._replace(word=border.word - column["word"][first])
                for border in borders
                if column["word"][first] <= border.word < column["word"][last]
            ],
        )
        text = text[size:]
    leaf = position = 0
    terms = [term.decode() for term in part.terms]
    assert terms == sorted(terms)
    for number, term in enumerate(terms):
        posting, last = part.pointers["postings"][number : number + 2].tolist()
        assert (leaf, position) == (part.pointers["leaves"][number], part.pointers["positions"][number])
        assert last > posting, term
        for row in range(posting, last):
            by_leaf: Positions = {}
            for _ in range(column["n_leaves"][row]):
                n_positions = column["leaf_tf"][leaf]
                by_leaf[column["leaf"][leaf]] = column["position"][position : position + n_positions]
                leaf, position = leaf + 1, position + n_positions
            assert sum(map(len, by_leaf.values())) == column["tf"][row]
            made.postings.setdefault(term, {})[part.ids[column["document"][row]]] = by_leaf
    assert position == len(column["position"])
    return made


def _element(
    part: IndexPart, column: dict[str, list[int]], starts: list[int], stops: list[int], row: int, first: int
) -> Element:
    return Element(
        tag=part.tags[column["tag"][row]],
        parent=row - column["parent"][row] - first,
        end=row + column["extent"][row] - first,
        depth=column["depth"][row],
        ordinal=column["ordinal"][row],
        start=starts[row],
        stop=stops[row],
        path="",
    )


def _path(elements: Sequence[Element], row: int) -> str:
    element = elements[row]
    above = "" if element.parent == row else _path(elements, element.parent)
    return f"{above}/{element.tag}[{element.ordinal}]"


def contents_of_index(index: IndexReader) -> Contents:
    """Return what an open index holds of its live documents, asked for one by one; they come in collection order."""
    made = Contents()
    numbers = [number for number in map(index.number, sorted(index.ids)) if number is not None]
    leaves: dict[str, set[int]] = {index.ids[number]: set() for number in numbers}
    roots = dict(zip(numbers, index.elements.root(np.array(numbers, np.int64)).tolist(), strict=True))
    for term in sorted(
        {term.decode() for segment in index.segments for term in segment.articles.strings("terms").all()}
    ):
        postings = index.postings(term)
        found = index.elements.occurrences(term, postings.documents, positions=True)
        if not len(postings.documents):
            continue
        assert found.positions is not None
        by_document = made.postings.setdefault(term, {})
        positions = iter(found.positions.tolist())
        documents_of_rows = index.elements.document(found.rows)
        for number, row, tf in zip(documents_of_rows.tolist(), found.rows.tolist(), found.tf.tolist(), strict=True):
            leaf = row - roots[number]
            by_document.setdefault(index.ids[number], {})[leaf] = [next(positions) for _ in range(tf)]
            leaves[index.ids[number]].add(leaf)
        sums = {document: sum(map(len, by_leaf.values())) for document, by_leaf in by_document.items()}
        tfs = zip((index.ids[number] for number in postings.documents.tolist()), postings.tf.tolist(), strict=True)
        assert dict(tfs) == sums
        begins = index.elements.first_word(index.elements.root(documents_of_rows))
        places = (index.elements.first_word(found.rows) - begins).repeat(found.tf) + found.positions
        in_opening = documents_of_rows.repeat(found.tf)[places < opening.OPENING_WORDS].tolist()
        opened = zip(postings.opening_documents.tolist(), postings.opening_tf.tolist(), strict=True)
        assert list(opened) == sorted(Counter(in_opening).items())
    for number in numbers:
        document = index.ids[number]
        rows = np.arange(roots[number], index.elements.document_end(np.array([number]))[0])
        made.documents[document] = Document(
            index.text(number),
            _elements_of_index(index, number, rows, roots[number]),
            int(index.statistics.lengths[number]),
            len(leaves[document]),
            float(index.statistics.weights[number]),
            *_words_of_index(index, number, rows),
        )
    return made


def _words_of_index(index: IndexReader, number: int, rows: NDArray[np.int64]) -> tuple[list[int], list[Border]]:
    store = index.elements
    first, n_words = int(store.first_word(rows[:1])[0]), int(store.n_words(rows[:1])[0])
    first_words = [*(store.first_word(rows) - first).tolist(), n_words]
    ends = (store.end(rows) - rows[0]).tolist()
    for row, (end, length) in enumerate(zip(ends, store.n_words(rows).tolist(), strict=True)):
        assert length == first_words[end] - first_words[row]
    starts = store.sentence_starts(np.array([number]))
    is_text_node = store.text_node(starts) != store.text_node(starts - 1)
    n_sentences = store.n_sentences(rows)
    each = np.concatenate([np.arange(n) for n in n_sentences.tolist()])
    passages = iter(passage_offsets(index, np.repeat(rows, n_sentences), each, each).tolist())
    borders = []
    for leaf, n_passages in zip(rows.tolist(), n_sentences.tolist(), strict=True):
        assert (n_passages > 0) == (first_words[leaf - rows[0] + 1] > first_words[leaf - rows[0]])
        for (_, end), (start, _) in pairwise([next(passages) for _ in range(n_passages)]):
            word = int(starts[len(borders)]) - first
            assert first_words[leaf - rows[0]] < word < first_words[leaf - rows[0] + 1]
            borders.append(Border(word, bool(is_text_node[len(borders)]), start, end))
    assert len(borders) == len(starts)
    return first_words, borders


def _elements_of_index(index: IndexReader, number: int, rows: NDArray[np.int64], root: int) -> list[Element]:
    store = index.elements
    columns = (
        store.tag(rows),
        store.parent(rows) - root,
        store.end(rows) - root,
        store.depth(rows),
        store.ordinal(rows),
    )
    spans = index.spans(number, rows).T
    values = zip(*(column.tolist() for column in (*columns, *spans)), strict=True)
    elements = [Element(store.tags[tag], *others, "") for tag, *others in values]
    return [element._replace(path=_path(elements, row)) for row, element in enumerate(elements)]
