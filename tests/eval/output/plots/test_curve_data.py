from __future__ import annotations

import pytest

from eval import ScoreRow, ScoreTable
from eval.output.plots.score_plots import measure_curves
from tests.eval.output.plots.made_scores import table


def row(measure, value, run="r", **options):
    return ScoreRow(run, "xcg", measure, options, {"1": value, "2": 0.0})


def test_measures_with_numbers_are_curves_of_means():
    ranks, recall = measure_curves(table(2, 3))[0], measure_curves(table(2, 3))[1]

    assert (ranks.name, ranks.x_label, ranks.points) == ("P", "rank", (5, 10, 25))
    assert (recall.name, recall.x_label, len(recall.points)) == ("iP", "recall", 101)
    assert recall.runs["run-1"][0] == pytest.approx(table(2, 3).value("iP[0.00]", run="run-1"))


def test_points_stand_in_order_whatever_the_order_of_rows():
    rows = [row("nxCG@25", 0.5), row("nxCG@1", 1.0), row("nxCG@10", 0.8)]

    curve = measure_curves(ScoreTable(tuple(rows)))[0]
    assert (curve.points, curve.runs["r"]) == ((1, 10, 25), (0.5, 0.4, 0.25))


def test_options_make_curves_of_their_own_and_two_points_none():
    rows = [row(f"nxCG@{n}", 0.5, quant=quant) for quant in ("gen", "strict") for n in (1, 5, 10)]

    assert [curve.title for curve in measure_curves(ScoreTable(tuple(rows)))] == [
        "nxCG: gain against the ideal ranking\nxcg quant=gen",
        "nxCG: gain against the ideal ranking\nxcg quant=strict",
    ]
    assert measure_curves(ScoreTable((row("P@1", 1.0), row("P@5", 1.0)))) == ()


def test_effort_precision_is_over_gain_recall_and_runs_may_lack_points():
    rows = [*(row(f"ep[{x / 10:.2f}]", 0.4) for x in range(1, 4)), row("ep[0.10]", 1.0, run="s")]

    curve = measure_curves(ScoreTable(tuple(rows)))[0]
    assert (curve.x_label, curve.runs["s"]) == ("gain-recall", (0.5, None, None))
