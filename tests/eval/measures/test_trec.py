"""The family trec gives the numbers of trec_eval itself on random files."""

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
            table = foxir.score(qrels, [path], measures=[*NAMES], options={"order": "score"})
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


@pytest.mark.parametrize(("order", "said"), [("rank", True), ("score", False)])
def test_nothing_is_said_of_an_order_that_was_asked_for(tmp_path: Path, order: str, said: bool) -> None:
    qrels, path = tmp_path / "qrels.txt", tmp_path / "run.trec"
    qrels.write_text("q 0 a 1\nq 0 b 0\n", "utf-8")
    path.write_text("q Q0 a 1 1 r\nq Q0 b 2 1 r\n", "utf-8")
    table = foxir.score(qrels, [path], measures=["map"], options={"order": order})

    assert any("equal rsv" in str(notice) for notice in table.notices) == said


def test_names_of_trec_eval_are_accepted(tmp_path: Path) -> None:
    qrels, path = tmp_path / "qrels.txt", tmp_path / "run.trec"
    qrels.write_text("q 0 a 1\nq 0 b -1\n", "utf-8")
    path.write_text("q Q0 b 1 2 r\nq Q0 a 2 1 r\n", "utf-8")

    table = foxir.score(qrels, [path], measures=["map", "P.1", "2", "recip_rank", "bpref", "recall_5"])
    of_topic = {row.measure: row.topics for row in table.rows}

    expected = {"AP": 0.5, "P@1": 0, "P@2": 0.5, "RR": 0.5, "Bpref": 1, "R@5": 1}
    assert {name: of_topic[name]["q"] for name in expected} == expected
