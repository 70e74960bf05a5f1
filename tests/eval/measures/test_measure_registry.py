from __future__ import annotations

from typing import Literal

import pytest

from engine.errors import MeasureError
from eval.measures import FAMILIES, measure_family
from eval.measures.hixeval import hixeval
from eval.measures.measure_names import HOMES, measure_name
from eval.measures.measure_plan import plan
from eval.measures.reference_page import citations, families_of
from eval.measures.registry import MeasureOption, measure, read_options


def example(
    a,
    b,
    c,
    /,
    *,
    word: Literal["x", "y"] = "x",
    size: int | None = None,
    ranks: tuple[int, ...] = (1,),
    on: bool = True,
):
    """Return nothing: only its options matter."""


DOCS = {"word": "w", "size": "s", "ranks": "r", "on": "o"}


def options():
    return {option.name: option for option in read_options(example, DOCS)}


def test_options_are_read_from_the_keyword_arguments():
    assert options() == {
        "word": MeasureOption("word", "word", "x", "w", ("x", "y")),
        "size": MeasureOption("size", "whole number", None, "s", (), True),
        "ranks": MeasureOption("ranks", "whole numbers", (1,), "r"),
        "on": MeasureOption("on", "truth", True, "o"),
    }


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [("word", "Y", "y"), ("size", "12", 12), ("size", "none", None), ("ranks", "1,5", (1, 5)), ("on", "off", False)],
)
def test_options_are_parsed_as_users_write_them(name, text, value):
    assert options()[name].parse(text) == value


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("word", "z", "word=z: expected one of x, y"),
        ("size", "many", "size=many: expected a whole number, or none"),
        ("ranks", "1,b", "ranks=1,b: expected whole numbers from 1, e.g. 1,5,10"),
        ("on", "maybe", "on=maybe: expected true or false"),
    ],
)
def test_a_wrong_value_is_reported_with_what_was_expected(name, text, message):
    with pytest.raises(MeasureError) as error:
        options()[name].parse(text)
    assert message in str(error.value)


def test_ranks_start_at_1():
    with pytest.raises(MeasureError, match="expected whole numbers from 1"):
        measure_family("hixeval").complete({"at": (0,)})


def test_an_option_without_documentation_is_a_mistake():
    with pytest.raises(TypeError, match="docs for"):
        read_options(example, {"word": "w"})


def test_every_family_is_documented():
    for name, found in FAMILIES.items():
        assert measure_family(name.upper()) is found
        assert found.line
        assert found.formula
        assert found.source
        assert all(option.doc and option.check(option.default) == option.default for option in found.options)


def test_a_name_is_taken_once():
    with pytest.raises(ValueError, match="'hixeval' is registered twice"):
        measure(
            "hixeval", line="", formula="", source="", options=dict.fromkeys(["alpha", "precision", "seen", "at"], "")
        )(hixeval)


def test_a_list_of_ranks_is_one_value_and_a_list_of_words_several():
    steps = plan(["hixeval"], {"at": [1, 5], "seen": ["union", "literal"]})

    assert [(step.options["at"], step.options["seen"]) for step in steps] == [((1, 5), "union"), ((1, 5), "literal")]


@pytest.mark.parametrize(
    ("measures", "options", "message"),
    [
        (["P@5"], {"at": "x"}, "at=x: expected whole numbers from 1"),
        (["P@5"], {"at": [5, 10]}, "at has no effect on P@5"),
        (["AP", "nxCG@7"], {"at": [5]}, "at has no effect on AP, nxCG@7"),
        (["hixeval"], {"at": [0]}, "at=.*: expected whole numbers from 1"),
        (["hixeval"], {"at": [{}]}, "at={}: expected whole numbers from 1"),
        (["hixeval"], {"alpha": [[0.5]]}, "expected a number"),
        (["hixeval"], {"alpha": [0.5, {}]}, "alpha={}: expected a number"),
    ],
)
def test_option_values_are_checked_before_anything_is_computed(measures, options, message):
    with pytest.raises(MeasureError, match=message):
        plan(measures, options)


def test_cut_offs_are_of_the_measures_that_read_them():
    (one,) = plan(["P@5", "hixeval"], {"at": [3]})
    assert one.options["at"] == (3, 5)
    first, second = plan(["P@5", "xcg"], {"at": [3]})
    assert (first.options["at"], second.options["at"]) == ((5,), (3,))


def test_every_family_is_cited_by_publications_with_author_title_and_year():
    every = citations(list(FAMILIES.values())).split("\n\n")

    assert {name for entry in every for name in families_of(entry)} == set(FAMILIES)
    for entry in every:
        assert entry.lstrip().startswith("@"), entry
        assert all(f" {field} " in entry for field in ("author", "title", "year")), entry
    assert "Highlighting {XML} Retrieval Evaluation" in citations([FAMILIES["hixeval-group"]])
    assert "Kazai, Gabriella and Lalmas" not in citations([FAMILIES["hixeval"]])


@pytest.mark.parametrize(
    ("text", "family", "measure", "rank"),
    [
        ("AP", "hixeval", "AP", None),
        ("MAP", "hixeval", "AP", None),
        (" inex_eval:AP ", "inex_eval", "AP", None),
        ("MAP(element)", "hixeval-group", "AP(element)", None),
        ("P@7", "hixeval", "P@7", 7),
        ("trec:P@7", "trec", "P@7", 7),
        ("nxCG@10", "xcg", "nxCG@10", 10),
        ("MAep(article)", "xcg-group", "MAep(article)", None),
        ("iP[0.01]", "focused", "iP[0.01]", None),
        ("MAiP", "focused", "AiP", None),
        ("thorough:MAiP", "thorough", "AiP", None),
        ("gP[10]", "ric", "gP[10]", 10),
        ("bic:AgP", "bic", "AgP", None),
        ("AP(s)", "inex_eval_ng", "AP(s)", None),
        ("P", "trec_eval", "P_5", 5),
        ("Rprec", "trec_eval", "Rprec", None),
        ("trec:Rprec", "trec", "Rprec", None),
        ("overlap:P", "overlap", "P", None),
    ],
)
def test_a_name_finds_its_family_and_rank(text, family, measure, rank):
    found = measure_name(text)

    assert (found.family.name, found.measure, found.rank) == (family, measure, rank)


def test_names_are_looked_for_in_families_that_exist():
    assert {home for _, home in HOMES} <= set(FAMILIES)


@pytest.mark.parametrize("text", ["", "XP", "P@"])
def test_a_name_that_no_family_is_known_to_have_is_refused(text):
    with pytest.raises(MeasureError, match=r"no measure or family .* write a measure with its family"):
        measure_name(text)


def test_the_name_of_a_family_names_all_its_measures():
    assert (measure_name("HiXEval").family.name, measure_name("HiXEval").measure) == ("hixeval", None)


def test_an_unknown_family_is_refused():
    with pytest.raises(MeasureError, match="no measure family 'hix'"):
        measure_name("hix:AP")
