"""Splits a file into documents: each outermost element of some tags is one, FILE/1, FILE/2 ... in document order."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from lxml import etree

LANG = "{http://www.w3.org/XML/1998/namespace}lang"


class SplitFile(NamedTuple):
    """The markup of each document, and how many characters of the file's text are in none of them, blanks apart."""

    markups: list[bytes]
    n_outside: int


def split_markup(markup: bytes, tags: Collection[str]) -> SplitFile:
    """Return the documents of a file; a file without any of the tags is one document.

    Each keeps the namespaces and the language (xml:lang) that it has inherited.

    Args:
        markup: canonical markup, as `xml_reader.read_markup` returns it. tags: local names.
    """
    root = etree.fromstring(markup, etree.XMLParser(huge_tree=True, resolve_entities=False, no_network=True))
    found = outermost(root, tags)
    if not found:
        return SplitFile([markup], 0)
    n_inside, markups = 0, []
    for element in found:
        if LANG not in element.attrib and (language := _language(element)):
            element.set(LANG, language)
        n_inside += _n_characters(element)
        markups.append(etree.tostring(element, encoding="utf-8", xml_declaration=False, with_tail=False))
    return SplitFile(markups, _n_characters(root) - n_inside)


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


def _language(element: etree._Element) -> str:
    return next((str(above.get(LANG)) for above in element.iterancestors() if LANG in above.attrib), "")


def _n_characters(element: etree._Element) -> int:
    return sum(len("".join(str(text).split())) for text in element.itertext())
