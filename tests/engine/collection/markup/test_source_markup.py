"""Elements are found in the bytes of a document where the parser finds them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from engine.collection.encodings import to_utf_8
from engine.collection.markup.source_markup import SourceMarkup

ROOT = Path(__file__).parents[4]
NASTY = b"""<?xml version="1.0"?>
<!-- <no> -->
<!DOCTYPE a [
  <!-- an apostrophe's > and ] and " -->
  <!ENTITY quoted "<b>x</b>]">
  <!ENTITY twice '&quoted;<c/>'>
  <?pi ]> ?>
]>
<a n='>' m="&lt;/a>
"><![CDATA[<no>]]>one<!-- <no>
 --><?pi <no> ?>
 <b
   n="1"/>&twice;two
<x:d xmlns:x="u">&amp;&#10;</x:d>
</a>
"""


def parsed(encoded: bytes) -> list[etree._Element]:
    parser = etree.XMLParser(resolve_entities=True, no_network=True, load_dtd=False, huge_tree=True, encoding="utf-8")
    return list(etree.fromstring(encoded, parser).iter(etree.Element))


def test_markup_in_comments_values_sections_and_declarations_is_no_element():
    source = SourceMarkup(NASTY)

    assert len(source) == len(parsed(NASTY)) == 5
    assert source.xml(0) == NASTY[NASTY.index(b"<a n") :].decode().rstrip("\n")
    assert source.xml(1) == '<b\n   n="1"/>'
    assert source.xml(4) == '<x:d xmlns:x="u">&amp;&#10;</x:d>'
    assert [source.line(element) for element in range(5)] == [9, 12, 13, 13, 14]


def test_an_element_of_an_entity_has_the_place_of_the_reference():
    source = SourceMarkup(NASTY)

    assert [source.xml(element) for element in (2, 3)] == ["&twice;", "&twice;"]


@pytest.mark.parametrize("line_end", ["\r", "\r\n", "\n"])
def test_lines_end_with_any_line_end_of_xml(line_end):
    source = SourceMarkup(line_end.join(["<a>", "<b>one", "two</b>", "<c/>", "</a>"]).encode())
    text, starts, stops = "\none\ntwo\n\n", [0, 1, 9], [10, 8, 9]

    assert [source.line(element) for element in range(3)] == [1, 2, 4]
    assert source.line_of_text(text.index("two"), text, starts, stops) == 3


def test_text_has_its_line_whatever_comments_and_sections_precede_it():
    encoded = b"<a>one\n<!-- \n\n --><b>two\n</b><![CDATA[\nthree\nfour]]>\n five\n</a>"
    text, starts, stops = "one\ntwo\n\nthree\nfour\n five\n", [0, 4], [26, 8]
    source = SourceMarkup(encoded)

    found = {word: source.line_of_text(text.index(word), text, starts, stops) for word in text.split()}

    lines = encoded.decode().split("\n")
    assert found == {word: next(n for n, line in enumerate(lines, 1) if word in line) for word in text.split()}


@pytest.mark.long
@pytest.mark.parametrize("file", sorted((ROOT / "collections").rglob("*.xml")), ids=lambda file: file.stem)
def test_elements_of_real_documents_are_those_of_the_parser(file):
    encoded = to_utf_8(file.read_bytes(), str(file))
    source, elements = SourceMarkup(encoded), parsed(encoded)

    assert len(source) == len(elements)
    for number, element in enumerate(elements):
        xml = source.xml(number)
        if not xml.startswith("&"):
            assert xml.startswith(f"<{element.prefix + ':' if element.prefix else ''}{etree.QName(element).localname}")
            start_tag = xml[: xml.index(">")]
            assert source.line(number) <= element.sourceline <= source.line(number) + start_tag.count("\n")


trees = st.recursive(
    st.sampled_from(["x", "&#38;", "<!--<b>-->", "<![CDATA[<b>]]>", "<?b <b>?>", "<e/>", "\n"]),
    lambda inside: st.lists(inside, max_size=4).map(lambda parts: f"<e a='>' b=\"'/>\">{''.join(parts)}</e>"),
    max_leaves=12,
)


@given(trees)
def test_every_element_is_cut_out_whole(content):
    encoded = f"<r>{content}</r>".encode()
    source, elements = SourceMarkup(encoded), parsed(encoded)

    assert len(source) == len(elements)
    for number, element in enumerate(elements):
        again = etree.fromstring(source.xml(number))
        element.tail = None
        assert etree.tostring(again) == etree.tostring(element)
