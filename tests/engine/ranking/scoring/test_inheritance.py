"""What elements take from those above them, from columns of the whole collection and by climbing from each element.

Pages whose sections are not elements: a heading counts for what follows it, in scores and explanations.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.explain.explain import explain
from engine.index.elements.headings import Scopes
from engine.ranking.parts.headings import heading_scores, heading_terms
from engine.ranking.parts.inheritance import levels
from engine.ranking.scoring.term_weights import TermWeights
from engine.settings import Settings
from engine.similarity.values import Pairs
from tests.engine.small_index import answers_to, index_of

N_TERMS = 3
# Places of parents: below each element, or the element itself (a root, or one whose parent is not here).
trees = st.lists(st.integers(0, 5), min_size=1, max_size=14).map(
    lambda steps: np.array([max(place - step, 0) if step else place for place, step in enumerate(steps)], np.int64)
)


def roots_of(parents: np.ndarray) -> np.ndarray:
    """Return which elements are roots: every second one of those without a parent."""
    is_root = parents == np.arange(len(parents))
    is_root[np.flatnonzero(is_root)[1::2]] = False
    return is_root


@given(trees)
def test_levels_have_each_element_that_inherits_once_and_behind_its_parent(parents: np.ndarray):
    is_root = roots_of(parents)

    found = levels(parents, is_root)

    done: set[int] = set()
    for level, of_level in found:
        assert of_level.tolist() == parents[level].tolist()
        assert done.isdisjoint(level.tolist())
        waiting = {place for place in range(len(parents)) if inherits(place, parents, is_root)} - done
        assert waiting.isdisjoint(of_level.tolist())
        done.update(level.tolist())
    assert done == {place for place in range(len(parents)) if inherits(place, parents, is_root)}


def inherits(place: int, parents: np.ndarray, is_root: np.ndarray) -> bool:
    return parents[place] != place and not is_root[parents[place]]


@given(st.integers(1, 14), st.data())
def test_headings_count_in_their_scopes_each_term_once(n: int, data: st.DataObject):
    has_term = np.array(data.draw(st.lists(st.booleans(), min_size=n * N_TERMS, max_size=n * N_TERMS)))
    term, unit = has_term.reshape(N_TERMS, n).nonzero()
    border = st.integers(0, n)
    of_headings = data.draw(st.dictionaries(st.integers(0, n - 1), st.tuples(border, border).map(sorted)))
    scopes = {heading: tuple(of_headings[heading]) for heading in sorted(of_headings)}
    weights = TermWeights(np.array([[1.0], [2.0], [4.0]]), np.zeros(1), np.zeros(n, np.int64))
    columns = Scopes(*np.array([(heading, *scope) for heading, scope in scopes.items()], np.int64).reshape(-1, 3).T)
    pairs = Pairs(term, unit, np.ones(len(term), np.int64))

    scores = heading_scores(pairs, weights, columns, n)

    for place in range(n):
        around = {heading for heading, (first, end) in scopes.items() if first <= place < end}
        terms = sorted({int(t) for t, u in zip(term, unit, strict=True) if u in around})
        assert scores[place] == sum(weights.of_terms[each, 0] for each in terms)
        assert heading_terms(place, pairs, columns).tolist() == terms


def test_headings_weigh_by_the_document_that_they_are_in():
    weights = TermWeights(np.array([[1.0, 8.0]]), np.zeros(2), np.array([0, 0, 1, 1]))
    scopes = Scopes(np.array([1, 3]), np.array([0, 2]), np.array([2, 4]))
    pairs = Pairs(np.array([0, 0]), np.array([1, 3]), np.ones(2, np.int64))

    assert heading_scores(pairs, weights, scopes, 4).tolist() == [1, 1, 8, 8]


PAGE = """<html><body><h1>Lights of the coast</h1>
<h2>Painting the tower</h2><p>The keeper scrapes it in spring and lets it dry for a week.</p>
<h2>Winding the clock</h2><p>The keeper turns the crank every four hours, day and night.</p>
<h3>In frost</h3><p>The keeper warms the oil first, or the wheels will stand still.</p>
<h2>Signals</h2><dl><dt>Two guns</dt><dd>A ship asks for a pilot and waits for him off the bar.</dd>
<dt>One rocket</dt><dt>Two rockets</dt>
<dd>A pilot is in distress, and help has to put off at once.</dd></dl></body></html>"""
OTHER = "<html><body><h1>Rules</h1><p>Keep the stairs clear of rope and the log in ink.</p></body></html>"


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    return index_of(tmp_path_factory.mktemp("pages"), {"page": PAGE, "rules": OTHER}, profile="html")


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("painting keeper", "/html[1]/body[1]/p[1]"),
        ("winding keeper", "/html[1]/body[1]/p[2]"),
        ("frost keeper", "/html[1]/body[1]/p[3]"),
        ("guns pilot", "/html[1]/body[1]/dl[1]/dd[1]"),
        ("rocket pilot", "/html[1]/body[1]/dl[1]/dd[2]"),
    ],
)
def test_a_query_for_a_heading_finds_what_follows_it(index, query, path):
    assert answers_to(index, query, min_words="0")[0].path == path


@pytest.mark.parametrize(
    ("path", "headings"),
    [("p[1]", {"tower"}), ("p[2]", {"clock"}), ("p[3]", {"clock", "frost"}), ("dl[1]/dd[1]", {"guns"})],
)
def test_an_explanation_names_the_headings_of_a_place_only(index, path, headings):
    query = "tower clock frost guns keeper pilot"
    found = explain(index, query, "page", f"/html[1]/body[1]/{path}", Settings.from_options(min_words="0"))

    (named,) = [part.facts["terms"] for part in found.element.details if part.name == "headings"]
    assert set(named) == headings
