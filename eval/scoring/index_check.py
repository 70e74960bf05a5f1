"""Notices on documents of judgements and runs that are not in the index of sizes and offsets."""

from __future__ import annotations

import numpy as np

from engine.errors import MeasureError
from engine.notices import Notice, about
from engine.runs import Run
from engine.wording import listed
from eval.judgements.judgements import Judgements
from eval.measures.trec import relevant_documents
from eval.scoring.request import ScoringRequest


def judged_index_notices(request: ScoringRequest) -> list[Notice]:
    """Return the notice of relevant documents that are not in the index; none where no measure uses an index.

    Raises: MeasureError if none of them is, as it is the index of another collection then.
    """
    locator, source = request.text_locator, request.assessments.source
    if locator is None:
        return []
    relevant = list(dict.fromkeys(document for judgements in request.judged for document in _relevant(judgements)))
    missing = [document for document in relevant if locator.length(document) is None]
    if not missing:
        return []
    if len(missing) == len(relevant):
        raise MeasureError(
            f"{source}: none of its relevant documents is in the index: it judges {listed(relevant, 1)}; "
            f"is it the index of the judged collection?"
        )
    fields = {"missing": tuple(missing), "relevant": len(relevant)}
    return [about(source, Notice("relevant_not_in_index", fields, "doubt"))]


def returned_index_notices(run: Run, request: ScoringRequest) -> list[Notice]:
    """Return the notice of a run's results in documents that are not in the index; none where no measure uses one."""
    locator = request.text_locator
    if locator is None:
        return []
    rankings = [run.rankings[topic] for topic in request.topics if topic in run.rankings]
    returned = dict.fromkeys(document for ranking in rankings for document in ranking.documents)
    missing = {document: None for document in returned if locator.length(document) is None}
    if not missing:
        return []
    count = sum(document in missing for ranking in rankings for document in ranking.documents)
    total = sum(map(len, rankings))
    return [Notice("returned_not_in_index", {"count": count, "results": total, "missing": tuple(missing)}, "doubt")]


def _relevant(judgements: Judgements) -> list[str]:
    """Return the documents with relevant elements or text, also where only the index says how long that is."""
    is_relevant = relevant_documents(judgements)
    is_relevant[judgements.passages.document_rows] = True
    return [judgements.documents[row] for row in np.flatnonzero(is_relevant).tolist()]
