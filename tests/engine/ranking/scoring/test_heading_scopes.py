"""Pages whose sections are not elements: a heading counts for what follows it, in scores and explanations."""

from __future__ import annotations

import pytest

from engine.explain.explain import explain
from engine.settings import Settings
from tests.engine.small_index import answers_to, index_of

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
