"""What strangers tried on their first day: their documents, and what they ask of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.foxir.commands.command import foxir, refused

SENT = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><profileDesc><correspDesc><correspAction type="sent">
<persName>Jürgen Müller</persName>{blank}<placeName>Göttingen</placeName>{blank}<date when="1857-05-01"/>
</correspAction></correspDesc></profileDesc></teiHeader><text><body>{body}</body></text></TEI>"""
REFERENCES = """<article><front><article-meta><title-group><article-title>Trial</article-title></title-group>
</article-meta></front><body><p>Patients took metformin<xref ref-type="bibr" rid="b1">1</xref> and apixaban<xref
ref-type="bibr" rid="b2"><sup>2</sup></xref> and insulin<sup><xref
rid="b3">3</xref></sup> daily.</p></body></article>"""
PAPERS = """<!DOCTYPE ead PUBLIC "+//ISBN 1-931666-00-8//DTD ead.dtd (EAD) Version 2002)//EN" "ead.dtd">
<ead><eadheader><filedesc><titlestmt><titleproper>Inventory of papers</titleproper></titlestmt></filedesc></eadheader>
<archdesc level="fonds"><did><unittitle>Antonín Dvořák papers</unittitle></did><bioghist><head>Biography</head>
<p>He was born in Vysoká u Příbrami and kept a <emph>diary</emph>.</p></bioghist></archdesc></ead>"""
TASK = """<!DOCTYPE task PUBLIC "-//OASIS//DTD DITA Task//EN" "task.dtd">
<task id="install"><title>Installing the pump</title><taskbody>
<prereq><note conref="shared.dita#shared/power"/></prereq><steps>
<step><cmd>Unscrew the <uicontrol>M6</uicontrol> bolts.</cmd>
<info>Use a torque of 12&nbsp;Nm.</info></step></steps></taskbody></task>"""
DOCUMENTS = {
    "letter.xml": SENT.format(blank="", body="<p>Dear friend, thank you for the parcel.</p>"),
    "list.xml": SENT.format(
        blank="\n",
        body="<list><item><persName>Anna Kern</persName><persName>Otto Lang</persName></item></list>",
    ),
    "trial.xml": REFERENCES,
    "papers.xml": PAPERS,
    "install.dita": TASK,
    "help.html": "<html><body><p>help<br></body></html>",
    "accents.xml": "<a><p>Antonín Dvořák and Božena Němcová</p></a>",
}

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of the documents."""
    folder = tmp_path_factory.mktemp("first_day")
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text)
    made = foxir("index", folder / "i.foxir", *(folder / name for name in DOCUMENTS))
    assert made.status == 0
    assert "read as a browser reads HTML" in made.err
    return folder / "i.foxir"


@pytest.mark.parametrize(
    ("query", "document", "text"),
    [
        ("metformin apixaban insulin", "trial", "took metformin 1 and apixaban 2 and insulin 3 daily"),
        ("muller parcel", "letter", "Jürgen Müller Göttingen"),
        ("date:1857-05-01 parcel", "letter", "thank you for the parcel"),
        ("date:1857..1860 kern", "list", "Anna Kern Otto Lang"),
        ("lang", "list", "Anna Kern Otto Lang"),
        ("diary", "papers", "Vysoká u Příbrami and kept a diary."),
        ("torque", "install.dita", "Use a torque of 12\N{NO-BREAK SPACE}Nm."),
        ("help", "help.html", "help"),
        ("dvorak nemcova", "accents", "Antonín Dvořák and Božena Němcová"),
    ],
)
def test_a_first_query_finds_the_text_with_its_words_apart(documents, query, document, text):
    first, *_ = foxir("search", documents, query, "--json", "--text", "-q").json["answers"]

    assert first["document"].rpartition("/")[2] == document
    assert text in first["readable_text"]


def test_files_in_the_place_of_others_are_named_for_what_they_are(documents, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("topics.trec").write_text("<top>\n<num> Number: 301\n<title> apt pinning\n</top>\n")
    Path("run.trec").write_text("301 Q0 a 1 1.0 x\n")
    Path("queries.tsv").write_text("q1\tinsulin\nq2\t\nq3\tapixaban\n")

    refused(foxir("eval", "topics.trec", "run.trec"), "topics.trec:1", "Is this a file of topics?")
    refused(foxir("eval", "run.trec", "topics.trec"), "run.trec:1", "Is this a run?")
    refused(foxir("run", documents, "run.trec", "-o", "-"), "run.trec:1", "looks like a run or qrels")
    made = foxir("run", documents, "queries.tsv", "-o", "-", "--format", "trec")
    assert [line.split()[0] for line in made.out.splitlines()] == ["q1", "q3"]
    assert "queries.tsv:2: topic 'q2'" in made.err


def test_a_scoring_function_of_other_arguments_is_answered_with_its_form(documents, tmp_path, monkeypatch):
    (tmp_path / "first_score.py").write_text("def score(tf, df): return tf\n")
    monkeypatch.syspath_prepend(tmp_path)

    refused(foxir("search", documents, "insulin", "--similarity", "first_score:score"), "def score(columns, *, ")
