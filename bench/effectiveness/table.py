"""Means over topics with bootstrap intervals, and paired bootstrap tests against one peer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from bench.effectiveness.measures import SHOWN, TASKS, Values
from eval.statistics.significance_tests import Resampling, bootstrap

RESAMPLES = 10_000


@dataclass(frozen=True)
class Estimate:
    """A mean over topics, its 95 % interval over resampled topics, and how it compares with the baseline.

    p: share of the samples where the difference of means has the other sign, doubled (two-tailed), at most 1.
    """

    mean: float
    low: float
    high: float
    ratio: float | None
    p: float | None


def estimate(values: Values, baseline: Values | None, seed: int) -> Estimate:
    """Return the estimate of a row; without baseline, or for it, there is no comparison."""
    low, high = np.percentile(_samples(len(values), seed) @ values, [2.5, 97.5])
    mean = float(values.mean())
    if baseline is None:
        return Estimate(mean, float(low), float(high), None, None)
    resampling = Resampling(RESAMPLES, seed)
    tails = (bootstrap(sign * (values - baseline), resampling).p for sign in (1, -1))
    p = min(1.0, 2 * min(tail for tail in tails if tail is not None))
    return Estimate(mean, float(low), float(high), mean / float(baseline.mean()) if baseline.any() else None, p)


@lru_cache(maxsize=4)
def _samples(n: int, seed: int) -> Values:
    """Return the share of each topic in each sample, with replacement, shape (RESAMPLES, n)."""
    return np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), RESAMPLES) / n


def task_tables(
    task: str,
    rows: Mapping[str, Mapping[str, Values]],
    baseline: str,
    groups: Mapping[str, Sequence[int]],
    seed: int,
) -> dict[str, Any]:
    """Return the estimates of a task: measure, group of topics, row."""
    return {
        SHOWN.get(measure, measure): {
            group: {
                name: estimate(
                    values[measure][list(topics)],
                    rows[baseline][measure][list(topics)] if name != baseline and baseline in rows else None,
                    seed,
                ).__dict__
                for name, values in rows.items()
            }
            for group, topics in groups.items()
        }
        for measure in TASKS[task].measures
    }


def markdown(task: str, tables: Mapping[str, Any], baseline: str) -> str:
    """Return a task's table: a row a system, its means in every group of topics, the interval over all topics."""
    measures = list(tables)
    groups = list(next(iter(tables.values())))
    columns = [f"{measure} {group}" for measure in measures for group in groups]
    lines = [f"### {TASKS[task].title}", "", f"Baseline of × and p: {baseline}.", ""]
    head = ["system", *columns, *(f"{measure}: 95 %, ×, p ({groups[-1]})" for measure in measures)]
    lines += ["| " + " | ".join(head) + " |", "| --- " + "| ---: " * (len(head) - 1) + "|"]
    for name in tables[measures[0]][groups[0]]:
        means = [f"{tables[measure][group][name]['mean']:.4f}" for measure in measures for group in groups]
        notes = [_note(tables[measure][groups[-1]][name]) for measure in measures]
        lines.append("| " + " | ".join([name, *means, *notes]) + " |")
    return "\n".join(lines) + "\n"


def _note(found: Mapping[str, Any]) -> str:
    interval = f"{found['low']:.4f}–{found['high']:.4f}"
    if found["ratio"] is None:
        return interval
    p = f"{found['p']:.3f}" if found["p"] >= 0.001 else "<.001"
    return f"{interval}, ×{found['ratio']:.2f}, {p}"
