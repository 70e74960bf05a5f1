"""Notices about runs, judgements and topics excluded from means, and documents that are not in the index, each once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from engine.errors import MeasureError
from engine.notices import Kind, Message, Notice, about
from engine.runs import Run
from engine.topics import selection_of
from engine.wording import listed
from eval.judgements.judgements import TOO_SMALL, Judgements
from eval.judgements.quantisation import dimensions
from eval.measures.measure_plan import PlannedMeasure
from eval.measures.registry import MeasureValues
from eval.measures.trec import relevant_documents
from eval.scoring.request import ScoringRequest

# The hint where no document of the judgements is in the results.
NAMED_ALIKE = "Do both name documents in the same way?"
# Share of results in documents without judgements above which the scores of a run are doubtful.
MOSTLY = 0.5
# Longest list of topics that is suggested, in characters.
LONGEST_SELECTION = 40
OVERLAP = "overlap"
STRICT = "strict"
# Judged exhaustivity that is no 2; elements without a judged one are not among these.
LOW = (0, 1, TOO_SMALL)
# Notices that results are in the order of ranks though their scores say otherwise, or nothing.
BY_RANK = frozenset(("rsv_tied", "rsv_rising"))


def run_notices(run: Run, request: ScoringRequest) -> list[Message]:
    """Return notices of topics without judgements, topics without results, and results in unjudged documents."""
    is_by_score = all(
        planned.family.name == "trec_eval" or planned.options.get("order") == "score" for planned in request.plan
    )
    notices: list[Message] = [each for each in run.notices if not (is_by_score and _is_by_rank(each))]
    judged = request.judged
    unjudged = [topic for topic in run.rankings if topic not in request.assessments.topics]
    if unjudged:
        notices.append(Notice("topics_not_judged", {"topics": tuple(unjudged)}, "exclusion"))
    without = [judgements.topic for judgements in judged if judgements.topic not in run.rankings]
    if without:
        answered = [topic for topic in request.topics if topic in run.rankings]
        notices.append(Notice("topics_without_results", {"topics": tuple(without), **_effect(answered, request)}))
    found = [(run.rankings[j.topic], j.row_of_document) for j in judged if j.topic in run.rankings]
    unknown = sum(document not in known for ranking, known in found for document in ranking.documents)
    if unknown:
        total = sum(len(ranking) for ranking, _ in found)
        kind: Kind = "doubt" if unknown > MOSTLY * total else "hint"
        notices.append(Notice("results_not_judged", {"count": unknown, "results": total}, kind))
    return notices


def _is_by_rank(message: Message) -> bool:
    return isinstance(message, Notice) and message.code in BY_RANK


def _effect(answered: Sequence[str], request: ScoringRequest) -> dict[str, Any]:
    """Return the fields on how topics without results count, and which topics to choose to leave them out."""
    if request.missing == "skip" or all(planned.family.name == OVERLAP for planned in request.plan):
        return {"count_as_0": False, "others": ""}
    selection = selection_of(answered, list(request.assessments.topics), LONGEST_SELECTION)
    return {"count_as_0": True, "others": selection or ""}


def warning_notices(label: str, warnings: Iterable[Counter[str]]) -> list[Notice]:
    """Return each warning of a run once, with the highest of its counts over the planned families."""
    merged: Counter[str] = Counter()
    for counts in warnings:
        merged |= counts
    return [about(label, Notice(code, {"count": count}, "doubt")) for code, count in merged.items()]


def refusal_notices(label: str, refusals: Sequence[Message]) -> list[Notice]:
    """Return the reason of each family not to be computed for a run, "" for a computable one."""
    return [about(label, Notice("not_computed", {"reason": reason}, "exclusion")) for reason in refusals if reason]


def relevance_notices(
    plan: Sequence[PlannedMeasure], scores: Sequence[Sequence[Mapping[str, MeasureValues]]]
) -> list[Notice]:
    """Return for each planned family the topics without any value, which are excluded from its means.

    Args:
        scores: for each run, for each planned family, the values by topic.
    """
    notices = []
    for n, planned in enumerate(plan):
        if planned.family.name == OVERLAP:  # topics without results have no value there, and have their own notice
            continue
        topics = (item for of_run in scores for item in of_run[n].items())
        excluded = dict.fromkeys(topic for topic, values in topics if all(v is None for v in values.values()))
        if excluded:
            notices.append(about(str(planned), Notice("topics_outside_mean", {"topics": tuple(excluded)})))
    return notices


def grade_notices(plan: Sequence[PlannedMeasure], judged: Sequence[Judgements]) -> list[Notice]:
    """Return the notice that `strict` finds nothing because no element has the grade that it needs.

    So it is with elements derived from passages, which have exhaustivity 1 unless another one is asked for; passages
    themselves have none, and `strict` then counts what is wholly highlighted.
    """
    if not any(planned.options.get("quant") == STRICT for planned in plan):
        return []
    elements = [judgements.elements for judgements in judged if dimensions(judgements.scale) == "highlighted"]
    if not any(len(each) for each in elements) or any(np.any(~np.isin(each.exhaustivity, LOW)) for each in elements):
        return []
    return [Notice("no_element_for_strict")]


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
