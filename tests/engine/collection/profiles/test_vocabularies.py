"""Built-in profiles on a small document of each vocabulary: chosen by auto, words across inline tags, breadcrumbs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.index.reader import IndexReader
from engine.presentation.readable_text import readable_text
from tests.engine.small_index import answers_to, index_of

EAD = """<ead>
<eadheader><filedesc><titlestmt><titleproper>Papers of A. Kern</titleproper></titlestmt></filedesc></eadheader>
<archdesc level="fonds"><did><unittitle>Kern papers</unittitle></did><dsc><c01 level="series"><did><unittitle>Letters
<unitdate>1857</unitdate></unittitle></did>
<c02 level="file"><did><unittitle>Summons of the court at Praha</unittitle></did>
<scopecontent><p>Drafts from <persname>Otto Lang</persname><geogname>Bonn</geogname> on the <emph>water</emph>colours
of the estate, and receipts for paint and paper.</p></scopecontent></c02></c01></dsc></archdesc></ead>"""
AKN = """<akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0">
<act><meta><identification source="x"/></meta>
<preface><p><docTitle>Harbours Act</docTitle></p></preface>
<body><part eId="p1"><num>Part 1</num><heading>Lights</heading>
<section eId="s1"><num>1.</num><heading>Fog signals</heading>
<content><p>A <def>light</def>house keeper under <ref
href="#x">section 2</ref> must sound the fog bell at night.</p></content></section></part></body></act></akomaNtoso>"""
USLM = """<uscDoc xmlns="http://xml.house.gov/schemas/uslm/1.0"><meta><docNumber>33</docNumber></meta>
<main><title><num>33</num>
<heading>Navigation</heading><section><num>1</num><heading>Lights on vessels</heading><content>
<p>Every vessel in <term>fair</term>way
waters carries a white light at the mast head after sunset.</p></content></section></title></main></uscDoc>"""

OFFICE = "urn:oasis:names:tc:opendocument:xmlns:"
ODF = f"""<o:document xmlns:o="{OFFICE}office:1.0" xmlns:t="{OFFICE}text:1.0" xmlns:b="{OFFICE}table:1.0"
xmlns:dc="http://purl.org/dc/elements/1.1/"><o:meta><dc:title>Pump report</dc:title></o:meta><o:body><o:text>
<t:h t:outline-level="1">Slope</t:h>
<t:p>The com<t:span>mit</t:span><t:span>tee</t:span> met on the north<t:soft-page-break/>ern slope.</t:p>
<b:table><b:table-row><b:table-cell><t:p>Pump</t:p></b:table-cell><b:table-cell><t:p>860</t:p></b:table-cell>
</b:table-row></b:table></o:text></o:body></o:document>"""
WORD = """<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p>
<w:r><w:t xml:space="preserve">The bra</w:t></w:r><w:proofErr w:type="spellStart"/><w:r><w:t>king</w:t></w:r><w:r><w:t
xml:space="preserve"> force is tested.</w:t></w:r></w:p></w:body></w:document>"""
SVG = """<svg xmlns="http://www.w3.org/2000/svg"><title>Pump</title><g><title>Inlet</title>
<text><tspan x="1">Com</tspan><tspan x="2">pressor</tspan> of the first stage, <tspan>cooled</tspan></text></g></svg>"""
FB2 = """<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><description><title-info>
<book-title>The wick</book-title></title-info></description><body><section><title><p>One</p></title>
<p>The keeper trimmed the <strong>w</strong>ick at dusk and wrote.</p></section></body></FictionBook>"""
PATENT = """<us-patent-grant lang="EN"><us-bibliographic-data-grant><invention-title id="d1">Lantern
lens</invention-title></us-bibliographic-data-grant><description><heading level="1">BACKGROUND</heading><p>Lenses of
<b>lan</b>terns break when they are heated.</p><heading level="1">SUMMARY</heading>
<p>A ring of cork keeps the lens.</p></description>
</us-patent-grant>"""
OLD_PATENT = """<PATDOC><SDOBI><B500><B540><STEXT><PDAT>Lantern lens</PDAT></STEXT></B540></B500></SDOBI><SDODE><BTEXT>
<H LVL="1"><STEXT><PDAT>BACKGROUND</PDAT></STEXT></H><PARA><PTEXT><PDAT>Lenses of
</PDAT><HIL><BOLD><PDAT>lan</PDAT></BOLD></HIL><PDAT>terns break when they are heated.</PDAT></PTEXT></PARA></BTEXT>
</SDODE></PATDOC>"""
OLD_APPLICATION = """<patent-application-publication><subdoc-bibliographic-information><technical-information>
<title-of-invention>Lantern lens</title-of-invention></technical-information></subdoc-bibliographic-information>
<subdoc-description><section><heading lvl="1">BACKGROUND</heading><paragraph><number>3</number>Lenses of
<highlight><bold>lan</bold></highlight>terns break when they are heated.</paragraph></section></subdoc-description>
</patent-application-publication>"""


@pytest.mark.parametrize(
    ("name", "document", "query", "breadcrumb"),
    [
        (
            "ead",
            EAD,
            "watercolours bonn",
            ["Papers of A. Kern", "Kern papers", "Letters 1857", "Summons of the court at Praha"],
        ),
        ("akoma-ntoso", AKN, "lighthouse bell", ["Harbours Act", "Lights", "Fog signals"]),
        ("uslm", USLM, "fairway mast", ["Navigation", "Lights on vessels"]),
        ("opendocument", ODF, "committee northern", ["Pump report", "Slope"]),
        ("wordprocessingml", WORD, "braking force", []),
        ("svg", SVG, "compressor cooled", ["Pump", "Inlet"]),
        ("fb2", FB2, "keeper wick", ["The wick", "One"]),
        ("us-patents", PATENT, "lanterns heated", ["Lantern lens", "BACKGROUND"]),
        ("us-patents", OLD_PATENT, "lanterns heated", ["Lantern lens", "BACKGROUND"]),
        ("us-patents", OLD_APPLICATION, "lanterns heated", ["Lantern lens", "BACKGROUND"]),
    ],
)
def test_a_document_of_each_vocabulary_is_read_as_people_read_it(
    tmp_path: Path, name: str, document: str, query: str, breadcrumb: list[str]
) -> None:
    with index_of(tmp_path, {"a": document}, profile="auto") as index:
        assert index.profile_of(0).name == name
        assert answers_to(index, query, min_words=5, operator="and").rows[0].breadcrumb == breadcrumb


def whole_text(index: IndexReader, document: int) -> str:
    """Return the readable text of a document."""
    root = index.elements.root(np.array([document]))
    return readable_text(index, document, int(root[0]), *index.spans(document, root)[0].tolist())


def test_tables_and_runs_of_office_documents_are_lines(tmp_path: Path) -> None:
    with index_of(tmp_path, {"odf": ODF, "word": WORD}, profile="auto") as index:
        texts = [whole_text(index, number) for number in range(2)]

    assert "Pump | 860" in texts[0].splitlines()
    assert texts[1] == "The braking force is tested."
