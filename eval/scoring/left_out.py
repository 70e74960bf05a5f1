"""Families of measures that nobody asked for by name, and that some run cannot have: they are left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.notices import Notice
from eval.measures.measure_plan import PlannedMeasure
from eval.scoring.batch import RunScores


def without_refused(
    plan: Sequence[PlannedMeasure], labelled: Mapping[str, RunScores]
) -> tuple[list[PlannedMeasure], dict[str, RunScores], list[Notice]]:
    """Return a plan and the scores of runs without families that cannot be computed for some run, with their notices.

    Where no family can be computed for all runs, nothing is left out.
    """
    kept = [n for n in range(len(plan)) if not any(found.refusals[n] for found in labelled.values())]
    if not kept:
        return list(plan), dict(labelled), []
    notices = [_notice(planned, n, labelled) for n, planned in enumerate(plan) if n not in kept]
    remaining = {
        label: replace(
            found,
            scores=tuple(found.scores[n] for n in kept),
            warnings=tuple(found.warnings[n] for n in kept),
            refusals=tuple(found.refusals[n] for n in kept),
        )
        for label, found in labelled.items()
    }
    return [plan[n] for n in kept], remaining, list(dict.fromkeys(notices))


def _notice(planned: PlannedMeasure, number: int, labelled: Mapping[str, RunScores]) -> Notice:
    refusals = {label: found.refusals[number] for label, found in labelled.items() if found.refusals[number]}
    label, refusal = next(iter(refusals.items()))
    reason = refusal.fields["reason"] if isinstance(refusal, Notice) else refusal
    fields = {
        "family": planned.family.name,
        "run": label,
        "reason": reason,
        "has_others": len(refusals) < len(labelled),
    }
    return Notice("left_out", fields)
