"""The text, elements and pointers of XML documents, found the slow and obvious way: a geometry for tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from lxml import etree

from eval.numbers import IntArray


@dataclass(frozen=True, eq=False)
class ElementSpans:
    """All elements of one document in document order: row i is `paths[i]`, from `starts[i]` to `ends[i]`."""

    paths: Sequence[str]
    starts: IntArray
    ends: IntArray


class FlatDocuments:
    def __init__(self, sources: Mapping[str, str | bytes]):
        self.roots = {name: etree.fromstring(source) for name, source in sources.items()}
        self.texts = {name: _text(root) for name, root in self.roots.items()}
        self.places = {name: dict(_places(root)) for name, root in self.roots.items()}

    def length(self, document: str) -> int | None:
        return len(self.texts[document]) if document in self.texts else None

    def spans(self, document: str, paths: Sequence[str]) -> IntArray:
        known = self.places.get(document, {})
        return np.array([known.get(path, (-1, -1)) for path in paths], dtype=np.int64).reshape(-1, 2)

    def elements(self, document: str) -> ElementSpans | None:
        if document not in self.places:
            return None
        places = self.places[document]
        starts, ends = np.array(list(places.values()), dtype=np.int64).reshape(-1, 2).T
        return ElementSpans(list(places), starts, ends)

    def offset(self, document: str, pointer: str) -> int | None:
        path, _, rest = pointer.partition("/text()[")
        number, _, offset = rest.partition("].")
        if path not in self.places.get(document, {}):
            return None
        nodes = [(start, end) for start, end in _text_nodes(self.roots[document], path) if end > start]
        if not 1 <= int(number) <= len(nodes):
            return None
        return nodes[int(number) - 1][0] + int(offset)


def _name(element: etree._Element) -> str:
    return etree.QName(element).localname


def _text(element: etree._Element) -> str:
    """Return all text of an element; comments and instructions hold none."""
    inside = ((_text(child) if isinstance(child.tag, str) else "") + (child.tail or "") for child in element)
    return (element.text or "") + "".join(inside)


def _children(element: etree._Element) -> list[etree._Element]:
    return [child for child in element if isinstance(child.tag, str)]


def _places(
    element: etree._Element, path: str = "", start: int = 0, ordinal: int = 1
) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield path and span of the element and all elements inside, in document order."""
    path = f"{path}/{_name(element)}[{ordinal}]"
    yield path, (start, start + len(_text(element)))
    at = start + len(element.text or "")
    count: dict[str, int] = {}
    for child in element:
        if isinstance(child.tag, str):
            count[_name(child)] = count.get(_name(child), 0) + 1
            yield from _places(child, path, at, count[_name(child)])
            at += len(_text(child))
        at += len(child.tail or "")


def _text_nodes(root: etree._Element, path: str) -> list[tuple[int, int]]:
    """Return the spans of the text nodes directly in an element; comments and instructions part them."""
    places = dict(_places(root))
    element, at = _find(root, path), places[path][0]
    nodes = [(at, at + len(element.text or ""))]
    at = nodes[0][1]
    for child in element:
        if isinstance(child.tag, str):
            at += len(_text(child))
        nodes.append((at, at + len(child.tail or "")))
        at = nodes[-1][1]
    return nodes


def _find(root: etree._Element, path: str) -> etree._Element:
    element = root
    for step in path.strip("/").split("/")[1:]:
        name, _, ordinal = step.rstrip("]").partition("[")
        element = [child for child in _children(element) if _name(child) == name][int(ordinal) - 1]
    return element
