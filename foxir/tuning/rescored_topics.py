"""Topics answered again and again under other weights, from the parts of their scores: what weights are learned on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.answers.topic_run import as_ranking, topic_search
from engine.errors import QueryError
from engine.index.reader import IndexReader
from engine.ranking.rescoring import best_parts, rescored
from engine.ranking.score_parts import ScoreParts, score_parts
from engine.ranking.selection.selection import select
from engine.runs import Ranking, Run
from engine.settings import Settings
from engine.topics import Topic

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
    _known: dict[str, tuple[ScoreParts, Ranking] | QueryError] = field(default_factory=dict, repr=False)

    def __call__(self, changes: Mapping[str, Any], topics: Sequence[str]) -> Run:
        """Return the answers to some topics; those that cannot be answered have none."""
        found = {topic: self._ranking(topic, changes) for topic in topics}
        return Run("learned", {topic: ranking for topic, ranking in found.items() if ranking is not None})

    def _ranking(self, topic: str, changes: Mapping[str, Any]) -> Ranking | None:
        if topic not in self._known:
            self._known[topic] = self._parts(topic)
        known = self._known[topic]
        if isinstance(known, QueryError):
            return None
        parts, every = known
        scored = rescored(self.reader, parts, changes)
        try:  # rows are what is selected: here the places of candidates
            selected = select(self.reader.elements, parts.plan.selection, replace(scored, rows=np.arange(len(scored))))
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

    def _parts(self, topic: str) -> tuple[ScoreParts, Ranking] | QueryError:
        try:
            query, settings = topic_search(self.topics[topic], self.base)
            every = score_parts(self.reader, query, settings, self.weights)
            parts = every if self.n_candidates is None else best_parts(self.reader, every, self.n_candidates)
        except QueryError as error:
            return error
        return parts, as_ranking(topic, self.reader, parts.answers(), with_offsets=self.with_offsets)
