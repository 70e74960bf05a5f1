"""Splits a file into documents: each outermost element with a given tag, as FILE/1, FILE/2 ... in document order."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from lxml import etree

from engine.collection.document_limits import UNCHECKED
from engine.collection.markup.canonical import canonical
from engine.errors import CollectionError
from engine.records import NamedTuple

LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_LANGUAGE = etree.XPath("string(ancestor-or-self::*[@xml:lang][1]/@xml:lang)")
# Namespaces that are known at a document of a file; how many times as large as the file all its documents may be.
MOST_NAMESPACES, AMPLIFICATION = 256, 5

# The advice of a refusal to read a whole file, and what replaces it where the file is to be split.
_ADVICE = "split the document."
_WHOLE_FIRST = "a file is read as a whole before it is split, so raise the limit, or divide the file."
_KEPT = "its documents, and each keeps its namespaces and xml:lang: declare fewer."
_TAG = re.compile(rb"<(?:[^\s/>:]+:)?([^\s/>:]+)")


class SplitFile(NamedTuple):
    """The documents of a file.

    markups: of each document. n_outside: characters of the file's text in none of them, blanks apart. names: local
    names of all elements of the file.
    """

    markups: list[bytes]
    n_outside: int
    names: frozenset[str]


def split_markup(markup: bytes, tags: Collection[str], name: str) -> SplitFile:
    """Return the documents of a file; a file without any of the tags is one document.

    Each keeps the namespaces and the language (xml:lang) that it has inherited.

    Args:
        markup: canonical markup, as `xml_reader.read_markup` returns it. tags: local names. name: of the file.
    Raises: CollectionError if the documents would keep too much of what is declared around them.
    """
    root = etree.fromstring(markup, etree.XMLParser(huge_tree=True, resolve_entities=False, no_network=True))
    found = outermost(root, tags)
    names = frozenset(name.decode() for name in set(_TAG.findall(markup)))
    if not found:
        return SplitFile([markup], 0, names)
    n_inside, size, language = 0, 0, ""
    around: etree._Element | None = None
    markups = list[bytes]()
    for element in found:
        if element.getparent() is not around:
            around = element.getparent()
            language = "" if around is None else str(_LANGUAGE(around))
            if around is not None and len(around.nsmap) > MOST_NAMESPACES:
                raise CollectionError(f"{name}:1: more than {MOST_NAMESPACES} namespaces are declared around {_KEPT}")
        if language and LANG not in element.attrib:
            element.set(LANG, language)
        n_inside += _n_characters(element)
        markups.append(canonical(element))
        size += len(markups[-1])
        if size > AMPLIFICATION * len(markup) + UNCHECKED:
            raise CollectionError(
                f"{name}:1: more than {AMPLIFICATION} times the file's size is declared around {_KEPT}"
            )
    return SplitFile(markups, _n_characters(root) - n_inside, names)


@contextmanager
def refusals_of_whole_files() -> Iterator[None]:
    """Add advice on splitting to the refusals of a whole file that are raised inside the context."""
    try:
        yield
    except CollectionError as error:
        raise CollectionError(str(error).replace(_ADVICE, _WHOLE_FIRST)) from None


def outermost(root: etree._Element, tags: Collection[str]) -> list[etree._Element]:
    """Return the elements with one of the tags that lie in no other one, in document order."""
    found: list[etree._Element] = []
    inside: etree._Element | None = None
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "end":
            inside = None if element is inside else inside
        elif inside is None and etree.QName(element).localname in tags:
            found.append(element)
            inside = element
    return found


def part_id(file_id: str, number: int) -> str:
    """Return the id of a document of a file, counted from 1."""
    return f"{file_id}/{number}"


def file_and_number(document_id: str) -> tuple[str, int]:
    """Return the id of the file of a document, and the number of the document in it.

    >>> file_and_number("dictionaries/welsh/12")
    ('dictionaries/welsh', 12)
    """
    file_id, _, number = document_id.rpartition("/")
    return file_id, int(number)


def _n_characters(element: etree._Element) -> int:
    return sum(len("".join(str(text).split())) for text in element.itertext())
