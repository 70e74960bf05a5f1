"""Inline elements that a query asks for by name are found and scored by the words that begin inside them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings

from engine.explain.explain import explain
from engine.index.locator import element_paths
from engine.query.query_terms import QueryTerm
from engine.settings import Settings
from engine.structure.inline_elements import frequencies, n_words, own_words
from tests.engine.small_index import answers_to, grown_index
from tests.reference import co_search, nexi_random
from tests.reference.nexi_random import INLINE, PROFILE, SKIP, STOP_WORDS
from tests.trust.soak import effort

SOURCES = {
    "a": "<a><p>One <it>Heinrich Faust</it> met <it>Mephisto</it>.</p><p>Faust, not <it>Gret<it>chen</it></it></p></a>",
    "b": "<a><p>A <it>sea</it>man of <it>the sea <q>Faust</q> tide</it></p></a>",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    with grown_index([SOURCES], profile_text=PROFILE) as opened:
        yield opened


def paths(index, query, **settings):
    return [(answer.document, answer.path) for answer in answers_to(index, query, **settings)]


def test_an_inline_element_is_about_its_own_words_only(index):
    assert paths(index, "//it[about(., faust)]") == [("a", "/a[1]/p[1]/it[1]"), ("b", "/a[1]/p[1]/it[2]")]
    assert paths(index, '//it[about(., "heinrich faust")]') == [("a", "/a[1]/p[1]/it[1]")]
    assert paths(index, '//it[about(., "one heinrich")]') == paths(index, '//it[about(., "faust met")]') == []
    assert paths(index, "//it[about(., faust -heinrich)]") == [("b", "/a[1]/p[1]/it[2]")]
    both = {("a", "/a[1]/p[1]/it[1]"), ("a", "/a[1]/p[1]/it[2]")}
    assert set(paths(index, "//it[about(., faust +mephisto)]")) == both  # b has no mephisto


def test_an_inline_element_is_support_too(index):
    assert paths(index, "//p[about(.//it, faust)]") == [("a", "/a[1]/p[1]"), ("b", "/a[1]/p[1]")]
    assert paths(index, "//p[about(./it, mephisto)]//it[about(., heinrich)]") == [("a", "/a[1]/p[1]/it[1]")]


def test_a_word_belongs_to_the_element_in_which_it_begins(index):
    assert paths(index, "//it[about(., seaman)]") == [("b", "/a[1]/p[1]/it[1]")]
    assert paths(index, "//it[about(., gretchen)]") == [("a", "/a[1]/p[2]/it[1]")]


def test_a_step_without_a_name_finds_no_inline_element(index):
    assert ("a", "/a[1]/p[1]/it[1]") not in paths(index, "//*[about(., heinrich)]")


def test_a_vague_reading_finds_inline_targets(index):
    assert paths(index, "//it[about(., heinrich)]", reading="SV") == [("a", "/a[1]/p[1]/it[1]")]


def test_a_vague_reading_finds_inline_owners_of_an_attribute():
    text = '<a><p>One <it no="1">Heinrich</it> met <it no="2">Mephisto</it>.</p></a>'
    with grown_index([{"a": text}], profile_text=PROFILE) as index:
        assert paths(index, "//p[about(., heinrich)]/@no", reading="SV") == [("a", "/a[1]/p[1]/it[1]")]


def test_answers_of_an_inline_tag_are_those_with_a_term(index):
    assert paths(index, "heinrich", answers="//it") == [("a", "/a[1]/p[1]/it[1]")]
    assert ("a", "/a[1]/p[1]/it[1]") not in paths(index, "heinrich", answers="any", overlap="keep")


def test_own_words_are_counted_and_scored(index):
    second, first = answers_to(index, "//it[about(., faust)]")

    assert (first.words, second.words) == (4, 2)  # the words of <q> count, as it is inside
    assert first.score is not None
    parts = explain(index, "//it[about(., faust)]", first.document, first.path, Settings()).element
    assert parts is not None
    assert parts.value == pytest.approx(first.score)


@hypothesis_settings(max_examples=effort(2, 2000, thorough=60), deadline=None)
@given(nexi_random.collections)
def test_own_words_equal_those_that_begin_inside(sources):
    terms = [QueryTerm(("sea",)), QueryTerm(("lamp", "sea"), (0, 1))]
    same = [co_search.Term(("sea",), ""), co_search.Term(("lamp", "sea"), "")]
    with grown_index([sources], profile_text=PROFILE, stop_words=STOP_WORDS) as index:
        elements = index.elements
        for number in index.live_documents.tolist():
            document = co_search.Document.read(sources[index.ids[number]], INLINE, SKIP, STOP_WORDS)
            one = np.array([number])
            rows = np.arange(elements.root(one)[0], elements.document_end(one)[0])
            expected = {co_search.written(path): element for path, element in document.elements.items()}
            assert element_paths(index, rows) == list(expected)
            inline = own_words(index, rows[elements.is_inline(rows)])
            found = [expected[path] for path in element_paths(index, inline.rows)]
            own = [sum(map(len, element.inside)) for element in found]
            assert (inline.last - inline.first).tolist() == own
            assert (n_words(index, inline.rows) - elements.n_words(inline.rows)).tolist() == own
            counted = frequencies(index, inline, terms, one)
            assert counted.tolist() == [[term.count_in(element.inside) for element in found] for term in same]
