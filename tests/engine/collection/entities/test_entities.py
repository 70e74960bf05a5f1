"""References to entities that a document does not define: what replaces them, and that nothing is opened for them."""

from __future__ import annotations

import doctest
import re
import socket
import time
from pathlib import Path

import pytest
from lxml import etree

from engine.collection.entities import entity_references as entities_module
from engine.collection.entities.entity_references import (
    AUTO,
    KEEP,
    Entities,
    make_entities,
    may_have_doctype,
    resolve_references,
    standard_entities,
)
from engine.collection.limits import Limits
from engine.collection.xml_reader import read_markup
from engine.errors import CollectionError, SettingsError


def text(document: str, entities: Entities | None = None) -> str:
    """Return the text of a document."""
    markup = read_markup(document.encode(), "made.xml", entities=entities or Entities()).text
    return "".join(etree.fromstring(markup).itertext())


def refusal(document: str, entities: Entities | None = None, limits: Limits | None = None) -> str:
    with pytest.raises(CollectionError) as caught:
        read_markup(document.encode(), "made.xml", limits or Limits(), entities or Entities())
    return str(caught.value)


def declared(tmp_path: Path, declarations: str, undefined: str = "refuse") -> Entities:
    (tmp_path / "own.ent").write_text(declarations, "utf-8")
    return make_entities(tmp_path / "own.ent", (), undefined)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("<a>caf&eacute; &mdash; &alpha;&agr;&b.alpha;</a>", "café — αα\U0001d6c2"),
        ("<a>&AMP;&LT;b&GT;&amp;eacute;</a>", "&<b>&eacute;"),
        ("<a><!-- &x; --><![CDATA[&eacute;]]><?p &y;?></a>", "&eacute;"),
        ('<!DOCTYPE a [<!ENTITY eacute "E">]><a>&eacute;</a>', "E"),
        ('<!DOCTYPE a [<!ENTITY me "Andr&eacute; &amp; &you;"><!ENTITY you "&mdash;">]><a>&me;</a>', "André & —"),
        ('<!DOCTYPE a [<!-- \' > ]> --> <!ENTITY x "]>">]><a>&x;&ouml;</a>', "]>ö"),
        ('<!DOCTYPE a SYSTEM "nowhere.dtd"><a>&ouml;</a>', "ö"),
        ('<!DOCTYPE a [<!ENTITY % d SYSTEM "nowhere.dtd"> %d; <!ENTITY x "y">]><a>&x;&ouml;</a>', "yö"),
        ("<?xml version='1.0'?><!-- <!DOCTYPE --><a>&ouml;%d;</a>", "ö%d;"),
    ],
)
def test_entities_of_html_and_iso_are_known_and_own_ones_come_first(document: str, expected: str) -> None:
    assert text(document) == expected


def test_references_in_attributes_are_replaced() -> None:
    assert read_markup(b'<a b="&eacute;&QUOT;&LT;"/>', "made.xml").text.decode() == '<a b="é&quot;&lt;"/>'


def test_every_standard_entity_is_text_that_can_be_parsed() -> None:
    names = sorted(standard_entities())
    found = text(f"<a>{' '.join(f'&{name};' for name in names if name not in ('Tab', 'NewLine'))}</a>")

    assert len(names) > 2200
    assert "&" in found
    assert not re.search("&[A-Za-z]", found)


def test_an_unknown_entity_is_refused_with_its_line_and_the_remedies() -> None:
    message = refusal("<a>\n&logo;</a>")

    assert message.startswith("made.xml:2: ")
    for remedy in ("entity 'logo' is not defined", "a file of entities", "a catalog", "undefined entities: keep"):
        assert remedy in message


def test_undefined_entities_can_be_kept_as_text_and_are_counted() -> None:
    document = '<!DOCTYPE a [<!ENTITY file SYSTEM "x">]><a b="&logo;">&logo; &eacute; &file;</a>'
    markup = read_markup(document.encode(), "made.xml", entities=Entities(undefined=KEEP))

    assert markup.text.decode() == '<a b="&amp;logo;">&amp;logo; é &amp;file;</a>'
    assert markup.kept_entities == {"logo": 2, "file": 1}


@pytest.mark.parametrize(
    ("doctype", "are_kept"),
    [
        ("", False),
        ("<!DOCTYPE a>", False),
        ("<!DOCTYPE a [<!ENTITY own 'x'>]>", False),
        ("<!DOCTYPE a SYSTEM 'none.dtd'>", True),
        ("<!DOCTYPE a PUBLIC '-//X//DTD Y//EN' 'http://example.org/none.dtd'>", True),
        ("<!DOCTYPE a [<!ENTITY % set SYSTEM 'none.ent'> %set;]>", True),
        ("<!DOCTYPE a [<!ENTITY logo SYSTEM 'none.txt'>]>", True),
    ],
)
def test_references_are_kept_where_what_may_define_them_is_not_read(doctype: str, *, are_kept: bool) -> None:
    document, entities = f"{doctype}<a>&logo;</a>", Entities(undefined=AUTO)

    if are_kept:
        assert text(document, entities) == "&logo;"
    else:
        assert "entity 'logo' is not defined" in refusal(document, entities)


def test_undefined_entities_are_kept_inside_the_texts_of_others(tmp_path: Path) -> None:
    known = declared(tmp_path, "<!ENTITY one 'uno &two; &amp;three;'><!ENTITY all '<b>&one;</b>'>")
    keeping = Entities(known.declared, undefined=KEEP)
    document = '<!DOCTYPE a [<!ENTITY own "o">]><a b="&one;">&all; &own; &two;</a>'
    markup = read_markup(document.encode(), "made.xml", entities=keeping)

    kept = "uno &amp;two; &amp;three;"
    assert markup.text.decode().endswith(f'<a b="{kept}"><b>{kept}</b> o &amp;two;</a>')
    assert markup.kept_entities == {"two": 3}
    assert "entity 'two' is not defined" in refusal("<a>&one;</a>", known)


def test_a_line_may_end_inside_the_markup_of_an_entity(tmp_path: Path) -> None:
    entities = declared(
        tmp_path,
        """<!ENTITY one '<w
          k="v
          w" l="a > b"
        >uno
        due</w><!-- c
        d --><?p
        q?><![CDATA[x
        y]]>'>""",
    )
    markup = read_markup(b"<a>&one;\n\n</a>", "made.xml", entities=entities)
    root = etree.fromstring(markup.text)

    assert dict(root[0].attrib) == {"k": "v           w", "l": "a > b"}
    assert "".join(root.itertext("*")).split() == ["uno", "due", "x", "y"]
    assert refusal("<a>&one;\n&no;</a>", entities).startswith("made.xml:2: ")


def test_a_file_declares_entities_with_text_markup_and_other_entities(tmp_path: Path) -> None:
    entities = declared(
        tmp_path,
        '<!ENTITY logo "Foxir &trade;\n&version;"><!ENTITY version \'<b>1</b>\'><!-- <!ENTITY no "no"> -->'
        '<!ENTITY logo "second"><!ENTITY eacute "E">',
    )

    assert text("<a>&logo; &eacute;</a>", entities) == "Foxir ™\n1 E"
    assert refusal("<a>\n&no;</a>", entities).startswith("made.xml:2: ")
    assert refusal("<a>&logo;\n\n&no;</a>", entities).startswith("made.xml:3: ")  # lines are those of the file


EXTERNAL = '<!DOCTYPE a SYSTEM "x.dtd" [<!ENTITY logo SYSTEM "x.ent"><!ENTITY eacute SYSTEM "y.ent">]>'


def test_an_external_entity_is_refused_as_such_unless_a_file_defines_it(tmp_path: Path) -> None:
    document = f"{EXTERNAL}\n<a>&logo;</a>"
    entities = declared(tmp_path, '<!ENTITY logo "Foxir &version;"><!ENTITY version "1.0">')
    external = declared(tmp_path, '<!ENTITY logo SYSTEM "x.ent">')

    assert refusal(document).startswith("made.xml:2: ")
    for found in (refusal(document), refusal(document, external)):
        assert "entity 'logo' is external and is not read: define its" in found
    assert "entity 'eacute' is external" in refusal(f"{EXTERNAL}<a>&eacute;</a>")
    assert text(document, entities) == "Foxir 1.0"


@pytest.mark.long
def test_entities_of_a_file_cannot_loop_or_blow_up(tmp_path: Path) -> None:
    loop = declared(tmp_path, '<!ENTITY a "&b;"><!ENTITY b "&a;">')
    assert "refers to itself" in refusal("<x>&a;</x>", loop)

    steps = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
    bomb = declared(tmp_path, f'<!ENTITY e0 "lol">{steps}')
    assert "expands to more than" in refusal("<x>&e9;</x>", bomb)

    many = declared(tmp_path, f'<!ENTITY long "{"x" * 1000}">')
    limits = Limits(max_file_bytes=100_000)
    assert "longer than the limit max_file_bytes" in refusal(f"<x>{'&long;' * 200}</x>", many, limits)


def test_a_bomb_in_the_document_is_refused_as_before() -> None:
    steps = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(7))
    assert "amplification" in refusal(f'<!DOCTYPE a [<!ENTITY e0 "lol &eacute; ">{steps}]><a>&e7;&ouml;</a>')


def test_markup_in_an_entity_must_be_well_formed(tmp_path: Path) -> None:
    entities = declared(tmp_path, '<!ENTITY open "<b>">')

    assert "tag mismatch" in refusal("<a>&open;</a>", entities)


XML_CATALOG = """<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">
<public publicId="-//Made//DTD  Article//EN" uri="dtd/article.dtd"/>
<rewriteSystem systemIdStartString="http://made.invalid/" rewritePrefix="dtd/"/>
<system systemId="http://made.invalid/away.dtd" uri="http://made.invalid/other.dtd"/>
</catalog>"""
SGML_CATALOG = """-- a comment -- PUBLIC "-//Made//DTD Article//EN" "dtd/article.dtd"
SYSTEM "http://made.invalid/article.dtd" 'dtd/article.dtd'"""


@pytest.fixture(params=[XML_CATALOG, SGML_CATALOG], ids=["xml", "sgml"])
def catalog(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    (tmp_path / "dtd").mkdir()
    (tmp_path / "dtd/article.dtd").write_text(
        '<!ENTITY % more SYSTEM "more.ent"> %more; <!ENTITY % secret SYSTEM "/etc/hostname"> <!ENTITY logo "Foxir">',
        "utf-8",
    )
    (tmp_path / "dtd/more.ent").write_text('<!ENTITY version "1.0"><!ENTITY outside SYSTEM "/etc/hostname">', "utf-8")
    (tmp_path / "catalog").write_text(request.param, "utf-8")
    return tmp_path / "catalog"


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE a PUBLIC "-//Made//DTD Article//EN" "nowhere.dtd">',
        '<!DOCTYPE a SYSTEM "http://made.invalid/article.dtd">',
        '<!DOCTYPE a [<!ENTITY % d PUBLIC "-//Made//DTD Article//EN" "x"> %d;]>',
    ],
)
def test_a_catalog_leads_to_local_dtds(catalog: Path, doctype: str) -> None:
    entities = make_entities(catalogs=[catalog])

    assert text(f"{doctype}<a>&logo; &version;</a>", entities) == "Foxir 1.0"
    external = doctype.replace("[", '[<!ENTITY logo SYSTEM "x.ent">') if "[" in doctype else doctype
    assert text(f"{external}<a>&logo;</a>", entities) == "Foxir"
    assert "'outside' is not defined" in refusal(f"{doctype}<a>&outside;</a>", entities)


def test_catalogs_of_the_environment_are_used_unless_others_are_given(
    catalog: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XML_CATALOG_FILES", f"/nowhere/catalog {catalog}")

    assert text('<!DOCTYPE a PUBLIC "-//Made//DTD Article//EN" ""><a>&logo;</a>', make_entities()) == "Foxir"


def test_no_catalog_makes_foxir_fetch_anything(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/a.dtd"
        (tmp_path / "catalog").write_text(f'PUBLIC "p" "{address}"\nSYSTEM "{address}" "{address}"', "utf-8")
        entities = make_entities(catalogs=[tmp_path / "catalog"])
        assert "is not defined" in refusal(f'<!DOCTYPE a PUBLIC "p" "{address}"><a>&logo;</a>', entities)
        with pytest.raises(BlockingIOError):
            server.accept()


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"\xff", "is not UTF-8"), (None, "cannot be read")],
)
def test_a_file_that_is_no_file_of_declarations_is_refused(tmp_path: Path, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / "own.ent").write_bytes(content)

    with pytest.raises(SettingsError, match=message):
        make_entities(tmp_path / "own.ent")


@pytest.mark.parametrize("content", ["<catalog/>", "<catalog", "no catalog at all"])
def test_a_file_that_is_no_catalog_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "catalog").write_text(content, "utf-8")

    with pytest.raises(SettingsError, match="catalog"):
        make_entities(catalogs=[tmp_path / "catalog"])


def test_doctests_of_entities() -> None:
    assert doctest.testmod(entities_module).failed == 0


@pytest.mark.parametrize(
    ("document", "may"),
    [
        ("<!DOCTYPE a><a/>", True),
        ("\ufeff<?xml version='1.0'?>\n<!-- <a> -->\t<?p <a> ?><!DOCTYPE a><a/>", True),
        ("", True),
        ("<!-- not closed", True),
        ("<!-- <!DOCTYPE a> --><a/>", False),
        ("<?xml version='1.0'?>\n<é><!-- <!DOCTYPE a> --></é>", False),
        ("<!---->" * 100_000 + "<a/>", False),
    ],
)
def test_a_document_type_is_looked_for_before_the_root_element(document: str, may: bool) -> None:
    assert may_have_doctype(document.encode()) == may


@pytest.mark.parametrize(
    ("doctype", "is_known"),
    [
        ("", True),
        ('<!DOCTYPE a [<!ENTITY own "x">]>', True),
        ('<!DOCTYPE a SYSTEM "a.dtd">', False),
        ('<!DOCTYPE a PUBLIC "-//KDE//DTD DocBook XML V4.5-Based Variant V1.1//EN" "dtd/kdedbx45.dtd">', False),
        ('<!DOCTYPE a PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "xhtml1-strict.dtd">', False),
        ('<!DOCTYPE a PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "docbookx.dtd">', True),
        ('<!DOCTYPE a PUBLIC "-//NLM//DTD JATS v1.2//EN" "jats.dtd">', True),
        ('<!DOCTYPE a SYSTEM "a.dtd" [<!ENTITY % n PUBLIC "ISO 8879:1986//ENTITIES Publishing//EN" "pub"> %n;]>', True),
    ],
)
def test_names_that_an_unread_dtd_may_define_otherwise_are_not_guessed(doctype: str, is_known: bool) -> None:
    assert text(f"{doctype}<a>&eacute;&mdash;</a>") == "é—"
    if is_known:
        assert text(f"{doctype}<a>&Tab;&lsqb;</a>") == "\t["
    else:
        assert "entity 'Tab' is not defined" in refusal(f"{doctype}<a>&Tab;&lsqb;</a>")


@pytest.mark.parametrize("opener", ["<?", "<!--", "<![CDATA[", "<!ENTITY a "])
@pytest.mark.parametrize("before", ["<!DOCTYPE a SYSTEM 'x'><a>&foo;", "<!DOCTYPE a SYSTEM 'x' [&foo;"])
def test_markup_that_is_not_closed_is_read_once(opener: str, before: str) -> None:
    began = time.process_time()
    resolve_references((before + opener * 100_000).encode(), Entities(undefined="auto"), 10**8)
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("name", "is_name"),
    [("\u0939\u093f\u0902\u0926\u0940", True), ("\x9b31mfoo", False), ("a\u2028", False)],
)
def test_names_are_those_of_xml(name: str, is_name: bool) -> None:
    found = resolve_references(f"<!DOCTYPE a SYSTEM 'x'><a>&{name};</a>".encode(), Entities(undefined="auto"), 10**6)
    assert (name in found.kept) == is_name
