"""Checks a document's limits in a streaming parse, before a tree of it is built.

No tree is built here, so memory does not depend on what entities expand to. The check takes about as long as reading
the document, and is only needed if the document's bytes could exceed a limit, which is rare.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import islice, takewhile
from typing import IO, Any, NoReturn, cast

from lxml import etree

from engine.collection.limits import Limits, limit_hint
from engine.errors import CollectionError

# Above UNCHECKED bytes, libxml2 lets entities make a document about 5 times as large.
AMPLIFICATION, UNCHECKED = 6, 1 << 20
SMALLEST_ELEMENT, SMALLEST_ATTRIBUTE = len("<a/>"), len(' a=""')
VALUE_OR_END = re.compile(rb"""=\s*(?:"[^"]*"|'[^']*')|>""")
# Characters of a namespace; lxml copies it for each element that has it.
MOST_OF_NAMESPACE = 4_096
_LONG_NAMESPACE = re.compile(rb'xmlns(?<=\sxmlns)(?::[^\s="<>]*)?="[^"<>]{%d}' % (MOST_OF_NAMESPACE + 1))
LONG_NAMESPACE = f"a namespace of more than {MOST_OF_NAMESPACE:,} characters: shorten it."
ADVICE = {
    "max_depth": "flatten the document",
    "max_text": "split the document",
    "max_distinct_words": "split the document",
    "max_distinct_names": "move data that are in names, such as numbers, into values of attributes",
    "max_elements": "split the document",
    "max_attributes": "split the document",
}


def limit_exceeded(name: str, limit: int) -> str:
    """Return the reason for skipping a document that exceeds a limit, with the remedy."""
    found = {
        "max_depth": f"elements nested more than {limit:,} deep",
        "max_text": f"more than {limit:,} characters of text and attribute values",
        "max_distinct_words": f"more than {limit:,} distinct words",
        "max_distinct_names": f"more than {limit:,} distinct names of elements and attributes",
        "max_elements": f"more than {limit:,} elements",
        "max_attributes": f"more than {limit:,} attributes",
    }
    return f"{found[name]}, {limit_hint(name)}: {ADVICE[name]}."


def may_exceed_limits(raw: bytes, limits: Limits, *, has_entities: bool) -> bool:
    """Return whether a document might exceed a limit other than `max_depth`, judging by its bytes alone.

    Args:
        has_entities: whether it may declare entities, or has an encoding in which tags cannot be counted.
    """
    size = AMPLIFICATION * len(raw) + UNCHECKED if has_entities else len(raw)
    too_many_elements = size > limits.max_elements * SMALLEST_ELEMENT
    too_many_attributes = size > limits.max_attributes * SMALLEST_ATTRIBUTE
    if not has_entities:
        too_many_elements = too_many_elements and raw.count(b"<") > limits.max_elements
        too_many_attributes = too_many_attributes and raw.count(b"=") > limits.max_attributes
    return size > limits.max_text or too_many_elements or too_many_attributes


def check_namespaces(markup: bytes, name: str) -> None:
    """Raise CollectionError if a namespace in canonical markup has more than MOST_OF_NAMESPACE bytes."""
    if b"xmlns" in markup and _LONG_NAMESPACE.search(markup):
        raise CollectionError(f"{name}:1: {LONG_NAMESPACE}")


def check_limits(raw: bytes, name: str, limits: Limits, make_parser: Callable[..., etree.XMLParser]) -> None:
    """Parse a document without building a tree; raise an error at the first limit that it exceeds.

    Args:
        make_parser: returns a parser with the options of the one that will read the document, given a target.
    Raises: CollectionError with the line that the parser had reached; XMLSyntaxError if it is not well-formed.
    """
    _check_longest_tags(raw, name, limits)
    source = _Source(raw)
    etree.parse(cast(IO[bytes], source), make_parser(target=_LimitCounter(name, source, limits)))


def _check_longest_tags(raw: bytes, name: str, limits: Limits) -> None:
    """Raise CollectionError for a tag with too many attributes; the parser reports a tag only once it is complete."""
    room = limits.max_attributes * SMALLEST_ATTRIBUTE
    begin = raw.find(b"<")
    while begin >= 0 and begin + room < len(raw):
        next_one = raw.rfind(b"<", begin + 1, begin + room)
        if next_one < 0:
            next_one = raw.find(b"<", begin + room)
            values = VALUE_OR_END.finditer(raw, begin, len(raw) if next_one < 0 else next_one)
            inside = takewhile(lambda value: value[0] != b">", values)
            if excess := next(islice(inside, limits.max_attributes, None), None):
                line = raw.count(b"\n", 0, excess.start()) + 1
                raise CollectionError(f"{name}:{line}: {limit_exceeded('max_attributes', limits.max_attributes)}")
        begin = next_one


class _Source:
    """A file-like object over the document's bytes that knows the line of the last block and can end early."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._begin = self._end = 0

    def read(self, size: int) -> bytes:
        self._begin, self._end = self._end, min(self._end + size, len(self._raw))
        return self._raw[self._begin : self._end]

    def stop(self) -> None:
        """End the document here; the parser would read to the end in spite of an exception from its target."""
        self._raw = self._raw[: self._end]

    @property
    def line(self) -> int:
        """Line at which the last block begins."""
        return self._raw.count(b"\n", 0, self._begin) + 1


class _LimitCounter:
    """Parser target that counts elements, attributes and text, and raises at the first limit exceeded."""

    def __init__(self, name: str, source: _Source, limits: Limits) -> None:
        self._name = name
        self._source = source
        self._limits = limits
        self._depth = self._text = self._elements = self._attributes = 0

    def start(self, _tag: str, attributes: Mapping[str, str], namespaces: Mapping[str, str]) -> None:
        self._depth += 1
        self._elements += 1
        self._attributes += len(attributes) + len(namespaces)
        if self._depth > self._limits.max_depth:
            self._raise("max_depth")
        if self._elements > self._limits.max_elements:
            self._raise("max_elements")
        if self._attributes > self._limits.max_attributes:
            self._raise("max_attributes")
        if any(len(namespace) > MOST_OF_NAMESPACE for namespace in namespaces.values()):
            self._source.stop()
            raise CollectionError(f"{self._name}:{self._source.line}: {LONG_NAMESPACE}")
        self._count(sum(map(len, attributes.values())) + sum(map(len, namespaces.values())))

    def end(self, _tag: str) -> None:
        self._depth -= 1

    def data(self, text: str) -> None:
        self._count(len(text))

    def close(self) -> Any:
        return None

    def _count(self, n_characters: int) -> None:
        self._text += n_characters
        if self._text > self._limits.max_text:
            self._raise("max_text")

    def _raise(self, limit: str) -> NoReturn:
        self._source.stop()
        raise CollectionError(
            f"{self._name}:{self._source.line}: {limit_exceeded(limit, getattr(self._limits, limit))}"
        )
