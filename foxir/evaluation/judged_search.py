"""Judged topics with what answers them under changing settings, and what scores the answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.errors import TopicError
from engine.index.reader import IndexReader
from engine.settings import Settings
from eval.judgements.judgements import Scale
from eval.judgements.recall_base import RecallBase
from eval.measures import MeasureOptions
from eval.scoring.request import ScoringRequest
from eval.tuning.scorer import MeasureScorer
from foxir import arguments
from foxir.evaluation import inputs
from foxir.evaluation.inputs import AssessmentsInput
from foxir.evaluation.judged_topics import common_topics
from foxir.evaluation.judgement_selection import TopicClass
from foxir.searching.opened_index import Index
from foxir.searching.topic_input import TopicsInput, topics_of
from foxir.tuning.rescored_topics import RescoredTopics
from foxir.tuning.tuning_search import SettingsSearch


class JudgedSearch(NamedTuple):
    """Judged topics, what answers them, and what scores the answers."""

    topics: list[str]
    search: SettingsSearch
    scorer: MeasureScorer

    def rescored(self, reader: IndexReader, weights: Sequence[str]) -> RescoredTopics:
        """Return the search that ranks the best candidates of one search per topic again, under other weights."""
        search = self.search
        return RescoredTopics(reader, search.topics, search.base, weights, search.with_offsets)


def judged_search(
    index: object,
    topics: TopicsInput,
    assessments: AssessmentsInput,
    measure: str,
    base: Settings,
    options: MeasureOptions | None,
    only: str | None,
    topic_class: TopicClass,
    recall_base: RecallBase,
    scale: Scale | None,
) -> JudgedSearch:
    """Return the judged topics among some; arguments are those of `foxir.tune`."""
    opened = arguments.instance("index", index, Index)
    found = topics_of(topics, only)
    locator = opened.locator
    judged, asked = inputs.judged_topics(assessments, locator, None, topic_class, recall_base, scale)
    common = common_topics(found, judged)
    chosen = common if asked is None else [topic for topic in common if topic in set(asked)]
    if not chosen:
        raise TopicError(f"none of {len(common)} judged topics is of the class {topic_class}.")
    request = ScoringRequest.of(
        judged, [arguments.text("measure", measure)], inputs.options_of(options), locator=locator
    )
    scorer = MeasureScorer(request)
    by_id = {topic.topic_id: topic for topic in found}
    search = SettingsSearch(opened.generation, by_id, base, scorer.requires_offsets, opened.reader)
    return JudgedSearch(chosen, search, scorer)
