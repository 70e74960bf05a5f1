"""Skipped elements are as if absent for words, phrases and sentences; offsets count their text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.index.reader import IndexReader
from engine.index.texts.own_text import own_offsets, own_text
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
    own, text = own_text(index, 0, row), index.text(0)

    assert own.rstrip("\1") == "A relational database has tables. Each row of it has a primary key."
    offsets = own_offsets(index, 0, row).tolist()
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
