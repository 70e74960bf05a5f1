from __future__ import annotations

import pytest

from engine.errors import MeasureError
from eval.measures import FAMILIES
from eval.measures.measure_names import HOMES, measure_name


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
        ("P", "overlap", "P", None),
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
