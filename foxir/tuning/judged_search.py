"""Judged topics with a search under changing settings and weights, and the scorer of its answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.answers.topic_run import as_ranking, run_topics, topic_search
from engine.errors import QueryError, SettingsError, TopicError
from engine.index.reader import IndexReader
from engine.notices import Notice
from engine.ranking.parts.catalogue import learned_weights
from engine.ranking.score_parts import ScoreParts, best_parts, rescored, score_parts
from engine.ranking.selection.repetitions import AnswerWords
from engine.ranking.selection.selection import select
from engine.runs import Ranking, Run
from engine.settings import Settings
from engine.settings.unused_options import unused_options
from engine.topics import Topic, TopicFile
from engine.wording import did_you_mean, shown_text
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
from foxir.evaluation.inputs import AssessmentsInput, Judging
from foxir.searching.opened_folder import Generation
from foxir.searching.opened_index import Index

# The settings that are learned.
WEIGHTS = tuple(learned_weights())


def values_to_try(names: Sequence[str]) -> Mapping[str, Sequence[float]]:
    """Return the values of each weight that are tried.

    Raises: SettingsError for no name, and for one that is not a weight.
    """
    known = learned_weights()
    if not names:
        raise SettingsError(f"no weight to learn: name some of {', '.join(known)}.")
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known)
            raise SettingsError(
                f"{shown_text(name)} is not a weight that is learned: {hint}there are {', '.join(known)}."
            )
    return {name: known[name] for name in names}


@dataclass
class SettingsSearch:
    """Search of topics under changed settings; another process opens the generation of the index again."""

    generation: Generation
    topics: Mapping[str, Topic]
    base: Settings
    with_offsets: bool
    reader: IndexReader | None = field(repr=False)

    def settings(self, changes: Mapping[str, Any]) -> Settings:
        """Return the settings with changes; raises SettingsError."""
        return Settings.from_options(self.base, **changes)

    def check_effect(self, grid: Grid) -> None:
        """Raise SettingsError for a setting of a grid that has no effect at any of its points."""
        unused: dict[str, Notice] = {}
        used: set[str] = set()
        for point in grid.points:
            without = {each.fields["name"]: each for each in unused_options(point, self.settings(point))}
            unused |= without
            used |= point.keys() - without.keys()
        for name, reason in unused.items():
            if name not in used:
                raise SettingsError(f"{grid.source}: {reason}")

    def weights(self, names: Sequence[str]) -> dict[str, float]:
        """Return the weights among the settings."""
        return {name: getattr(self.base, name) for name in names}

    def __call__(self, changes: Mapping[str, Any], topics: Sequence[str]) -> Run:
        """Return the answers to topics; the notices of the run name unanswerable ones."""
        if self.reader is None:
            self.reader = self.generation.open()
        asked = [self.topics[topic] for topic in topics]
        run, problems = run_topics(
            self.reader, asked, self.settings(changes), run_id="tuned", with_offsets=self.with_offsets
        )
        return replace(run, notices=tuple(problem.notice for problem in problems))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "reader": None}


# Candidates of a topic that are rescored, the best under the base settings.
CANDIDATES = 2000


@dataclass
class RescoredTopics:
    """Answers topics under changes of weights; a topic is searched once.

    It is a search for `eval.tuning`, whose answers are those among the best candidates.
    """

    reader: IndexReader
    topics: Mapping[str, Topic]
    base: Settings
    weights: Sequence[str]
    with_offsets: bool
    n_candidates: int | None = CANDIDATES
    _known: dict[str, tuple[ScoreParts, Ranking, AnswerWords] | QueryError] = field(default_factory=dict, repr=False)

    def __call__(self, changes: Mapping[str, Any], topics: Sequence[str]) -> Run:
        """Return the answers to topics; unanswerable ones have none."""
        found = {topic: self._ranking(topic, changes) for topic in topics}
        return Run("learned", {topic: ranking for topic, ranking in found.items() if ranking is not None})

    def _ranking(self, topic: str, changes: Mapping[str, Any]) -> Ranking | None:
        if topic not in self._known:
            self._known[topic] = self._parts(topic)
        known = self._known[topic]
        if isinstance(known, QueryError):
            return None
        parts, every, texts = known
        scored = rescored(parts, changes)
        try:  # rows are what is selected: here the places of candidates
            selected = select(parts.plan.selection, replace(scored, rows=np.arange(len(scored))), texts=texts)
        except QueryError:  # a word budget that nothing fits
            return None
        places = selected.rows.tolist()
        return Ranking.ranked(
            topic,
            [every.documents[place] for place in places],
            [every.paths[place] for place in places],
            starts=every.starts[selected.rows],
            lengths=every.lengths[selected.rows],
        )

    def _parts(self, topic: str) -> tuple[ScoreParts, Ranking, AnswerWords] | QueryError:
        try:
            query, settings = topic_search(self.topics[topic], self.base)
            every = score_parts(self.reader, query, settings, self.weights)
            parts = every if self.n_candidates is None else best_parts(self.reader, every, self.n_candidates)
        except QueryError as error:
            return error
        texts = AnswerWords(self.reader, parts.candidates.rows)
        return parts, as_ranking(topic, self.reader, parts.answers(), with_offsets=self.with_offsets), texts


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


def unused_topics(found: TopicFile, judged: Assessments, *, is_whole: bool) -> list[Notice]:
    """Return notices about topics that are in the topic file only, or judged only.

    Args:
        is_whole: whether these are all topics of the file, so that others are in none.
    """
    asked = {topic.topic_id for topic in found.topics}
    not_judged = [topic for topic in asked if topic not in judged.topics]
    not_asked = [topic for topic in judged.topics if topic not in asked] if is_whole else []
    unused = (("asked_not_judged", not_judged), ("judged_not_asked", not_asked))
    return [Notice(code, {"topics": tuple(sorted(topics, key=natural_order))}) for code, topics in unused if topics]


@dataclass(frozen=True)
class JudgedSearch:
    """Judged topics, a search under changing settings, and the scorer of its answers.

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
