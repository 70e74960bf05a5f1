"""A document of any size is refused if, and only if, it exceeds a limit.

Limits are set by name, with sizes such as 128M.
"""

from __future__ import annotations

import doctest
import re
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from lxml import etree

from engine.collection import limits
from engine.collection.limits import Limits
from engine.collection.xml_reader import read_markup
from engine.errors import CollectionError, SettingsError
from tests.reference.random_xml import documents
from tests.trust.soak import effort

NAMES = ("max_depth", "max_text", "max_elements", "max_attributes")


def parsed(raw: bytes) -> etree._Element:
    return etree.fromstring(raw, etree.XMLParser(resolve_entities=True, remove_comments=True, remove_pis=True))


def declared(element: etree._Element) -> dict[str | None, str]:
    """Return the namespaces that an element declares, but for those that are declared around it already."""
    parent = element.getparent()
    around = {} if parent is None else parent.nsmap
    return {prefix: uri for prefix, uri in element.nsmap.items() if around.get(prefix) != uri}


def holdings(raw: bytes) -> dict[str, int]:
    """Return what a document holds, by the limit on it: a walk over its tree."""
    found = dict.fromkeys(NAMES, 0)
    for element in parsed(raw).iter(etree.Element):
        texts = [element.text or "", element.tail or "", *element.attrib.values(), *declared(element).values()]
        found["max_elements"] += 1
        found["max_attributes"] += len(element.attrib) + len(declared(element))
        found["max_text"] += sum(map(len, texts))
        found["max_depth"] = max(found["max_depth"], sum(1 for _ in element.iterancestors()) + 1)
    return found


def is_read(raw: bytes, limits: Limits) -> bool:
    try:
        read_markup(raw, "made.xml", limits)
    except CollectionError as error:
        assert "the limit max_" in str(error)  # noqa: PT017  (either outcome is right)
        return False
    return True


@settings(max_examples=effort(6, 2000, thorough=200), deadline=None)
@given(documents(), st.sampled_from(NAMES), st.integers(0, 3))
def test_a_document_is_refused_only_above_a_limit(raw: bytes, name: str, spare: int) -> None:
    holds = holdings(raw)[name]
    assume(raw.count(b"xmlns") == sum(len(declared(each)) for each in parsed(raw).iter(etree.Element)))

    assert is_read(raw, replace(Limits(), **{name: max(holds + spare, 1)}))
    if holds - spare > 1:
        assert not is_read(raw, replace(Limits(), **{name: holds - spare - 1}))


@pytest.mark.parametrize("spare", [0, 1])
@pytest.mark.parametrize(
    "tag",
    [
        b"<b c='=' d=\"'='\" e=''/>",
        b"<b\n c\n=\n'>' d = '=>' e\t=\t\"'\"></b>",
        b"<b xmlns='u' xmlns:n='v' n:c='=\"\"='>a='b' c='d' e='f'</b>",
        b"<b c='1' d='2' e='3'>" + b"f='g' " * 50 + b"</b>",
    ],
)
def test_the_attributes_of_a_single_tag_are_counted_before_it_is_parsed(tag: bytes, spare: int) -> None:
    limits = Limits(max_attributes=2 + spare)
    raw = b"<a>\n" + tag + b" " * 100 + b"</a>"

    assert is_read(raw, limits) == (spare == 1)
    if not spare:
        with pytest.raises(CollectionError, match=r"made\.xml:[1-7]: more than 2 attributes, the limit max_attributes"):
            read_markup(raw, "made.xml", limits)


def test_the_reported_line_is_the_one_the_parser_had_reached() -> None:
    raw = b"<a>" + b"\n" * 50_000 + b"<b/>" * 11 + b"\n" * 50_000 + b"</a>"
    with pytest.raises(CollectionError) as caught:
        read_markup(raw, "made.xml", Limits(max_elements=10))

    line = int(str(caught.value).split(":")[1])
    assert 50_001 - 4_000 <= line <= 50_001


def test_the_examples_hold() -> None:
    failed, attempted = doctest.testmod(limits)

    assert failed == 0 < attempted


def test_limits_are_set_by_name() -> None:
    given = Limits.from_assignments(["max_text=128M", "max_depth = 2000", "max_archive_bytes=1t", "max_ratio=7k"])

    assert given == Limits(max_text=2**27, max_depth=2000, max_archive_bytes=2**40, max_ratio=7168)
    assert Limits.from_assignments([]) == Limits()


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        (
            "max_txt=5",
            "limits: 'max_txt=5': did you mean 'max_text'? expected one of max_file_bytes, max_depth, max_text",
        ),
        ("max_text", "limits: 'max_text': expected max_text=N, a whole number such as 500000 or 128M."),
        ("max_text=1.5M", "expected max_text=N"),
        ("max_text=-1", "expected max_text=N"),
        ("max_text=", "expected max_text=N"),
        ("max_text=0", "max_text = 0: expected a whole number from 1."),
        ("max_depth=2001", "max_depth = 2001: expected at most 2,000, the parser's limit."),
    ],
)
def test_invalid_limits_are_refused(assignment: str, message: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(message)):
        Limits.from_assignments([assignment])
