"""A document is read in a documented encoding or not at all, and its limits are counted whatever it declares."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from engine.collection.encodings import ENCODINGS, Encoding, to_utf_8
from engine.collection.limits import Limits
from engine.collection.xml_reader import read_markup
from engine.errors import CollectionError
from tests.trust.soak import effort

ROOT = Path(__file__).parents[3]
LABELS = [label for encoding in ENCODINGS for label in (encoding.name, *encoding.aliases)]
LETTERS = {
    "cyrillic": "Маяк",
    "japanese": "灯台とう",
    "chinese": "灯塔中国",
    "korean": "등대",
    "greek": "φάρος",
    "hebrew": "מגדלור",
    "arabic": "منارة",
    "thai": "ประภาคาร",
    "latin": "Türen Žluť ÆØÅ",
    "ascii": "lighthouse",
}


def declared(label: str, body: str = "<a>x</a>", blanks: str = " ") -> str:
    return f'<?xml version="1.0"{blanks}encoding="{label}"?>{body}'


def refusal(raw: bytes, limits: Limits | None = None) -> str:
    with pytest.raises(CollectionError) as caught:
        read_markup(raw, "made.xml", limits or Limits())
    return str(caught.value)


@pytest.mark.parametrize("encoding", ENCODINGS, ids=lambda encoding: encoding.name)
def test_every_listed_encoding_is_read_under_every_name(encoding: Encoding) -> None:
    name, codec, aliases = encoding
    texts = [text for text in LETTERS.values() if text.encode(codec, "ignore").decode(codec) == text]
    assert texts

    for label in (name, name.lower(), *aliases):
        for text in texts:
            markup = read_markup(declared(label, f"<a>{text}</a>").encode(codec), "made.xml")
            assert markup.text.decode() == f"<a>{text}</a>"


def test_the_documentation_lists_every_encoding() -> None:
    page = (ROOT / "docs" / "formats.md").read_text("utf-8")
    ranges = {f"ISO-8859-{part}" for part in range(2, 17)} | {f"windows-{part}" for part in range(1251, 1258)}

    assert [encoding.name for encoding in ENCODINGS if encoding.name not in ranges and encoding.name not in page] == []


@pytest.mark.parametrize(
    "label", ["UTF-7", "utf-32", "ucs-4", "klingon", "ibm037", "hz", "unicode_escape", "rot13", "base64"]
)
def test_other_encodings_are_refused_with_the_line_and_the_remedy(label: str) -> None:
    assert re.search(
        rf"made\.xml:301: the encoding '{label}' is not read: convert the document to UTF-8",
        refusal(declared(label, blanks="\n" * 300).encode()),
    )


def test_a_long_or_hostile_name_of_an_encoding_is_shown_in_part() -> None:
    message = refusal(declared("x" * 10_000 + "\x1b[2J").encode())

    assert len(message) < 200
    assert message.isprintable()


@pytest.mark.parametrize("blanks", [" ", " " * 300, "\n" * 100_000], ids=["early", "late", "very late"])
@pytest.mark.parametrize("codec", ["utf-7", "utf-8", "utf-16", "shift_jis", "gb18030", "iso-2022-jp", "iso-8859-1"])
def test_limits_hold_wherever_the_encoding_is_declared(codec: str, blanks: str) -> None:
    elements = declared(codec, f"<a>{'<b/>' * 2_000}</a>", blanks).encode(codec)
    text = declared(codec, f"<a>{'text ' * 2_000}</a>", blanks).encode(codec)
    attributes = declared(codec, "<a>" + "<b c='d'/>" * 2_000 + "</a>", blanks).encode(codec)

    reason = "is not read" if codec == "utf-7" else "the limit"
    assert reason in refusal(elements, Limits(max_elements=1_000))
    assert reason in refusal(text, Limits(max_text=1_000))
    assert reason in refusal(attributes, Limits(max_attributes=1_000))


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_utf_16_is_read_with_a_mark_or_a_declaration(codec: str, mark: str) -> None:
    for label in ("UTF-16", "utf-8", "windows-1252"):
        raw = (mark + declared(label, "<a>Tür 灯台</a>")).encode(codec)
        assert read_markup(raw, "made.xml").text.decode() == "<a>Tür 灯台</a>"
    assert "the limit max_elements" in refusal(
        (mark + declared("UTF-16", f"<a>{'<b/>' * 20}</a>")).encode(codec), Limits(max_elements=20)
    )


def test_a_byte_order_mark_decides_against_a_declaration() -> None:
    for label in ("utf-16", "latin-1", "utf-7"):
        raw = codecs.BOM_UTF8 + declared(label, "<a>Tür +AHM-</a>").encode()
        assert read_markup(raw, "made.xml").text.decode() == "<a>Tür +AHM-</a>"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (declared("utf-16").encode(), "1: declares utf-16, but is not in it"),
        (declared("ibm037").encode("cp037"), "1: encoded in EBCDIC, which is not read"),
        ("\ufeff<a/>".encode("utf-32-le"), "1: encoded in UTF-32, which is not read"),
        ("<a/>".encode("utf-32-be"), "1: encoded in UTF-32, which is not read"),
        (declared("us-ascii", "<a>\nTür</a>").encode(), "2: 0xC3 is not valid in US-ASCII: declare the encoding"),
        (declared("shift_jis", "<a>\n\n").encode() + b"\x81\xff</a>", "3: 0x81 is not valid in Shift_JIS"),
        ("\ufeff<a>\n".encode("utf-16-le") + b"\x00\xd8<\0", "2: 0x00 0xD8 is not valid in UTF-16"),
        (declared("gb18030", "<a>").encode() + b"\x81", "1: 0x81 is not valid in GB18030"),
        (declared("windows-1252", "\n" * 3_000_000 + "<a>").encode() + b"\x81</a>", "3000001: 0x81 is not valid"),
    ],
)
def test_bytes_that_contradict_the_encoding_are_refused_with_their_line(raw: bytes, reason: str) -> None:
    assert refusal(raw).startswith(f"made.xml:{reason}")


DECLARED_IN_AN_ENTITY = (
    '<!DOCTYPE a [<!ENTITY % p "&#60;!ATTLIST b {}>"> %p;]><a>{}</a>'.format(
        " ".join(f"c{number} CDATA 'd'" for number in range(50)), "<b/>" * 50
    )
).encode()


def test_default_attributes_that_an_entity_declares_are_never_added_uncounted() -> None:
    assert "is not read" in refusal(DECLARED_IN_AN_ENTITY, Limits(max_attributes=1_000))


def n_elements(raw: bytes) -> int:
    return sum(1 for _ in etree.fromstring(raw).iter(etree.Element))


@settings(max_examples=effort(6, 1500, thorough=150))
@given(
    st.sampled_from([*LABELS, "utf-7", "latin-1", "utf-32", ""]),
    st.sampled_from(["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-7", "utf-32", "latin-1", "gb18030", "cp037"]),
    st.sampled_from([b"", codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, b" ", b"\n"]),
    st.sampled_from(['version="1.0"', "version='1.0'", "", ' version = "1.0"']),
    st.text(" \n\t", max_size=3),
    st.sampled_from(["", ' standalone="yes"', "<!-- -->", "<!DOCTYPE a>"]),
)
def test_no_declaration_hides_elements_from_the_limit(
    label: str, codec: str, mark: bytes, version: str, blanks: str, more: str
) -> None:
    text = f'<?xml {version}{blanks}encoding="{label}"{more}?>{more}<a>{"<b/>" * 20}</a>'
    raw = mark + text.encode(codec)
    try:
        markup = read_markup(raw, "made.xml")
    except CollectionError:
        return

    assert n_elements(markup.text) == 21
    assert "the limit max_elements" in refusal(raw, Limits(max_elements=20))


def test_utf_8_is_passed_on_without_a_copy() -> None:
    for raw in (b"<a>x</a>", declared("utf-8", "<a>T\u00fcr</a>").encode()):
        assert to_utf_8(raw, "made.xml") is raw
    ascii_only = declared("iso-8859-1").encode()
    assert to_utf_8(ascii_only, "made.xml") is ascii_only
