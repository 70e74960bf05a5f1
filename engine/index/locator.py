"""Paths, spans and lengths of elements; by document id and path as the `ElementLocator` protocol of eval has them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.columns.checked_folder import all_read_columns, reads_columns
from engine.index.elements.containment import WithAncestors, chains
from engine.index.reader import IndexReader
from engine.query_limits import reserve


def paths_of(parents: Sequence[int], tags: Sequence[int], ordinals: Sequence[int], names: Sequence[str]) -> list[str]:
    """Return the path of every element of a set that contains the parents of all: `/article[1]/bdy[1]/sec[2]`.

    Args:
        parents, tags, ordinals: columns of the elements, in document order; a parent is an index into the columns, that
            of a root is the root itself. names: local names; tags are indices into them.
    """
    found: list[str] = []
    for place, (parent, tag, ordinal) in enumerate(zip(parents, tags, ordinals, strict=True)):
        above = found[parent] if parent != place else ""
        found.append(f"{above}/{names[tag]}[{ordinal}]")
    return found


STEP = re.compile(r"([^\[\]]+)\[(\d{1,18})\]")
# documents whose trees are cached, some ten kilobytes each
MOST_TREES = 4096
# Numbers that a tree has for each element, and those that it takes besides while it is read.
KEPT, WHILE_READ = 3, 4
POINTER = re.compile(r"(?P<path>(?:/[^/]+?)+?)(?:/text\(\)\[(?P<node>\d{1,18})\])?(?:\.(?P<offset>\d{1,18}))?")


class IndexedElements(NamedTuple):
    """All elements of one document in document order, with their spans (code points, end exclusive)."""

    paths: Sequence[str]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


class _Tree(NamedTuple):
    """The elements of a document by parent, tag and ordinal, packed into one sorted key."""

    document: int
    first_row: int
    parent: NDArray[np.int64]  # rows here count from the root
    keys: NDArray[np.int64]
    rows: NDArray[np.int64]  # the element of each key
    tag_bits: int
    ordinal_bits: int
    known: dict[str, int]  # rows of the paths looked up so far


@all_read_columns
class IndexLocator:
    """Lengths, spans and offsets of elements of an open index; recently used documents are cached."""

    def __init__(self, index: IndexReader) -> None:
        self._index = index
        self._tags = {tag: number for number, tag in enumerate(index.elements.tags)}
        self._tree = lru_cache(MOST_TREES)(partial(_read_tree, index, len(self._tags)))

    def length(self, document: str) -> int | None:
        """Return the length of the document's text in characters, None for an unknown document."""
        number = self._index.number(document)
        if number is None:
            return None
        return int(self._index.spans(number, self._index.elements.root(np.array([number])))[0, 1])

    def spans(self, document: str, paths: Sequence[str]) -> NDArray[np.int64]:
        """Return start and end of each path, int64, shape (n, 2); -1 and -1 for a path that leads to no element."""
        spans = np.full((len(paths), 2), -1, np.int64)
        tree = self._tree(document)
        if tree:
            rows = np.array([self._row(tree, path) for path in paths], np.int64)
            found = rows >= 0
            spans[found] = self._index.spans(tree.document, rows[found] + tree.first_row)
        return spans

    def elements(self, document: str) -> IndexedElements | None:
        """Return every element of the document in document order, None for an unknown document."""
        tree = self._tree(document)
        if tree is None:
            return None
        rows = np.arange(len(tree.parent)) + tree.first_row
        elements = self._index.elements
        columns = np.maximum(tree.parent, 0).tolist(), elements.tag(rows).tolist(), elements.ordinal(rows).tolist()
        paths = paths_of(*columns, elements.tags)
        spans = self._index.spans(tree.document, rows)
        return IndexedElements(paths, spans[:, 0].copy(), spans[:, 1].copy())

    def row(self, document: str, path: str) -> int | None:
        """Return the row of the element at a path, None where there is none."""
        tree = self._tree(document)
        found = self._row(tree, path) if tree else -1
        return found + tree.first_row if tree and found >= 0 else None

    def offset(self, document: str, pointer: str) -> int | None:
        """Return the offset of a pointer such as `/article[1]/p[2]/text()[1].12` in the document's text.

        `text()[k]` is the k-th text node directly in the element; comments and processing instructions do not end one.
        None where the document, the element or the text node does not exist.
        """
        tree, match = self._tree(document), POINTER.fullmatch(pointer.strip())
        if tree is None or match is None or (row := self._row(tree, match["path"])) < 0:
            return None
        offset = int(match["offset"] or 0)
        nodes = self._text_nodes(tree, row)
        if match["node"] is None:
            return int(self._index.spans(tree.document, np.array([row + tree.first_row]))[0, 0]) + offset
        node = int(match["node"])
        if not 1 <= node <= len(nodes):
            return None
        start, end = nodes[node - 1]
        return start + offset if start + offset <= end else None

    def _row(self, tree: _Tree, path: str) -> int:
        """Return the row of the element at a path, -1 if there is none."""
        row = tree.known.get(path)
        if row is None:
            row = tree.known[path] = self._walk(tree, path)
        return row

    def _walk(self, tree: _Tree, path: str) -> int:
        row = -1
        if not path.startswith("/"):
            return -1
        for step in path[1:].split("/"):
            match = STEP.fullmatch(step)
            tag = self._tags.get(match[1]) if match else None
            if match is None or tag is None or int(match[2]).bit_length() > tree.ordinal_bits:
                return -1
            key = ((row + 1) << tree.tag_bits | tag) << tree.ordinal_bits | int(match[2])
            place = int(np.searchsorted(tree.keys, key))
            if place == len(tree.keys) or tree.keys[place] != key:
                return -1
            row = int(tree.rows[place])
        return row

    def _text_nodes(self, tree: _Tree, row: int) -> list[tuple[int, int]]:
        """Return the spans of an element's own text nodes, in order: the text between its children."""
        family = np.append(np.flatnonzero(tree.parent == row), row)
        *children, (start, end) = self._index.spans(tree.document, family + tree.first_row).tolist()
        begins = [start, *(stop for _, stop in children)]
        stops = [*(begin for begin, _ in children), end]
        return [(begin, stop) for begin, stop in zip(begins, stops, strict=True) if stop > begin]


def _read_tree(index: IndexReader, n_tags: int, document: str) -> _Tree | None:
    number = index.number(document)
    if number is None:
        return None
    elements = index.elements
    place = np.array([number])
    first, end = int(elements.root(place)[0]), int(elements.document_end(place)[0])
    reserve((KEPT + WHILE_READ) * (end - first))
    rows = np.arange(first, end)
    parent, tag, ordinal = elements.parent(rows) - first, elements.tag(rows), elements.ordinal(rows)
    parent[0] = -1
    tag_bits, ordinal_bits = n_tags.bit_length(), int(ordinal.max()).bit_length()
    keys = ((parent + 1) << tag_bits | tag) << ordinal_bits | ordinal
    order = np.argsort(keys)
    tree = _Tree(number, first, parent, keys[order], order, tag_bits, ordinal_bits, {})
    reserve(-WHILE_READ * (end - first))
    return tree


@reads_columns
def element_paths(index: IndexReader, rows: NDArray[np.int64], above: WithAncestors | None = None) -> list[str]:
    """Return the paths of elements; above: their ancestors, where they are known."""
    elements = index.elements
    every, parents = chains(elements, rows) if above is None else above
    found = paths_of(parents.tolist(), elements.tag(every).tolist(), elements.ordinal(every).tolist(), elements.tags)
    return [found[place] for place in every.searchsorted(rows).tolist()]
