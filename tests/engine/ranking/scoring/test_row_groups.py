"""A group of rows of a table is no answer: the names of its columns stand outside it."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from engine.explain.explain import explain
from engine.kernels.table import without_kernels
from engine.settings import Settings
from tests.engine.small_index import answers_to, index_of

LIGHTS = (("Skomvik", 38), ("Fyr", 12), ("Lindesnes", 50), ("Kullen", 88), ("Skagen", 44))
HEAD = "<thead><tr><th>Name of the light</th><th>Height of the light above the sea, in metres</th></tr></thead>"
BODY = "".join(f"<tr><td>{name} with its old lantern</td><td>{height} metres</td></tr>" for name, height in LIGHTS)
NOTE = "<p>The lights of the coast were built one after the other, and the last of them stands on the cape.</p>"


def table(body: str = "tbody") -> str:
    return f"<table>{HEAD}<{body}>{BODY}</{body}></table>"


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    documents = {"d": f"<a><s>{NOTE}{table()}</s></a>", "fog": f"<a>{NOTE}</a>", "more": f"<a>{NOTE}{NOTE}</a>"}
    return index_of(tmp_path_factory.mktemp("groups"), documents)


@pytest.mark.parametrize("kernels", [nullcontext, without_kernels])
@pytest.mark.parametrize("passages", [False, True])
@pytest.mark.parametrize("query", ["lindesnes kullen", "lindesnes metres lantern", "kullen"])
def test_the_table_is_the_answer(index, query, passages, kernels):
    with kernels():
        best = answers_to(index, query, passages=passages)[0]

    assert best.path == "/a[1]/s[1]/table[1]"


def test_a_group_of_rows_can_be_asked_for(index):
    assert [each.path for each in answers_to(index, "kullen", answers="//tbody")] == ["/a[1]/s[1]/table[1]/tbody[1]"]
    found = answers_to(index, "kullen", min_leaf_words=0, min_words=0, overlap="keep")
    assert "/a[1]/s[1]/table[1]/tbody[1]" in {each.path for each in found}


def test_a_search_inside_groups_returns_them(index):
    for passages in (False, True):
        found = answers_to(index, "kullen", inside="//tbody", passages=passages)
        assert [each.path for each in found] == ["/a[1]/s[1]/table[1]/tbody[1]"]


def test_a_prefix_is_ignored(index):
    assert [each.path for each in answers_to(index, "kullen", answers="//x:table")] == ["/a[1]/s[1]/table[1]"]


def test_a_table_is_an_answer_where_most_tables_are_short(tmp_path):
    short = "<table><tr><td>fog</td><td>horn</td></tr></table>" * 20
    index = index_of(tmp_path, {"d": f"<a><s>{NOTE}{short}{table()}</s></a>", "e": f"<a>{NOTE}{NOTE}</a>"})

    assert answers_to(index, "kullen lindesnes")[0].path == "/a[1]/s[1]/table[21]"


def test_an_explanation_says_why_it_is_no_answer(index):
    found = explain(index, "kullen", "d", "/a[1]/s[1]/table[1]/tbody[1]", Settings.from_options())

    assert found.outcome.description == "not returned: it is a group of rows of a table (min_leaf_words 0.4x up to 16)"


def test_a_profile_names_groups_of_rows(tmp_path):
    (tmp_path / "own.toml").write_text('row_groups = ["body"]\n')
    documents = {"d": f"<a><s>{NOTE}{table('body')}</s></a>", "e": f"<a><s>{NOTE}{table()}</s></a>"}
    index = index_of(tmp_path, documents, profile=str(tmp_path / "own.toml"))

    paths = {(each.document, each.path) for each in answers_to(index, "kullen", overlap="keep")}

    assert ("d", "/a[1]/s[1]/table[1]/body[1]") not in paths
    assert ("e", "/a[1]/s[1]/table[1]/tbody[1]") in paths
