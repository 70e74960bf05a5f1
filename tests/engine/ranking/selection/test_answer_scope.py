"""A scope is a filter: the answers of a search without it that lie in it, by paths alone."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from engine.errors import FoxirError, SettingsError
from engine.explain.explain import explain
from engine.index.reader import IndexReader
from engine.notices import Notice
from engine.planning.plan import ByHeuristic
from engine.query.query import is_path_query
from engine.settings import Settings
from engine.thesis.heuristics import count_elements
from tests.engine.explain.expected_drop import expected_order, expected_selection, stage_values
from tests.engine.small_index import answers_to, grown_index, index_of
from tests.reference import nexi_random
from tests.reference.nexi_random import PROFILE, STOP_WORDS
from tests.reference.path_scope import PathScope
from tests.trust.soak import effort

SCOPES = st.fixed_dictionaries(
    {},
    optional={
        "inside": st.sampled_from(["//sec", "//(p|sec)", "//article", "//nothing"]),
        "outside": st.sampled_from(["//p", "//(sec|note)", "//nothing"]),
        "documents": st.sampled_from(["*", "d*", "[ac]*", "?", "no"]),
    },
)
QUERIES = [
    *("sea", "sea tide", "+sea lamp", "sea -lamp", '"sea tide" lamp'),
    *("//sec[about(., sea)]//p", "//p[about(., tide)]"),
]
SETTINGS: list[dict[str, Any]] = [
    {},
    {"overlap": "keep", "focus": 0.5},
    {"max_articles": 1},
    {"answers": "//(p|sec)", "max_per_article": 1},
    {"answers": "blocks", "min_words": 2},
    {"passages": True, "max_sentences": 2},
    {"passages": True, "word_budget": 40},
    {"word_budget": 60, "min_words": 1},
    {"operator": "and"},
    {"approach": "native", "group_by_article": True},
    {"reading": "VV"},
    {"reading": "VS", "tags": "classes"},
    {"rank_by": "structure"},
    {"rank_by": "structure", "answers": "nCRE", "heuristic": "TPF", "max_articles": 2},
    {"rank_by": "structure", "answers": "matching", "approach": "native"},
]


def assert_filtered(index: IndexReader, query: str, settings: Settings) -> None:
    """Compare a search under a scope with one without that is filtered by paths, before its selection."""
    scope = PathScope(index, settings)
    unscoped = replace(settings, inside=None, outside=None, documents=None, max_articles=None)
    if settings.answers == "blocks":  # the lowest of those in the scope
        unscoped = replace(unscoped, answers="any")
    try:
        values = stage_values(index, query, settings)
        free = stage_values(index, query, unscoped)
    except FoxirError:  # a budget below every answer, or settings that exclude one another
        return
    kept = [number for number in free["articles"].documents.tolist() if scope.has_document(number)]
    is_cut = settings.approach != "native" and not values["plan"].query.may_match_without_terms
    kept = kept[: settings.max_articles] if is_cut else kept
    assert values["articles"].documents.tolist() == kept
    rows = [row for row in free["matches"].rows.tolist() if scope.has(row) and scope.document(row) in kept]
    answers = values["search"]
    assert all(scope.has(row) for row in answers.elements.tolist())
    if isinstance(values["plan"].order, ByHeuristic):
        matches = free["matches"].with_rows(np.array(rows, np.int64))
        if matches.targets is not None:
            in_scope = [row for row in matches.targets.tolist() if scope.has(row) and scope.document(row) in kept]
            matches = matches.with_targets(np.array(in_scope, np.int64))
        expected = count_elements(index.elements, matches, values["plan"].answers).rows.tolist()
        assert sorted(values["candidates"].rows.tolist()) == [row for row in expected if scope.has(row)]
        return
    scored, is_target = free["candidates"], values["plan"].answers.is_target
    ends = index.elements.end(scored.rows).tolist()
    places = [
        place
        for place, (row, end) in enumerate(zip(scored.rows.tolist(), ends, strict=True))
        if scope.has(row) and scope.document(row) in kept and (is_target or any(row <= m < end for m in rows))
    ]
    if settings.answers == "blocks":
        rows_and_ends = [(int(scored.rows[place]), ends[place], place) for place in places]
        begins = [row for row, _, _ in rows_and_ends]
        places = [place for row, end, place in rows_and_ends if not any(row < begin < end for begin in begins)]
    columns = {
        name: None if (column := getattr(scored, name)) is None else column[places]
        for name in ("rows", "articles", "begins", "ends", "words", "scores", "sentences")
    }
    filtered = replace(scored, **columns)
    order = expected_order(filtered, values["plan"].selection)
    dropped = expected_selection(index, filtered, order, values["plan"].selection)
    expected_places = [place for place in order if place not in dropped]
    assert answers.elements.tolist() == filtered.rows[expected_places].tolist()
    assert answers.scores is not None
    assert answers.scores.tolist() == filtered.scores[expected_places].tolist()


@hypothesis_settings(max_examples=effort(2, 1500, thorough=50), deadline=None)
@given(
    nexi_random.collections,
    st.lists(st.tuples(st.sampled_from(QUERIES), st.sampled_from(SETTINGS), SCOPES), min_size=4, max_size=8),
)
@pytest.mark.long
def test_answers_in_a_scope_are_those_of_a_search_that_is_filtered(sources, asked):
    with grown_index([sources], profile_text=PROFILE, stop_words=STOP_WORDS) as index:
        for query, given_settings, scope in asked:
            if given_settings.get("reading") and not is_path_query(query, "auto"):
                continue
            assert_filtered(index, query, Settings.from_options(**given_settings, **scope))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    documents = {
        "jats/a": "<article><front><t>sea fog</t></front><body><sec><p>tide lamp sea</p><fn><p>sea sea</p></fn></sec>"
        "<sec><p>fog lamp</p></sec></body><back><ref>sea sea fog</ref></back></article>",
        "jats/b": "<article><body><p>sea fog tide</p></body></article>",
        "tei/c": "<TEI><text><p>sea lamp fog</p></text></TEI>",
    }
    return index_of(tmp_path_factory.mktemp("scope"), documents)


def found(index: IndexReader, query: str, **settings: Any) -> set[tuple[str, str]]:
    answers = answers_to(index, query, min_words=1, min_leaf_words=0, overlap="keep", **settings)
    return set(zip(answers.document_ids, answers.paths, strict=True))


def test_answers_lie_inside_the_named_elements(index):
    inside = found(index, "fog", inside="//(front|back)")
    assert inside == {
        ("jats/a", "/article[1]/front[1]"),
        ("jats/a", "/article[1]/front[1]/t[1]"),
        ("jats/a", "/article[1]/back[1]"),
        ("jats/a", "/article[1]/back[1]/ref[1]"),
    }
    assert found(index, "fog", inside="//body", outside="//sec") == {
        ("jats/b", "/article[1]/body[1]"),
        ("jats/b", "/article[1]/body[1]/p[1]"),
    }


def test_an_element_around_an_excluded_one_needs_a_match_beside_it(index):
    paths = {path for document, path in found(index, "sea", outside="//(fn|back|front)") if document == "jats/a"}
    assert "/article[1]/body[1]/sec[1]" in paths  # tide lamp sea
    assert not any("fn" in path or "back" in path for path in paths)
    without = {path for document, path in found(index, "sea", outside="//(p|back|front)") if document == "jats/a"}
    assert without == set()  # every sea of jats/a is in them, so nothing around them is an answer


def test_documents_are_chosen_by_a_pattern_before_the_best_are(index):
    assert {document for document, _ in found(index, "fog", documents="tei/*", max_articles=1)} == {"tei/c"}
    assert {document for document, _ in found(index, "fog", documents="*/[ab]")} == {"jats/a", "jats/b"}
    assert found(index, "fog", documents="x*") == set()
    whole = answers_to(index, "fog", approach="fulltext", documents="jats/?")
    assert set(whole.document_ids) == {"jats/a", "jats/b"}


@pytest.mark.parametrize("scope", [{"inside": "//body"}, {"outside": "//back"}, {"documents": "jats/*"}])
def test_no_score_depends_on_a_scope(index, scope):
    everywhere = answers_to(index, "sea fog", overlap="keep", min_words=1)
    scores = dict(zip(everywhere.elements.tolist(), everywhere.scores.tolist(), strict=True))
    scoped = answers_to(index, "sea fog", overlap="keep", min_words=1, **scope)
    assert 0 < len(scoped) < len(everywhere)
    assert scoped.scores.tolist() == [scores[row] for row in scoped.elements.tolist()]


@pytest.mark.parametrize(
    ("scope", "document", "path", "stage", "reason", "words"),
    [
        ({"inside": "//body"}, "jats/a", "/article[1]/front[1]", "matches", "scope", "not inside //body (inside)"),
        (
            {"outside": "//fn"},
            "jats/a",
            "/article[1]/body[1]/sec[1]/fn[1]",
            "matches",
            "scope",
            "inside //fn (outside)",
        ),
        ({"outside": "//(p|front|back)"}, "jats/a", "/article[1]", "matches", "scope", "all its matches are out"),
        ({"documents": "tei/*"}, "jats/a", "/article[1]", "articles", "documents", "does not fit tei/* (documents)"),
    ],
)
def test_an_explanation_names_the_scope_that_drops_an_element(index, scope, document, path, stage, reason, words):
    outcome = explain(index, "sea", document, path, Settings.from_options(**scope)).outcome
    assert (outcome.stage, outcome.reason) == (stage, reason)
    assert words in outcome.description


def test_a_name_that_no_element_has_is_reported(index):
    notices = answers_to(index, "sea", inside="//bodi", outside="//(fn|nothing)").plan.all_notices
    assert notices == (Notice("no_element_named", {"setting": "inside", "value": "//bodi", "near": "body"}),)
    assert not answers_to(index, "sea", inside="//body").plan.all_notices


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"inside": "body"}, "inside = 'body': expected all, or the elements of some names"),
        ({"outside": "//a[1]"}, "outside = '//a[1]': expected none"),
        ({"documents": ""}, "documents = '': expected a pattern of document ids"),
        ({"documents": 3}, "documents = '3': expected a pattern"),
    ],
)
def test_values_that_are_no_scope_are_refused(given, message):
    with pytest.raises(SettingsError, match=re.escape(message)):
        Settings.from_options(**given)


def test_whole_articles_have_no_scope_of_elements(index):
    with pytest.raises(SettingsError, match=r"inside = '//body': fulltext returns whole articles"):
        answers_to(index, "sea", approach="fulltext", inside="//body")


def test_settings_of_a_scope_are_read_back(tmp_path):
    settings = Settings.from_options(inside="//(a|b)", outside="//c", documents="x/*")
    assert Settings.from_options(**settings.describe()) == settings
    assert repr(settings) == "Settings(inside='//(a|b)', outside='//c', documents='x/*')"
    assert Settings.from_options(settings, inside="all", outside="none", documents="all") == Settings()


@pytest.mark.parametrize(("given_id", "near"), [("x", "jats/x"), ("x.xml", "jats/x"), ("y", "")])
def test_an_id_of_a_list_without_its_folder_gets_a_suggestion(tmp_path: Path, given_id: str, near: str) -> None:
    index = index_of(tmp_path, {"jats/x": "<a>fog</a>", "tei/x": "<a>fog</a>", "xx": "<a>fog</a>"})

    (notice,) = answers_to(index, "fog", documents=[given_id, "xx"], min_words="1").notices

    assert (notice.code, notice.fields["near"]) == ("unknown_documents", near)


@pytest.mark.parametrize(("pattern", "example"), [("jats/x.xml", "jats/x"), ("x", "jats/x"), ("y*", "jats/a")])
def test_a_pattern_of_no_document_names_the_one_that_it_may_mean(tmp_path: Path, pattern: str, example: str) -> None:
    index = index_of(tmp_path, {"jats/a": "<a>fog</a>", "jats/x": "<a>fog</a>"})

    (notice,) = answers_to(index, "fog", documents=pattern, min_words="1").notices

    assert (notice.code, notice.fields["example"]) == ("no_document_fits", example)
