"""Built-in profiles of laws, pages, records, feeds and manuals on a small document of each: words, titles, the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

import foxir
from engine.index.reader import open_reader

CLML = """<Legislation xmlns="http://www.legislation.gov.uk/namespaces/legislation"><Metadata><x>uksi</x></Metadata>
<Secondary><SecondaryPrelims><Title>The Lamps Order</Title></SecondaryPrelims><Body><Part><Number>PART 1</Number>
<Title>Oil</Title><P1group><Title>Storage of oil</Title><P1><Pnumber>3</Pnumber><P1para><Text>Whale oil must be
st<Addition
ChangeId="a"><CommentaryRef Ref="c"/>ored</Addition> in casks of oak.</Text></P1para></P1></P1group></Part></Body>
</Secondary></Legislation>"""
FORMEX = """<ACT><BIB.INSTANCE><NO.DOC>2001</NO.DOC></BIB.INSTANCE><TITLE><TI><P>Regulation on wicks</P></TI></TITLE>
<ENACTING.TERMS><DIVISION><TITLE><TI><P>Measures</P></TI></TITLE><ARTICLE IDENTIFIER="001"><TI.ART>Article 1</TI.ART>
<PARAG><NO.PARAG>1.</NO.PARAG><ALINEA>Every wick is of cot<HT TYPE="ITALIC">ton</HT> and is trimmed on <DATE
ISO="x">1 May
</DATE> of each year.</ALINEA></PARAG></ARTICLE></DIVISION></ENACTING.TERMS></ACT>"""
ALTO = """<alto
xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Description><fileName>scan7.tif</fileName></Description>
<Layout><Page><PrintSpace><TextBlock><TextLine><String CONTENT="The"/><SP/><String
CONTENT="old"/><SP/><String CONTENT="lan"
SUBS_TYPE="HypPart1" SUBS_CONTENT="lantern"/><HYP CONTENT="-"/></TextLine><TextLine><String CONTENT="tern"
SUBS_TYPE="HypPart2" SUBS_CONTENT="lantern"/><SP/><String CONTENT="burns"/><SP/><String CONTENT="all"/><SP/><String
CONTENT="night."/></TextLine></TextBlock></PrintSpace></Page></Layout></alto>"""


def equiv(text: str) -> str:
    return f"<TextEquiv><Unicode>{text}</Unicode></TextEquiv>"


def page_line(*words: str) -> str:
    return f"<TextLine>{''.join(f'<Word>{equiv(word)}</Word>' for word in words)}{equiv(' '.join(words))}</TextLine>"


PAGE = f"""<PcGts
xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"><Metadata><Creator>ocr7</Creator>
</Metadata><Page><TextRegion>{page_line("The", "old", "lan¬")}{page_line("tern", "burns", "all", "night.")}
{equiv("The old lan¬ tern burns all night.")}</TextRegion></Page></PcGts>"""
MODS = """<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><nonSort>The</nonSort><title>kelp book</title></titleInfo>
<name><namePart>Zeller,
Ida</namePart></name><recordInfo><recordIdentifier>ocm77</recordIdentifier></recordInfo></mods>"""
MARC = """<record xmlns="http://www.loc.gov/MARC21/slim"><leader>00714cam</leader><controlfield tag="001">ocm77
</controlfield><datafield tag="100"><subfield code="a">Zeller, Ida</subfield></datafield><datafield tag="245"><subfield
code="a">The kelp book</subfield></datafield></record>"""
RSS = """<rss
version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Harbour news</title>
<item><title>Storm &amp;amp; fog</title><guid>urn:77</guid><description>&lt;p&gt;A storm came.&lt;/p&gt;</description>
<content:encoded><![CDATA[<h2>Night</h2><p>The <b>light</b>house was dark&nbsp;for hours.</p>]]></content:encoded>
</item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Harbour news</title><id>urn:77</id><entry><title>Fog</title>
<id>urn:78</id><content type="html">&lt;p&gt;The &lt;b&gt;light&lt;/b&gt;house was dark for hours.&lt;/p&gt;</content>
</entry></feed>"""
S1000D = """<dmodule><identAndStatusSection><dmAddress><dmIdent><dmCode x="a">AB77</dmCode></dmIdent><dmAddressItems>
<dmTitle><techName>Lamp</techName><infoName>Cleaning</infoName></dmTitle></dmAddressItems></dmAddress>
</identAndStatusSection><content><description><levelledPara><title>Glass</title><para>Clean the
lamp<emphasis>glass</emphasis>
with vinegar, as <internalRef/> shows in every case.</para></levelledPara></description></content></dmodule>"""
XLIFF = """<xliff version="1.2"><file><body><trans-unit id="1"><source>Trim the <g id="1">wi</g>ck</source><target>Den
Docht <bpt id="2">{\\b77</bpt>k\u00fcrzen</target></trans-unit><trans-unit
id="2"><source>Oil</source><target>\u00d6l</target>
</trans-unit></body></file></xliff>"""
RFC = """<rfc><front><title
abbrev="Lamps">Signals of Lamps</title><abstract><t>It defines signals.</t></abstract></front>
<middle><section><name>Colours</name><t>A lamp <bcp14>MUST</bcp14> show a wh<em>ite</em> light <iref
item="index77"/>to ships
at sea.</t></section></middle><back><references><reference><front><title>Old lamps</title><author fullname="Ada Kern"/>
</front><seriesInfo name="RFC" value="1904"/></reference></references></back></rfc>"""
BITS = """<book><book-meta><book-title-group><book-title>Lamps</book-title></book-title-group></book-meta><book-body>
<book-part><book-part-meta><title-group><title>Oil lamps</title></title-group></book-part-meta><body><sec><title>Wicks
</title><p>A wick of cot<italic>ton</italic> burns for a night, and no longer than that.</p></sec></body></book-part>
</book-body></book>"""
EP = """<ep-patent-document
lang="en"><SDOBI><B500><B540><B541>en</B541><B542>Lamp with a lens</B542></B540></B500></SDOBI>
<description><heading>State of the art</heading><p>Lenses of <b>lan</b>terns break when they are
heated.</p></description>
</ep-patent-document>"""
KML = """<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>Wells</name><Folder><name>North</name><Placemark>
<name>Cold well</name><description><![CDATA[Sweet <b>wat</b>er<br>all year.]]></description><ExtendedData><Data
name="depth"><value>14 m</value></Data></ExtendedData><Point><coordinates>77.1,54.2</coordinates></Point></Placemark>
</Folder></Document></kml>"""


def note(*syllables: tuple[str, str]) -> str:
    lyrics = "".join(
        f'<lyric number="{verse}"><syllabic>{kind}</syllabic><text>{text}</text></lyric>'
        for verse, (kind, text) in enumerate(syllables, 1)
    )
    return f"<note><pitch><step>C</step></pitch><duration>77</duration>{lyrics}</note>"


MEASURES = (
    note(("begin", "Wa"), ("single", "Row")) + note(("middle", "ter"), ("single", "me")),
    note(("end", "fall"), ("begin", "ear")) + note(("single", "sings"), ("end", "ly")),
)
MUSIC = f"""<score-partwise><work><work-title>Ferry song</work-title></work><part-list><score-part
id="P1"><part-name>Voice</part-name></score-part></part-list><part id="P1"><measure>{MEASURES[0]}</measure>
<measure>{MEASURES[1]}</measure></part></score-partwise>"""


def bar(*syllables: tuple[str, str]) -> str:
    verses = "".join(
        f'<verse n="{n}"><syl wordpos="{place}">{text}</syl></verse>' for n, (place, text) in enumerate(syllables, 1)
    )
    other = '<staff n="2"><note pname="c"><verse n="1"><syl>hum</syl></verse></note></staff>'
    return f'<measure><staff n="1"><layer><note pname="c">{verses}</note></layer></staff>{other}</measure>'


BARS = (
    (("i", "Wa"), ("s", "Row")),
    (("m", "ter"), ("s", "me")),
    (("t", "fall"), ("i", "ear")),
    (("s", "sings"), ("t", "ly")),
)
MEI = f"""<mei xmlns="http://www.music-encoding.org/ns/mei"><meiHead><fileDesc><titleStmt><title>Ferry song</title>
</titleStmt></fileDesc></meiHead><music><body><mdiv><score><section>{"".join(bar(*each) for each in BARS)}</section>
</score></mdiv></body></music></mei>"""


ODD = """<specGrp xmlns="http://www.tei-c.org/ns/1.0"><moduleSpec ident="lamps"><desc>Parts of lamps that an editor
describes, from the oil to the glass.</desc></moduleSpec><elementSpec ident="wick" module="urn77"><desc>What draws oil
up to the flame, in lamps with a flat burner or a round one.</desc><attList><attDef ident="kind"><desc>How it was woven,
and for how many hours it burns in still air before somebody has to trim it.</desc></attDef></attList></elementSpec>
<elementSpec ident="glass"><desc>A chimney, or a globe around it.</desc></elementSpec></specGrp>"""


@pytest.mark.parametrize(
    ("name", "document", "query", "path", "breadcrumb", "absent"),
    [
        ("clml", CLML, "stored casks", "/Text[1]", ["The Lamps Order", "Oil", "Storage of oil", "3"], "uksi"),
        ("formex", FORMEX, "cotton wick", "/ALINEA[1]", ["Regulation on wicks", "Measures", "Article 1", "1."], "2001"),
        ("alto", ALTO, "old lantern burns", "/TextBlock[1]", [], "tern"),
        ("page-xml", PAGE, "old lantern burns", "/TextRegion[1]", [], "ocr7"),
        ("mods", MODS, "zeller kelp", "/mods[1]", ["The kelp book"], "ocm77"),
        ("marcxml", MARC, "zeller kelp", "/record[1]", [], "ocm77"),
        ("feeds", RSS, "lighthouse dark", "/item[1]", ["Harbour news", "Storm & fog"], "urn"),
        ("feeds", ATOM, "lighthouse dark", "/entry[1]", ["Harbour news", "Fog"], "urn"),
        ("s1000d", S1000D, "lampglass vinegar", "/para[1]", ["Lamp Cleaning", "Glass"], "AB77"),
        ("xliff", XLIFF, "wick", "/trans-unit[1]", [], "b77"),
        ("xml2rfc", RFC, "white ships", "/t[1]", ["Signals of Lamps", "Colours"], "index77"),
        ("xml2rfc", RFC, "Kern RFC 1904", "/reference[1]", ["Signals of Lamps", "Old lamps"], "index77"),
        ("bits", BITS, "cotton", "/p[1]", ["Lamps", "Oil lamps", "Wicks"], "urn"),
        ("kml", KML, "water depth", "/Placemark[1]", ["Wells", "North", "Cold well"], "77"),
        ("musicxml", MUSIC, "waterfall", "/text[1]", ["Ferry song"], "77"),
        ("mei", MEI, "waterfall sings", "/syl[1]", ["Ferry song"], "pname"),
        ("tei", ODD, "burns hours", "/desc[1]", ["lamps", "wick", "kind"], "urn77"),
        ("ep-patents", EP, "lanterns", "/p[1]", ["Lamp with a lens", "State of the art"], "urn"),
    ],
)
def test_a_document_of_each_vocabulary_is_read_as_people_read_it(
    tmp_path: Path, name: str, document: str, query: str, path: str, breadcrumb: list[str], absent: str
) -> None:
    (tmp_path / "a.xml").write_text(document, "utf-8")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    index = foxir.open_index(tmp_path / "x.foxir")
    answer = index.search(query)[0]

    assert open_reader(tmp_path / "x.foxir").profile_of(0).name == name
    assert answer.path.endswith(path)
    assert list(answer.breadcrumb) == breadcrumb
    assert not len(index.search(absent))


@pytest.mark.parametrize("document", [ALTO, PAGE], ids=["alto", "page-xml"])
def test_pages_are_running_text_in_lines(tmp_path: Path, document: str) -> None:
    (tmp_path / "a.xml").write_text(document, "utf-8")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    index = foxir.open_index(tmp_path / "x.foxir")

    assert " ".join(index.search("lantern")[0].text.split()) == "The old lantern burns all night."
    assert len(index.search('"lantern burns all night"')) == 1


@pytest.mark.parametrize("document", [MUSIC, MEI], ids=["musicxml", "mei"])
def test_syllables_under_notes_are_words_of_one_verse_after_the_other(tmp_path: Path, document: str) -> None:
    (tmp_path / "a.xml").write_text(document)
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    index = foxir.open_index(tmp_path / "x.foxir")

    assert [index.search(query)[0].text for query in ('"waterfall sings"', '"row me early"')] == [
        "Waterfall sings",
        "Row me early",
    ]
