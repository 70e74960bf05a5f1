"""Where the elements of a document begin and end in its source: the markup as it was written, and lines of it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from enum import Enum
from typing import NamedTuple

from engine.collection.entities.entity_declarations import find_declarations
from engine.collection.entities.entity_references import PREDEFINED as PREDEFINED_NAMES
from engine.threads import cached_property

# Comments, processing instructions, CDATA sections, the document type, tags, and references to entities. The source is
# well-formed, so nothing is given back once it is matched.
TOKEN = re.compile(
    rb"""&(?P<entity>[^\#;&<][^;&<]*+); | <(?: !--.*?--> | \?.*?\?> | !\[CDATA\[.*?\]\]>
            | !DOCTYPE (?: [^\[>"'] | "[^"]*+" | '[^']*+' )*+
              (?: \[ (?: <!--.*?--> | <\?.*?\?> | "[^"]*+" | '[^']*+' | [^\]"'] )*+ \] \s* )? >
            | (?P<end>/?) [^!?/>\s] (?: [^>"'] | "[^"]*+" | '[^']*+' )*+ > )""",
    re.DOTALL | re.VERBOSE,
)
NAME = re.compile(rb"<([^!?/>\s]+)")
CDATA, DOCTYPE = b"<![CDATA[", b"<!DOCTYPE"
# What ends a line; the parser makes a line feed of each.
BREAK = re.compile(rb"\r\n?|\n")
PREDEFINED = frozenset(name.encode() for name in PREDEFINED_NAMES)


class TagKind(Enum):
    """Kinds of tags."""

    START = 0
    END = 1
    EMPTY = 2


class Tag(NamedTuple):
    """A tag: its first and last byte (exclusive), the number of its element, and whether the element ends with it.

    `<a/>` is one tag. The tags of an element in an entity are where the reference to the entity is.
    """

    begin: int
    end: int
    element: int
    is_end: bool


class SourceMarkup:
    """The XML of one document, in UTF-8, with the places of its elements; elements count in document order from 0."""

    def __init__(self, encoded: bytes) -> None:
        self._encoded = encoded

    def outermost(self, names: Collection[str], number: int) -> SourceMarkup | None:
        """Return the markup of an outermost element with one of the names, counted from 1; None if there are fewer.

        Elements count from this one on.
        """
        wanted = {name.encode() for name in names}
        opened: int | None = None
        inside: list[Tag] = []
        for tag in self._tags:
            if opened is None:
                match = NAME.match(self._encoded, tag.begin)
                if tag.element < 0 or match is None or match[1].rpartition(b":")[2] not in wanted:
                    continue
                opened, number = tag.element, number - 1
            if not number:
                inside.append(tag._replace(element=tag.element - opened))
            if tag.is_end and tag.element == opened:
                if not number:
                    part = SourceMarkup(self._encoded)
                    part._tags = inside
                    return part
                opened = None
        return None

    @cached_property
    def _tags(self) -> list[Tag]:
        """The tags, in document order."""
        tags: list[Tag] = []
        opened: list[int] = []
        count = 0
        for begin, end, kind in self._found(self._encoded):
            if kind is TagKind.END:
                tags.append(Tag(begin, end, opened.pop() if opened else -1, True))
                continue
            tags.append(Tag(begin, end, count, kind is TagKind.EMPTY))
            if kind is TagKind.START:
                opened.append(count)
            count += 1
        return tags

    def _found(self, markup: bytes) -> Iterator[tuple[int, int, TagKind]]:
        """Yield the tags in markup; those in an entity have the place of the reference to it."""
        for token in TOKEN.finditer(markup):
            begin, end = token.span()
            if name := token["entity"]:
                for _, _, kind in self._found(self._entities.get(name, b"")):
                    yield begin, end, kind
            elif token["end"] is not None:
                is_empty = markup[end - 2 : end] == b"/>"
                yield begin, end, TagKind.END if token["end"] else TagKind.EMPTY if is_empty else TagKind.START

    @cached_property
    def _entities(self) -> dict[bytes, bytes]:
        """The entities that the document declares with elements in them."""
        return {name: text for name, text in self._declared.items() if b"<" in text or b"&" in text}

    @cached_property
    def _declared(self) -> dict[bytes, bytes]:
        if b"<!ENTITY" not in self._encoded:
            return {}
        doctype = next(token[0] for token in TOKEN.finditer(self._encoded) if token[0].startswith(DOCTYPE))
        return {name.encode(): text.encode() for name, text in find_declarations(doctype.decode()).texts.items()}

    @cached_property
    def _end_of_known(self) -> int:
        """Where the first reference to an entity is that the document does not declare; elements may be in it."""
        known = PREDEFINED | self._declared.keys()
        names = ((token.start(), token["entity"]) for token in TOKEN.finditer(self._encoded))
        return next((place for place, name in names if name and name not in known), len(self._encoded))

    def begins_before_unknown(self, element: int) -> bool:
        """Return whether an element, by its number in the document, begins before any undeclared entity."""
        return element < len(self._spans) and self._spans[element][0] < self._end_of_known

    @cached_property
    def _spans(self) -> list[list[int]]:
        """First and last byte (exclusive) of each element."""
        spans: list[list[int]] = []
        for begin, end, element, is_end in self._tags:
            if element == len(spans):
                spans.append([begin, end])
            if is_end and 0 <= element < len(spans):
                spans[element][1] = end
        return spans

    def __len__(self) -> int:
        """The number of elements, those inside undeclared entities left out."""
        return len(self._spans)

    def xml(self, element: int) -> str:
        """Return the markup of an element as it was written; of one in an entity, the reference."""
        begin, end = self._spans[element]
        return self._encoded[begin:end].decode()

    def line(self, element: int) -> int:
        """Return the line on which an element begins, from 1."""
        return self._line_at(self._spans[element][0])

    def line_of_text(self, offset: int, text: str, starts: Sequence[int], stops: Sequence[int]) -> int:
        """Return the line in the file of an offset of the document's text.

        Args:
            text: the document's text. starts, stops: where each element begins and ends in it.
        """
        offsets = [stops[tag.element] if tag.is_end else starts[tag.element] for tag in self._tags]
        last = bisect_right(offsets, offset) - 1
        return self._line_at(self._after_breaks(self._tags[last].end, text.count("\n", offsets[last], offset)))

    def _after_breaks(self, place: int, n_breaks: int) -> int:
        """Return the place after the given number of line breaks from a place on; those of comments are not counted."""
        while n_breaks:
            token = TOKEN.search(self._encoded, place)
            end = token.start() if token else len(self._encoded)
            if token and token[0].startswith(CDATA):
                end = token.end()
            while n_breaks and (found := BREAK.search(self._encoded, place, end)):
                place, n_breaks = found.end(), n_breaks - 1
            if n_breaks and token is None:
                break
            place = place if token is None or not n_breaks else token.end()
        return place

    def _line_at(self, place: int) -> int:
        count = self._encoded.count
        return count(b"\n", 0, place) + count(b"\r", 0, place) - count(b"\r\n", 0, place) + 1
