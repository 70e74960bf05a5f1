"""What variants reach in several collections, and which of them would be chosen without seeing the one they are for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bench.effectiveness.measures import SHOWN, TASKS
from bench.experiments.outcome import Reached

Everywhere = Mapping[str, Reached]  # a collection: what variants reach there


@dataclass(frozen=True)
class LeftOut:
    """The variant that is best over the other collections, and what it reaches in the one left out."""

    collection: str
    chosen: str
    means: Mapping[str, float]


def overall(everywhere: Everywhere, variant: str, collections: list[str] | None = None) -> float:
    """Return the geometric mean of a variant's means, over measures and collections; 0 if one of them is."""
    means = [
        float(values.mean())
        for name, reached in everywhere.items()
        if collections is None or name in collections
        for values in reached[variant].values()
    ]
    return float(np.exp(np.mean(np.log(means)))) if min(means) > 0 else 0.0


def left_out(everywhere: Everywhere) -> list[LeftOut]:
    """Return for each collection what is reached there by the variant chosen on the others, of equal ones the first.

    Chosen by the geometric mean of all measures, which weighs collections alike however high their means are.
    """
    variants = list(next(iter(everywhere.values())))
    found = []
    for name, reached in everywhere.items():
        others = [other for other in everywhere if other != name]
        chosen = max(variants, key=lambda variant: overall(everywhere, variant, others))
        means = {measure: float(values.mean()) for measure, values in reached[chosen].items()}
        found.append(LeftOut(name, chosen, means))
    return found


def across_markdown(task: str, everywhere: Everywhere) -> str:
    """Return two tables: variants by collections, and the choices with one collection left out."""
    measures = TASKS[task].measures
    shown = " / ".join(SHOWN.get(measure, measure) for measure in measures)
    variants = list(next(iter(everywhere.values())))
    base = overall(everywhere, variants[0])
    lines = [f"### {TASKS[task].title}: {shown}", ""]
    lines += ["| settings | " + " | ".join(everywhere) + " | geometric mean, × default |"]
    lines += ["| --- " + "| ---: " * (len(everywhere) + 1) + "|"]
    for variant in variants:
        cells = [
            " / ".join(f"{reached[variant][measure].mean():.4f}" for measure in measures)
            for reached in everywhere.values()
        ]
        ratio = f"{overall(everywhere, variant) / base:.3f}" if base else ""
        lines.append("| " + " | ".join([variant, *cells, ratio]) + " |")
    if len(everywhere) > 1:
        lines += ["", f"| left out | chosen on the others | {shown} | default |", "| --- | --- | ---: | ---: |"]
        for each in left_out(everywhere):
            reached = everywhere[each.collection][variants[0]]
            mine = " / ".join(f"{mean:.4f}" for mean in each.means.values())
            default = " / ".join(f"{reached[measure].mean():.4f}" for measure in measures)
            lines.append(f"| {each.collection} | {each.chosen} | {mine} | {default} |")
    return "\n".join(lines) + "\n"
