import pytest

from engine.errors import MeasureError
from eval.measure_names import HOMES, measure_name
from eval.measures import FAMILIES


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
    assert (found.rank_option is None) == (rank is None)


def test_names_are_looked_for_in_families_that_exist():
    assert {home for _, home in HOMES} <= set(FAMILIES)


@pytest.mark.parametrize("text", ["", "XP", "hixeval", "P@"])
def test_a_name_that_no_family_is_known_to_have_is_refused(text):
    with pytest.raises(MeasureError, match="that is known without its family; write family:measure"):
        measure_name(text)


def test_an_unknown_family_is_refused():
    with pytest.raises(MeasureError, match="no measure family 'hix'"):
        measure_name("hix:AP")
