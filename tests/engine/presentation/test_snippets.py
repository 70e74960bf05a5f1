"""What a person sees of an answer: marked lines, and the titles above them.

The white space of extracts is collapsed, and their words are where the spans say.
"""

from __future__ import annotations

import re
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.presentation.snippets import Snippet, extracts, folded_extract, runs_together, snippets
from engine.presentation.term_spans import SearchedText, term_spans
from engine.query.query import Query, parse_query
from engine.text.analyser import Analyser, make_analyser
from tests.engine.ranking.by_structure import by_structure
from tests.engine.small_index import answers_to, grown_index, index_of
from tests.reference import random_collections
from tests.reference.random_collections import PROFILE, STOP_WORDS
from tests.reference.snippet_extract import extract
from tests.trust.soak import effort

ANALYSER = Analyser()


def snippet(text: str, query: Query, analyser: Analyser) -> Snippet:
    (found,) = snippets([SearchedText(text)], query, analyser)
    return found


def shown(text: str, query: str, width: int | None = None) -> str:
    asked = parse_query(query, ANALYSER)
    if width is None:
        return snippet(text, asked, ANALYSER).marked()
    return extracts([SearchedText(text)], asked, ANALYSER, width)[0].marked()


def test_query_words_are_marked_and_blanks_folded():
    assert shown("The  Sea,\n\tthe seaside and the SEA.", "sea") == "The [Sea], the seaside and the [SEA]."


def test_words_of_phrases_and_required_words_are_marked_and_unwanted_ones_are_not():
    assert shown("high tide at sea, no lamp", '"high tide" +sea -lamp') == "[high] [tide] at [sea], no lamp"


def test_stemmed_words_are_marked_as_they_stand():
    analyser = make_analyser(stem="light")

    assert snippet("Lamps and a lamp", parse_query("lamp", analyser), analyser).marked() == "[Lamps] and a [lamp]"


def test_one_side_of_a_decimal_number_is_no_word_of_a_query():
    assert shown("24 of 0.24 g, 24.5 or 0·24 (Aug 24.12.1998), 24.", "24") == (
        "[24] of 0.24 g, 24.5 or 0·24 (Aug [24].12.1998), [24]."
    )
    assert shown("0.24 of 24, and 0.12", "0.24") == "[0].[24] of [24], and 0.12"


def test_the_stretch_with_most_different_words_is_shown():
    text = "sea sea sea " + "word " * 100 + "tide by the sea " + "word " * 100

    found = shown(text, "sea tide")

    assert found.startswith("… ")
    assert found.endswith(" …")
    assert "[tide] by the [sea]" in found
    assert len(found) < 300


def test_a_text_without_a_query_word_is_shown_from_its_beginning():
    assert shown("word " * 100, "sea", width=11) == "word word …"


def test_a_short_text_is_shown_whole():
    assert shown("sea", "tide") == "sea"
    assert shown("", "tide") == ""


def test_a_single_word_longer_than_the_width_is_cut():
    assert len(shown("x" * 1000, "sea", width=100)) <= 110


def test_words_end_where_elements_do(tmp_path):
    document = "<a><t>Tide</t><p>Lamp.</p><p>Reef</p><r><c>sea</c><c>lamp</c><c>(sea</c><c>)</c></r></a>"
    index = index_of(tmp_path, {"d": document})

    answer = answers_to(index, "sea lamp", approach="fulltext", reading="CO")[0]

    assert answer.snippet.marked() == "[Lamp]. Reef · [sea] · [lamp] · ([sea])"


def test_words_run_on_across_inline_tags(tmp_path):
    (tmp_path / "profile.toml").write_text('inline = ["b"]', "utf-8")
    index = index_of(tmp_path, {"d": "<a><p>the <b>s</b>ea</p><p>sea</p></a>"}, profile=str(tmp_path / "profile.toml"))

    answers = answers_to(index, "sea", **by_structure(answers="matching", reading="CO"))

    assert [answer.snippet.marked() for answer in answers] == ["the [sea]", "[sea]"]


def test_signs_of_the_caller():
    found = snippet("the sea", parse_query("sea", ANALYSER), ANALYSER)

    assert found.marked("<b>", "</b>") == "the <b>sea</b>"
    assert found.text == "the sea"
    assert found.marks == ((4, 7),)


def test_html_is_escaped_and_marks_the_words():
    text = "the <b>sea</b> & 'sea'"
    found = snippet(text, parse_query("sea", ANALYSER), ANALYSER)

    shown = found.html()

    assert shown == "the &lt;b&gt;<mark>sea</mark>&lt;/b&gt; &amp; &#x27;<mark>sea</mark>&#x27;"
    assert found.marked("<b>", "</b>") == "the <b><b>sea</b></b> & '<b>sea</b>'"


@given(st.text("aAbB .,\n-\u00df", max_size=60), st.integers(5, 40))
def test_what_is_marked_is_a_query_word(text, width):
    query = parse_query('a "b ab" -bb', ANALYSER)
    (found,) = extracts([SearchedText(text)], query, ANALYSER, width)

    for start, end in found.marks:
        assert ANALYSER.terms(found.text[start:end])[0] in {"a", "b", "ab"}
        assert not found.text[end : end + 1].isalnum()
        assert not found.text[:start][-1:].isalnum()
    assert all(one[1] <= other[0] for one, other in pairwise(found.marks))


@settings(max_examples=effort(40, 5000, thorough=2000), deadline=None)
@given(
    st.text("aab .\n\u00a0(\u00df", max_size=80),
    st.lists(st.integers(1, 79), max_size=8),
    st.tuples(st.booleans(), st.booleans()),
    st.integers(1, 40),
)
def test_an_extract_is_that_of_the_reference(text, borders, continues, width):
    query = parse_query("a b aa ab", ANALYSER)
    inner = sorted({border for border in borders if border < len(text)})
    searched = SearchedText(text, inner, continues)
    (spans,) = term_spans([searched], query, ANALYSER)

    assert extracts([searched], query, ANALYSER, width) == [extract(searched, spans, width)]


@settings(max_examples=effort(2, 500, thorough=60), deadline=None)
@given(random_collections.collections, random_collections.queries)
@pytest.mark.long
def test_every_match_shows_a_marked_word(sources, asked):
    with grown_index([sources], profile_text=PROFILE, stop_words=STOP_WORDS) as index:
        answers = answers_to(index, asked, **by_structure(answers="matching", heuristic="document", reading="CO"))
        words = answers.query.word_counts
        for answer in answers:
            found = answer.snippet
            marked = [index.analyser.terms(found.text[start:end]) for start, end in found.marks]
            assert marked
            assert all(len(terms) == 1 and terms[0] in words for terms in marked)


@settings(max_examples=effort(2, 200, thorough=40))
@given(random_collections.collections, random_collections.queries, st.booleans())
@pytest.mark.long
def test_answers_together_are_shown_as_each_alone(sources, asked, passages):
    with grown_index([sources, sources], profile_text=PROFILE, stop_words=STOP_WORDS) as index:
        answers = answers_to(index, asked, passages=passages)
        places = np.arange(len(answers))[::-1]

        assert list(answers.rows.at(places).snippets) == [answers[place].snippet for place in places.tolist()]
        assert list(answers.rows.at(places).breadcrumbs) == [answers[place].breadcrumb for place in places.tolist()]
        assert answers.rows.at(places).words.tolist() == [answers[place].words for place in places.tolist()]
        assert answers.rows.at(places).spans.tolist() == [
            [answers[place].start, answers[place].end] for place in places.tolist()
        ]


@given(st.lists(st.tuples(st.text("aAb .\n-\u00df\u8336\u9053", max_size=12), st.sets(st.integers(1, 11))), max_size=5))
def test_words_of_several_texts_are_those_of_each(parts):
    query = parse_query('a "b ab" \u8336', ANALYSER)
    texts = [SearchedText(text, sorted(border for border in borders if border < len(text))) for text, borders in parts]

    found = term_spans(texts, query, ANALYSER)

    assert found == [term_spans([each], query, ANALYSER)[0] for each in texts]
    for (text, borders, _, _), spans in zip(texts, found, strict=True):
        pieces = pairwise([0, *borders, len(text)])
        alone = [(start, term_spans([SearchedText(text[start:end])], query, ANALYSER)[0]) for start, end in pieces]
        assert spans == [(start + at, stop + at, term) for at, piece in alone for start, stop, term in piece]


SAMPLES = {
    "jats": """<article><front><journal-meta><journal-title>Seamarks</journal-title></journal-meta><article-meta>
      <title-group><article-title>Birds at\n  three <italic>lit</italic> towers</article-title></title-group>
      </article-meta></front><body><sec><title>Methods</title><p>x</p>
      <sec><title>The towers</title><p>lamp</p></sec></sec></body></article>""",
    "docbook": """<book xmlns="http://docbook.org/ns/docbook"><info><title>The lamp book</title></info><chapter>
      <title>Wicks</title><para>x</para><section><info><title>not a child of section</title></info><title>Oil</title>
      <para>sea</para></section></chapter></book>""",
    "tei": """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>Buoys</title></titleStmt>
      </fileDesc></teiHeader><text><body><div><head>Moorings</head><div><p>tide</p></div></div></body></text></TEI>""",
    "none": "<a><title>T</title><p>reef</p></a>",
}


@pytest.mark.parametrize(
    ("query", "path", "titles"),
    [
        (
            "lamp +towers",
            "/article[1]/body[1]/sec[1]/sec[1]/p[1]",
            ["Birds at three lit towers", "Methods", "The towers"],
        ),
        ("sea", "/book[1]/chapter[1]/section[1]/para[1]", ["The lamp book", "Wicks", "Oil"]),
        ("tide", "/TEI[1]/text[1]/body[1]/div[1]/div[1]/p[1]", ["Buoys", "Moorings"]),
        ("reef", "/a[1]/p[1]", ["T"]),  # of no vocabulary that is known: what is a title in any
        ("moorings", "/TEI[1]/text[1]/body[1]/div[1]/head[1]", ["Buoys", "Moorings"]),
        ("buoys", "/TEI[1]/teiHeader[1]/fileDesc[1]/titleStmt[1]/title[1]", ["Buoys"]),
    ],
)
def test_titles_from_the_document_down_to_the_element(tmp_path, query, path, titles):
    index = index_of(tmp_path, SAMPLES, profile="auto")
    answers = answers_to(index, query, **by_structure(answers="matching", heuristic="document", reading="CO"))

    assert next(answer for answer in answers if answer.path == path).breadcrumb == titles


FLAT = """<html><body><h1>Harbours</h1><p>sea</p><h2>Lights</h2><h3>Oil</h3><p>lamp</p>
  <div><h3>Wicks</h3><p>tide</p></div><h2>Words</h2><dl><dt>Ebb</dt><dd>low</dd><dt>Flood</dt><dt>Flow</dt><dd>high</dd></dl></body></html>"""


@pytest.mark.parametrize(
    ("query", "path", "titles"),
    [
        ("sea", "/html[1]/body[1]/p[1]", ["Harbours"]),
        ("lamp", "/html[1]/body[1]/p[2]", ["Harbours", "Lights", "Oil"]),
        ("tide", "/html[1]/body[1]/div[1]/p[1]", ["Harbours", "Lights", "Oil", "Wicks"]),
        ("low", "/html[1]/body[1]/dl[1]/dd[1]", ["Harbours", "Words", "Ebb"]),
        ("high", "/html[1]/body[1]/dl[1]/dd[2]", ["Harbours", "Words", "Flood", "Flow"]),
    ],
)
def test_headings_with_a_rank_are_titles_of_what_follows_them(tmp_path, query, path, titles):
    index = index_of(tmp_path, {"a": FLAT}, profile="html")
    answers = answers_to(index, query, **by_structure(answers="matching", heuristic="document", reading="CO"))

    assert next(answer for answer in answers if answer.path == path).breadcrumb == titles


TEXTS = st.text("ab é\u4e00(. \n\t\u00a0\u2028", max_size=24)


@settings(max_examples=effort(120, 20_000, thorough=3000), deadline=None)
@given(TEXTS, st.integers(0, 24), st.integers(0, 24), st.sets(st.integers(1, 23)))
@example("\n a b(a b\n", 0, 10, {5})
@example("  ", 0, 2, set())
@pytest.mark.long
def test_white_space_becomes_single_blanks(text: str, one: int, other: int, borders: set[int]) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    gaps = [border for border in sorted(borders) if start < border < end and runs_together(text, border)]
    edges = sorted({start, end, *gaps, *(at for at in range(start, end) if text[at].isspace())})
    words = [(at + text[at].isspace(), stop) for at, stop in pairwise(edges)]
    spans = [(at, stop) for at, stop in words if at < stop]

    folded, moved = folded_extract(text, start, end, dict.fromkeys(gaps, " "), spans)

    assert not re.search(r"\s\s|[^\S ]", folded)
    assert [folded[at:stop] for at, stop in moved] == [text[at:stop] for at, stop in spans]


@pytest.mark.long
def test_words_of_a_huge_text_are_found_in_pieces() -> None:
    analyser, text = Analyser(), "".join(f"w{number % 5_000} tide " for number in range(400_000))
    tracemalloc.start()
    try:
        (spans,) = term_spans([SearchedText(text)], parse_query("w4999", analyser), analyser)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert [text[start:end] for start, end, _ in spans] == ["w4999"] * 80
    assert peak < 80 * 2**20
