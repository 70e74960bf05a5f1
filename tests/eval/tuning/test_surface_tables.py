"""What tuning prints."""

from __future__ import annotations

from eval.tuning.grid import Grid
from eval.tuning.tuning_result import Surface, Tuning, surface_tables
from tests.eval.tuning.made_search import tuned


def surface(points, means, best):
    return Surface("MAP", Grid(tuple(points)), tuple(means), best)


def shown(table):
    return [
        [text + cell.mark for text, cell in zip(texts, cells, strict=True)]
        for texts, cells in zip(table.texts(), table.rows, strict=True)
    ]


def test_one_setting_a_line_each():
    (table,) = surface_tables(surface([{"b": 0.5}, {"b": 0.2}], [0.1, 0.3], 1))

    assert shown(table) == [["0.2", "0.3000*"], ["0.5", "0.1000"]]


def test_two_settings_down_and_across():
    points = [{"k1": k1, "b": b} for k1 in (1, 2) for b in (0.5, 0.7, 0.9)][:-1]

    (table,) = surface_tables(surface(points, [0.1, 0.2, 0.3, None, 0.5], 4))

    assert [column.name for column in table.columns] == ["k1 \\ b", "0.5", "0.7", "0.9"]
    assert shown(table) == [["1", "0.1000", "0.2000", "0.3000"], ["2", "–", "0.5000*", "–"]]


def test_more_settings_the_best_points_and_marginals():
    points = [{"a": a, "b": b, "c": c} for a in (1, 2) for b in (1, 2) for c in "xy"]

    best, a, _, c = surface_tables(surface(points, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.7], 6))

    assert shown(best)[:2] == [["a 2, b 2, c x", "0.7000*"], ["a 2, b 2, c y", "0.7000"]]
    assert shown(a) == [["1", "0.4000", "b 2, c y"], ["2", "0.7000*", "b 2, c x"]]
    assert shown(c) == [["x", "0.7000*", "a 2, b 2"], ["y", "0.7000", "a 2, b 2"]]


def test_settings_that_exclude_one_another_are_listed():
    best, k1, mu = surface_tables(surface([{"k1": 1}, {"k1": 2}, {"mu": 9}], [0.1, 0.2, 0.3], 2))

    assert shown(best) == [["mu 9", "0.3000*"], ["k1 2", "0.2000"], ["k1 1", "0.1000"]]
    assert [shown(k1), shown(mu)] == [[["1", "0.1000", ""], ["2", "0.2000", ""]], [["9", "0.3000*", ""]]]


def test_the_summary_compares_the_unbiased_estimate_with_the_others():
    tuning: Tuning = tuned([[0.2] * 10, [0.5] * 10, [0.1] * 10], [0.3] * 10)

    conclusion = tuning.tables()[-1]

    assert [row[:3] for row in conclusion.texts()] == [
        ["base settings", "0.3000", "0.3000"],
        ["best settings, on the topics they were chosen on", "0.5000", "0.5000"],
        ["cross-validated estimate, on topics held out", "0.5000", "0.5000"],
        ["gain of the estimate over the base settings", "0.2000", "0.2000"],
    ]
    assert tuning.json() == tuned([[0.2] * 10, [0.5] * 10, [0.1] * 10], [0.3] * 10).json()


def test_halving_shows_its_rounds():
    rows = [[k / 30] * 40 for k in range(30)]

    titles = [table.title for table in tuned(rows, method="halving").tables()]

    assert titles[1] == "Rounds of successive halving"


def test_a_border_is_no_border_if_an_inner_value_is_as_good():
    points = [{"k1": k1, "b": b} for k1 in (0.5, 1.2, 2.0) for b in (0.25, 0.5, 0.75)]
    tied = surface(points, [0.5, 0.3, 0.3, 0.5, 0.3, 0.3, 0.5, 0.3, 0.3], 0)
    alone = surface(points, [0.5, 0.3, 0.3, 0.4, 0.3, 0.3, 0.5, 0.3, 0.3], 0)

    assert tied.borders() == [("b", 0.25, "lowest")]
    assert alone.borders() == [("k1", 0.5, "lowest"), ("b", 0.25, "lowest")]
