"""Answers of the service, as typed records: pages show them, JSON is made of them, and OpenAPI describes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from math import isfinite
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from engine.arrays import FloatArray
from engine.presentation.table_snippets import TableSnippet

# Types whose values are the same in JSON.
PLAIN = frozenset((str, int, bool, type(None)))


@dataclass(frozen=True)
class FoundAnswer:
    """An answer. marks: spans of query words in the snippet. kind: profile of the document. fields: of
    the document, a value each, or a list. text, readable_text: only if asked for.

    siblings: paths of the first and the last of several that are the answer, only where they are joined.
    also_in: document and path of elements left out, as they say the same, only where there are any.
    image: path of the best image in it, or of the first one; image_score: of queries with an example image, whose JSON
    has both. blocks: how far the image matches the example in each of 16 x 16 blocks, from 0 to 1; only if asked for.
    without: words of the query that it lacks, where the rarest is one; table: its best rows, where it is one; on pages
        alone.
    """

    rank: int
    rsv: float
    score: float | None
    document: str
    path: str
    start: int
    end: int
    size: int
    words: int
    sentences: list[int] | None
    article_rank: int
    article_score: float
    breadcrumb: list[str]
    fields: dict[str, str | int | float | list[str] | list[int] | list[float]]
    snippet: str
    marks: list[list[int]]
    kind: str
    text: str | None = None
    readable_text: str | None = None
    image: str | None = None
    image_score: float | None = None
    blocks: list[list[float]] | None = None
    without: list[str] | None = None
    table: TableSnippet | None = None
    also_in: list[dict[str, str]] | None = None
    siblings: list[str] | None = None


@dataclass(frozen=True)
class FoundGroup:
    """The answers of a document, best first. total: how many there are; `answers` has the first ones.

    length: characters of the document; spots: start, end and score of each answer, shape (n, 3); on pages alone.
    """

    document: str
    title: str
    total: int
    answers: list[FoundAnswer]
    length: int | None = None
    spots: FloatArray | None = None


@dataclass(frozen=True)
class TitledDocument:
    """A document and its title."""

    document: str
    title: str


@dataclass(frozen=True)
class Suggestions:
    """What a query that is being typed may become: queries with its last word completed, documents by their titles."""

    index: str
    generation: int
    queries: list[str]
    documents: list[TitledDocument]


@dataclass(frozen=True)
class FacetValue:
    """A value by which answers can be narrowed, and how many answers have it."""

    value: str | int | float
    count: int


@dataclass(frozen=True)
class SearchResult:
    """The answers to a query, from one on (`offset`), of all that were ranked (`total`).

    total_relation: "exact" if there are `total` answers, "at_least" if there may be more, which were not ranked.
    facets: by kind, tag and folder, if asked for. notice: what was not read as it was typed, or why nothing was found.
    words: of all answers of this page together. seconds: of the search. shards: of a search on a cluster, how many
    answered, and how many there are. groups: with `group=document`, the answers by document; `offset` and `limit` then
    count documents, of which there are `total_groups`, and `answers` has the best answer of each. meant: the query
    with words that no document has replaced by ones that are spelt alike.
    """

    index: str
    generation: int
    query: str
    interpretation: str
    offset: int
    limit: int
    total: int
    total_relation: str
    answers: list[FoundAnswer]
    facets: dict[str, list[FacetValue]]
    notice: str
    words: int
    seconds: float
    shards: list[int] | None = None
    meant: str | None = None
    groups: list[FoundGroup] | None = None
    total_groups: int | None = None


@dataclass(frozen=True)
class ExampleImageText:
    """An example image as text: what the parameter `image` of a search takes."""

    image: str


@dataclass(frozen=True)
class ReadText:
    """Characters start to end of a document's text; length is that of the whole text."""

    index: str
    generation: int
    document: str
    title: str
    kind: str
    path: str | None
    start: int
    end: int
    length: int
    text: str


@dataclass(frozen=True)
class OutlineElement:
    """An element of an outline; score: None where it was not scored; heat: 0 to 9, relative to the document."""

    path: str
    tag: str
    depth: int
    title: str
    start: int
    end: int
    words: int
    score: float | None
    heat: int | None


@dataclass(frozen=True)
class DocumentOutline:
    """The titled elements of a document, in document order; scored for a query if one is given.

    left_out: how many more there are.
    """

    index: str
    generation: int
    document: str
    title: str
    kind: str
    length: int
    query: str
    elements: list[OutlineElement]
    left_out: int


@dataclass(frozen=True)
class IndexStatus:
    """An open index. images: those that queries can find. problem: why a newer generation was not taken up."""

    name: str
    generation: int
    documents: int
    elements: int
    images: int
    kinds: dict[str, int]
    is_current: bool
    problem: str


@dataclass(frozen=True)
class ServiceStatus:
    """What the service has open."""

    version: str
    indexes: list[IndexStatus]
    judging: bool
    searches_running: int
    searches_refused: int
    searches_over_time: int


# Fields that JSON has only where there is a value, and those that it never has.
OPTIONAL: Mapping[type, tuple[str, ...]] = {
    FoundAnswer: ("text", "readable_text", "blocks", "without", "also_in", "siblings"),
    SearchResult: ("meant", "groups", "total_groups"),
}
OF_PAGES: Mapping[type, tuple[str, ...]] = {FoundAnswer: ("table",), FoundGroup: ("length", "spots")}


def to_dict(record: Any) -> Any:
    """Return a record as JSON has it: infinite numbers as "inf", as options take them.

    Texts, `blocks` and groups are left out where they were not asked for, `image` and its score without an example.
    Records, lists and mappings of them become lists and dictionaries.
    """
    if type(record) in PLAIN:
        return record
    if isinstance(record, float):
        return record if isfinite(record) else str(record)
    if isinstance(record, list | tuple):
        return [to_dict(each) for each in record]
    if isinstance(record, dict):
        return {name: to_dict(value) for name, value in record.items()}
    if not is_dataclass(record) or isinstance(record, type):
        return record
    kind = type(record)
    plain = vars(record).copy()  # its fields, in their order
    for name in _converted(kind):
        value = plain[name]
        if value is not None and not (type(value) is float and isfinite(value)):  # as most are
            plain[name] = to_dict(value)
    if isinstance(record, FoundAnswer):
        for name in [] if record.image_score is not None else ["image", "image_score"]:
            del plain[name]
    for name in OF_PAGES.get(kind, ()):
        del plain[name]
    for name in OPTIONAL.get(kind, ()):
        if plain[name] is None:
            del plain[name]
    return plain


@cache
def _names(kind: type) -> tuple[str, ...]:
    """Return the names of a record's fields."""
    return tuple(each.name for each in fields(kind))


@cache
def _converted(kind: type) -> tuple[str, ...]:
    """Return the names of a record's fields whose values may differ in JSON, by their types."""
    hints = get_type_hints(kind)
    return tuple(name for name in _names(kind) if not _is_plain(hints[name]))


def _is_plain(hint: Any) -> bool:
    """Return whether the values of a type are the same in JSON: no floats, which may be infinite, and no records.

    >>> _is_plain(list[list[int]] | None), _is_plain(list[float]), _is_plain(dict[str, int])
    (True, False, True)
    """
    if hint in PLAIN:
        return True
    origin, arguments = get_origin(hint), get_args(hint)
    return origin in (list, dict, Union, UnionType) and all(map(_is_plain, arguments))
