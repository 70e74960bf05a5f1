"""The family trec gives the numbers of trec_eval itself on random files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import foxir
from engine.errors import MeasureError
from engine.notices import Notice

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


def test_names_of_trec_eval_are_accepted(tmp_path: Path) -> None:
    qrels, path = tmp_path / "qrels.txt", tmp_path / "run.trec"
    qrels.write_text("q 0 a 1\nq 0 b -1\n", "utf-8")
    path.write_text("q Q0 b 1 2 r\nq Q0 a 2 1 r\n", "utf-8")

    table = foxir.score(qrels, [path], measures=["map", "P.1", "2", "recip_rank", "bpref", "recall_5"])
    of_topic = {row.measure: row.topics for row in table.rows}

    expected = {"AP": 0.5, "P@1": 0, "P@2": 0.5, "RR": 0.5, "Bpref": 1, "R@5": 1}
    assert {name: of_topic[name]["q"] for name in expected} == expected
