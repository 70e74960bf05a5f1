from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

from bench.fidelity import PAGE, experiment, page
from bench.fidelity_runs import FIDELITY_TASKS, overlap_removed
from engine.runs import Ranking
from eval.text.paths import ancestors
from tests.reference.random_topics import topics


@pytest.fixture(scope="module")
def found():
    return experiment()


def best(found, task, *, without=()):
    means = {run: mean for run, mean in found.means(task, "AP").items() if run not in without}
    return max(means, key=lambda run: means[run])


@pytest.mark.long
def test_hixeval_rewards_what_the_thesis_expects(found):
    assert found.means("overlap penalised", "AP")["Passage"] == pytest.approx(1.0)
    assert best(found, "overlap penalised", without=["Passage"]) == "BEP"
    assert best(found, "overlap allowed", without=["Passage"]) == "FullRB"
    assert best(found, "user", without=["Passage"]) == "BEP"


@pytest.mark.long
def test_the_page_is_what_the_command_writes(found):
    assert PAGE.read_text(encoding="utf-8") == page(found), "run: python -m bench.fidelity"


@pytest.mark.long
def test_every_task_has_its_table_with_the_results_counted(found):
    tables = found.tables()

    assert [table.title for table in tables] == [f"Task: {task.name}" for task in FIDELITY_TASKS]
    assert [column.name for column in tables[0].columns[:3]] == ["run", "results", "MAP"]
    document = json.loads(found.json())["tasks"]
    assert document["user"]["results"]["FullRB"] < document["overlap allowed"]["results"]["FullRB"]


def test_overlap_is_removed_from_the_top():
    paths = ["/a[1]/s[1]", "/a[1]", "/a[1]/s[1]/p[1]", "/a[1]/s[11]", "/a[1]/s[1]", "/a[1]/s[1]"]
    ranking = overlap_removed(Ranking.ranked("1", [*"ddddd", "e"], paths))

    assert list(zip(ranking.documents, ranking.paths, strict=True)) == [
        ("d", "/a[1]/s[1]"),
        ("d", "/a[1]/s[11]"),
        ("e", "/a[1]/s[1]"),
    ]
    assert ranking.rsv.tolist() == [6.0, 3.0, 1.0]
    with pytest.raises(ValueError, match="result 1 of topic '1' is not an element"):
        overlap_removed(Ranking.ranked("1", ["d"]))


@settings(max_examples=80, deadline=None)
@given(topics())
@pytest.mark.long
def test_what_is_left_does_not_overlap_and_what_went_did(topic):
    before = topic.ranking()
    after = overlap_removed(before)
    kept = list(zip(after.documents, after.paths, strict=True))

    def overlap(one, other):
        return one[0] == other[0] and (
            one[1] == other[1] or one[1] in ancestors(other[1]) or other[1] in ancestors(one[1])
        )

    assert not any(overlap(a, b) for i, a in enumerate(kept) for b in kept[i + 1 :])
    for place in zip(before.documents, before.paths, strict=True):
        assert any(overlap(place, other) for other in kept)
