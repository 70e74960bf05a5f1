"""Path queries against the slow and obvious version, and what holds between the readings."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import engine.search
from engine import Index
from engine.errors import QueryError
from engine.nexi import And, Nexi
from tests.engine.small_index import grown_index
from tests.reference import nexi_random, nexi_search
from tests.reference.nexi_random import ATTRIBUTES, CLASSES, INLINE, PROFILE, SKIP, STOP_WORDS

EXAMPLES = 24  # raise it to look longer: every example is a collection asked a dozen queries
ASKED = st.lists(st.tuples(nexi_random.queries(), nexi_random.settings()), min_size=8, max_size=16)
PLAIN = nexi_search.Rules(attributes=ATTRIBUTES)
PROFILED = nexi_search.Rules(inline=INLINE, skip=SKIP, stop_words=STOP_WORDS, attributes=ATTRIBUTES)
NO_PROFILE = 'attributes = ["kind", "no"]\n[classes]\nsec = ["ss1"]\np = ["ip"]\n'


def assert_equal(
    index: Index, sources: Mapping[str, str], asked: Sequence[tuple[Nexi, dict[str, Any]]], rules: nexi_search.Rules
) -> None:
    for query, settings in asked:
        text = str(query)
        if settings["reading"] != "SS" and not any(about.terms for about in query.abouts()):
            with pytest.raises(QueryError, match="no about"):
                index.search(text, **settings)
            continue
        classes = CLASSES if settings["tags"] == "classes" else None
        these = replace(rules, classes=classes, match=settings["match"])
        others = {name: value for name, value in settings.items() if name not in ("reading", "tags")}
        expected = nexi_search.search(sources, text, settings["reading"], these, **others)
        named = {name: "all" if value is None else value for name, value in settings.items()}
        assert [(answer.document, answer.path) for answer in index.search(text, **named)] == expected, (text, settings)


@hypothesis_settings(max_examples=EXAMPLES, deadline=None)
@given(nexi_random.collections, ASKED)
def test_every_element_for_itself(sources, asked):
    with grown_index([sources], profile_text=NO_PROFILE) as index:
        assert_equal(index, sources, asked, PLAIN)


@hypothesis_settings(max_examples=EXAMPLES, deadline=None)
@given(nexi_random.collections, ASKED)
def test_inline_tags_left_out_tags_and_stop_words(sources, asked):
    with grown_index([sources], profile_text=PROFILE, stop_words=STOP_WORDS) as index:
        assert_equal(index, sources, asked, PROFILED)


@hypothesis_settings(max_examples=EXAMPLES // 2, deadline=None)
@given(st.lists(nexi_random.collections, min_size=2, max_size=3), ASKED, st.sampled_from([1, 2, 64]))
def test_segments_deletions_and_portions(steps, asked, first_articles):
    with (
        grown_index(steps, profile_text=PROFILE, stop_words=STOP_WORDS) as index,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(engine.search, "FEWEST_ARTICLES", first_articles)
        patch.setattr(engine.search, "_first_size", lambda *_: first_articles)
        assert_equal(index, steps[-1], asked, PROFILED)


def found(index: Index, query: Nexi | str, **settings: Any) -> list[tuple[str, str]]:
    return [(answer.document, answer.path) for answer in index.search(str(query), **settings)]


QUERIES = st.lists(nexi_random.queries(), min_size=6, max_size=10)


@hypothesis_settings(max_examples=EXAMPLES // 2, deadline=None)
@given(nexi_random.collections, QUERIES)
def test_articles_of_ss_are_among_those_of_vs(sources, queries):
    with grown_index([sources], profile_text=PROFILE) as index:
        for query in queries:
            if any(
                term.sign != "-" for about in query.abouts() for term in about.terms
            ):  # else there is nothing to rank
                strict = {document for document, _ in found(index, query, reading="SS")}
                assert strict <= {document for document, _ in found(index, query, reading="VS")}


@hypothesis_settings(max_examples=EXAMPLES // 2, deadline=None)
@given(nexi_random.collections, QUERIES, nexi_random.only_abouts())
def test_where_the_target_has_abouts_alone_answers_of_ss_are_among_those_of_sv(sources, queries, condition):
    with grown_index([sources], profile_text=PROFILE) as index:
        for query in queries:
            *support, target = query.steps
            asked = Nexi((*support, replace(target, is_attribute=False, conditions=(condition,))))
            assert set(found(index, asked, reading="SS")) <= set(found(index, asked, reading="SV"))


@hypothesis_settings(max_examples=EXAMPLES // 2, deadline=None)
@given(nexi_random.collections, st.lists(nexi_random.steps(nexi_random.abouts()), min_size=2, max_size=6))
def test_one_more_condition_never_adds_strict_answers(sources, steps):
    with grown_index([sources], profile_text=PROFILE) as index:
        added, *others = [step for step in steps if step.conditions] or [steps[0]]
        for step in others:
            plain = replace(step, conditions=step.conditions[:1])
            narrowed = Nexi((replace(step, conditions=(And((*plain.conditions, *added.conditions)),)),))
            abouts = list(narrowed.abouts())
            is_by_text = not any(step.is_attribute for about in abouts for step in about.path.steps)
            if is_by_text and not any(term.sign == "-" for about in abouts for term in about.terms):
                assert set(found(index, narrowed)) <= set(found(index, Nexi((plain,))))


def test_words_of_an_attribute_are_looked_for_in_articles_whose_text_holds_a_word_of_the_query():
    sources = {"a": "<article>sea</article>", "b": '<article kind="tide">sea<sec>sea</sec></article>'}
    with grown_index([sources], profile_text=PROFILE) as index:
        kind = "about(./@kind, tide)"
        assert found(index, f"//article[{kind}]") == []
        assert found(index, f"//article[{kind} and about(., sea)]") == [("b", "/article[1]")]


@hypothesis_settings(max_examples=EXAMPLES // 2, deadline=None)
@given(nexi_random.collections, QUERIES, st.sampled_from(["oCRE", "nCRE", "matching"]))
def test_vv_is_the_content_only_reading_of_all_terms(sources, queries, answers):
    with grown_index([sources], profile_text=PROFILE) as index:
        for query in queries:
            words = " ".join(str(term) for about in query.abouts() for term in about.terms)
            if words:
                expected = found(index, words, answers=answers)
                assert found(index, query, reading="VV", answers=answers) == expected
                assert found(index, query, reading="CO", answers=answers) == expected


@hypothesis_settings(max_examples=EXAMPLES // 2, deadline=None)
@given(nexi_random.collections, QUERIES)
def test_classes_of_a_profile_without_classes_are_plain_names(sources, queries):
    with grown_index([sources], profile_text='attributes = ["kind"]') as index:
        for query in queries:
            assert found(index, query, tags="classes") == found(index, query, tags="exact")
