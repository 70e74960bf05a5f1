from __future__ import annotations

import json

import pytest
from lxml import etree

from engine.errors import MeasureError, RunFormatError
from engine.runs import Ranking, Run
from eval.judgements.pool import pool


def run(run_id, *results, topic="1"):
    return Run(run_id, {topic: Ranking.ranked(topic, [d for d, _ in results], [p for _, p in results])})


ONE = run("one", ("a", "/a[1]/s[1]"), ("b", "/a[1]"), ("a", "/a[1]"))
TWO = run("two", ("b", "/a[1]"), ("c", None), ("a", "/a[1]"))


def test_the_first_results_of_all_runs_by_their_best_rank():
    found = pool([ONE, TWO], depth=2)

    assert [(p.document, p.path, p.rank, p.n_runs) for p in found.topics["1"]] == [
        ("a", "/a[1]/s[1]", 1, 1),
        ("b", "/a[1]", 1, 2),
        ("c", None, 2, 1),
    ]
    assert found.documents("1") == ("a", "b", "c")


def test_places_of_one_document_stand_together():
    assert [p.document for p in pool([ONE, TWO], depth=3).topics["1"]] == ["a", "a", "b", "c"]


def test_the_order_of_runs_does_not_matter():
    assert pool([ONE, TWO], depth=3).topics == pool([TWO, ONE], depth=3).topics


def test_a_place_counts_once_for_a_run_that_returns_it_twice():
    assert pool([run("r", ("a", "/a[1]"), ("a", "/a[1]"))], depth=5).topics["1"][0].n_runs == 1


def test_topics_of_any_run_are_pooled():
    assert list(pool([ONE, run("other", ("z", None), topic="2")], depth=1).topics) == ["1", "2"]


def test_files_as_xml_and_as_text(tmp_path):
    passages = Run("p", {"1": Ranking.ranked("1", ["a&b", "c"], starts=[4, -1], lengths=[10, -1])})
    found = pool([passages, ONE], depth=1)
    root = etree.parse(found.write(tmp_path / "pool.xml")).getroot()

    assert [(f.get("name"), dict(f[0].attrib)) for f in root.iter("file")] == [
        ("a", {"path": "/a[1]/s[1]", "rank": "1", "runs": "1"}),
        ("a&b", {"offset": "4", "length": "10", "rank": "1", "runs": "1"}),
    ]
    assert found.write(tmp_path / "pool.tsv").read_text().splitlines() == [
        "topic\tdocument\tplace\trank\truns",
        "1\ta\t/a[1]/s[1]\t1\t1",
        "1\ta&b\t4 10\t1\t1",
    ]
    assert json.loads(found.json())["topics"]["1"][1] == {
        "document": "a&b",
        "offset": 4,
        "length": 10,
        "rank": 1,
        "runs": 1,
    }
    assert found.tables()[0].texts() == [["1", "2", "2"], ["all", "2", "2"]]


def test_what_cannot_be_pooled_is_refused(tmp_path):
    with pytest.raises(MeasureError, match="no run given"):
        pool([], depth=1)
    with pytest.raises(MeasureError, match="depth=0"):
        pool([ONE], depth=0)
    with pytest.raises(RunFormatError, match="cannot be written"):
        pool([ONE], depth=1).write(tmp_path / "none" / "pool.xml")
