from __future__ import annotations

import json
import random
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import MeasureError, SettingsError
from engine.notices import Notice
from eval.tuning.cross_validation import shuffled
from eval.tuning.grid import Grid
from eval.tuning.journal import Journal
from eval.tuning.tune import tune
from eval.tuning.tuning_result import Surface, Tuning, summary, surface_tables
from tests.eval.tuning.made_search import BASE, MadeScorer, MadeSearch, line, table, tuned
from tests.reference.tuning import cross_validated, folds_of

EIGHTHS = st.integers(0, 8).map(lambda n: n / 8)  # sums are exact: ties are ties


def halving_from_one_topic():
    """Let halving go through rounds on few topics too."""
    return patch("eval.tuning.selection.FEWEST", 1)


@st.composite
def tables(draw, least_topics=4):
    n_topics, n_points = draw(st.integers(least_topics, 9)), draw(st.integers(2, 7))
    return draw(st.lists(st.lists(EIGHTHS, min_size=n_topics, max_size=n_topics), min_size=n_points, max_size=n_points))


@given(tables(), st.integers(2, 4), st.integers(0, 3))
def test_choices_and_estimate_are_those_written_out(rows, folds, seed):
    scores = table(rows)
    topics = list(scores[BASE])
    best, choices, estimate = cross_validated([scores[str(k)] for k in range(len(rows))], topics, folds, seed)

    tuning = tuned(rows, folds=folds, seed=seed)

    assert tuning.best == {"k": best}
    assert [fold.point["k"] for fold in tuning.folds] == choices
    assert [sorted(fold.topics) for fold in tuning.folds] == [sorted(f) for f in folds_of(topics, folds, seed)]
    assert tuning.estimate.mean == pytest.approx(estimate, abs=1e-12)
    assert tuning.chosen.mean == pytest.approx(sum(rows[best]) / len(topics), abs=1e-12)


@given(tables(least_topics=6), st.sampled_from(["grid", "halving"]), st.data())
def test_a_held_out_topic_does_not_influence_the_choice_of_its_fold(rows, method, data):
    with halving_from_one_topic():
        before = tuned(rows, folds=3, method=method)
    fold = data.draw(st.sampled_from(before.folds))
    columns = [int(topic[1:]) for topic in fold.topics]
    changed = [[data.draw(EIGHTHS) if i in columns else value for i, value in enumerate(row)] for row in rows]

    with halving_from_one_topic():
        after = tuned(changed, folds=3, method=method)

    (same,) = (other for other in after.folds if other.topics == fold.topics)
    assert same.point == fold.point
    assert same.trained == fold.trained


@given(tables(), st.sampled_from(["grid", "halving"]), st.randoms(use_true_random=False))
def test_the_order_of_topics_changes_nothing(rows, method, order):
    scores = table(rows)
    topics = list(scores[BASE])
    order.shuffle(topics)
    turned = {point: {topic: row[topic] for topic in topics} for point, row in scores.items()}

    with halving_from_one_topic():
        one, other = (
            tune(MadeSearch(), MadeScorer(each), line(len(rows)), folds=2, method=method, resamples=50)
            for each in (scores, turned)
        )

    assert (one.best, one.estimate, one.gain, one.surface.means) == (
        other.best,
        other.estimate,
        other.gain,
        other.surface.means,
    )


def hill(k, hardnesses):
    """The scores of a point on a smooth hill with its top at 37, over topics that are easy or hard."""
    return [1 - ((k - 37) / 81) ** 2 + hardness for hardness in hardnesses]


@pytest.mark.long
def test_halving_finds_the_top_of_a_hill_with_less_work():
    rows = [hill(k, [(t * 7 % 11) / 11 for t in range(120)]) for k in range(81)]
    searched = {}
    for method in ("grid", "halving"):
        search = MadeSearch()
        found = tuned(rows, search=search, method=method, folds=4)
        searched[method] = sum(len(topics) for _, topics in search.calls)
        assert found.best == {"k": 37}
        assert {fold.point["k"] for fold in found.folds} == {37}

    assert [(rung.n_points, rung.n_topics) for rung in found.rungs] == [(81, 14), (27, 40), (9, 120)]
    assert searched["grid"] == 82 * 120
    assert searched["halving"] < searched["grid"] / 2


def test_halving_between_equals_leaves_no_corner_of_the_grid_alone():
    """All points are equal on all topics but the last ones that are taken up, where the end of the grid is better."""
    order = shuffled([f"t{i}" for i in range(90)], 2007)
    late = {int(topic[1:]) for topic in order[60:]}
    rows = [[1.0 if i not in late else k / 81 for i in range(90)] for k in range(81)]

    found = tuned(rows, method="halving", folds=2)

    assert found.best["k"] > 60


def test_halving_of_few_topics_is_a_grid():
    rows = [[0.1, 0.2, 0.3, 0.4], [0.2, 0.2, 0.3, 0.4], [0.9, 0.0, 0.0, 0.0]]

    grid, halving = (tuned(rows, folds=2, method=method) for method in ("grid", "halving"))

    assert (grid.best, grid.estimate, grid.surface.means) == (halving.best, halving.estimate, halving.surface.means)


def test_processes_change_nothing(tmp_path):
    draw = random.Random(3)
    rows = [[draw.random() for _ in range(20)] for _ in range(25)]
    one = tuned(rows, folds=5)

    several = tuned(rows, folds=5, jobs=3, search=MadeSearch(tmp_path / "log"))

    assert several == one
    asked = [tuple(json.loads(line)) for line in (tmp_path / "log").read_text().splitlines()]
    assert len(asked) == len(set(asked)) == 26 * 20


@pytest.mark.parametrize("method", ["grid", "halving"])
def test_what_was_interrupted_goes_on_where_it_stopped(method, tmp_path):
    draw = random.Random(3)
    rows = [[draw.random() for _ in range(60)] for _ in range(25)]
    whole, first, second = MadeSearch(), MadeSearch(most_calls=57), MadeSearch()
    expected = tuned(rows, search=whole, method=method)

    with Journal(tmp_path / "j", {"measure": "AP"}) as journal, pytest.raises(KeyboardInterrupt):
        tuned(rows, search=first, method=method, journal=journal)
    with Journal(tmp_path / "j", {"measure": "AP"}) as journal:
        assert len(journal.scores) > 100
        found = tuned(rows, search=second, method=method, journal=journal)

    assert found == expected
    assert len(found.rungs) == (2 if method == "halving" else 1)
    counts = {
        search: sum(len(topics) for _, topics in made.calls) for search, made in enumerate((whole, first, second))
    }
    assert counts[2] == counts[0] - len(journal.scores)


def test_a_clear_gain_is_none_within_noise():
    tuning = tuned([[0.2] * 10, [0.5 + i / 100 for i in range(10)], [0.1] * 10], [0.2] * 10)

    assert tuning.gain.mean == pytest.approx(0.345)  # 0.545 - 0.2
    assert tuning.gain.low > 0
    assert tuning.p == 2 / 2**10  # all signs alike
    assert not tuning.is_within_noise
    assert tuning.notices == ()


def test_an_insignificant_gain_is_reported():
    tuning = tuned([[0.3, 0.5, 0.4, 0.1] * 3, [0.0] * 12], [0.3, 0.2, 0.5, 0.2] * 3)

    assert tuning.gain.mean == pytest.approx(0.025)
    assert tuning.is_within_noise
    (notice,) = tuning.notices
    assert (notice.code, notice.kind) == ("gain_in_noise", "doubt")


def test_a_loss_is_reported():
    tuning = tuned([[0.1] * 6, [0.2] * 6, [0.1] * 6], [0.5] * 6)

    assert tuning.notices[0].code == "loss"
    assert tuning.notices[0].fields["mean"] == pytest.approx(-0.3)


def test_a_best_value_on_the_border_is_reported():
    rows = [[k / 4] * 6 for k in range(4)]

    assert tuned(rows).notices == (Notice("best_on_border", {"name": "k", "value": "3", "side": "highest"}),)
    assert tuned(rows[::-1]).notices[0] == Notice("best_on_border", {"name": "k", "value": "0", "side": "lowest"})


def test_a_border_with_nothing_legal_beyond_is_none():
    def at_most_3(point):
        if point.get("k", 0) > 3:
            raise SettingsError("too high")

    assert tuned([[k / 4] * 6 for k in range(4)], check=at_most_3).notices == ()


def test_topics_without_relevance_are_skipped():
    tuning = tuned(
        [[0.1, None, 0.2, 0.3], [0.4, None, 0.5, 0.6], [0.0, None, 0.0, 0.0]], [0.1, None, 0.1, 0.1], folds=2
    )

    assert tuning.topics == ("t0", "t2", "t3")
    assert tuning.chosen.mean == pytest.approx(0.5)
    assert Notice("topics_without_relevance", {"topics": ("t1",)}) in tuning.notices


def test_a_measure_that_some_settings_have_no_value_of_is_refused():
    with pytest.raises(MeasureError, match=r"a value for topic 't1' under the base settings, but none under"):
        tuned([[0.1, None, 0.2, 0.3], [0.4, 0.2, 0.5, 0.6]], folds=2)


@pytest.mark.parametrize(
    ("n_topics", "folds", "message"),
    [
        (1, 5, "found 1 topic with relevance: tuning needs two or more"),
        (4, 5, "found 4 topics with relevance for 5 folds: use fewer folds"),
        (4, 1, "folds=1: expected 2 or more"),
    ],
)
def test_too_few_topics_are_refused_before_anything_is_searched(n_topics, folds, message):
    search = MadeSearch()

    with pytest.raises(MeasureError, match=message):
        tuned([[0.1] * n_topics, [0.2] * n_topics], folds=folds, search=search)

    assert search.calls == []


def test_too_few_topics_with_relevance_are_refused():
    with pytest.raises(MeasureError, match="found 1 topic with relevance"):
        tuned([[0.1, None], [0.2, None]], [0.1, None], folds=2)


def test_answers_that_nobody_judged_are_refused():
    scorer = MadeScorer(table([[0.0] * 4, [0.0] * 4]), is_judged=False)

    with pytest.raises(MeasureError, match=r"made.qrels judges 'judged', the answers are from 'd'"):
        tune(MadeSearch(), scorer, line(2), folds=2)


def test_the_summary_says_what_a_reader_must_know():
    lines = "\n".join(summary(tuned([[0.2] * 10, [0.5] * 10, [0.1] * 10], [0.2] * 10, seed=5)))

    for part in ("made:AP", "k (0 ... 2): 3 settings", "0.5000, 95% interval 0.5000 to 0.5000", "seed 5", "t0 t1 t2"):
        assert part in lines
    assert "noise" not in lines


# What tuning prints.


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
