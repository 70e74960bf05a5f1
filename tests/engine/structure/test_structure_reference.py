"""Path queries against the slow and obvious version, and what holds between the readings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import engine.index.elements.element_columns
import engine.ranking.batches
from engine.errors import QueryError
from engine.index.reader import IndexReader
from engine.query.nexi.tree import About, And, Condition, Nexi, Or, RelativePath, Step, Term, Word
from engine.ranking import answers_in_batches
from tests.engine.ranking.by_structure import by_structure
from tests.engine.small_index import answers_to, grown_index
from tests.reference import nexi_random, nexi_search
from tests.reference.nexi_random import ATTRIBUTES, CLASSES, INLINE, PROFILE, SKIP, STOP_WORDS
from tests.trust.soak import effort

# Of one property; an example is a collection that is asked about ten queries or more.
EXAMPLES = effort(2, 2000, thorough=32)
ASKED = nexi_random.asked()
PLAIN = nexi_search.Rules(attributes=ATTRIBUTES)
PROFILED = nexi_search.Rules(inline=INLINE, skip=SKIP, stop_words=STOP_WORDS, attributes=ATTRIBUTES)
NO_PROFILE = 'attributes = ["kind", "no"]\n[classes]\nsec = ["ss1"]\np = ["ip"]\n'


def assert_equal(
    index: IndexReader,
    sources: Mapping[str, str],
    asked: Sequence[tuple[Nexi, dict[str, Any]]],
    rules: nexi_search.Rules,
) -> None:
    for query, settings in asked:
        text = str(query)
        classes = CLASSES if settings["tags"] == "classes" else None
        these = replace(rules, classes=classes, match=settings["operator"])
        if lacks_words(query, settings["reading"], these):
            with pytest.raises(QueryError, match="no about"):
                answers_to(index, text, **by_structure(**settings))
            continue
        others = {name: value for name, value in settings.items() if name not in ("reading", "tags")}
        expected = nexi_search.search(sources, text, settings["reading"], these, **others)
        named = {name: "all" if value is None else value for name, value in settings.items()}
        assert [(answer.document, answer.path) for answer in answers_to(index, text, **named)] == expected, (
            text,
            settings,
        )


def lacks_words(query: Nexi, reading: str, rules: nexi_search.Rules) -> bool:
    if reading in ("SV", "VS"):
        return all(term.sign == "-" for term in nexi_search.text_terms(query, reading, rules))
    return reading == "VV" and not any(query.abouts())


@hypothesis_settings(max_examples=EXAMPLES, deadline=None)
@given(nexi_random.collections, ASKED)
@pytest.mark.long
def test_every_element_for_itself(sources, asked):
    with grown_index([sources], profile_text=NO_PROFILE) as index:
        assert_equal(index, sources, asked, PLAIN)


@hypothesis_settings(max_examples=EXAMPLES, deadline=None)
@given(nexi_random.collections, ASKED)
@pytest.mark.long
def test_inline_tags_left_out_tags_and_stop_words(sources, asked):
    with grown_index([sources], profile_text=PROFILE, stop_words=STOP_WORDS) as index:
        assert_equal(index, sources, asked, PROFILED)


@hypothesis_settings(max_examples=EXAMPLES // 2, deadline=None)
@given(st.lists(nexi_random.collections, min_size=2, max_size=3), ASKED, st.sampled_from([1, 2, 64]), st.booleans())
@pytest.mark.long
def test_segments_deletions_and_portions(steps, asked, first_articles, are_tags_kept):
    with (
        grown_index(steps, profile_text=PROFILE, stop_words=STOP_WORDS) as index,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(engine.ranking.batches, "FEWEST_ARTICLES", first_articles)
        patch.setattr(answers_in_batches, "first_size", lambda *_: first_articles)
        patch.setattr(engine.index.elements.element_columns, "MOST_CACHED", 2**24 if are_tags_kept else 0)
        assert_equal(index, steps[-1], asked, PROFILED)


def found(index: IndexReader, query: Nexi | str, **settings: Any) -> list[tuple[str, str]]:
    return [(answer.document, answer.path) for answer in answers_to(index, str(query), **by_structure(**settings))]


QUERIES = st.lists(nexi_random.queries(), min_size=6, max_size=10)


@hypothesis_settings(max_examples=EXAMPLES // 2, deadline=None)
@given(nexi_random.collections, QUERIES)
def test_articles_of_ss_are_among_those_of_vs(sources, queries):
    with grown_index([sources], profile_text=PROFILE) as index:
        for query in queries:
            strict = articles(index, query, "SS")
            if lacks_words(query, "VS", PLAIN):
                continue
            words = " ".join(map(str, words_of_texts(query)))
            matched = {document for document, _ in found(index, words)}
            assert strict & matched <= articles(index, query, "VS")  # where no word matches, VS has no answer to give


@hypothesis_settings(max_examples=EXAMPLES // 2, deadline=None)
@given(nexi_random.collections, QUERIES)
@pytest.mark.long
def test_all_articles_of_ss_are_among_those_of_vs_where_the_target_is_about_a_word(sources, queries):
    with grown_index([sources], profile_text=PROFILE) as index:
        for query in queries:
            *others, target = query.steps
            about = About(RelativePath(), (Word("sea"),))
            asked = Nexi((*others, replace(target, is_attribute=False, conditions=(*target.conditions, about))))
            if not any(term.sign == "-" for term in words_of_texts(asked)):
                assert articles(index, asked, "SS") <= articles(index, asked, "VS")


def articles(index: IndexReader, query: Nexi, reading: str) -> set[str]:
    return {document for document, _ in found(index, query, reading=reading)}


def words_of_texts(query: Nexi) -> list[Term]:
    return [term for about in query.abouts() if not about.is_of_attribute for term in about.terms]


@hypothesis_settings(max_examples=EXAMPLES // 2, deadline=None)
@given(nexi_random.collections, QUERIES, nexi_random.only_abouts())
@pytest.mark.long
def test_where_the_target_has_abouts_alone_answers_of_ss_are_among_those_of_sv(sources, queries, condition):
    with grown_index([sources], profile_text=PROFILE) as index:
        for query in queries:
            *support, target = query.steps
            asked = Nexi((*support, replace(target, is_attribute=False, conditions=(condition,))))
            vague = [] if lacks_words(asked, "SV", PLAIN) else found(index, asked, reading="SV")
            assert set(found(index, asked, reading="SS")) <= set(vague)


CONDITIONS = st.lists(nexi_random.conditions, min_size=10, max_size=10)


@hypothesis_settings(max_examples=EXAMPLES // 2, deadline=None)
@given(nexi_random.collections, QUERIES, CONDITIONS, st.randoms(use_true_random=False))
def test_one_more_condition_never_adds_strict_answers(sources, queries, conditions, random):
    with grown_index([sources], profile_text=PROFILE) as index:
        for query, condition in zip(queries, conditions, strict=False):
            step = random.choice(steps_to_elements(query))
            narrowed = with_conditions(
                query, step, [And((*step.conditions, condition)) if step.conditions else condition]
            )
            assert set(found(index, narrowed)) <= set(found(index, query)), (str(narrowed), str(query))


@hypothesis_settings(max_examples=EXAMPLES // 2, deadline=None)
@given(nexi_random.collections, QUERIES, CONDITIONS, st.randoms(use_true_random=False))
def test_one_more_alternative_never_takes_strict_answers_away(sources, queries, conditions, random):
    with grown_index([sources], profile_text=PROFILE) as index:
        for query, condition in zip(queries, conditions, strict=False):
            step = random.choice(steps_to_elements(query))
            widened = with_conditions(query, step, [Or((own, condition)) for own in step.conditions])
            assert set(found(index, query)) <= set(found(index, widened)), (str(query), str(widened))


def steps_to_elements(query: Nexi) -> list[Step]:
    return [step for step in query.steps if not step.is_attribute]


def with_conditions(query: Nexi, step: Step, conditions: Sequence[Condition]) -> Nexi:
    """The query with other conditions for a step."""
    changed = replace(step, conditions=tuple(conditions))
    return Nexi(tuple(changed if each is step else each for each in query.steps))


def as_keyword(term: Term) -> str:
    """Return a term as keywords have it: there a hyphen before a number is text, unless the number is quoted."""
    written = str(term)
    return f'-"{written[1:]}"' if written.startswith("-") and written[1:2].isdigit() else written


@hypothesis_settings(max_examples=EXAMPLES // 2, deadline=None)
@given(nexi_random.collections, QUERIES, st.sampled_from(["oCRE", "nCRE", "matching"]))
def test_vv_is_the_content_only_reading_of_all_terms(sources, queries, answers):
    with grown_index([sources], profile_text=PROFILE) as index:
        for query in queries:
            words = " ".join(as_keyword(term) for about in query.abouts() for term in about.terms)
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
