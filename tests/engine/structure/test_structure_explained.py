"""What explanations say of the parts of a path query, against the slow and obvious version, and how they head it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from engine.explain.explain import explain
from engine.index.locator import element_paths
from engine.index.reader import IndexReader
from engine.query.nexi.tree import And, Condition, Nexi, Or
from engine.query.query import parse_query
from engine.settings import Settings
from engine.structure.predicates import predicates_met
from tests.engine.small_index import grown_index, index_of
from tests.reference import co_search, nexi_random, nexi_search
from tests.reference.nexi_random import ATTRIBUTES, CLASSES, INLINE, PROFILE, SKIP, STOP_WORDS
from tests.reference.nexi_search import Rules, Tree
from tests.trust.soak import effort

RULES = Rules(inline=INLINE, skip=SKIP, stop_words=STOP_WORDS, attributes=ATTRIBUTES)
ASKED = st.lists(
    st.tuples(nexi_random.queries(), st.sampled_from(["or", "and"]), st.sampled_from(["exact", "classes"])), min_size=8
)


def parts_of(conditions: tuple[Condition, ...]) -> list[Condition]:
    """Each condition, followed by the parts that and/or join in it."""
    parts: list[Condition] = []
    for condition in conditions:
        parts += [condition, *parts_of(condition.parts if isinstance(condition, And | Or) else ())]
    return parts


def parts_met(tree: Tree, query: Nexi) -> list[tuple[str, set[str]]]:
    """Each part of a query, and the paths of the elements that meet it."""
    found = []
    for number, step in enumerate(query.steps):
        path = query.steps[: number + 1]
        found.append((str(Nexi(path)), tree.targets(path)))
        for condition in parts_of(step.conditions):
            named = [element for element in tree.elements() if tree.is_named(element, step)]
            found.append((str(condition), [element for element in named if tree.holds(element, condition, step)]))
    return [(text, {co_search.written(tree.path_of[element]) for element in met}) for text, met in found]


def in_or_above(path: str, members: set[str]) -> str | None:
    return max((member for member in members if f"{path}/".startswith(f"{member}/")), key=len, default=None)


def assert_explained(index: IndexReader, trees: dict[str, Tree], query: Nexi, settings: Settings) -> None:
    rows = np.arange(int(index.elements.row_base[-1]))
    rows = rows[np.isin(index.elements.document(rows), [index.number(document) for document in trees])]
    paths = element_paths(index, rows)
    documents = [index.ids[number] for number in index.elements.document(rows).tolist()]
    shown = predicates_met(index, parse_query(str(query), index.analyser, "SS"), settings, rows)
    expected = {document: parts_met(tree, query) for document, tree in trees.items()}

    for number, predicate in enumerate(shown):
        members = {document: dict(enumerate(parts))[number] for document, parts in expected.items()}
        assert {text for text, _ in members.values()} == {predicate.text}
        counts = [len(members[document][1]) for document in documents]
        assert predicate.in_article.tolist() == counts, (str(query), predicate.text)
        met_by = [element_paths(index, np.array([row]))[0] if row >= 0 else None for row in predicate.met_by.tolist()]
        lowest = [in_or_above(path, members[document][1]) for document, path in zip(documents, paths, strict=True)]
        assert met_by == lowest, (str(query), predicate.text)
    assert {len(parts) for parts in expected.values()} == {len(shown)}


@hypothesis_settings(max_examples=effort(2, 1500, thorough=24), deadline=None)
@given(nexi_random.collections, ASKED)
@pytest.mark.long
def test_what_meets_a_part_is_what_a_walk_through_the_tree_finds(sources, asked):
    with grown_index([sources], profile_text=PROFILE, stop_words=STOP_WORDS) as index:
        for query, match, tags in asked:
            rules = replace(RULES, match=match, classes=CLASSES if tags == "classes" else None)
            trees = {document: nexi_search.Tree(source, rules) for document, source in sources.items()}
            assert_explained(index, trees, query, Settings.from_options(operator=match, tags=tags))


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    return index_of(tmp_path_factory.mktemp("explained"), {"a": "<a><p>sea</p><p>lamp oil</p></a>", "b": "<a>fog</a>"})


def test_a_part_is_met_in_an_article_that_lacks_what_another_part_requires(index):
    shown = explain(index, "//a[about(., lamp)]//p[about(., sea +fog)]", "a", "/a[1]/p[1]", Settings.from_options())

    assert shown.outcome.description == "not returned: its document does not contain the required fog"
    assert [(part["part"], part["met_by"]) for part in shown.structure] == [
        ("//a[about(., lamp)]", "/a[1]"),
        ("about(., lamp)", "/a[1]"),
        ("//a[about(., lamp)]//p[about(., sea +fog)]", None),
        ("about(., sea +fog)", None),
    ]


@pytest.mark.parametrize(
    ("reading", "head"),
    [
        ("SS", "  structure:"),
        ("SV", "  structure (SV: only the name of the target and its unwanted terms count):"),
        ("VS", "  structure (VS: only the support counts):"),
        ("VV", "  structure (VV: only the query terms count):"),
        ("CO", "  structure (CO: only the query terms count):"),
    ],
)
def test_the_text_says_which_parts_count_in_a_reading(index, reading, head):
    shown = explain(index, "//a//p[about(., sea)]", "a", "/a[1]/p[1]", Settings.from_options(reading=reading))

    assert [line for line in shown.lines() if line.startswith("  structure")] == [head]
