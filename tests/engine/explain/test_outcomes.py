"""The reason of an outcome is the one: without the setting that it names, the element is returned."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from engine.errors import FoxirError, QueryError
from engine.explain.explain import explain
from engine.index.locator import IndexLocator, element_paths
from engine.index.reader import IndexReader
from engine.ranking.trace import Reason
from engine.settings import Settings
from tests.engine.check_answers import search
from tests.engine.explain.adding_up import assert_adds_up
from tests.engine.explain.expected_drop import ExpectedDrops
from tests.engine.small_index import grown_index
from tests.reference import nexi_random
from tests.reference.nexi_random import PROFILE, STOP_WORDS
from tests.trust.soak import effort, in_turn

NO_BOUNDS: dict[str, Any] = {
    "max_articles": None,
    "max_answers": 100_000,
    "max_per_article": None,
    "overlap": "keep",
    "word_budget": None,
}
# What lifts a reason of the last stage: then the element is returned.
OF_SELECTION: dict[Reason, dict[str, Any]] = {
    Reason.OVERLAP: {"overlap": "keep", "max_answers": 100_000, "word_budget": None, "max_per_article": None},
    Reason.MAX_PER_ARTICLE: {**NO_BOUNDS},
    Reason.REPETITION: {"word_budget": None, "overlap": "keep", "max_answers": 100_000},
    Reason.WORD_BUDGET: {"word_budget": None, "overlap": "keep", "max_answers": 100_000},
    Reason.SIBLINGS: {"overlap": "keep", "max_answers": 100_000, "word_budget": None},
    Reason.MIN_SCORE: {"min_score": 0.0},
    Reason.MAX_ANSWERS: {"max_answers": 100_000},
}
OF_SELECTION = {reason: {**lifted, "repetitions": "keep"} for reason, lifted in OF_SELECTION.items()}
# What lifts a reason of an earlier stage: then the element is returned, or a later filter drops it.
OF_EARLIER_STAGES: dict[Reason, dict[str, Any]] = {
    Reason.MAX_ARTICLES: {"max_articles": 1000, "max_answers": 100_000},
    Reason.SCOPE: {"inside": None, "outside": None},
    Reason.DOCUMENTS: {"documents": None, "where": None},
    Reason.MAX_MATCHES: {"max_matches": None},
    Reason.FRAGMENT: {"min_leaf_words": 0},
    Reason.PART_OF_TABLE: {"min_leaf_words": 0},
    Reason.IN_RECORD: {"min_leaf_words": 0},
    Reason.UNDIVIDED_TEXT: {"passages": False},
    Reason.MIN_WORDS: {"min_words": 1},
    Reason.MAX_WORDS: {"max_words": None},
    Reason.MAX_TABLE_WORDS: {"max_table_words": None},
    Reason.MIN_PASSAGE_WORDS: {"min_passage_words": 1},
    Reason.TAG: {"answers": "any"},
    Reason.NOT_LOWEST: {"answers": "any"},
}
# Reasons that no bound lifts: the element contains nothing that the query asks for, or is of another kind.
FINAL = {
    *(Reason.NO_TERM, Reason.NO_IMAGE, Reason.REQUIRED_TERM, Reason.WHOLE_ARTICLES, Reason.INLINE),
    *(Reason.UNWANTED_TERM, Reason.NO_MATCH, Reason.STRUCTURE, Reason.OF_ANOTHER_KIND, Reason.MOSTLY_TITLES),
}
# Elements, drawn by chance, that could be answers to a query under some settings.
SOME = effort(4, 20, thorough=14)
QUERIES = [
    "fresnel lens cleaning",
    "tide -prediction",
    "+lens clockwork",
    '"dead reckoning" error',
    "//sec[about(., lens)]//p[about(., cleaning)]",
]
SCORED: list[dict[str, Any]] = [
    {},
    {"answers": "oCRE", "max_per_article": 2},
    {"answers": "nCRE"},
    {"answers": "matching", "max_answers": 4},
    {"answers": "blocks", "max_articles": 3},
    {"inside": "//(bdy|body)", "outside": "//(st|title)"},
    {"answers": "//(p|sec)", "max_words": "0.7x"},
    {"word_budget": 300, "min_words": 20},
    {"overlap": "keep", "max_matches": 6},
    {"repetitions": "once", "max_answers": 5},
    {"unit": "siblings", "max_articles": 5},
    {"passages": True, "max_sentences": 2, "word_budget": 200},
    {"passages": True, "max_sentences": 3, "max_per_article": 1},
    {"passages": True, "whole_weight": 0, "min_passage_words": 12},
]
BY_STRUCTURE: list[dict[str, Any]] = [
    {"answers": "oCRE", "heuristic": "MpE"},
    {"answers": "nCRE", "heuristic": "PTF", "overlap": "remove"},
    {"answers": "nCRE", "heuristic": "TPF", "max_per_article": 2, "overlap": "remove"},
    {"answers": "oCRE", "heuristic": "PME", "max_matches": 6, "max_articles": 3},
    {"answers": "matching", "heuristic": "document", "max_answers": 4},
    {"answers": "nCRE", "heuristic": "mPB", "approach": "native", "max_matches": 7, "max_answers": 5},
    {"answers": "oCRE", "heuristic": "MpE", "operator": "and", "max_answers": 3, "overlap": "keep"},
    {"approach": "fulltext", "max_answers": 2, "heuristic": "MpE"},
]


def test_every_reason_is_lifted_or_final():
    kinds = [set(OF_SELECTION), set(OF_EARLIER_STAGES), FINAL]
    assert set().union(*kinds) == set(Reason)
    assert sum(map(len, kinds)) == len(Reason)


@lru_cache(16)  # the elements of a query share what lifts their reasons
def ranks(index: IndexReader, query: str, settings: Settings) -> dict[tuple[str, str], int]:
    """Return the first rank of every element among the answers."""
    answers = search(index, query, settings)
    found = zip(answers.document_ids, answers.paths, range(1, len(answers) + 1), strict=True)
    return {(document, path): rank for document, path, rank in reversed(list(found))}


def some_elements(index: IndexReader, likely: set[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return elements that could be answers, and others of the same documents and of another one."""
    documents = [*sorted({document for document, _ in likely})[:3], index.ids[-1]]
    locator = IndexLocator(index)
    others = []
    for document in documents:
        elements = locator.elements(document)
        assert elements is not None
        others += [(document, path) for path in elements.paths[:: len(documents) * 180 // SOME]]
    chosen = sorted(likely)
    places = sorted(np.random.default_rng(1).permutation(len(chosen))[:SOME])
    return [chosen[place] for place in places] + others


@pytest.mark.parametrize(("query", "given"), in_turn(QUERIES, [*SCORED, *BY_STRUCTURE]))
@pytest.mark.long
def test_an_element_is_returned_once_its_reason_is_lifted(query, given, index):
    settings = Settings.from_options(reading="VV" if query.startswith("/") else "CO", **given)
    returned = ranks(index, query, settings)
    everything = ranks(index, query, Settings.from_options(settings, **NO_BOUNDS, max_matches=None))
    unbounded = ranks(index, query, Settings.from_options(settings, **NO_BOUNDS))

    for document, path in some_elements(index, set(everything)):
        outcome = explain(index, query, document, path, settings).outcome
        assert outcome.rank == returned.get((document, path))
        if outcome.rank is not None:
            continue
        assert outcome.reason is not None
        if outcome.reason in FINAL:
            assert (document, path) not in unbounded, outcome
        elif outcome.reason in OF_SELECTION:
            unit = {"unit": "element"} if settings.unit == "siblings" else {}  # siblings never overlap
            lifted = Settings.from_options(settings, **OF_SELECTION[outcome.reason], **unit)
            assert (document, path) in ranks(index, query, lifted), outcome
        else:
            changes = OF_EARLIER_STAGES[outcome.reason]
            kept = {name: value for name, value in NO_BOUNDS.items() if name not in changes}
            assert (document, path) not in ranks(index, query, Settings.from_options(settings, **kept)), outcome
            lifted = explain(index, query, document, path, Settings.from_options(settings, **changes)).outcome
            assert lifted.reason is not outcome.reason
        if outcome.blocker is not None and outcome.blocker.rank is not None:
            other = outcome.blocker.path.partition(" ")[0]
            assert returned[document, other] <= outcome.blocker.rank


@pytest.mark.parametrize(
    ("query", "path", "options", "reason", "words"),
    [
        ("fresnel lens", "/article[1]/fm[1]/tig[1]", {"answers": "oCRE"}, Reason.OF_ANOTHER_KIND, "no oCRE: no two"),
        ("fresnel lens", "/article[1]/bdy[1]/sec[1]/p[1]", {"answers": "oCRE"}, Reason.OF_ANOTHER_KIND, "a match, but"),
        ("fresnel lens", "/article[1]/bdy[1]", {"overlap": "remove"}, Reason.OVERLAP, "inside /article[1], rank 1"),
        ("fresnel lens", "/article[1]/bdy[1]", {"max_per_article": 1}, Reason.MAX_PER_ARTICLE, "1 better answer"),
        ("fresnel lens", "/article[1]/bdy[1]", {"max_answers": 1}, Reason.MAX_ANSWERS, "1 answer before it"),
        ("fresnel lens", "/article[1]/bdy[1]", {"approach": "fulltext"}, Reason.WHOLE_ARTICLES, "only whole articles"),
        ("xyzzy", "/article[1]", {}, Reason.NO_TERM, "contains no query term"),
        ("+xyzzy lens", "/article[1]", {}, Reason.REQUIRED_TERM, "does not contain the required xyzzy"),
        (
            "lens -brass",
            "/article[1]/fm[1]/abs[1]/p[1]",
            {},
            Reason.UNWANTED_TERM,
            "its own text contains the unwanted brass",
        ),
        ("lens -brass", "/article[1]/fm[1]/abs[1]", {}, Reason.UNWANTED_TERM, "the own text of what matches in it"),
        ("chronometer pilot lens", "/article[1]", {"max_articles": 1}, Reason.MAX_ARTICLES, "not among the 1 best"),
        ("//p[about(., lens)]", "/article[1]/bdy[1]", {}, Reason.STRUCTURE, "does not lead to it (reading SS)"),
        ("lens", "/article[1]/bdy[1]/sec[4]", {"max_matches": 1}, Reason.MAX_MATCHES, "after the first 1 of the query"),
    ],
)
def test_reasons_in_words(query, path, options, reason, words, index):
    by_structure = {"rank_by": "structure", "similarity": "pcosine", "overlap": "keep", **options}

    outcome = explain(index, query, "ieee/na/1998/n1012", path, Settings.from_options(**by_structure)).outcome

    assert outcome.reason is reason
    assert outcome.description.startswith("not returned: ")
    assert words in outcome.description


def test_an_element_around_passages_names_the_best_of_them(index):
    settings = Settings.from_options(passages=True, max_sentences=2, whole_weight=0)
    best = search(index, "fresnel lens", settings)[0]

    outcome = explain(index, "fresnel lens", best.document, "/article[1]", settings).outcome

    assert outcome.reason is Reason.OF_ANOTHER_KIND
    assert f"the best inside it: {best.path} sentence" in outcome.description
    assert outcome.description.endswith(", rank 1")


def test_a_neighbour_that_the_best_answer_dropped_names_it(index):
    settings = Settings.from_options()
    best = search(index, "fresnel lens", settings)[0]

    neighbours = explain(index, "fresnel lens", best.document, best.path, settings).neighbours

    blocked = [other for other in neighbours if other.outcome.blocker and other.outcome.blocker.rank == 1]
    assert blocked
    for other in blocked:
        explained = explain(index, "fresnel lens", best.document, other.path, settings)
        assert explained.outcome == other.outcome
        assert explained.score == other.score < best.score


@pytest.mark.parametrize(("document", "path"), [("no/such", "/article[1]"), ("ieee/na/1998/n1012", "/article[1]/x[9]")])
def test_an_unknown_element_is_refused(document, path, index):
    with pytest.raises(QueryError, match=r"no/such|/article\[1\]/x\[9\]"):
        explain(index, "lens", document, path, Settings.from_options())


# For random queries on random collections: explained values are those of the search, named stages did drop.


WORDS = st.lists(st.sampled_from(["sea", "tide", "lamp", "+sea", "-lamp", '"sea tide"']), min_size=1, max_size=4)
SETTINGS: list[dict[str, Any]] = [
    {},
    {"overlap": "keep"},
    {"min_words": 3, "max_words": 8},
    {"max_articles": 2, "max_answers": 3},
    {"answers": "blocks", "min_words": 2},
    {"answers": "nCRE"},
    {"answers": "//(p|sec)", "max_per_article": 1},
    {"word_budget": 40},
    {"passages": True, "max_sentences": 2},
    {"passages": True, "word_budget": 40},
    {"max_matches": 3},
    {"inside": "//(sec|p)"},
    {"outside": "//p", "documents": "[!a]*", "max_articles": 2},
    {"passages": True, "outside": "//(sec|note)"},
    {"passages": True, "whole_weight": 0},
    {"passages": True, "whole_weight": 1, "min_words": 3, "max_words": 8},
    {"rank_by": "structure", "inside": "//sec", "max_matches": 4},
    {"group_by_article": True, "max_per_article": 2},
    {"rank_by": "structure"},
    {"heuristic": "TPF", "answers": "nCRE", "overlap": "remove"},
    {"rank_by": "structure", "answers": "oCRE", "max_per_article": 1, "max_answers": 2},
    {"rank_by": "structure", "answers": "matching", "approach": "native", "max_matches": 4},
    {"rank_by": "structure", "operator": "and", "max_articles": 2},
    {"approach": "fulltext", "max_answers": 2},
    {"element_similarity": "gpx"},
]


def assert_explained(index: IndexReader, query: str, settings: Settings) -> None:
    try:
        expected = ExpectedDrops(index, query, settings)
    except FoxirError:
        return  # settings that exclude one another, or a budget below every answer
    answers = expected.values["search"]
    first = {row: place for place, row in reversed(list(enumerate(answers.elements.tolist())))}
    rows = np.arange(int(index.elements.row_base[-1]))
    rows = rows[np.isin(index.elements.document(rows), index.live_documents)][::3]
    for row, path in zip(rows.tolist(), element_paths(index, rows), strict=True):
        document = index.ids[int(index.elements.document(np.array([row]))[0])]
        explained = explain(index, query, document, path, settings)
        place = first.get(row)
        assert explained.outcome.rank == (None if place is None else place + 1)
        if place is None:
            stage, reason, blocker = expected.of(row)
            assert (explained.outcome.stage, explained.outcome.reason) == (stage, reason)
            assert (explained.outcome.blocker and explained.outcome.blocker.path) == expected.described(blocker)
        elif answers.scores is not None:
            assert explained.score == answers.scores[place]
            for node in [explained.element, *(passage.score for passage in explained.passages)]:
                if node:
                    assert_adds_up(node)


@hypothesis_settings(max_examples=effort(2, 1000, thorough=20), deadline=None)
@given(nexi_random.collections, st.lists(st.tuples(WORDS, st.sampled_from(SETTINGS)), min_size=4, max_size=8))
@pytest.mark.long
def test_explanations_of_keyword_queries_are_those_of_the_search(sources, asked):
    with grown_index([sources], profile_text=PROFILE, stop_words=STOP_WORDS) as index:
        for words, given_settings in asked:
            assert_explained(index, " ".join(words), Settings.from_options(**given_settings))


@hypothesis_settings(max_examples=effort(2, 600, thorough=12), deadline=None)
@given(nexi_random.collections, st.lists(nexi_random.asked(), min_size=1, max_size=2))
@pytest.mark.long
def test_explanations_of_path_queries_are_those_of_the_search(sources, asked):
    with grown_index([sources], profile_text=PROFILE, stop_words=STOP_WORDS) as index:
        for query, given_settings in (pair for pairs in asked for pair in pairs[:3]):
            assert_explained(index, str(query), Settings.from_options(**given_settings))
            assert_explained(index, str(query), Settings.from_options(reading=given_settings["reading"]))
