"""Each formula against numbers worked out by hand, and Table 2.1 of the thesis, through an index."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from engine.arrays import short_mantissas
from engine.errors import SettingsError
from engine.index.reader import IndexReader, open_reader
from engine.settings import Settings
from tests.engine.small_index import answers_to, build_index, index_of

FIGURE_11 = Path(__file__).parents[2] / "fixtures/golden_articles/figure11"

# N = 4, |C| = 10, mean length 2.5; sea: N_t 1, F_t 2; tide: N_t 2, F_t 2; lamp: N_t 3, F_t 5
DOCUMENTS = {
    "a": "<r><p>sea sea</p><p>tide</p></r>",  # |d| 3, W_d = sqrt((1 + ln 2)^2 + 1) = sqrt(2.866747 + 1) = 1.966405
    "b": "<r>tide lamp</r>",  # |d| 2, W_d = sqrt(1 + 1) = 1.414214
    "c": "<r>lamp lamp lamp<p>reef</p></r>",  # |d| 4, W_d = sqrt((1 + ln 3)^2 + 1) = sqrt(4.404174 + 1) = 2.324688
    "d": "<r>lamp</r>",  # |d| 1, W_d = 1; mean of W_d = 6.705307 / 4 = 1.676327
}


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    return index_of(tmp_path_factory.mktemp("index"), DOCUMENTS)


def scores(index: IndexReader, query: str, **settings: object) -> dict[str, float]:
    answers = answers_to(index, query, approach="fulltext", reading="CO", **settings)
    assert set(answers.paths) <= {"/r[1]", "/article[1]"}
    assert answers.rsv.tolist() == [answer.article_score for answer in answers]
    return {answer.document: answer.article_score for answer in answers}


def test_pcosine(index):
    found = scores(index, "sea tide", similarity="pcosine")

    assert list(found) == ["a", "b"]
    assert found == pytest.approx(
        {
            # (ln 5 * (1 + ln 2) + ln 3) / (0.8 + 0.2 * 1.966405/1.676327) = (2.725015 + 1.098612) / 1.0346088
            "a": 3.695723,
            # ln 3 / (0.8 + 0.2 * 1.414214/1.676327) = 1.098612 / 0.968728
            "b": 1.134078,
        },
        abs=1e-6,
    )


def test_pcosine_counts_a_word_as_often_as_the_query_repeats_it(index):
    once, twice = (scores(index, query, similarity="pcosine") for query in ("sea", "sea SEA"))

    assert twice == pytest.approx({"a": 2 * once["a"]})


def test_pcosine_with_slope(index):
    # s = 0: no length at all; s = 1: W_D = W_d / W_AL = 1.173044
    assert scores(index, "sea", similarity="pcosine", s=0) == pytest.approx({"a": 2.725015}, abs=1e-6)
    assert scores(index, "sea", similarity="pcosine", s=1) == pytest.approx({"a": 2.725015 / 1.173044}, abs=2e-6)


def test_pcosine_with_lengths_in_tokens(index):
    # W_D = 0.8 + 0.2 * 3/2.5 = 1.04
    found = scores(index, "sea", similarity="pcosine", length="tokens")

    assert found == pytest.approx({"a": 2.725015 / 1.04}, abs=1e-6)


def test_pcosine_as_printed_divides_by_the_length_of_the_query(index):
    plain = scores(index, "sea tide", similarity="pcosine")
    # W_q = sqrt((ln 5)^2 + (ln 3)^2) = sqrt(2.590290 + 1.206949) = 1.948651
    found = scores(index, "sea tide", similarity="pcosine", query_norm=True)

    assert list(found) == list(plain)
    assert found == pytest.approx({name: score / 1.948651 for name, score in plain.items()}, abs=1e-6)


@pytest.mark.parametrize(
    ("weight_bits", "expected"),
    [(0, {"jedi1": 3.740427, "jedi2": 2.708066}), (7, {"jedi1": 3.741821, "jedi2": 2.706996})],
)
def test_table_21(tmp_path, weight_bits, expected):
    build_index(FIGURE_11, into=tmp_path / "index", profile="none")

    found = scores(open_reader(tmp_path / "index"), "Jedi Force", similarity="pcosine", weight_bits=weight_bits)

    assert list(found) == ["jedi1", "jedi2"]
    assert found == pytest.approx(expected, abs=5e-7)
    if weight_bits:
        assert [math.floor(score * 10_000) for score in found.values()] == [37418, 27069]  # as printed, cut off


def test_short_mantissas_are_cut_off():
    # 3 = 0.75 * 2^2: floor(0.75 * 127) = 95, 95/127 * 4 = 2.992126
    # 1 = 0.5 * 2^1: floor(0.5 * 127) = 63, 63/127 * 2 = 0.992126
    assert short_mantissas(np.array([3.0, 1.0]), 7) == pytest.approx([2.992126, 0.992126], abs=1e-6)


def test_okapi(index):
    found = scores(index, "sea", similarity="okapi")

    # w = ln(3.5/1.5) = 0.847298; K = 1.2 (0.25 + 0.75 * 3/2.5) = 1.38; 0.847298 * 2.2 * 2 / (1.38 + 2) = 1.102992
    assert found == pytest.approx({"a": 1.102992}, abs=1e-6)


def test_okapi_with_its_parameters(index):
    found = scores(index, "sea", similarity="okapi", k1=2, b=0.5)

    # K = 2 (0.5 + 0.5 * 3/2.5) = 2.2; 0.847298 * 3 * 2 / (2.2 + 2) = 1.210426
    assert found == pytest.approx({"a": 1.210426}, abs=1e-6)


def test_okapi_bounds_repeated_query_words_by_k3(index):
    once = scores(index, "sea", similarity="okapi")["a"]

    assert scores(index, "sea sea", similarity="okapi") == pytest.approx({"a": 2 * once})
    # (7 + 1) 2 / (7 + 2) = 16/9
    assert scores(index, "sea sea", similarity="okapi", k3=7) == pytest.approx({"a": once * 16 / 9})
    assert scores(index, "sea sea", similarity="okapi", k3=0) == pytest.approx({"a": once})


def test_common_words_neither_help_nor_hurt_okapi(index):
    # lamp, in 3 of 4: ln(1.5/3.5) < 0; tide, in half of them: ln(2.5/2.5) = 0; both count 1.19e-7
    found = scores(index, "lamp", similarity="okapi")
    # d: K = 1.2 (0.25 + 0.75 * 1/2.5) = 0.66, 1.19e-7 * 2.2 / 1.66
    assert found["d"] == pytest.approx(1.19e-7 * 2.2 / 1.66)
    assert all(0 < score < 3e-7 for score in found.values())

    rare, mixed = scores(index, "sea", similarity="okapi"), scores(index, "sea tide lamp", similarity="okapi")
    assert next(iter(mixed)) == "a"
    assert mixed["a"] == pytest.approx(rare["a"], abs=1e-6)


def test_dirichlet(index):
    found = scores(index, "sea tide", similarity="dirichlet", mu=10)

    assert found == pytest.approx(
        {
            # 2 ln(10/13) + ln(2 * 10 / (10 * 2) + 1) + ln(1 * 10 / (10 * 2) + 1) = -0.524729 + ln 2 + ln 1.5
            "a": 0.573884,
            # 2 ln(10/12) + ln 1.5 = -0.364643 + 0.405465
            "b": 0.040822,
        },
        abs=1e-6,
    )


def test_dirichlet_with_the_printed_background(index):
    found = scores(index, "sea tide", similarity="dirichlet", mu=10, background="documents")

    # a: -0.524729 + ln(4 * 2 / (10 * 1) + 1) + ln(4 * 1 / (10 * 2) + 1) = -0.524729 + ln 1.8 + ln 1.2
    # b: -0.364643 + ln 1.2
    assert found == pytest.approx({"a": 0.245380, "b": -0.182322}, abs=1e-6)


def test_dirichlet_counts_repeated_query_words(index):
    # 2 ln(10/13) + 2 ln 2
    assert scores(index, "sea sea", similarity="dirichlet", mu=10) == pytest.approx({"a": 0.861566}, abs=1e-6)


@pytest.mark.parametrize("similarity", ["pcosine", "okapi", "dirichlet"])
def test_words_that_no_document_holds_are_passed_over(index, similarity):
    settings = {"similarity": similarity}
    known = scores(index, "sea tide", **settings)

    assert scores(index, "sea nowhere tide elsewhere", **settings) == known
    assert scores(index, "nowhere", **settings) == {}


@pytest.mark.parametrize("similarity", ["pcosine", "okapi", "dirichlet"])
def test_order_of_words_and_phrases_change_no_score(index, similarity):
    known = scores(index, "sea sea tide lamp", similarity=similarity)

    assert scores(index, 'lamp "sea tide" sea', similarity=similarity) == known


def test_unwanted_words_take_no_part(index):
    of_tide = scores(index, "tide")

    assert {name: of_tide[name] for name in scores(index, "tide -lamp")} == scores(index, "tide -lamp") != of_tide
    of_thesis = {"rank_by": "structure"}
    assert scores(index, "tide -lamp", **of_thesis) == scores(index, "tide", **of_thesis)


@pytest.mark.parametrize(
    ("similarity", "tuned"), [("okapi", {"k1": 1.95, "b": 0.35}), ("dirichlet", {"mu": 14200}), ("pcosine", {})]
)
def test_tuned_presets(index, similarity, tuned):
    expected = scores(index, "sea tide lamp", similarity=similarity, **tuned)

    assert scores(index, "sea tide lamp", similarity=similarity, preset="thesis-tuned") == expected


def test_a_parameter_that_is_given_goes_before_the_preset(index):
    found = scores(index, "sea", similarity="okapi", preset="thesis-tuned", k1=1.2, b=0.75)

    assert found == scores(index, "sea", similarity="okapi")


def test_infinite_k3_is_the_count_itself(index):
    assert scores(index, "sea sea", similarity="okapi", k3=math.inf) == scores(index, "sea sea", similarity="okapi")


@pytest.mark.parametrize("similarity", ["okapi", "dirichlet"])
@pytest.mark.parametrize(("parameter", "value"), [("query_norm", True), ("s", 1), ("weight_bits", 7)])
def test_parameters_of_another_similarity_are_refused(index, similarity, parameter, value):
    with pytest.raises(SettingsError, match=f"'{parameter}' is not a parameter of {similarity}"):
        scores(index, "sea tide", similarity=similarity, **{parameter: value})


def test_parameters_of_the_base_stay_behind_when_the_similarity_changes():
    base = Settings.from_options(similarity="okapi", k1=2)

    assert Settings.from_options(base, similarity="dirichlet").parameters == {}
