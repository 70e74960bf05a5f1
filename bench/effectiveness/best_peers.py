"""foxir beside its peers: the rows of a task over all variants, the best peer of each measure, ratios to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from bench.effectiveness.measures import TASKS, Values
from bench.effectiveness.table import estimate, samples
from eval.statistics.mean_estimate import Estimate

PEER, BOUND, FOXIR = "peer", "bound", "foxir"
RATIOS_OF = "focussed"  # the task whose ratios are summed up in one number


@dataclass(frozen=True)
class Entry:
    """A row under one variant: the values of each measure at each topic."""

    name: str
    variant: str
    values: Mapping[str, Values]

    def __str__(self) -> str:
        return f"{self.name} ({self.variant})" if self.variant else self.name


@dataclass
class TaskRows:
    """All entries of a task in a collection, by what they are.

    plain: foxir's default over an index that is made without options.
    """

    task: str
    entries: dict[str, list[Entry]] = field(default_factory=lambda: {PEER: [], BOUND: [], FOXIR: []})
    plain: Entry | None = None

    def add(self, kind: str, entry: Entry) -> None:
        """Add an entry."""
        self.entries[kind].append(entry)

    def names(self, kind: str) -> list[str]:
        """Return the rows of a kind, in the order they came in."""
        return list(dict.fromkeys(entry.name for entry in self.entries[kind]))

    def of(self, kind: str, name: str) -> dict[str, Entry]:
        """Return a row by its variants."""
        return {entry.variant: entry for entry in self.entries[kind] if entry.name == name}

    def best(self, kind: str, measure: str) -> Entry | None:
        """Return the entry with the highest mean of a measure, of equal ones the first; None if there is none."""
        return best(self.entries[kind], measure)


def best(entries: Iterable[Entry], measure: str) -> Entry | None:
    """Return the entry with the highest mean of a measure, of equal ones the first; None if there is none."""
    return max(entries, key=lambda entry: float(entry.values[measure].mean()), default=None)


@dataclass(frozen=True)
class PeerComparison:
    """The default beside the best peer of a collection and measure, and beside foxir's own best options."""

    collection: str
    task: str
    measure: str
    peer: Entry
    peer_mean: float
    foxir: Estimate
    best_options: Entry
    best_mean: float


def peer_comparisons(collection: str, rows: TaskRows, seed: int) -> list[PeerComparison]:
    """Return the default's score beside the best peer's for each measure of a task; empty if either was not run."""
    found = []
    for measure in TASKS[rows.task].measures:
        peer = rows.best(PEER, measure)
        if peer is None or rows.plain is None:
            continue
        options = best([rows.plain, *rows.entries[FOXIR]], measure) or rows.plain
        compared = estimate(rows.plain.values[measure], peer.values[measure], seed)
        means = float(peer.values[measure].mean()), float(options.values[measure].mean())
        found.append(PeerComparison(collection, rows.task, measure, peer, means[0], compared, options, means[1]))
    return found


def geometric_mean(pairs: Sequence[tuple[Values, Values]], seed: int) -> tuple[float, float, float]:
    """Return the geometric mean of ratios of means and its 95 % interval, topics drawn anew in every collection.

    pairs: values of the default and of a peer at the same topics, one a ratio.
    """
    ratio = float(np.exp(np.mean([np.log(a.mean() / b.mean()) for a, b in pairs])))
    logs = []
    for a, b in pairs:
        shares = samples(len(a), seed)
        logs.append(np.log(np.maximum(shares @ a, 1e-12) / np.maximum(shares @ b, 1e-12)))
    low, high = np.percentile(np.exp(np.mean(logs, axis=0)), [2.5, 97.5])
    return ratio, float(low), float(high)
