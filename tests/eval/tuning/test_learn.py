"""Learning without an index: what every combination of weights scores on every topic is a function."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from engine.errors import MeasureError
from engine.notices import Notice
from engine.runs import Ranking, Run
from eval.tuning.learn import ascend, learn
from eval.tuning.score_matrix import ScoreMatrix

LADDERS = {"a": (0, 1, 2, 4), "b": (0, 0.5, 1)}
BEFORE = {"a": 1.0, "b": 0.25}
TOPICS = [f"t{number}" for number in range(20)]
Score = Callable[[Mapping[str, float], int], float | None]


def search(point, topics: Sequence[str]) -> Run:
    return Run(json.dumps(dict(point)), {topic: Ranking.ranked(topic, ["d"]) for topic in topics})


@dataclass(frozen=True)
class FunctionScorer:
    score: Score
    family: str = "made"
    measure: str = "AP"

    options: Mapping[str, object] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", {})

    @property
    def assessments(self) -> SimpleNamespace:
        return SimpleNamespace(topics={topic: SimpleNamespace(documents=["d"]) for topic in TOPICS}, source="made")

    def index_notices(self) -> list[str]:
        return []

    def scores(self, runs: Sequence[Run], topics: Sequence[str]):
        return [[self.score(json.loads(run.run_id), int(topic[1:])) for topic in topics] for run in runs], True


def hill(point: Mapping[str, float], topic: int) -> float:
    """Highest at a 3, b 1, for every topic."""
    return 1 / (1 + (point["a"] - 3) ** 2 + (point["b"] - 1) ** 2 + 0.01 * topic)


def learned(score: Score, **options):
    return learn(search, search, FunctionScorer(score), LADDERS, BEFORE, **{"resamples": 50, **options})


def ascended(score: Score):
    with ScoreMatrix(search, FunctionScorer(score), [BEFORE], TOPICS) as matrix:
        return ascend(matrix, BEFORE, LADDERS, np.arange(len(TOPICS))), len(matrix.points)


def test_ascent_finds_the_top_of_a_hill_and_the_value_halfway_between_rungs():
    assert ascended(hill)[0] == {"a": 3, "b": 1}


def test_ascent_finds_what_a_search_of_all_combinations_finds_where_weights_do_not_interact():
    rng = np.random.default_rng(3)
    for _ in range(20):
        values = {
            name: dict(zip((*ladder, BEFORE[name]), rng.random(5), strict=False)) for name, ladder in LADDERS.items()
        }

        def score(point, _topic, values=values):
            return sum(values[name].get(value, 0.0) for name, value in point.items())

        rungs = [sorted({*ladder, BEFORE[name]}) for name, ladder in LADDERS.items()]
        best = max(product(*rungs), key=lambda pair: score(dict(zip(LADDERS, pair, strict=True)), 0))
        assert ascended(score)[0] == dict(zip(LADDERS, best, strict=True))


def test_equal_means_keep_the_present_value():
    assert ascended(lambda _point, _topic: 0.5)[0] == BEFORE
    assert ascended(lambda point, _topic: float(point["a"] > 1))[0] == {**BEFORE, "a": 2.0}


def test_ascent_tries_few_of_all_combinations():
    assert ascended(hill)[1] < 30


def test_the_estimate_is_of_weights_learned_without_the_topics_they_are_scored_on():
    found = learned(hill)
    assert found.best == {"a": 3, "b": 1}
    for fold in found.folds:
        numbers = [int(topic[1:]) for topic in fold.topics]
        assert fold.point == found.best
        assert fold.held_out == pytest.approx(np.mean([hill(fold.point, number) for number in numbers]))
        others = [number for number in range(20) if number not in numbers]
        assert fold.trained == pytest.approx(np.mean([hill(fold.point, number) for number in others]))
    assert sorted(topic for fold in found.folds for topic in fold.topics) == sorted(TOPICS)
    assert found.estimate.mean == pytest.approx(np.mean([hill(found.best, number) for number in range(20)]))
    assert found.base.mean == pytest.approx(np.mean([hill(BEFORE, number) for number in range(20)]))
    assert not found.is_within_noise
    assert found.notices == (on_border("b", "1", "highest", 0, 1),)


def on_border(name, value, side, low, high):
    return Notice("learned_on_border", {"name": name, "value": value, "side": side, "low": low, "high": high})


def test_what_each_weight_gives_is_the_mean_with_it_alone_set_back():
    found = learned(hill)
    for name, value in found.without.items():
        point = {**found.best, name: BEFORE[name]}
        assert value == pytest.approx(np.mean([hill(point, number) for number in range(20)]))


def test_a_gain_on_the_topics_learned_from_is_no_gain_on_others():
    """Each topic has its own best weight: the best one on the others says nothing about it."""

    def score(point, topic):
        return float(point["a"] == LADDERS["a"][topic % 4])

    found = learned(score)
    assert found.chosen.mean > found.estimate.mean
    assert found.is_within_noise
    assert (found.notices[-1].code, found.notices[-1].kind) == ("loss", "doubt")


def test_a_weight_at_the_end_of_the_values_tried_is_reported():
    def at_the_ends(point, topic):
        return (point["a"] - point["b"]) / 8 + 0.01 * topic

    notices = [notice for notice in learned(at_the_ends).notices if notice.code == "learned_on_border"]
    assert notices == [on_border("a", "4", "highest", 0, 4)]


def test_topics_without_relevance_are_excluded_and_too_few_are_refused():
    found = learned(lambda point, topic: None if topic < 3 else hill(point, topic))
    assert len(found.topics) == 17
    assert found.notices[0].code == "topics_without_relevance"
    assert found.notices[0].fields["topics"][:3] == ("t0", "t1", "t2")
    with pytest.raises(MeasureError, match="none of 20 topics has relevance"):
        learned(lambda _point, _topic: None)
    with pytest.raises(MeasureError, match="found 4 topics with relevance for 5 folds"):
        learned(lambda point, topic: hill(point, topic) if topic < 4 else None)


def test_the_table_and_the_json_say_the_same():
    found = learned(hill)
    plain = found.to_dict()
    assert plain["weights"]["a"]["learned"] == 3
    assert plain["weights"]["a"]["folds"] == [3] * 5
    assert plain["search"] == "learn"
    weights, folds, conclusion = found.tables()
    assert [[cell.value for cell in row[:4]] for row in weights.rows] == [["a", "1", "3", "3"], ["b", "0.25", "1", "1"]]
    assert len(folds.rows) == 5
    assert len(conclusion.rows) == 4
