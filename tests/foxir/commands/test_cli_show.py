"""`foxir show` prints documents, elements and stretches of text, and their XML; `search --lines` where they stand."""

from __future__ import annotations

import bz2
import io
import shutil
import tarfile
from pathlib import Path

import pytest

from tests.foxir.commands.command import COLLECTIONS, foxir, refused

DOCUMENT, PARAGRAPH = "jats/fx-006", "/article[1]/body[1]/sec[5]/p[1]"
XML = """<?xml version="1.0"?>
<article>
 <title>Fog</title>
 <p>No signal here.</p>
 <!-- a comment
 of two lines -->
 <p id="x">A fog <b>signal</b>
 is heard. Where the horn
 stands is no fog.</p>
</article>
"""


@pytest.fixture
def own(tmp_path) -> Path:
    """The folder of a small collection and its index."""
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts/a.xml").write_text(XML)
    assert foxir("index", tmp_path / "own.foxir", tmp_path / "texts", "--no-infer").status == 0
    return tmp_path


def test_an_element_is_shown_with_its_place(sample):
    shown = foxir("show", sample, DOCUMENT, PARAGRAPH)

    head, facts, titles, blank, text = shown.out.splitlines()
    assert (shown.status, shown.err, head, blank) == (0, "", f"{DOCUMENT} {PARAGRAPH}", "")
    assert facts.strip() == "characters 5456-6015 · 101 words · profile jats"
    assert titles.endswith("› Conclusion")
    assert text.startswith("A light that is obscured")
    assert foxir("show", sample, DOCUMENT, PARAGRAPH, "--text").out == f"{text}\n"
    assert foxir("show", sample, DOCUMENT, "/article/body/sec[5]/p", "--text").out == f"{text}\n"


def test_a_document_without_a_place_is_shown_whole(sample):
    whole = foxir("show", sample, DOCUMENT, "--json").json

    assert (whole["path"], whole["start"], whole["end"]) == ("/article[1]", 0, len(whole["text"]))


def test_a_stretch_is_shown_with_its_context_and_the_element_around_it(sample):
    shown = foxir("show", sample, DOCUMENT, "5456:27", "--context", "12", "--json").json

    assert shown["text"] == "A light that is obscured is"
    assert (shown["path"], shown["words"]) == (PARAGRAPH, None)
    assert (len(shown["before"]), shown["after"]) == (12, " known to be")
    printed = foxir("show", sample, DOCUMENT, "5456:27", "--context", "12", "--text").out
    assert shown["before"].split() == ["usion"]
    assert printed == f"usion\n{shown['text']}{shown['after']}\n"


def test_a_context_ends_with_the_document(sample):
    shown = foxir("show", sample, DOCUMENT, "2:1", "--context", "100000", "--json").json

    assert shown["before"] + shown["text"] + shown["after"] == foxir("show", sample, DOCUMENT, "--json").json["text"]


def test_xml_is_printed_as_in_the_source(own):
    shown = foxir("show", own / "own.foxir", "a", "/article[1]/p[2]", "--xml", "--json").json

    assert shown["xml"] == '<p id="x">A fog <b>signal</b>\n is heard. Where the horn\n stands is no fog.</p>'
    assert (shown["file"], shown["line"]) == (str(own / "texts/a.xml"), 7)
    assert foxir("show", own / "own.foxir", "a", "/article[1]/p[2]", "--xml").out == shown["xml"] + "\n"


def test_xml_of_a_stretch_is_that_of_the_smallest_element_around_it(own):
    start = foxir("show", own / "own.foxir", "a", "--json").json["text"].index("signal\n")

    assert foxir("show", own / "own.foxir", "a", f"{start}:6", "--xml").out == "<b>signal</b>\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fx-006"], ["did you mean 'jats/fx-006'?"]),
        (["jats/fx-06"], ["did you mean 'jats/fx-006'?"]),
        ([DOCUMENT, "/article[1]/bdy[1]/sec[1]"], ["did you mean '/article[1]/body[1]/sec[1]'?"]),
        ([DOCUMENT, "/article[1]/xyz[1]"], ["no element", "is there: /article[1]"]),
        ([DOCUMENT, "body"], ["'body': expected a path", "OFFSET:LENGTH"]),
        ([DOCUMENT, "6000:900"], ["has 6,279 characters"]),
        ([DOCUMENT, "--xml", "--text"], ["choose one"]),
        ([DOCUMENT, "--xml", "--context", "3"], ["leave one out"]),
    ],
)
def test_what_cannot_be_shown(arguments, words, sample):
    refused(foxir("show", sample, *arguments), *words)


def test_a_changed_source_is_not_read(own):
    index, file = own / "own.foxir", own / "texts/a.xml"
    file.write_text(XML.replace("Fog", "Dog"))

    refused(foxir("show", index, "a", "--xml"), str(file), "has changed", "foxir index")
    assert "Fog" in foxir("show", index, "a").out
    found = foxir("search", index, "signal", "--lines", "--json")
    assert (found.status, found.json["answers"][0]["line"]) == (1, None)
    assert found.err.startswith(f"no line: {file} has changed since it was indexed")
    file.unlink()
    refused(foxir("show", index, "a", "--xml"), "document 'a' is not in", "any more")
    shutil.rmtree(own / "texts")
    refused(
        foxir("show", index, "a", "--xml"), "no such source", f"foxir index INDEX NEW_PLACE --remove {own / 'texts'}"
    )


def test_lines_are_those_of_elements_and_of_the_text_of_passages(own):
    element = foxir("search", own / "own.foxir", "//p[about(., fog)]", "--lines", "--json").json["answers"][0]
    passage = foxir(
        "search", own / "own.foxir", "horn", "--max-sentences", "1", "--min-passage-words", "1", "--lines", "--json"
    ).json["answers"][0]

    file = str(own / "texts/a.xml")
    assert (element["path"], element["file"], element["line"]) == ("/article[1]/p[2]", file, 7)
    assert (passage["sentences"], passage["file"], passage["line"]) == (
        [2, 2],
        file,
        8,
    )  # <b> ends a sentence: no profile
    assert f"     {file}:7\n" in foxir("search", own / "own.foxir", "//p[about(., fog)]", "--lines").out


def test_lines_and_xml_are_read_from_archives_too(tmp_path):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as tar:
        tar.add(COLLECTIONS / "jats/fx-006.xml", "jats/fx-006.xml")
        tar.add(COLLECTIONS / "jats/fx-005.xml", "jats/fx-005.xml")
    (tmp_path / "a.tar.bz2").write_bytes(bz2.compress(content.getvalue()))
    foxir("index", tmp_path / "own.foxir", tmp_path / "a.tar.bz2")

    found = foxir("search", tmp_path / "own.foxir", "fog", "signal", "--top", "1", "--lines", "--json").json
    (answer,) = found["answers"]

    assert answer["file"] == f"{tmp_path}/a.tar.bz2!jats/fx-006.xml"
    lines = (COLLECTIONS / "jats/fx-006.xml").read_text().splitlines()
    xml = foxir("show", tmp_path / "own.foxir", answer["document"], answer["path"], "--xml").out
    assert lines[answer["line"] - 1].lstrip().startswith(xml.splitlines()[0])


def test_cells_that_border_each_other_are_set_apart_for_readers_and_exact_in_json(tmp_path):
    (tmp_path / "texts").mkdir()
    rows = "<tr><th>Loans</th><th>Returns</th></tr><tr><td>12</td><td>240</td></tr>"
    (tmp_path / "texts/a.xml").write_text(f"<doc><table>{rows}</table></doc>")
    index = tmp_path / "own.foxir"
    assert foxir("index", index, tmp_path / "texts").status == 0

    assert foxir("show", index, "a", "--text").out == "Loans | Returns\n12 | 240\n"
    assert foxir("show", index, "a", "5:7", "--context", "20", "--text").out == "Loans | Returns\n12 | 240\n"
    assert "Loans | Returns\n12 | 240\n" in foxir("search", index, "loans", "--answers", "//table", "--text").out
    assert (
        '"text": "LoansReturns12240"' in foxir("search", index, "loans", "--answers", "//table", "--text", "--json").out
    )
    assert '"text": "LoansReturns12240"' in foxir("show", index, "a", "--json").out


def test_an_element_is_shown_by_its_id(own):
    index = own / "own.foxir"

    assert foxir("show", index, "a", "x").out == foxir("show", index, "a", "/article/p[2]").out
    assert foxir("show", index, "a", "#x", "--xml").out.startswith('<p id="x">A fog')
    refused(
        foxir("show", index, "a", "y"), "'y': expected a path", "or the id of an element of document 'a'. OFFSET:LENGTH"
    )
    refused(foxir("show", index, "a", "12:"), "'12:': expected a path", "OFFSET:LENGTH, such as 5456:27")


def test_an_element_is_explained_by_its_id(own):
    by_id, by_path = (foxir("explain", own / "own.foxir", "fog", "a", place) for place in ("#x", "/article/p[2]"))

    assert (by_id.status, by_id.out) == (0, by_path.out)
