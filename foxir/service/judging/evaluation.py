"""Evaluation of the judgements so far: agreement of two assessors, scores of runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import foxir
from foxir.service.http.problems import ProblemError
from foxir.service.indexes import Snapshot
from foxir.service.judging.desk import Desk
from foxir.service.judging.judgement_files import assessments_of

if TYPE_CHECKING:
    from eval.judgements.agreement import AssessorAgreement

# Measures that stand first, in this order.
FIRST = ("AP", "iAP", "AiP", "AgP", "P@10")
# Measures of the default family, each with what it is.
DEFAULT = "hixeval"
MEANINGS = {
    "AP": "how much of the text read up to each answer with highlights is highlighted, averaged over these, times "
    "the share of all highlights that they have",
    "iAP": "how much of the text read is highlighted, at best, from each of 11 levels of recall on, averaged",
    "P@10": "how much of each of the first 10 answers is highlighted, averaged",
}


def agreement(desk: Desk, snapshot: Snapshot, first: str, second: str) -> AssessorAgreement:
    """Return the agreement of two assessors on the topics and documents judged by both; raises ProblemError 404."""
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
    """Return the scores of the runs on the judgements of an assessor so far.

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


def meanings(family: str, names: Iterable[str]) -> dict[str, str]:
    """Return what the measures of a family are: the first ones of the default family, else the family itself."""
    from eval.measures.registry import measure_family  # noqa: PLC0415  (no answer needs it)

    if family == DEFAULT:
        return {name: MEANINGS[name] for name in names if name in MEANINGS}
    return {family: measure_family(family).line} if family else {}


def scores_shown(table: Any, measure: str, order: Iterable[str]) -> dict[str, Any]:
    """Return the mean of each run by each measure, and the values of one measure by topic, topics in an order."""
    if table is None:
        return {
            "runs": [],
            "columns": [],
            "cells": {},
            "best": {},
            "chosen": "",
            "meanings": {},
            "topics": [],
            "common": "",
            "notices": (),
        }
    rows = [row for row in table.rows if not row.is_detail]
    columns: dict[str, str] = {}
    cells: dict[tuple[str, str], Any] = {}
    common = {name: value for row in rows[:1] for name, value in row.options.items()}
    for row in rows:
        common = {name: value for name, value in common.items() if row.options.get(name) == value}
    for row in rows:
        options = " ".join(f"{name}={value}" for name, value in row.options.items() if name not in common)
        key = f"{row.measure} {options}".strip()
        columns.setdefault(key, row.measure)
        cells[row.run, key] = row
    runs = list(dict.fromkeys(row.run for row in rows))
    best = {
        key: max(
            (cells[run, key].value for run in runs if (run, key) in cells and cells[run, key].value is not None),
            default=None,
        )
        for key in columns
    }
    rank = {name: place for place, name in enumerate(FIRST)}
    columns = dict(sorted(columns.items(), key=lambda each: rank.get(each[1], len(rank))))
    chosen = measure if measure in columns else next(iter(columns), "")
    scored = {topic for run in runs if (run, chosen) in cells for topic in cells[run, chosen].topics}
    return {
        "runs": runs,
        "columns": list(columns),
        "cells": cells,
        "best": best,
        "chosen": chosen,
        "meanings": meanings(rows[0].family if rows else "", columns.values()),
        "topics": [topic for topic in order if topic in scored],
        "common": ", ".join(f"{name} {value}" for name, value in common.items()),
        "notices": tuple(map(str, table.notices)),
    }
