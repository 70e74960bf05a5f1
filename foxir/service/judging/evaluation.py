"""What the judgements so far say: how far two assessors agree, and how the runs score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import foxir
from foxir.service.http.problems import ProblemError
from foxir.service.indexes import Snapshot
from foxir.service.judging.desk import Desk
from foxir.service.judging.exported_judgements import assessments_of

if TYPE_CHECKING:
    from eval.judgements.agreement_result import AssessorAgreement


def agreement(desk: Desk, snapshot: Snapshot, first: str, second: str) -> AssessorAgreement:
    """Return how far two assessors agree on the topics and documents that both have judged; raises ProblemError 404."""
    one, other = desk.all_judged(snapshot, first), desk.all_judged(snapshot, second)
    both = {topic: documents.keys() & other.get(topic, {}).keys() for topic, documents in one.items()}
    kept = [
        assessments_of(
            snapshot,
            {
                topic: {each: judged[topic][each] for each in documents}
                for topic, documents in both.items()
                if documents
            },
            name,
        )
        for judged, name in ((one, first), (other, second))
    ]
    if not kept[0].topics:
        raise ProblemError(404, f"{first!r} and {second!r} have judged no document in common yet.", "not-found")
    try:
        return foxir.agreement(kept[0], kept[1], index=snapshot.index)
    except foxir.FoxirError as error:
        raise ProblemError(422, error, "format") from None


def scores(
    desk: Desk, snapshot: Snapshot, assessor: str, measures: str, topics: list[str] | None = None
) -> foxir.ScoreTable:
    """Return the scores of the runs on what an assessor has judged so far.

    Raises: ProblemError 404 where there are no runs or nothing is judged, 422 for a wrong measure.
    """
    if not desk.runs:
        raise ProblemError(404, "this service has no runs: start it with --pool RUN.", "not-found")
    assessments = assessments_of(snapshot, desk.all_judged(snapshot, assessor, topics))
    if not assessments.topics:
        raise ProblemError(404, f"{assessor!r} has judged nothing yet.", "not-found")
    try:
        return foxir.score(assessments, desk.runs, measures, index=snapshot.index)
    except foxir.FoxirError as error:
        raise ProblemError(422, error, "measure") from None
