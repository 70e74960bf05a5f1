"""Documents are read completely or refused with a line, and nothing outside them is read."""

from __future__ import annotations

import re
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from engine.collection.entities.entity_references import KEEP, Entities
from engine.collection.limits import DEFAULT_LIMITS, Limits
from engine.collection.markup.flat_documents import flatten
from engine.collection.profiles.profile import Profile
from engine.collection.xml_reader import GUARDED_DEPTH, read_markup
from engine.errors import CollectionError
from engine.index.locator import paths_of
from engine.text.analyser import Analyser
from tests.reference.random_xml import documents
from tests.shared_data import MALFORMED, shared
from tests.trust.soak import effort

FIXTURES = Path(__file__).parents[2] / "fixtures" / "xml"


def read(raw: bytes, limits: Limits = DEFAULT_LIMITS) -> tuple[str, str]:
    """Return the text of a document and the paths of its elements."""
    flat = flatten([read_markup(raw, "made.xml", limits).text], [Profile("none")], [0], Analyser())
    places = paths_of(flat.parent.tolist(), flat.tag.tolist(), flat.ordinal.tolist(), flat.tags)
    return flat.texts[0].decode(), " ".join(places)


def refusal(raw: bytes, limits: Limits = DEFAULT_LIMITS) -> str:
    with pytest.raises(CollectionError) as caught:
        read_markup(raw, "made.xml", limits)
    return str(caught.value)


@pytest.mark.parametrize(
    ("file", "text", "places"),
    [
        ("default_namespace", "\n  tide\n  table\n", "/@ /@/sec[1] /@/sec[1]/p[1] /@/sec[2] /@/sec[2]/p[1]"),
        ("prefixes", "seatidelamp", "/@ /@/p[1] /@/p[2] /@/p[3]"),
        ("internal_entity", "near Land's End!", "/@"),
        (
            "entity_with_elements",
            "amind the gapbmind the gap",
            "/@ /@/note[1] /@/note[1]/em[1] /@/note[2] /@/note[2]/em[1]",
        ),
        ("entity_of_a_less_than_sign", "1 < 2 &lt; 3 >= 2", "/@"),
        ("comment_in_a_word", "lighthouse", "/@"),
        ("instruction_in_text", "lighthouse", "/@"),
        ("cdata", 'if (a < b && c > d) "<p>"xy &amp; ', "/@ /@/p[1]"),
        ("mixed_content", "H2O, that is water", "/p[1] /p[1]/sub[1] /p[1]/em[1] /p[1]/em[1]/b[1]"),
        ("empty_elements", "x", "/@ /@/br[1] /@/p[1] /@/p[2] /@/hr[1]"),
        ("deep", "x", " ".join("/a[1]" * depth for depth in range(1, 21))),
        ("nasty_attributes", "x", "/@ /@/p[1]"),
        ("white_space", "\n\t  a\n  b\nc\rd \n", "/@ /@/p[1]"),
        ("names_beyond_ascii", "xy", "/артикул[1] /артикул[1]/été[1] /артикул[1]/été_2[1]"),
        ("attribute_defaults", "x", "/@"),
        ("doctype_that_is_not_fetched", "x", "/@"),
        ("public_doctype", "x", "/@"),
        ("utf16", "Tür 𝒜", "/@"),
        ("utf16_without_declaration", "Tür 𝒜", "/@"),
        ("utf8_mark", "Tür", "/@"),
        ("latin1", "Tür", "/@"),
    ],
)
def test_well_formed_documents_are_read_whole(file: str, text: str, places: str) -> None:
    expected = (text, places.replace("@", "article[1]"))

    assert read((FIXTURES / f"{file}.xml").read_bytes()) == expected


@pytest.mark.parametrize(
    ("file", "line", "reason"),
    [
        ("undefined_entity", 3, "entity 'logo' is not defined in the document: define it"),
        ("undefined_entity_in_attribute", 2, "entity 'logo' is not defined"),
        ("undefined_entity_with_doctype", 5, "entity 'known' is not defined"),
        ("undefined_entity_in_entity", 5, "entity 'logo' is not defined"),
        ("external_entity", 4, "entity 'file' is external and is not read: "),
        ("external_entity_in_attribute", 4, "entity 'file' is external"),
        ("external_parameter_entity", 4, "entity 'known' is not defined"),
        ("entity_bomb", None, "Maximum entity amplification factor exceeded"),
        ("entity_loop", None, "entity reference loop"),
        ("not_closed", 4, "Opening and ending tag mismatch: p line 3 and article"),
        ("two_roots", 2, "Extra content at the end of the document: a document has one root element: begin each"),
        ("undeclared_prefix", 2, "Namespace prefix x on p is not defined"),
        ("control_character", 3, "invalid Char value 1"),
        ("bare_ampersand", 3, "xmlParseEntityRef: no name"),
        ("attribute_twice", 2, "Attribute a redefined"),
        ("wrong_encoding", 2, "character encoding|not proper UTF-8"),
        ("unknown_encoding", 1, "klingon"),
        ("no_xml", 1, "Start tag expected"),
        ("empty", 1, "Document is empty"),
    ],
)
def test_unreadable_documents_are_refused_with_the_line(file: str, line: int | None, reason: str) -> None:
    message = refusal((FIXTURES / f"bad_{file}.xml").read_bytes())

    assert re.match(rf"made\.xml:{line or r'[0-9]+'}: ", message), message
    assert re.search(reason, message), message


def test_lines_are_counted_past_two_bytes() -> None:
    assert refusal(b"<a>" + b"\n" * 100_000 + b"&x;</a>").startswith("made.xml:100001: ")


def test_every_fixture_is_tested() -> None:
    tried = {
        case[0]
        for test in (test_well_formed_documents_are_read_whole, test_unreadable_documents_are_refused_with_the_line)
        for case in test.pytestmark[0].args[1]  # type: ignore[attr-defined]
    }

    assert {path.stem.removeprefix("bad_") for path in FIXTURES.glob("*.xml")} == tried


@pytest.mark.parametrize(
    ("markup", "are_wrong"),
    [
        ('<a><b xml:id="x"/><b xml:id="x"/></a>', True),
        ('<!DOCTYPE a SYSTEM "never_read.dtd"><a xml:id="x"><b xml:id="x"/></a>', True),
        ('<a xml:id="1 bad"/>', True),
        ('<a xml:id="x:y"/>', True),
        ('<a xml:id="\u00e9t\u00e9-1.2"><b id="x"/><b id="x"/></a>', False),
        ('<a>&lt;b xml:id="x"/> and xml:id="x"</a>', False),
    ],
)
def test_wrong_ids_are_read_and_reported(markup: str, are_wrong: bool) -> None:
    assert read_markup(markup.encode(), "made.xml").has_wrong_ids == are_wrong


def test_default_attributes_of_the_internal_subset_are_applied_within_the_limits() -> None:
    declared = b'<!DOCTYPE a SYSTEM "never_read.dtd" [<!ATTLIST p role CDATA "note" xmlns CDATA #FIXED "urn:p">]>'

    found = read_markup(declared + b'<a><p/><p role="tip"/></a>', "made.xml")
    assert found.text == b'<a><p xmlns="urn:p" role="note"/><p xmlns="urn:p" role="tip"/></a>'
    assert "more than 3 attributes" in refusal(declared + b"<a><p/><p/></a>", Limits(max_attributes=3))


def lol(encode: Callable[[str], bytes], declaration: str = "") -> bytes:
    """Return a document of 40 MB in a few hundred bytes: within every limit but that on amplification."""
    steps = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(6))
    return encode(f'{declaration}<!DOCTYPE a [<!ENTITY e0 "{"lol " * 10}">{steps}]><a>&e6;</a>')


@pytest.mark.parametrize(
    "bomb",
    [
        lol(str.encode),
        lol(lambda text: text.encode().replace(b"<a>&e6;</a>", b'<a b="&e6;"/>')),
        lol(lambda text: text.encode("utf-16")),
        lol(lambda text: text.encode("utf-16-be"), '<?xml version="1.0" encoding="utf-16"?>'),
        lol(lambda text: text.encode("utf-32"), '<?xml version="1.0" encoding="utf-32"?>'),
        lol(lambda text: text.encode("utf-32-be"), '<?xml version="1.0" encoding="utf-32"?>'),
        lol(lambda text: text.encode("utf-7"), '<?xml version="1.0" encoding="utf-7"?>'),
        lol(lambda text: text.encode("cp037"), '<?xml version="1.0" encoding="ibm037"?>'),
        lol(lambda text: text.encode("cp037")),
        lol(str.encode, '<?xml version="1.0" encoding="shift_jis"?>'),
        lol(str.encode, "<?xml version='1.0'\n  encoding\n=\n'us-ascii'?>"),
        b'<!DOCTYPE a [<!ENTITY e "' + b"lol " * 20_000 + b'">]><a>' + b"&e;" * 20_000 + b"</a>",
        b'<!DOCTYPE a [<!ENTITY e "<b>' + b"<c/>" * 9_000 + b'</b>">]><a>' + b"&e;" * 9_000 + b"</a>",
    ],
)
def test_entity_bombs_are_refused_quickly_in_any_encoding(bomb: bytes) -> None:
    began = time.perf_counter()
    message = refusal(bomb)

    assert re.search("amplification|is not read|limit|Start tag expected", message)
    assert time.perf_counter() - began < 2


def test_a_document_above_a_limit_is_refused_with_the_name_of_the_limit() -> None:
    limits = Limits(max_depth=3, max_text=5)

    assert read(b"<a><b><c/></b><b><c>12345</c></b></a>", limits)[0] == "12345"
    assert read("<a>\U0001d49c\u00e9\u00e9\u00e9\u00e9</a>".encode(), limits)[0] == "\U0001d49c\u00e9\u00e9\u00e9\u00e9"
    message = refusal(b"<a><b><c><d/></c></b></a>", limits)
    assert message == (
        "made.xml:1: elements nested more than 3 deep, the limit max_depth (max_depth=N allows more): flatten "
        "the document."
    )
    message = refusal(b"<a>123<b>456</b></a>", limits)
    assert message == (
        "made.xml:1: more than 5 characters of text and attribute values, the limit max_text (max_text=N "
        "allows more): split the document."
    )


@pytest.mark.parametrize("limit", [GUARDED_DEPTH - 1, GUARDED_DEPTH, GUARDED_DEPTH + 1])
def test_elements_are_as_deep_as_the_limit_at_most_also_where_the_parser_guards_them(limit: int) -> None:
    def nested(depth: int) -> bytes:
        return b"<a>" * depth + b"</a>" * depth

    assert read_markup(nested(limit), "made.xml", Limits(max_depth=limit)).text.count(b"</a>") == limit - 1
    with pytest.raises(CollectionError, match=f"elements nested more than {limit} deep"):
        read_markup(nested(limit + 1), "made.xml", Limits(max_depth=limit))


@pytest.mark.parametrize("depth", [1_001, 3_000, 1_000_000])
def test_a_document_nested_too_deep_is_refused_with_the_name_of_the_limit(depth: int) -> None:
    message = refusal(b"<a>" * depth + b"</a>" * depth)

    assert message.startswith("made.xml:1: ")
    assert "elements nested more than 1,000 deep, the limit max_depth (max_depth=N allows more)" in message


def test_limits_of_the_parser_apply_to_documents_that_declare_entities() -> None:
    message = refusal(b'<!DOCTYPE a [<!ENTITY e "e">]>' + b"<a>" * 300 + b"</a>" * 300)

    assert (
        "elements nested more than 256 deep: in a document that declares entities, the parser reads at most 256 "
        "levels and 10 MB in one piece, whatever the settings: expand the entities before indexing." in message
    )
    assert "10 MB in one piece, whatever the settings" in refusal(
        b'<!DOCTYPE a [<!ENTITY e "e">]><a>' + b"x" * 11_000_000 + b"</a>"
    )
    assert "10 MB in one piece, whatever the settings" in refusal(
        b'<!DOCTYPE a [<!ENTITY e "e">]><a b="' + b"x" * 11_000_000 + b'"/>'
    )


def test_a_text_node_of_twenty_megabytes_is_read() -> None:
    markup = read_markup(b"<a>" + b"word " * 4_000_000 + b"</a>", "made.xml")

    assert len(markup.text) == 20_000_007


def test_a_thousand_levels_are_read() -> None:
    assert read(b"<a>" * 1000 + b"x" + b"</a>" * 1000)[1].endswith("/a[1]" * 1000)


def test_markup_comes_with_root_namespace_and_children() -> None:
    markup = read_markup(b'<x:a xmlns:x="urn:x"><b/><x:c><d/></x:c><!-- --><?pi?>e</x:a>', "made.xml")

    assert (markup.root_name, markup.namespace, markup.children) == ("a", "urn:x", frozenset({"b", "c"}))


@settings(max_examples=effort(6, 1500, thorough=150), deadline=None)
@given(documents(), st.integers(0), st.integers(0, 8), st.binary(max_size=4) | st.sampled_from([b"<", b"&x;", b"]]>"]))
def test_damaged_documents_are_read_or_raise_collection_errors(raw: bytes, place: int, n_lost: int, put: bytes) -> None:
    place %= len(raw)
    damaged = raw[:place] + put + raw[place + n_lost :]
    try:
        text, places = read(damaged)
    except CollectionError as error:
        assert re.match(r"made\.xml:\d+: \S", str(error))  # noqa: PT017  (either outcome is right)
    else:
        parser = etree.XMLParser(resolve_entities="internal", remove_comments=True, remove_pis=True)
        root = etree.fromstring(damaged, parser)
        assert text == "".join(root.itertext())
        assert len(places.split(" ")) == sum(1 for _ in root.iter(etree.Element))


@pytest.mark.shared_data(MALFORMED)
@pytest.mark.long
def test_of_files_with_entities_of_their_dtd_those_are_refused_that_use_unknown_ones_or_are_malformed() -> None:
    kept = Entities(undefined=KEEP)
    with tarfile.open(shared(MALFORMED)) as archive:
        files = [file.read() for member in archive if member.isfile() and (file := archive.extractfile(member))]
    messages = []
    n_kept = 0
    for raw in files:
        try:
            read_markup(raw, "made.xml")
        except CollectionError as error:
            messages.append(str(error))
        try:
            n_kept += sum(read_markup(raw, "made.xml", entities=kept).kept_entities.values())
        except CollectionError as error:
            assert "is not defined" not in str(error)  # noqa: PT017  (most are read)

    assert (len(files), len(messages), n_kept) == (45, 5, 317)
    assert all(re.match(r"made\.xml:[1-9]\d*: column \d+: \S", message) for message in messages)
    assert sum(re.search(r"entity '[\w.-]+' is not defined", message) is not None for message in messages) == 2


XHTML_PAGE = b"""<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en"><head><title>Fog</title>
<meta name="author" content="Ann"/></head><body><p>First<br/>line</p><p></p><a name="here">there</a></body></html>"""


@pytest.mark.parametrize("entities", [b"", b' [<!ENTITY tide "tide">]'])
@pytest.mark.parametrize("kind", [b"strict", b"transitional", b"frameset"])
def test_a_page_of_xhtml_has_the_elements_and_attributes_that_it_says(kind, entities):
    public = b"-//W3C//DTD XHTML 1.0 " + kind.title() + b"//EN"
    system = b"http://www.w3.org/TR/xhtml1/DTD/xhtml1-" + kind + b".dtd"
    doctype = b'<!DOCTYPE html PUBLIC "' + public + b'" "' + system + b'"' + entities + b">"

    assert read_markup(doctype + XHTML_PAGE, "page").text == read_markup(XHTML_PAGE, "page").text
    assert b"http-equiv" not in read_markup(doctype + XHTML_PAGE, "page").text
