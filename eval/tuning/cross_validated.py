"""Settings chosen on judged topics, with a cross-validated estimate of what they score on others."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.notices import Message
from eval.measures import OptionValue
from eval.measures.measure_names import mean_name
from eval.output.tables import Column, PrintableResult, PrintedTable, rounded
from eval.statistics.mean_estimate import ConfidenceInterval
from eval.tuning.grid import Point


@dataclass(frozen=True)
class Fold:
    """One fold: its topics, the point selected on the other folds, and its means on those and on this one."""

    topics: tuple[str, ...]
    point: Point
    trained: float
    held_out: float


@dataclass(frozen=True, repr=False, kw_only=True)
class CrossValidated(PrintableResult):
    """The best settings and an estimate of their score on other topics.

    ``estimate`` is the mean score of topics under the settings selected without them (cross-validation). ``gain`` is
    its difference to ``base``, the score of the base settings; ``p`` is the p-value of a randomisation test of it.
    ``chosen`` is the mean of the best settings on the topics they were selected on.
    """

    measure: str
    options: Mapping[str, OptionValue]
    seed: int
    level: float
    topics: tuple[str, ...]
    folds: tuple[Fold, ...]
    chosen: ConfidenceInterval
    base: ConfidenceInterval
    estimate: ConfidenceInterval
    gain: ConfidenceInterval
    p: float
    notices: tuple[Message, ...] = ()

    @property
    @abstractmethod
    def best(self) -> Mapping[str, Any]:
        """The best settings over all topics."""

    @property
    def is_within_noise(self) -> bool:
        """Whether the confidence interval of the gain contains 0 or is below it."""
        return self.gain.low <= 0

    @property
    def best_label(self) -> str:
        """The best settings as text, without constant ones."""
        return self._label(self.best)

    @abstractmethod
    def _label(self, point: Point) -> str:
        """Return the settings of a point that vary, as text."""

    def common_values(self) -> dict[str, Any]:
        """Return the values common to all results: ``{"measure", "best", "base", "estimate", "folds", ...}``."""
        return {
            "measure": self.measure,
            "options": dict(self.options),
            "seed": self.seed,
            "level": self.level,
            "n_topics": len(self.topics),
            "best": {"settings": dict(self.best), **_interval(self.chosen)},
            "base": _interval(self.base),
            "estimate": _interval(self.estimate),
            "gain": {**_interval(self.gain), "p": rounded(self.p), "within_noise": self.is_within_noise},
            "folds": [
                {
                    "topics": list(fold.topics),
                    "settings": dict(fold.point),
                    "trained": rounded(fold.trained),
                    "held_out": rounded(fold.held_out),
                }
                for fold in self.folds
            ],
        }

    def fold_table(self) -> PrintedTable:
        """Return the table of folds: the choice of each, and its means."""
        return PrintedTable.of(
            f"{len(self.folds)} folds, each scored under the settings chosen on the others",
            ["fold", Column("topics", 0), "chosen by the others", Column("on the others", 4), Column("held out", 4)],
            [
                [str(number), len(fold.topics), self._label(fold.point), fold.trained, fold.held_out]
                for number, fold in enumerate(self.folds, 1)
            ],
        )

    def estimate_table(self) -> PrintedTable:
        """Return the means before and after, the estimate, and its gain."""
        measure = mean_name(self.measure.partition(":")[2])
        rows: list[tuple[str, ConfidenceInterval, float | None]] = [
            ("base settings", self.base, None),
            ("best settings, on the topics they were chosen on", self.chosen, None),
            ("cross-validated estimate, on topics held out", self.estimate, None),
            ("gain of the estimate over the base settings", self.gain, self.p),
        ]
        return PrintedTable.of(
            f"{measure} over {len(self.topics)} topics",
            ["", *(Column(name, 4) for name in (measure, "from", "to")), Column("p", 4, is_p=True)],
            [[name, found.mean, found.low, found.high, p] for name, found, p in rows],
            notes=[
                f"from, to: {self.level:.0%} bootstrap intervals; p: randomisation test of the gain",
                f"best settings: {self.best_label}",
            ],
        )


def _interval(interval: ConfidenceInterval) -> dict[str, float | None]:
    return {"value": rounded(interval.mean), "low": rounded(interval.low), "high": rounded(interval.high)}
