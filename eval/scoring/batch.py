"""Scores a batch of runs topic by topic, so that the judgements of a topic are prepared once for all runs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.notices import Message, Notice
from engine.runs import Ranking, Run, read_run
from eval.judgements.judged_elements import with_elements, with_sizes
from eval.judgements.judgements import Judgements
from eval.measures.measure_plan import PlannedMeasure
from eval.measures.registry import MeasureValues, Requirement
from eval.scoring.notices import returned_index_notices, run_notices
from eval.scoring.request import ScoringRequest
from eval.text.element_locator import ElementLocator, NoLocatorError
from eval.text.offsets import (
    NoElementError,
    results_without_offsets,
    with_clipped_offsets,
    with_passage_offsets,
    with_result_offsets,
)


@dataclass(frozen=True)
class RunScores:
    """The scores of one run and its notices, which are collected before run ids are made unique.

    ``scores``, ``warnings`` and ``refusals`` have an entry for each planned family; scores are by topic. A refusal is
    the reason why a family cannot be computed for the run, which then has no scores of it; else "". ``is_judged``: some
    result is in a document judged for its topic; ``topic`` and ``document`` are the first of the run.
    """

    run_id: str
    source: str
    scores: tuple[Mapping[str, MeasureValues], ...]
    warnings: tuple[Counter[str], ...]
    refusals: tuple[Message, ...]
    notices: tuple[Message, ...]
    is_judged: bool
    has_judged_topic: bool
    topic: str | None
    document: str | None
    settings: Mapping[str, str]


def score_batch(
    request: ScoringRequest, runs: Sequence[Run | str | Path], *, is_all: bool, with_notices: bool = True
) -> list[RunScores]:
    """Return the scores of the runs, in their order.

    Args:
        is_all: these are all runs; then, if none of them returns a judged document, nothing is computed.
        with_notices: whether the notices of runs are wanted.

    Raises: FoxirError for a run that cannot be read, or scored by any of the families.
    """
    read = [run if isinstance(run, Run) else read_run(run) for run in runs]
    judged, plan = request.judged, request.plan
    has_judged_document = [any(_returns_judged(run, judgements) for judgements in judged) for run in read]
    scores: list[list[dict[str, MeasureValues]]] = [[{} for _ in plan] for _ in read]
    warnings: list[list[Counter[str]]] = [[Counter() for _ in plan] for _ in read]
    refusals: list[list[Message]] = [[""] * len(plan) for _ in read]
    for judgements in judged if any(has_judged_document) or not is_all else ():
        prepared = _PreparedJudgements(judgements, request.locator)
        for number, run in enumerate(read):
            ranking = run.rankings.get(judgements.topic)
            if ranking is None and request.missing == "skip":
                continue
            ranking = with_clipped_offsets(ranking or Ranking.ranked(judgements.topic, []))
            rankings = _PreparedRanking(ranking, request.locator)
            for n, planned in enumerate(plan):
                if refusals[number][n]:
                    continue
                try:
                    found, counts = _compute(planned, rankings, prepared, request.locator)
                except NoElementError as error:
                    refusals[number][n] = error.message
                    if all(refusals[number]):
                        raise
                    scores[number][n].clear()
                    warnings[number][n].clear()
                    continue
                scores[number][n][judgements.topic] = found
                warnings[number][n].update(counts)
    return [
        RunScores(
            run.run_id,
            run.source,
            tuple(map(without_unknown, scores[number])),
            tuple(warnings[number]),
            tuple(refusals[number]),
            _notices(run, request) if with_notices else (),
            has_judged_document[number],
            any(judgements.topic in run.rankings for judgements in judged),
            next(iter(run.rankings), None),
            next((document for ranking in run.rankings.values() for document in ranking.documents), None),
            run.settings,
        )
        for number, run in enumerate(read)
    ]


def _notices(run: Run, request: ScoringRequest) -> tuple[Message, ...]:
    return *run_notices(run, request), *returned_index_notices(run, request)


def without_unknown(scores: Mapping[str, MeasureValues]) -> Mapping[str, MeasureValues]:
    """Return the scores of a run with None for a measure that is NaN for one of its topics, as it then has no mean."""
    unknown = {
        name for values in scores.values() for name, value in values.items() if value is not None and math.isnan(value)
    }
    if not unknown:
        return scores
    return {
        topic: {name: None if name in unknown else value for name, value in values.items()}
        for topic, values in scores.items()
    }


def _returns_judged(run: Run, judgements: Judgements) -> bool:
    """Return whether a run returns a judged document for the topic it was judged for."""
    ranking = run.rankings.get(judgements.topic)
    return ranking is not None and not judgements.row_of_document.keys().isdisjoint(ranking.documents)


@dataclass
class _PreparedJudgements:
    """The judgements of one topic, completed as the measures require; each completion is computed once."""

    judgements: Judgements
    locator: ElementLocator | None
    made: dict[tuple[Requirement, ...], Judgements] = field(default_factory=dict)

    def for_requirements(self, requirements: tuple[Requirement, ...]) -> Judgements:
        if requirements not in self.made:
            completed = self.judgements
            if "elements" in requirements:
                completed = with_elements(completed, self.locator, skips_missing=True)  # notices name what is missing
            if "sizes" in requirements:
                completed = with_sizes(completed, self.locator)
            if "offsets" in requirements:
                completed = with_passage_offsets(completed, self.locator)
            self.made[requirements] = completed
        return self.made[requirements]


@dataclass
class _PreparedRanking:
    """A ranking, and the same with offsets once a measure requires them."""

    ranking: Ranking
    locator: ElementLocator | None
    with_passage_offsets: Ranking | None = None

    def for_requirements(self, requirements: tuple[Requirement, ...]) -> Ranking:
        if "offsets" not in requirements:
            return self.ranking
        if self.with_passage_offsets is None:
            self.with_passage_offsets = with_result_offsets(self.ranking, self.locator)
        return self.with_passage_offsets


def _compute(
    planned: PlannedMeasure, rankings: _PreparedRanking, prepared: _PreparedJudgements, locator: ElementLocator | None
) -> tuple[MeasureValues, Mapping[str, int]]:
    """Return the scores of one topic of one run, and the number of each warning about them."""
    family = planned.family
    requirements = family.requires(planned.options)
    try:
        ranking, judgements = rankings.for_requirements(requirements), prepared.for_requirements(requirements)
        counts = family.count_warnings(ranking, judgements, locator) if family.count_warnings else {}
        return family.function(ranking, judgements, locator, **planned.options), counts
    except NoLocatorError as error:
        are_passages = _are_passages(rankings.ranking, prepared.judgements)
        fields = {"family": family.name, "reason": error.message, "are_passages": are_passages}
        raise NoLocatorError(Notice("measure_needs_index", fields)) from None


def _are_passages(ranking: Ranking, judgements: Judgements) -> bool:
    """Return whether a ranking and its judgements are of passages with offsets, which need no index."""
    passages = judgements.passages
    are_judged = not len(judgements.elements) and bool(((passages.starts >= 0) & (passages.lengths >= 0)).all())
    return are_judged and bool(ranking.documents) and not results_without_offsets(ranking)


# Of a worker process: what it derives from the request stays with it.
_requests: list[ScoringRequest] = []


def initialise(request: ScoringRequest) -> None:
    """Store the request of this process."""
    _requests[:] = [request]


def score_part(runs: Sequence[Run | str | Path]) -> list[RunScores]:
    """Return the scores of the given runs."""
    return score_batch(_requests[0], runs, is_all=False)
