"""Built-in profiles on a small document of each vocabulary: chosen by auto, words across inline tags, breadcrumbs."""

from __future__ import annotations

from pathlib import Path

import pytest

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
    ],
)
def test_a_document_of_each_vocabulary_is_read_as_people_read_it(
    tmp_path: Path, name: str, document: str, query: str, breadcrumb: list[str]
) -> None:
    with index_of(tmp_path, {"a": document}, profile="auto") as index:
        assert index.profile_of(0).name == name
        assert answers_to(index, query, min_words=5, operator="and").rows[0].breadcrumb == breadcrumb
