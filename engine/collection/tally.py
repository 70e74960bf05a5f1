"""The tally: what a document holds is counted while it is parsed, so that one past a limit is refused before it grows.

No tree is built, so memory does not depend on what the document unfolds to. It takes about as long as reading the
document, and is needed only where its bytes leave room for more than the limits allow: few documents are so large.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import islice, takewhile
from typing import IO, Any, NoReturn, cast

from lxml import etree

from engine.collection.limits import Limits, the_limit
from engine.errors import CollectionError

AMPLIFICATION, FREE = 6, 1 << 20  # past FREE bytes libxml2 lets entities make a document some 5 times as large
SMALLEST_ELEMENT, SMALLEST_ATTRIBUTE = len("<a/>"), len(' a=""')
VALUE_OR_END = re.compile(rb"""=\s*(?:"[^"]*"|'[^']*')|>""")
ADVICE = {
    "max_depth": "flatten the document",
    "max_text": "split the document",
    "max_elements": "split the document",
    "max_attributes": "split the document",
}


def past(name: str, limit: int) -> str:
    """Return the reason for refusing a document that passes one of its limits."""
    found = {
        "max_depth": f"elements nested more than {limit:,} deep",
        "max_text": f"more than {limit:,} characters of text and attribute values",
        "max_elements": f"more than {limit:,} elements",
        "max_attributes": f"more than {limit:,} attributes",
    }
    return f"{found[name]}, {the_limit(name)}: {ADVICE[name]}."


def leaves_room(raw: bytes, limits: Limits, *, has_entities: bool) -> bool:
    """Return whether a document of these bytes might pass a limit (but for that on depth).

    Args:
        has_entities: whether it may declare entities, or have an encoding in which tags cannot be counted.
    """
    size = AMPLIFICATION * len(raw) + FREE if has_entities else len(raw)
    may_pass_elements = size > limits.max_elements * SMALLEST_ELEMENT
    may_pass_attributes = size > limits.max_attributes * SMALLEST_ATTRIBUTE
    if not has_entities:
        may_pass_elements = may_pass_elements and raw.count(b"<") > limits.max_elements
        may_pass_attributes = may_pass_attributes and raw.count(b"=") > limits.max_attributes
    return size > limits.max_text or may_pass_elements or may_pass_attributes


def tally(raw: bytes, name: str, limits: Limits, make_parser: Callable[..., etree.XMLParser]) -> None:
    """Parse a document without keeping it.

    Args:
        make_parser: makes the parser that will read the document, given a target.
    Raises: CollectionError, with the line that the parser had come to, at the first limit that is passed;
        XMLSyntaxError for what is not well-formed.
    """
    _check_longest_tags(raw, name, limits)
    source = _Source(raw)
    etree.parse(cast(IO[bytes], source), make_parser(target=_Tally(name, source, limits)))


def _check_longest_tags(raw: bytes, name: str, limits: Limits) -> None:
    """Refuse a tag of too many attributes: the parser says nothing of a tag before it has read all of it."""
    room = limits.max_attributes * SMALLEST_ATTRIBUTE
    begin = raw.find(b"<")
    while begin >= 0 and begin + room < len(raw):
        next_one = raw.rfind(b"<", begin + 1, begin + room)
        if next_one < 0:
            next_one = raw.find(b"<", begin + room)
            values = VALUE_OR_END.finditer(raw, begin, len(raw) if next_one < 0 else next_one)
            inside = takewhile(lambda value: value[0] != b">", values)
            if passing := next(islice(inside, limits.max_attributes, None), None):
                line = raw.count(b"\n", 0, passing.start()) + 1
                raise CollectionError(f"{name}:{line}: {past('max_attributes', limits.max_attributes)}")
        begin = next_one


class _Source:
    """Bytes that are handed out block by block."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._begin = self._end = 0

    def read(self, size: int) -> bytes:
        self._begin, self._end = self._end, min(self._end + size, len(self._raw))
        return self._raw[self._begin : self._end]

    def stop(self) -> None:
        """Let the bytes end here: whatever its target raises, the parser reads on to the end."""
        self._raw = self._raw[: self._end]

    @property
    def line(self) -> int:
        """The line that the last block begins in."""
        return self._raw.count(b"\n", 0, self._begin) + 1


class _Tally:
    """Counts what the parser finds, and stops it at the first limit that is passed."""

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
            self._refuse("max_depth")
        if self._elements > self._limits.max_elements:
            self._refuse("max_elements")
        if self._attributes > self._limits.max_attributes:
            self._refuse("max_attributes")
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
            self._refuse("max_text")

    def _refuse(self, limit: str) -> NoReturn:
        self._source.stop()
        raise CollectionError(f"{self._name}:{self._source.line}: {past(limit, getattr(self._limits, limit))}")
