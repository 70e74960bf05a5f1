"""What the variants of an experiment reach: tables, what differs from the expected, and an honest estimate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bench.effectiveness.folds import folds
from bench.effectiveness.measures import SHOWN, TASKS, Values
from bench.effectiveness.table import estimate
from bench.experiments.experiment import DEFAULT, Experiment

Reached = Mapping[str, Mapping[str, Values]]  # a variant, a measure: its value at each topic


@dataclass(frozen=True)
class HeldOut:
    """The mean of a measure where each fold of topics is scored by the variant that is best at the others.

    chosen: the variants, and for how many folds.
    """

    mean: float
    chosen: Mapping[str, int]


def held_out(reached: Reached, measure: str, seed: int) -> HeldOut:
    """Return the honest estimate of choosing one of some variants; of equal ones the first is chosen."""
    n_topics = len(next(iter(reached.values()))[measure])
    scored = np.empty(n_topics)
    chosen: Counter[str] = Counter()
    for out in folds(n_topics, seed):
        best = max(reached, key=lambda name: float(reached[name][measure][~out].mean()))
        scored[out] = reached[best][measure][out]
        chosen[best] += 1
    return HeldOut(float(scored.mean()), dict(chosen))


def differences(experiment: Experiment, task: str, reached: Reached) -> list[str]:
    """Return a line for every mean that is not what is expected; variants that were not tried have none."""
    lines = []
    for variant in experiment.of_task(task):
        for measure, values in reached.get(variant.name, {}).items():
            found, shown = float(values.mean()), SHOWN.get(measure, measure)
            expected = variant.expected[task].get(shown)
            if expected is not None and abs(found - expected) > experiment.tolerance:
                lines.append(f"{task}: {variant.name}: {shown} {found:.4f}, expected {expected:.4f}")
    return lines


def markdown(task: str, reached: Reached, seed: int) -> str:
    """Return the table of a task: a row a variant, its means, in relation to the default, and the honest estimate."""
    measures = TASKS[task].measures
    shown = [SHOWN.get(measure, measure) for measure in measures]
    head = ["settings", *(column for name in shown for column in (name, "× default", "p"))]
    lines = [f"### {TASKS[task].title}", "", "| " + " | ".join(head) + " |"]
    lines.append("| --- " + "| ---: " * (len(head) - 1) + "|")
    for name, values in reached.items():
        cells = [name]
        for measure in measures:
            found = estimate(values[measure], None if name == DEFAULT else reached[DEFAULT][measure], seed)
            cells.append(f"{found.mean:.4f}")
            cells += ["", ""] if found.ratio is None or found.p is None else [f"{found.ratio:.2f}", _p(found.p)]
        lines.append("| " + " | ".join(cells) + " |")
    honest = held_out(reached, measures[0], seed)
    chosen = ", ".join(f"{name} ({n})" for name, n in honest.chosen.items())
    lines += ["", f"Chosen by the other four fifths of the topics, {shown[0]} is {honest.mean:.4f}: {chosen}."]
    return "\n".join(lines) + "\n"


def _p(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else "<.001"
