from __future__ import annotations

import re

import numpy as np
import pytest
from lxml import etree

from eval.output.plots import plot_tuning, save
from eval.tuning.grid import Grid
from eval.tuning.tune import tune
from tests.eval.tuning.made_search import BASE, MadeScorer, MadeSearch

TOPICS = [f"t{i}" for i in range(6)]


def tuned(points, score, method="grid"):
    """Tune over points that are numbered, with the score of each."""
    grid = Grid(tuple(points))
    numbers = {tuple(point.items()): str(number) for number, point in enumerate(points)}

    class Search(MadeSearch):
        def __call__(self, point, topics):
            return super().__call__({"k": numbers[tuple(point.items())]} if point else {}, topics)

    scores = {number: dict.fromkeys(TOPICS, score(dict(point))) for point, number in numbers.items()}
    scorer = MadeScorer({**scores, BASE: dict.fromkeys(TOPICS, 0.25)})
    return tune(Search(), scorer, grid, folds=2, method=method, resamples=20)


def test_one_setting_is_a_line_with_its_best():
    axes = plot_tuning(tuned([{"b": b} for b in (0.2, 0.4, 0.6)], lambda p: 0.5 - abs(p["b"] - 0.4))).axes[0]

    line, best, base, estimate = axes.lines
    assert line.get_xydata() == pytest.approx(np.array([[0.2, 0.3], [0.4, 0.5], [0.6, 0.3]]))
    assert best.get_xydata().tolist() == [[0.4, 0.5]]
    assert base.get_ydata() == [0.25, 0.25]
    assert estimate.get_ydata() == [0.5, 0.5]
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_xscale()) == ("b", "MAP", "linear")


def test_values_that_grow_by_factors_stand_on_a_logarithmic_axis():
    axes = plot_tuning(tuned([{"mu": mu} for mu in (10, 100, 1000, 10000)], lambda p: p["mu"] / 10000)).axes[0]

    assert axes.get_xscale() == "log"


def test_words_stand_side_by_side():
    axes = plot_tuning(tuned([{"heuristic": name} for name in ("MpE", "TPF")], lambda p: len(p) / 2)).axes[0]

    assert [label.get_text() for label in axes.get_xticklabels()] == ["MpE", "TPF"]


def test_two_settings_are_a_surface():
    points = [{"k1": k1, "b": b} for k1 in (1, 2, 3) for b in (0.5, 0.7)]

    figure = plot_tuning(tuned(points, lambda p: p["k1"] * p["b"] / 10))

    axes = figure.axes[0]
    assert axes.images[0].get_array().tolist() == pytest.approx(np.array([[0.05, 0.07], [0.1, 0.14], [0.15, 0.21]]))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("b", "k1")
    assert axes.patches[0].get_xy() == (0.5, 1.5)  # around k1 3, b 0.7
    assert {text.get_text() for text in axes.texts} == {"0.0500", "0.0700", "0.1000", "0.1400", "0.1500", "0.2100"}


def test_a_large_surface_has_contours_instead_of_numbers():
    points = [{"k1": i, "b": j} for i in range(15) for j in range(12)]

    axes = plot_tuning(tuned(points, lambda p: 1 / (1 + (p["k1"] - 7) ** 2 + (p["b"] - 5) ** 2))).axes[0]

    assert any(type(each).__name__ == "QuadContourSet" for each in axes.collections)
    assert not {"1.0000"} & {text.get_text() for text in axes.texts}


def test_points_that_are_not_there_are_gaps():
    points = [{"k1": 1, "b": 0.5}, {"k1": 2, "b": 0.7}]

    axes = plot_tuning(tuned(points, lambda p: p["b"])).axes[0]

    assert np.isnan(axes.images[0].get_array().filled(np.nan)).tolist() == [[False, True], [True, False]]
    assert [text.get_text() for text in axes.texts].count("–") == 2


def test_settings_that_exclude_one_another_are_marginals():
    figure = plot_tuning(tuned([{"k1": 1}, {"k1": 2}, {"mu": 3}, {"mu": 4}], lambda p: sum(p.values()) / 10))

    assert [axes.get_xlabel() for axes in figure.axes] == ["k1", "mu"]


def test_equal_scores_can_be_drawn():
    points = [{"k1": i, "b": j} for i in range(15) for j in range(12)]

    assert plot_tuning(tuned(points, lambda _: 0.5)).axes[0].images


def test_more_settings_are_marginals():
    points = [{"a": a, "b": b, "c": c} for a in (1, 2) for b in (1, 2, 3) for c in ("x", "y")]

    figure = plot_tuning(tuned(points, lambda p: (p["a"] + p["b"] + (p["c"] == "y")) / 10))

    assert [axes.get_xlabel() for axes in figure.axes] == ["a", "b", "c"]
    assert figure.axes[1].lines[0].get_ydata() == pytest.approx([0.4, 0.5, 0.6])


@pytest.mark.long
def test_the_same_picture_is_the_same_bytes(tmp_path):
    tuning = tuned([{"b": b} for b in (0.2, 0.4, 0.6)], lambda p: p["b"])

    one, other = (save(plot_tuning(tuning), tmp_path / name).read_bytes() for name in ("a.svg", "b.svg"))

    assert one == other
    assert re.search(rb">cross-validated estimate<", one)
    assert etree.fromstring(one).tag.endswith("svg")
