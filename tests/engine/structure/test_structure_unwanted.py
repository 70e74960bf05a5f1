"""Words that a path query does not want, and example images, which nobody looks at: worked out by hand."""

from __future__ import annotations

import pytest

from engine.explain.explain import explain
from engine.query.nexi.example_images import without_images
from engine.query.nexi.parser import parse_nexi
from engine.settings import Settings
from tests.engine.small_index import answers_to, index_of

ARTICLES = {
    "a": """<article><bdy>
        <sec><p>sea</p><p>sea lamp</p></sec>
        <sec>lamp<p>sea</p></sec>
        <sec><p>sea lamp</p></sec>
        <sec kind="sea lamp"><fig>a lamp</fig></sec></bdy></article>""",
    "b": "<article><bdy><sec><p>tide</p></sec><sec><p>tide lamp</p></sec></bdy></article>",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unwanted")
    (folder / "made.toml").write_text('attributes = ["kind"]')
    return index_of(folder, ARTICLES, profile=str(folder / "made.toml"))


def found(index, query, **settings):
    """Answers as `a sec[1]`, in document order."""
    answers = sorted(
        answers_to(index, query, **{"overlap": "keep", **settings}), key=lambda a: (a.document, a.start, -a.end)
    )
    return [f"{a.document} {a.path.replace('/article[1]/bdy[1]/', '')}" for a in answers]


@pytest.mark.parametrize("rank", ["score", "structure"])
@pytest.mark.parametrize(
    ("query", "strict", "vague"),
    [
        # the second paragraph holds it itself
        ("//p[about(., sea -lamp)]", ["a sec[1]/p[1]", "a sec[2]/p[1]"], ["a sec[1]/p[1]", "a sec[2]/p[1]"]),
        # in the first section another paragraph holds it; the second holds it itself; the third has no match inside,
        # but may be an answer where the condition is vague
        ("//sec[about(., sea -lamp)]", ["a sec[1]"], ["a sec[1]", "a sec[3]"]),
        ("//sec[about(.//p, sea -lamp)]", ["a sec[1]", "a sec[2]"], ["a sec[1]", "a sec[2]", "a sec[3]"]),
        ('//p[about(., sea -"sea lamp")]', ["a sec[1]/p[1]", "a sec[2]/p[1]"], ["a sec[1]/p[1]", "a sec[2]/p[1]"]),
        # the other condition still holds
        ("//p[about(., sea -lamp) or about(., lamp)]", [*["a sec[1]/p[1]", "a sec[1]/p[2]", "a sec[2]/p[1]"],
            *["a sec[3]/p[1]", "b sec[2]/p[1]"]], None),
        ("//p[about(., tide) and about(., tide -lamp)]", ["b sec[1]/p[1]"], ["b sec[1]/p[1]"]),
        # what the support does not want decides about the support
        ("//sec[about(., sea -lamp)]//p[about(., lamp)]", ["a sec[1]/p[2]"], None),
        ("//article[about(., sea)]//sec[about(./@kind, sea -lamp)]", [], None),
    ],
)  # fmt: skip
def test_an_element_that_holds_an_unwanted_word_itself_is_none_that_an_about_is_about(
    index, query, strict, vague, rank
):
    assert found(index, query, reading="SS", rank_by=rank) == strict
    if vague is not None:
        assert found(index, query, reading="SV", rank_by=rank) == vague


def test_an_about_without_a_wanted_word_holds_nowhere(index):
    assert found(index, "//article[about(., tide)]//sec[about(., -lamp)]") == []
    assert found(index, "//article[about(., tide)]//sec[not(about(., lamp))]") == ["b sec[1]"]


@pytest.mark.parametrize("rank", ["score", "structure"])
def test_explain_names_the_unwanted_word_that_an_element_holds_itself(index, rank):
    settings = Settings.from_options(rank_by=rank)
    verdicts = [
        explain(index, "//p[about(., sea -lamp)]", "a", f"/article[1]/bdy[1]/{path}", settings).outcome.description
        for path in ("sec[1]/p[2]", "sec[2]")
    ]
    assert (
        verdicts
        == [
            "not returned: the structure of the query does not lead to it (reading SS); "
            "its own text contains the unwanted lamp"
        ]
        * 2
    )


# --- example images


@pytest.mark.parametrize(
    ("query", "same"),
    [
        ("//sec[about(.//fig, src:/i/lamp.jpg) and about(., sea)]", "//sec[about(., sea)]"),
        ("//sec[about(., sea) or about(., src:a.png -src:b.png)]", "//sec[about(., sea)]"),
        ("//article[about(.//fig, src:a.png)]//p[about(., sea)]", "//article//p[about(., sea)]"),
        ("//p[not(about(., src:a.png)) and (about(., tide) or about(., src:b.png))]", "//p[about(., tide)]"),
        ("//fig[about(., lamp src:a.png)]", "//fig[about(., lamp)]"),
        ("//fig[about(., src:a.png -lamp)]", "//fig"),
        ("//fig[about(., src:a.png)]", "//fig"),
    ],
)
def test_example_images_are_passed_over_as_if_they_were_not_there(index, query, same):
    assert found(index, query) == found(index, same) != []


def test_a_query_without_its_images_keeps_all_the_rest():
    query = "//(a|b)[about(., x src:i.png)][about(., src:j.png)]//c[.//d > 1 and not(about(., -y)) or about(@e, z)]/@f"
    words = query.replace("[about(., src:j.png)]", "").replace("@e", "./@e")

    assert str(without_images(parse_nexi(query))) == words


def test_images_are_passed_over_under_a_not():
    query = "//p[not(about(., lamp) and about(., src:a.png))][not(about(., src:b.png))]"

    assert str(without_images(parse_nexi(query))) == "//p[not(about(., lamp))]"


def test_explain_names_what_is_looked_for_only(index):
    query = "//sec[about(.//fig, src:a.png) and about(., tide)]"
    explained = explain(index, query, "b", "/article[1]/bdy[1]/sec[1]", Settings.from_options())

    assert explained.query == query
    assert [part["part"] for part in explained.structure] == ["//sec[about(., tide)]", "about(., tide)"]
