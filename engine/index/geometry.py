"""What an index knows of where elements lie, in the words of the evaluation package (eval's `Geometry` protocol)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.collection.document import paths as build_paths
from engine.index.index import Index

POINTER = re.compile(r"(?P<path>(?:/[^/]+?)+?)(?:/text\(\)\[(?P<node>\d+)\])?(?:\.(?P<offset>\d+))?")


class DocumentElements(NamedTuple):
    """All elements of one document in document order, with their spans (code points, end exclusive)."""

    paths: Sequence[str]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


class _Tree(NamedTuple):
    elements: DocumentElements
    numbers: dict[str, int]
    parent: NDArray[np.int64]


class IndexGeometry:
    """Lengths, spans and offsets of the documents of an open index; the last documents asked for are kept."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._tree = lru_cache(1024)(self._read)

    def length(self, document: str) -> int | None:
        """Return the characters of the document's text, None for an unknown document."""
        tree = self._tree(document)
        return int(tree.elements.ends[0]) if tree else None

    def spans(self, document: str, paths: Sequence[str]) -> NDArray[np.int64]:
        """Return start and end of each path, int64, shape (n, 2); -1 and -1 where there is no such element."""
        spans = np.full((len(paths), 2), -1, np.int64)
        tree = self._tree(document)
        if tree:
            numbers = np.array([tree.numbers.get(path, -1) for path in paths], np.int64)
            found = numbers >= 0
            spans[found, 0] = tree.elements.starts[numbers[found]]
            spans[found, 1] = tree.elements.ends[numbers[found]]
        return spans

    def elements(self, document: str) -> DocumentElements | None:
        """Return every element of the document in document order, None for an unknown document."""
        tree = self._tree(document)
        return tree.elements if tree else None

    def offset(self, document: str, pointer: str) -> int | None:
        """Return the character that a pointer such as `/article[1]/p[2]/text()[1].12` points at.

        `text()[k]` is the k-th text node directly in the element; comments and processing instructions do not end one.
        None where the document, the element or the text node does not exist.
        """
        tree, match = self._tree(document), POINTER.fullmatch(pointer.strip())
        if tree is None or match is None or (number := tree.numbers.get(match["path"])) is None:
            return None
        offset = int(match["offset"] or 0)
        if match["node"] is None:
            return int(tree.elements.starts[number]) + offset
        nodes = _text_nodes(tree, number)
        node = int(match["node"])
        if not 1 <= node <= len(nodes):
            return None
        start, end = nodes[node - 1]
        return start + offset if start + offset <= end else None

    def _read(self, document: str) -> _Tree | None:
        number = self._index.number(document)
        if number is None:
            return None
        elements = self._index.elements
        place = np.array([number])
        rows = np.arange(int(elements.root(place)[0]), int(elements.document_end(place)[0]))
        parent = elements.parent(rows) - rows[0]
        columns = parent.tolist(), elements.tag(rows).tolist(), elements.ordinal(rows).tolist()
        paths = build_paths(range(len(rows)), *columns, elements.tags)
        spans = self._index.spans(number, rows)
        found = DocumentElements(paths, spans[:, 0].copy(), spans[:, 1].copy())
        return _Tree(found, {path: row for row, path in enumerate(paths)}, parent)


def _text_nodes(tree: _Tree, number: int) -> list[tuple[int, int]]:
    """Return the spans of an element's own text nodes, in order: the gaps between its children that hold text."""
    children = np.flatnonzero(tree.parent == number)
    children = children[children != number].tolist()
    starts, ends = tree.elements.starts, tree.elements.ends
    borders = [(int(starts[child]), int(ends[child])) for child in children]
    begins = [int(starts[number]), *(end for _, end in borders)]
    stops = [*(start for start, _ in borders), int(ends[number])]
    return [(begin, stop) for begin, stop in zip(begins, stops, strict=True) if stop > begin]
