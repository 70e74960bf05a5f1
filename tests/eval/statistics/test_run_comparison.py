from __future__ import annotations

import json

import pytest

from engine.errors import MeasureError
from engine.notices import Notice
from engine.runs import Ranking, Run
from eval import ScoreRow, ScoreTable, read_assessments
from eval.scoring.request import ScoringRequest
from eval.statistics.measure_correlation import agreement_of_decisions, correlate, correlate_series
from eval.statistics.reliability import reliability, reliability_of_series, topic_subsets
from eval.statistics.run_comparison import compare, compare_series, significance_marks
from eval.statistics.score_series import series_of
from eval.statistics.testing_options import SignificanceTesting

TOPICS = [str(n) for n in range(1, 13)]


def row(run, values, measure="AP", family="hixeval", **options):
    return ScoreRow(run, family, measure, options, dict(zip(TOPICS, values, strict=True)))


def first(n, values):
    """Return the values of the first n topics alone."""
    return [*values[:n], *[None] * (len(values) - n)]


def request(judged, *measures, **options):
    return ScoringRequest.of(judged, list(measures), **options)


def series(*rows):
    return series_of(ScoreTable(rows))


GOOD, MIDDLE, BAD = [0.9, 0.8] * 6, [0.6, 0.7, 0.5] * 4, [0.1, 0.2] * 6
RUNS = [row("bad", BAD), row("good", GOOD), row("middle", MIDDLE)]


@pytest.fixture
def judged(tmp_path):
    file = tmp_path / "qrels.fol"
    file.write_text("".join(f"{topic} Q0 a 10 100 0 0:10\n" for topic in TOPICS))
    return read_assessments(file)


def run(run_id, hits):
    """Return a run that finds the passage first in the first ``hits`` topics, and in the others second."""
    rankings = {}
    for n, topic in enumerate(TOPICS):
        starts = [0, 50] if n < hits else [50, 0]
        rankings[topic] = Ranking.ranked(topic, ["a", "a"], starts=starts, lengths=[10, 10])
    return Run(run_id, rankings)


def test_the_better_run_is_first_in_every_pair():
    found = compare_series(series(*RUNS)[0])

    assert [(pair.better, pair.worse) for pair in found.pairs] == [
        ("good", "bad"),
        ("middle", "bad"),
        ("good", "middle"),
    ]
    assert found.pairs[2].difference == pytest.approx(0.25)
    assert found.significant == {("good", "bad"), ("middle", "bad"), ("good", "middle")}


def test_correction_counts_all_pairs():
    found = compare_series(series(*RUNS)[0], SignificanceTesting("sign", "bonferroni"))

    # 12 of 12 topics: p = 2 / 2^12
    assert [pair.p for pair in found.pairs] == pytest.approx([2 / 4096] * 3)
    assert [pair.p_adjusted for pair in found.pairs] == pytest.approx([6 / 4096] * 3)
    assert not compare_series(series(*RUNS)[0], SignificanceTesting("sign", "bonferroni", 0.001)).significant


def test_the_table_shows_the_most_certain_pair_first_and_no_p_of_zero():
    means, pairs = compare_series(series(*RUNS)[0]).tables()

    assert [row[0] for row in means.texts()] == ["good", "middle", "bad"]
    assert [column.name for column in means.columns][1] == "MAP"
    # differences .8 and .6 six times: t = .7 / sqrt(.12 / 11 / 12)
    assert pairs.texts()[0] == ["good", "bad", "0.7000", "23.2164", "<0.0001", "<0.0001", "significant"]


@pytest.mark.parametrize(("test", "n_notes"), [("bootstrap", 2), ("t", 1), ("randomisation", 1)])
def test_the_table_of_a_one_tailed_test_says_that_its_level_is_doubled(test, n_notes):
    testing = SignificanceTesting(test, level=0.025)
    notes = compare_series(series(*RUNS)[0], testing).tables()[1].notes

    assert len(notes) == n_notes
    assert (notes[-1] == "the data choose the better run, so the level is doubled: 0.05 two-tailed") == (n_notes == 2)
    assert significance_marks(ScoreTable(tuple(RUNS)), testing).note.endswith(
        "p < 0.025" if n_notes == 1 else notes[-1]
    )


def test_comparisons_over_few_topics_are_doubtful():
    rows = [row("a", first(4, GOOD)), row("b", first(4, BAD)), row("c", first(5, GOOD))]

    def doubt(few):
        return Notice("few_topics", {"few": few, "comparisons": few, "enough": 5, "fewest": 4}, "doubt")

    assert compare_series(series(*rows)[0]).notices == (doubt(3),)
    assert compare_series(series(row("a", first(5, GOOD)), row("b", first(5, BAD)))[0]).notices == ()
    assert significance_marks(ScoreTable(tuple(rows)), baseline="c").notices == (doubt(2),)
    assert significance_marks(ScoreTable(tuple(rows[2:]))).notices == ()


def test_topics_without_a_value_are_in_no_pair():
    a, b = row("a", [*GOOD[:11], None]), row("b", [None, *BAD[1:]])

    assert compare_series(series(a, b)[0]).pairs[0].n_topics == 10


def test_compare_tests_all_pairs_of_scored_runs(judged):
    found = compare(request(judged, "P@1"), [run("first", 12), run("half", 2)])

    assert found.means == {"first": 1.0, "half": pytest.approx(2 / 12)}
    assert found.to_dict()["pairs"][0] | {"statistic": None, "p": None, "p_adjusted": None} == {
        "better": "first",
        "worse": "half",
        "difference": pytest.approx(10 / 12),
        "topics": 12,
        "statistic": None,
        "p": None,
        "p_adjusted": None,
        "significant": True,
    }
    json.loads(found.json())


def test_the_cutoff_in_a_measure_name_needs_no_option(judged):
    found = compare(request(judged, "hixeval:P@2"), [run("first", 12), run("half", 2)])

    assert found.means == {"first": 0.5, "half": 0.5}


def test_invalid_comparisons_are_refused(judged):
    two = [run("a", 12), run("b", 2)]
    with pytest.raises(MeasureError, match="1 run given"):
        compare(request(judged, "AP"), two[:1])
    with pytest.raises(MeasureError, match="no measure or family 'XP'"):
        request(judged, "XP")
    with pytest.raises(MeasureError, match=r"hixeval has no measure 'XP'; it has: P@1"):
        compare(request(judged, "hixeval:XP"), two)
    with pytest.raises(MeasureError, match="2 are requested: P@1 precision=elements, P@1 precision=text"):
        compare(request(judged, "P@1", options={"precision": ["elements", "text"]}), two)
    with pytest.raises(MeasureError, match="no requested measure has an option 'colour'"):
        request(judged, "P@1", options={"colour": "red"})
    with pytest.raises(MeasureError, match="hixeval is a family of measures"):
        compare(request(judged, "hixeval"), two)
    with pytest.raises(MeasureError, match="level=5"):
        SignificanceTesting(level=5)


def test_decisions_of_one_measure_predict_those_of_another():
    predicted = {("a", "b"), ("a", "c"), ("b", "c")}
    truth = {("a", "b"), ("c", "b")}

    found = agreement_of_decisions(predicted, truth)
    # one in common: precision 1/3, recall 1/2, F1 = 2 * 1 / (3 + 2)
    assert (found.precision, found.recall, found.f1) == pytest.approx((1 / 3, 1 / 2, 2 / 5))
    nothing = agreement_of_decisions(set(), set())
    assert (nothing.precision, nothing.recall, nothing.f1) == (None, None, None)


def test_measures_that_reorder_only_indistinguishable_runs_agree_in_their_decisions():
    # two groups of two runs, the order inside each reversed: tau is low, the decisions are the same
    near = [0.001, -0.001] * 6
    shifted = [value + step for value, step in zip(GOOD, near, strict=True)]
    lower = [value + step for value, step in zip(BAD, near, strict=True)]
    lift = [value + 0.0001 for value in GOOD]
    one = [row("a", lift), row("b", shifted), row("c", [v + 0.0001 for v in BAD]), row("d", lower)]
    other = [row(r, v, "iAP") for r, v in zip("badc", (x.topics.values() for x in one), strict=True)]

    found = correlate_series(series(*one, *other), SignificanceTesting("wilcoxon")).pairs[0]

    assert found.kendall.tau_b == pytest.approx((4 - 2) / 6)
    assert (found.decisions.common, found.decisions.f1) == (4, 1.0)


def test_each_value_of_an_option_counts_as_a_measure(judged):
    found = correlate(
        request(judged, "F@1", "P@2", options={"precision": ["elements", "text"]}),
        [run("a", 12), run("b", 5), run("c", 2)],
    )

    assert found.measures[:2] == ("F@1 precision=elements", "F@1 precision=text")
    assert len(found.pairs) == 6
    assert [table.title for table in found.tables()][:2] == ["Rank correlation over 3 runs", "Kendall tau-b"]
    json.loads(found.json())


def test_correlating_one_measure_is_refused(judged):
    with pytest.raises(MeasureError, match="one measure given"):
        correlate(request(judged, "AP"), [run("a", 12), run("b", 5)])


def test_a_steady_difference_is_reliable_and_one_of_a_few_topics_is_not():
    steady = reliability_of_series(series(*RUNS)).measures[0]
    assert (steady.significant, steady.errors, steady.error_rate) == (3, 0, 0.0)

    subset = topic_subsets(sorted(TOPICS), 2007)[0]
    lucky = [1.0 + int(topic) / 100 if topic in subset else 0.0 for topic in TOPICS]
    found = reliability_of_series(series(row("lucky", lucky), row("even", [0.5] * 12))).measures[0]
    assert (found.significant, found.errors, found.error_rate) == (1, 1, 1.0)


def test_subsets_partition_the_topics_the_first_ones_largest():
    subsets = topic_subsets([str(n) for n in range(29)], 7)

    assert [len(subset) for subset in subsets] == [8, 7, 7, 7]  # as the thesis cuts its 29 topics
    assert len({topic for subset in subsets for topic in subset}) == 29


def test_reliability_needs_eight_topics(judged):
    few = reliability(request(judged, "P@1", "R@1"), [run("a", 12), run("b", 2)])
    assert [m.measure for m in few.measures] == ["P@1", "R@1"]
    assert few.n_comparisons == 4
    with pytest.raises(MeasureError, match="expected 8 or more, found 7"):
        reliability(request(judged, "P@1", topics=TOPICS[:7]), [run("a", 12), run("b", 2)])
