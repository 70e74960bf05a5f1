"""Skipped elements are as if absent for words, phrases and sentences; offsets count their text.

Empty inline elements such as TEI's line and page breaks end words, unless they say break="no".
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import foxir
from engine.index.reader import IndexReader
from engine.index.texts.element_texts import own_offsets, own_texts
from engine.presentation.readable_text import readable_text
from engine.presentation.skipped_text import SkippedText
from engine.presentation.term_spans import SearchedText, term_spans
from engine.query.query import parse_query
from tests.engine.small_index import answers_to, index_of

PARAGRAPH = (
    "A relational<x>relational model. Not here</x> data<x>data</x>base has tables.<x>table</x> "
    "<x>Rows.</x>Each row<x>row</x> of it has a <i>pri<x>key</x>mary</i> key<x>key</x>."
)
DOCUMENTS = {"a": f"<a><h>Storage<x>store</x></h><p>{PARAGRAPH}</p><p>Another paragraph.</p></a>"}
WITHOUT = {"a": DOCUMENTS["a"].replace("<x>", "<!--").replace("</x>", "-->")}


def indexed(tmp_path, documents: dict[str, str]) -> IndexReader:
    tmp_path.mkdir(exist_ok=True)
    (tmp_path / "profile.toml").write_text('inline = ["i"]\nskip = ["x"]\ntitles = ["h"]\n')
    return index_of(tmp_path, documents, profile=str(tmp_path / "profile.toml"))


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("database", ["/a[1]/p[1]"]),
        ('"relational database"', ["/a[1]/p[1]"]),
        ('"primary key"', ["/a[1]/p[1]"]),
        ("model", []),
        ("store", []),
        ("base", []),
        ('"tables each row"', ["/a[1]/p[1]"]),
        ("//i[about(., primary)]", ["/a[1]/p[1]/i[1]"]),
    ],
)
def test_words_and_phrases_go_on_across_skipped_elements(tmp_path, query, paths):
    index = indexed(tmp_path, DOCUMENTS)
    found = answers_to(index, query, min_words=1, min_leaf_words=0)
    assert [answer.path for answer in found] == paths


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("tables", "A relationalrelational model. Not here datadatabase has tables."),
        ("row", "Each rowrow of it has a prikeymary keykey."),
    ],
)
def test_a_sentence_ends_where_it_would_without_skipped_elements(tmp_path, query, text):
    index = indexed(tmp_path, DOCUMENTS)
    answer = answers_to(index, query, passages=True, whole_weight=0, min_passage_words=1, min_leaf_words=0)[0]

    assert answer.text == text
    assert index.text(0)[answer.start : answer.end] == text
    assert answer.sentences is not None


@pytest.mark.parametrize("query", ["database key", '"relational database"', "row", "paragraph"])
@pytest.mark.parametrize("options", [{}, {"passages": True, "whole_weight": 0}])
@pytest.mark.long
def test_answers_and_snippets_are_those_of_the_text_without_skipped_elements(tmp_path, query, options):
    settings = {"min_words": 1, "min_leaf_words": 0, "min_passage_words": 1, **options}
    found, without = (
        answers_to(indexed(tmp_path / name, documents), query, **settings)
        for name, documents in (("with", DOCUMENTS), ("without", WITHOUT))
    )
    assert [(each.path, each.sentences, each.words, each.score) for each in found] == [
        (each.path, each.sentences, each.words, each.score) for each in without
    ]
    assert [each.snippet.marked() for each in found] == [each.snippet.marked() for each in without]
    assert len(found)


def test_own_text_is_that_of_the_words(tmp_path):
    index = indexed(tmp_path, DOCUMENTS)
    row = index.elements.with_tags([index.elements.tag_numbers["p"]], index.live_documents)[0]
    (own,), text = own_texts(index, np.array([row])), index.text(0)

    assert own.rstrip("\1") == "A relational database has tables. Each row of it has a primary key."
    offsets = own_offsets(index, row).tolist()
    assert [text[offset] for offset, character in zip(offsets, own, strict=True) if character != "\1"] == list(
        own.replace("\1", "")
    )


def test_a_word_that_is_parted_by_a_skipped_element_is_marked_in_both_parts(tmp_path):
    index = indexed(tmp_path, DOCUMENTS)
    text, skipped = "data<x>base", SkippedText([(4, 7)])
    (found,) = term_spans(
        [SearchedText(*skipped.without(text, []))], parse_query("database", index.analyser), index.analyser
    )

    assert [skipped.restore(start, end) for start, end, _ in found] == [[(0, 4), (7, 11)]]


@given(st.text("ab ", max_size=12), st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=4), st.data())
def test_spans_of_a_text_without_skipped_ones_are_restored(text, spans, data):
    spans = sorted((min(len(text), start), min(len(text), max(start, end))) for start, end in spans)
    nested = [span for n, span in enumerate(spans) if all(span[1] <= end or span[0] >= end for _, end in spans[:n])]
    skipped = SkippedText(nested)
    hidden = {place for start, end in nested for place in range(start, end)}
    places = [place for place in range(len(text)) if place not in hidden]
    cut, borders = skipped.without(text, range(1, len(text)))

    assert cut == "".join(text[place] for place in places)
    assert borders == list(range(1, len(cut)))
    if places:
        start = data.draw(st.integers(0, len(places) - 1))
        end = data.draw(st.integers(start + 1, len(places)))
        restored = skipped.restore(start, end)
        assert [place for begin, stop in restored for place in range(begin, stop)] == places[start:end]


def test_titles_above_an_answer_are_without_skipped_elements(tmp_path):
    index = indexed(tmp_path, DOCUMENTS)

    (answer,) = answers_to(index, "database", min_words=1, min_leaf_words=0)
    assert answer.breadcrumb == ["Storage"]


PAGE = (
    '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader/><text><body><p>to the<lb/>lighthouse with '
    'seven<pb n="3"/>porpoises near the cap<lb break="no"/>stan.<lb/>Wind fell.</p></body></text></TEI>'
)


@pytest.mark.parametrize("attributes", [None, "none"])
def test_a_bare_break_ends_a_word_and_no_sentence(tmp_path: Path, attributes: str | None) -> None:
    (tmp_path / "page.xml").write_text(PAGE)
    foxir.build_index(tmp_path / "page.xml", into=tmp_path / "index", attributes=attributes)
    index = foxir.open_index(tmp_path / "index")

    def first(query: str) -> str | None:
        return next((answer.snippet.marked() for answer in index.search(query, passages=True)), None)

    assert first("lighthouse") == "to the [lighthouse] with seven porpoises near the capstan."
    assert first("capstan") == "to the lighthouse with seven porpoises near the [capstan]."
    assert first("wind") == "[Wind] fell."
    assert first('"the lighthouse"') is not None
    assert first("cap") is first("thelighthouse") is None


def test_a_superscript_of_jats_ends_a_word_and_no_sentence(tmp_path: Path) -> None:
    text = "Counts of CD4<sup>+</sup> cells were 10<sup>9</sup> per litre<sup>b</sup> or so. All rose."
    markup = f"<article><front/><body><p>{text}</p></body></article>"
    (tmp_path / "report.xml").write_text(markup)
    foxir.build_index(tmp_path / "report.xml", into=tmp_path / "index")
    index = foxir.open_index(tmp_path / "index")

    for query in ('"cd4 cells"', '"10 9"', "litre"):
        (answer,) = index.search(query, passages=True, whole_weight=0)[:1]
        assert answer.text == "Counts of CD4+ cells were 109 per litreb or so."
    assert not index.search("litreb")


def test_breaks_are_blanks_in_readable_text_and_nothing_in_the_text_of_offsets(tmp_path: Path) -> None:
    with index_of(tmp_path, {"a": PAGE}, profile="tei") as index:
        assert "thelighthouse with sevenporpoises" in index.text(0)
        assert "the lighthouse with seven porpoises near the capstan. Wind" in _readable(index)


def test_a_profile_names_its_breaks(tmp_path: Path) -> None:
    profile = tmp_path / "mine.toml"
    profile.write_text('inline = ["i", "tab"]\nbreaks = ["tab"]')
    with index_of(tmp_path, {"a": "<t>a<tab/>b<i/>c<other/>d</t>"}, profile=str(profile)) as index:
        assert _readable(index) == "a bc d"
        assert index.elements.n_words(np.array([0])).tolist() == [3]


def _readable(index: IndexReader) -> str:
    return readable_text(index, 0, 0, *index.spans(0, np.array([0]))[0].tolist())
