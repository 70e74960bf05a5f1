"""The families trec and trec_eval give the numbers of trec_eval itself on random files."""

from __future__ import annotations

import gzip
import json
from math import log2
from pathlib import Path

import pytest

import foxir
from engine.errors import MeasureError
from engine.notices import Notice
from engine.runs import Ranking
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.measures.measure_names import measure_name
from eval.measures.trec import trec


def judgements(scale="fol"):
    builder = JudgementsBuilder("1", scale, "test")
    for name, size in (("a", 20), ("b", 0), ("c", 5), ("d", 0)):
        builder.document(name, name, length=100, highlighted=size)
        if size:
            builder.passage(0, size)
    return builder.build()


def test_articles_count_at_their_first_result():
    # articles b, a, x, c: relevant a at 2, c at 4
    scores = trec(Ranking.ranked("1", ["b", "a", "b", "a", "x", "a", "c"]), judgements(), at=(1, 2, 5))

    assert scores["AP"] == pytest.approx((1 / 2 + 2 / 4) / 2)
    assert scores["Rprec"] == 0.5
    assert scores["RR"] == 0.5
    assert [scores["P@1"], scores["P@2"], scores["P@5"]] == pytest.approx([0, 1 / 2, 2 / 5])
    assert scores["nDCG@10"] == pytest.approx((1 / log2(3) + 1 / log2(5)) / (1 + 1 / log2(3)))
    # b is judged and ranked above both, two are judged not relevant: 1 - 1/2 each
    assert scores["Bpref"] == pytest.approx(0.5)


def test_all_scores_equal_keep_the_order_of_the_ranking():
    tied = Ranking.ranked("1", ["b", "a", "c"], rsv=[1.0, 1.0, 1.0])

    assert trec(tied, judgements()) == trec(Ranking.ranked("1", ["b", "a", "c"]), judgements())


def test_a_topic_without_results_scores_zero():
    assert set(trec(Ranking.ranked("1", []), judgements()).values()) == {0.0}


def test_the_relevant_articles_first_score_one():
    scores = trec(Ranking.ranked("1", ["c", "a", "b"]), judgements(), at=(1, 2))

    assert list(scores.values()) == pytest.approx([1.0] * len(scores))


def test_an_article_with_a_relevant_element_is_relevant_on_graded_scales():
    builder = JudgementsBuilder("1", "2003", "test")
    for name, grade in (("a", 1), ("b", 0)):
        builder.document(name, name)
        builder.element("/a[1]", grade, float(grade), -1, -1)

    assert trec(Ranking.ranked("1", ["b", "a"]), builder.build())["AP"] == 0.5


def test_nothing_relevant_has_no_value_and_nothing_returned_scores_zero():
    builder = JudgementsBuilder("1", "fol", "test")
    builder.document("b", "b", highlighted=0)

    assert set(trec(Ranking.ranked("1", ["b"]), builder.build()).values()) == {None}
    assert set(trec(Ranking.ranked("1", []), judgements()).values()) == {0.0}


def test_recall_and_ndcg_have_any_rank():
    # articles b, a, x, c: relevant a at 2, c at 4
    ranking = Ranking.ranked("1", ["b", "a", "x", "c"])
    scores = trec(ranking, judgements(), recall_at=(1, 2, 4), ndcg_at=(2,))

    assert [scores["R@1"], scores["R@2"], scores["R@4"]] == pytest.approx([0, 1 / 2, 1])
    assert scores["nDCG@2"] == pytest.approx((1 / log2(3)) / (1 + 1 / log2(3)))
    assert "nDCG@10" not in scores


CASES = json.loads(gzip.decompress((Path(__file__).parents[2] / "golden/trec_eval.json.gz").read_bytes()))
NAMES = {"map": "AP", "Rprec": "Rprec", "recip_rank": "RR", "bpref": "Bpref"}
NAMES |= {f"P_{rank}": f"P@{rank}" for rank in (5, 10)}
NAMES |= {f"recall_{rank}": f"R@{rank}" for rank in (5, 10)} | {f"ndcg_cut_{rank}": f"nDCG@{rank}" for rank in (5, 10)}


@pytest.mark.long
def test_scores_are_those_of_trec_eval(tmp_path: Path) -> None:
    qrels, path = tmp_path / "qrels.txt", tmp_path / "run.trec"
    n_compared = 0
    for case in CASES:
        qrels.write_text(case["qrels"], "utf-8")
        path.write_text(case["run"], "utf-8")
        relevant = {line.split()[0] for line in case["qrels"].split("\n") if int(line.split()[3]) > 0}
        try:
            measures = [f"trec:{name}" for name in NAMES.values()]
            table = foxir.score(qrels, [path], measures=measures, options={"order": "score"})
        except MeasureError:  # no document of the run is judged, which is refused
            assert not any(value for of_topic in case["values"].values() for value in of_topic.values())
            continue
        of_topic = {row.measure: row.topics for row in table.rows}
        for topic, values in case["values"].items():
            for name, value in values.items() if topic in relevant else ():
                found = of_topic[NAMES[name]][topic]
                assert found == pytest.approx(value, abs=1e-12), (case, topic, name)
                n_compared += 1
    assert n_compared > 3000


@pytest.mark.parametrize("n_cases", [4, pytest.param(len(CASES), marks=pytest.mark.long)])
def test_measures_of_trec_eval_are_what_the_program_prints(tmp_path: Path, n_cases: int) -> None:
    qrels, path = tmp_path / "qrels.txt", tmp_path / "run.trec"
    n_compared = 0
    for case in CASES[:n_cases]:
        qrels.write_text(case["qrels"], "utf-8")
        path.write_text(case["run"], "utf-8")
        try:
            table = foxir.score(qrels, [path], measures="all_trec")
        except MeasureError:  # no document of the run is judged, which is refused
            continue
        rows = {row.measure: row for row in table.rows}
        for topic, values in case["program"].items():
            for name, value in values.items():
                found = rows[name].value if topic == "all" else rows[name].topics[topic]
                assert found == pytest.approx(value, abs=5.1e-5), (case, topic, name)
                n_compared += 1
    assert n_compared > 75 * n_cases


def test_ranks_that_disagree_with_scores_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    for results, code in [
        ("q Q0 a 1 1 r\nq Q0 b 2 1 r", "rsv_tied"),
        ("q Q0 a 1 1 r\nq Q0 b 2 2 r", "rsv_rising"),
        ("q Q0 a 1 1 r\nq Q0 b 1 2 r", "ranks_equal"),
    ]:
        path.write_text(results, "utf-8")
        assert foxir.read_run(path).notices == (Notice(code, {"topics": 1}),)
    assert list(foxir.read_run(path).rankings["q"].documents) == ["b", "a"]


@pytest.mark.parametrize(
    ("measure", "options", "said"), [("AP", {}, True), ("AP", {"order": "score"}, False), ("map", {}, False)]
)
def test_nothing_is_said_of_an_order_that_was_asked_for(
    tmp_path: Path, measure: str, options: dict[str, str], said: bool
) -> None:
    qrels, path = tmp_path / "qrels.txt", tmp_path / "run.trec"
    qrels.write_text("q 0 a 1\nq 0 b 0\n", "utf-8")
    path.write_text("q Q0 a 1 1 r\nq Q0 b 2 1 r\n", "utf-8")
    table = foxir.score(qrels, [path], measures=[measure], options=options)

    assert any("equal rsv" in str(notice) for notice in table.notices) == said


SET = ["num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_recall", "set_relative_P", "set_map"]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (
            ["map", "P.1", "2", "recip_rank", "bpref", "recall_5"],
            ["map", "P_1", "P_2", "recip_rank", "bpref", "recall_5"],
        ),
        (["success", "ndcg", "map_cut_10"], ["success_1", "success_5", "success_10", "ndcg", "map_cut_10"]),
        (["P"], [f"P_{rank}" for rank in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]),
        (["set"], [*SET, "set_F"]),
        (["iprec_at_recall.0.1", "11pt_avg", "trec_eval:Rprec"], ["iprec_at_recall_0.10", "11pt_avg", "Rprec"]),
        (["map", "Rprec"], ["map", "Rprec"]),
        (
            ["iprec_at_recall.0.15", "0.250", "map", "Rprec_mult_0.35"],
            ["iprec_at_recall_0.15", "iprec_at_recall_0.25", "map", "Rprec_mult_0.35"],
        ),
    ],
)
def test_names_of_trec_eval_are_accepted(tmp_path: Path, names: list[str], expected: list[str]) -> None:
    qrels, path = tmp_path / "qrels.txt", tmp_path / "run.trec"
    qrels.write_text("q 0 a 1\nq 0 b -1\n", "utf-8")
    path.write_text("q Q0 b 1 2 r\nq Q0 a 2 1 r\n", "utf-8")

    found = foxir.score(qrels, [path], measures=names).rows

    assert [(row.family, row.measure) for row in found] == [("trec_eval", name) for name in expected]


def test_precision_is_interpolated_at_any_level_of_recall(tmp_path: Path) -> None:
    qrels, path = tmp_path / "qrels.txt", tmp_path / "run.trec"
    qrels.write_text("".join(f"q 0 {name} 1\n" for name in "acdegh"), "utf-8")
    path.write_text("q Q0 a 1 9 r\nq Q0 b 2 8 r\nq Q0 c 3 7 r\n", "utf-8")  # two of six are found

    found = foxir.score(qrels, [path], measures=["iprec_at_recall.0.16", "0.25", "0.45"]).rows

    assert [row.value for row in found] == [1.0, pytest.approx(2 / 3), 0.0]


@pytest.mark.parametrize("name", ["utility.1", "ndcg.1=3.5", "trec_eval:set_F.0.5", "Rndcg.1=3"])
def test_measures_with_coefficients_are_refused_with_the_reason(name: str) -> None:
    with pytest.raises(MeasureError, match=r"pytrec_eval, .* takes no coefficients or gains: choose [a-zA-Z_]+, which"):
        measure_name(name)


def test_counts_are_added_up_and_a_topic_without_relevance_counts(tmp_path: Path) -> None:
    qrels, path = tmp_path / "qrels.txt", tmp_path / "run.trec"
    qrels.write_text("q 0 a 1\nq 0 b 0\nr 0 a 0\ns 0 a -2\n", "utf-8")  # of s, no document is judged
    path.write_text("q Q0 a 1 2 r\nq Q0 x 2 1 r\nr Q0 a 1 1 r\ns Q0 a 1 1 r\n", "utf-8")

    table = foxir.score(qrels, [path], measures=["map", "num_ret", "num_q", "gm_map"])
    found = {row.measure: row.value for row in table.rows}

    assert found == {"map": 1 / 3, "num_ret": 4, "num_q": 3, "gm_map": pytest.approx(1e-5 ** (2 / 3))}


@pytest.mark.parametrize(
    ("name", "near"), [("IoU", "IoU@10"), ("rbp.0.8", "ndcg"), ("prefs_simp", "bpref"), ("map_avgjg", "map")]
)
def test_what_is_not_computed_is_answered_with_the_nearest(name: str, near: str) -> None:
    with pytest.raises(MeasureError, match=f"did you mean '{near}'"):
        measure_name(name)
