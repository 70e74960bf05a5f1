from __future__ import annotations

import re

import numpy as np
import pytest
from lxml import etree

from engine.errors import MeasureError
from eval import ScoreRow, ScoreTable
from eval.output.plots import (
    plot,
    plot_boxes,
    plot_correlations,
    plot_curve,
    plot_difference,
    plot_topics,
    save,
    style,
    svg,
)
from eval.output.plots.score_plots import measure_curves
from eval.statistics.measure_correlation import correlate_series
from eval.statistics.score_series import series_of
from eval.statistics.testing_options import SignificanceTesting
from tests.eval.output.plots.made_scores import N_TOPICS, table

TABLE = table()
AP = series_of(TABLE)[0]


def two(*values):
    rows = [
        ScoreRow(run, "hixeval", "AP", {}, dict(zip("1234", v, strict=True)))
        for run, v in zip("ab", values, strict=True)
    ]
    return series_of(ScoreTable(tuple(rows)))[0]


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


@pytest.mark.long
def test_a_curve_has_a_line_a_run_through_its_points():
    axes = plot_curve(measure_curves(TABLE)[0]).axes[0]

    assert len(axes.lines) == 4
    assert axes.lines[0].get_xydata()[:, 1].tolist() == [TABLE.value(f"P@{n}", run="run-1") for n in (5, 10, 25)]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("rank", "P")


@pytest.mark.long
def test_of_many_runs_the_best_eight_are_coloured():
    figure = plot_curve(measure_curves(table(11))[0])

    assert legend(figure) == ["3 other runs", *(f"run-{n}" for n in range(1, 9))]


def test_few_runs_are_bars_and_many_are_dots():
    bars = plot_topics(series_of(table(2))[0]).axes[0]
    assert len(bars.patches) == 2 * (N_TOPICS - 1)  # one topic has no value

    dots = plot_topics(AP).axes[0]
    assert (len(dots.patches), len(dots.lines)) == (0, 4)


@pytest.mark.long
def test_many_topics_are_named_now_and_then():
    axes = plot_topics(series_of(table(2, 130))[0]).axes[0]

    assert axes.get_xlabel() == "topic (one in 3 is labelled)"
    assert len(axes.get_xticks()) == 43


def test_differences_fall_and_are_counted():
    axes = plot_difference(two([0.1, 0.5, 0.3, None], [0.2, 0.1, 0.3, 0.9]), "a", "b").axes[0]

    assert [bar.get_height() for bar in axes.patches] == pytest.approx([0.4, 0.0, -0.1])
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["2", "3", "1"]
    assert axes.get_title(loc="left").endswith("topics better: 1, worse: 1, equal: 1")


def test_boxes_stand_by_their_mean_the_best_on_top():
    axes = plot_boxes(two([0.1] * 4, [0.9] * 4)).axes[0]

    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["a", "b"]  # the axis goes up


def test_a_heat_map_names_every_pair():
    correlations = correlate_series(series_of(TABLE)[:3], SignificanceTesting("sign"))
    axes = plot_correlations(correlations).axes[0]

    values = [text.get_text() for text in axes.texts]
    tau = {(p.x, p.y): f"{p.kendall.tau_b:.2f}" for p in correlations.pairs}
    assert values[:3] == ["1.00", tau["AP", "iAP"], tau["AP", "P@5"]]


@pytest.mark.parametrize(
    ("n_runs", "kind", "shown"),
    [(1, "auto", "P@5 by topic"), (2, "auto", "P@5: run-1"), (3, "auto", "over topics"), (3, "topics", "by topic")],
)
@pytest.mark.long
def test_what_is_drawn_follows_the_number_of_runs(tmp_path, n_runs, kind, shown):
    rows = tuple(row for row in table(n_runs).rows if row.measure == "P@5")
    file = plot(ScoreTable(rows), tmp_path / "p.svg", kind=kind)

    assert shown in " ".join(re.findall(r"<text[^>]*>([^<]*)<", file.read_text()))


@pytest.mark.long
def test_curves_are_drawn_first(tmp_path):
    assert ">hixeval alpha=1<" in plot(TABLE, tmp_path / "p.svg").read_text()
    assert "Interpolated" in plot(TABLE, tmp_path / "p.svg", kind="curve", measure="iP").read_text()


@pytest.mark.long
def test_the_same_picture_gives_the_same_bytes(tmp_path):
    for ending in ("svg", "png", "pdf"):
        once, again = (save(plot_boxes(AP), tmp_path / f"{name}.{ending}").read_bytes() for name in "ab")
        assert once == again


@pytest.mark.long
def test_svg_for_html_is_one_element_whose_ids_are_its_own():
    element = etree.fromstring(svg(plot_topics(AP), "topics"))

    assert etree.QName(element).localname == "svg"
    ids = [node.get("id") for node in element.iter() if node.get("id")]
    assert ids
    assert all(name.startswith("topics-") for name in ids)
    used = set(re.findall(r'(?:url\(#|href="#)([\w-]+)', etree.tostring(element).decode()))
    assert used <= set(ids)


def test_names_of_runs_are_never_read_as_formulas_or_hidden(tmp_path):
    rows = [ScoreRow(run, "x", "AP", {}, {"1": 0.5, "2": 0.4}) for run in ("$x^", "_quiet", "<b>&")]
    figure = plot_topics(series_of(ScoreTable(tuple(rows)))[0])

    assert legend(figure) == ["$x^", "_quiet", "<b>&"]
    etree.parse(save(figure, tmp_path / "p.svg"))


def test_what_cannot_be_drawn_is_refused(tmp_path, monkeypatch):
    with pytest.raises(MeasureError, match=r"use one of \.svg, \.png, \.pdf"):
        plot(TABLE, tmp_path / "p.jpg")
    with pytest.raises(MeasureError, match="no plot 'pie'"):
        plot(TABLE, tmp_path / "p.svg", kind="pie")
    with pytest.raises(MeasureError, match="contain no curve 'XX'"):
        plot(TABLE, tmp_path / "p.svg", kind="curve", measure="XX")
    with pytest.raises(MeasureError, match="contain no measure 'XX'"):
        plot(TABLE, tmp_path / "p.svg", kind="boxes", measure="XX")
    with pytest.raises(MeasureError, match="plotting a difference needs two runs; found 4"):
        plot(TABLE, tmp_path / "p.svg", kind="difference")
    with pytest.raises(MeasureError, match="there is no run 'x'"):
        plot_difference(AP, "x", "run-1")
    with pytest.raises(MeasureError, match="no topic has a value"):
        plot_boxes(two([None] * 4, [None] * 4))
    with pytest.raises(MeasureError, match="cannot be written"):
        plot(TABLE, tmp_path / "none" / "p.svg")
    monkeypatch.setattr(style, "available", lambda: False)
    with pytest.raises(MeasureError, match=r"pip install '\.\[plots\]' in a checkout"):
        plot_boxes(AP)
    assert np.array_equal(list(tmp_path.iterdir()), [])


def row(measure, value, run="r", **options):
    return ScoreRow(run, "xcg", measure, options, {"1": value, "2": 0.0})


def test_measures_with_numbers_are_curves_of_means():
    ranks, recall = measure_curves(table(2, 3))[0], measure_curves(table(2, 3))[1]

    assert (ranks.name, ranks.x_label, ranks.points) == ("P", "rank", (5, 10, 25))
    assert (recall.name, recall.x_label, len(recall.points)) == ("iP", "recall", 101)
    assert recall.runs["run-1"][0] == pytest.approx(table(2, 3).value("iP[0.00]", run="run-1"))


def test_a_curve_without_a_value_is_none():
    rows = [ScoreRow("r", "xcg", f"nxCG@{n}", {"quant": "strict"}, {}) for n in (1, 5, 10)]
    rows += [row(f"nxCG@{n}", 0.5, quant="gen") for n in (1, 5, 10)]

    assert [curve.runs["r"] for curve in measure_curves(ScoreTable(tuple(rows)))] == [(0.25, 0.25, 0.25)]
    assert not measure_curves(ScoreTable(tuple(rows[:3])))


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
