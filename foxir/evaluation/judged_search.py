"""Judged topics with what answers them under changing settings, and what scores the answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.errors import TopicError
from engine.notices import Notice
from engine.settings import Settings
from engine.topics import TopicFile
from eval import Assessments
from eval.measures import MeasureOptions
from eval.output.tables.score_tables import natural_order
from eval.scoring.request import ScoringRequest
from eval.tuning.grid import Grid
from eval.tuning.learn import Learning, learn
from eval.tuning.scorer import MeasureScorer
from eval.tuning.tune import tune
from eval.tuning.tuning_result import Tuning
from foxir.evaluation import inputs
from foxir.evaluation.inputs import AssessmentsInput
from foxir.evaluation.judgement_selection import Judging
from foxir.searching.opened_index import Index
from foxir.tuning.learned_weights import values_to_try
from foxir.tuning.rescored_topics import RescoredTopics
from foxir.tuning.tuning_search import SettingsSearch


def common_topics(found: TopicFile, judged: Assessments) -> list[str]:
    """Return the topics that are both in the topic file and judged.

    Raises: TopicError when there is none.
    """
    common = [topic.topic_id for topic in found.topics if topic.topic_id in judged.topics]
    if not common:
        asked = next((topic.topic_id for topic in found.topics), "none")
        raise TopicError(
            f"none of {len(found.topics)} topics is judged in {judged.source}: the topic file has topic {asked!r}, the "
            f"judgements have topic {next(iter(judged.topics), 'none')!r}."
        )
    return common


def unused_topics(found: TopicFile, judged: Assessments, chosen: Sequence[str]) -> list[Notice]:
    """Return notices about topics that are in the topic file only, or judged only."""
    not_judged = [topic.topic_id for topic in found.topics if topic.topic_id not in judged.topics]
    not_asked = [topic for topic in judged.topics if topic not in set(chosen)]
    unused = (("asked_not_judged", not_judged), ("judged_not_asked", not_asked))
    return [Notice(code, {"topics": tuple(sorted(topics, key=natural_order))}) for code, topics in unused if topics]


@dataclass(frozen=True)
class JudgedSearch:
    """Judged topics, what answers them under changing settings, and what scores the answers.

    found: the topics of the file; common: those that are judged; topics: those of the class.
    """

    index: Index
    found: TopicFile
    judged: Assessments
    common: list[str]
    topics: list[str]
    search: SettingsSearch
    scorer: MeasureScorer

    def check(self, grid: Grid) -> None:
        """Raise SettingsError for a grid with a setting that has no effect."""
        self.search.check_effect(grid)

    def tuned(self, grid: Grid, **ways: Any) -> Tuning:
        """Return the best settings of a grid; ways are the keywords of `eval.tuning.tune.tune`."""
        return tune(self.search, self.scorer, grid, topics=self.topics, check=self.search.settings, **ways)

    def rescored(self, weights: Sequence[str]) -> RescoredTopics:
        """Return the search that ranks the best candidates of one search per topic again, under other weights.

        Raises: SettingsError for settings whose scores have no weights.
        """
        search = self.search
        found = RescoredTopics(self.index.reader, search.topics, search.base, weights, search.with_offsets)
        found(search.weights(weights), self.topics[:1])
        return found

    def learned(self, rescored: RescoredTopics, **ways: Any) -> Learning:
        """Return learned weights; ways are the keywords of `eval.tuning.learn.learn`."""
        ladders = values_to_try(rescored.weights)
        before = self.search.weights(rescored.weights)
        return learn(self.search, rescored, self.scorer, ladders, before, topics=self.topics, **ways)


def judged_search(
    index: Index,
    found: TopicFile,
    assessments: AssessmentsInput,
    measure: str,
    base: Settings,
    options: MeasureOptions | None,
    judging: Judging,
) -> JudgedSearch:
    """Return the judged topics among some; raises as `foxir.tune`."""
    judged = judging.on_scale(inputs.assessments_of(assessments, may_judge_documents=True))
    common = common_topics(found, judged)
    judged, of_class = judging.chosen(judged, index.locator, common)
    scorer = MeasureScorer(ScoringRequest.of(judged, [measure], inputs.options_of(options), locator=index.locator))
    by_id = {topic.topic_id: topic for topic in found.topics}
    search = SettingsSearch(index.generation, by_id, base, scorer.requires_offsets, index.reader)
    return JudgedSearch(index, found, judged, common, common if of_class is None else list(of_class), search, scorer)
