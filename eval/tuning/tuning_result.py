"""The result of tuning: the surface, the selection of each fold, the cross-validated estimate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eval.measures import OptionValue
from eval.output.tables import Column, PrintableResult, PrintedTable, rounded
from eval.statistics.confidence_interval import ConfidenceInterval
from eval.tuning.grid import Point
from eval.tuning.selection import HalvingRound, Method
from eval.tuning.surface import Surface
from eval.tuning.surface_tables import surface_tables


@dataclass(frozen=True)
class Fold:
    """One fold: its topics, the point selected on the other folds, and its means on those and on this one."""

    topics: tuple[str, ...]
    point: Point
    trained: float
    held_out: float


@dataclass(frozen=True, repr=False)
class Tuning(PrintableResult):
    """The best settings and an estimate of their score on other topics.

    ``estimate`` is the mean score of topics under the settings selected without them (cross-validation). ``gain`` is
    its difference to ``base``, the score of the base settings; ``p`` is the p-value of a randomisation test of it.
    """

    measure: str
    options: Mapping[str, OptionValue]
    method: Method
    seed: int
    level: float
    topics: tuple[str, ...]
    surface: Surface
    rungs: tuple[HalvingRound, ...]
    folds: tuple[Fold, ...]
    chosen: ConfidenceInterval
    base: ConfidenceInterval
    estimate: ConfidenceInterval
    gain: ConfidenceInterval
    p: float
    notices: tuple[str, ...] = ()

    @property
    def best(self) -> Point:
        """The best settings over all topics."""
        return self.surface.best_point

    @property
    def is_within_noise(self) -> bool:
        """Whether the confidence interval of the gain contains 0 or is below it."""
        return self.gain.low <= 0

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"measure", "options", "search", "seed", "best", "base", "estimate", "gain", "folds", ...}``."""
        surface = self.surface
        return {
            "measure": self.measure,
            "options": dict(self.options),
            "search": self.method,
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
            "rounds": [{"settings": rung.n_points, "topics": rung.n_topics} for rung in self.rungs],
            "surface": [
                {"settings": dict(point), "value": rounded(mean)}
                for point, mean in zip(surface.grid.points, surface.means, strict=True)
            ],
        }

    def tables(self) -> tuple[PrintedTable, ...]:
        """Return the surface, the rounds of halving, the folds, and the estimate."""
        rounds = (self._rounds(),) if self.method == "halving" else ()
        return (*surface_tables(self.surface), *rounds, self._folds(), self._verdict())

    def _rounds(self) -> PrintedTable:
        return PrintedTable.of(
            "Rounds of successive halving",
            ["round", Column("settings", 0), Column("topics", 0)],
            [[str(number), rung.n_points, rung.n_topics] for number, rung in enumerate(self.rungs, 1)],
        )

    def _folds(self) -> PrintedTable:
        label = self.surface.grid.label
        return PrintedTable.of(
            f"{len(self.folds)} folds, each scored under the settings chosen on the others",
            ["fold", Column("topics", 0), "chosen by the others", Column("on the others", 4), Column("held out", 4)],
            [
                [str(number), len(fold.topics), label(fold.point), fold.trained, fold.held_out]
                for number, fold in enumerate(self.folds, 1)
            ],
        )

    def _verdict(self) -> PrintedTable:
        rows: list[tuple[str, ConfidenceInterval, float | None]] = [
            ("base settings", self.base, None),
            ("best settings, on the topics they were chosen on", self.chosen, None),
            ("cross-validated estimate, on topics held out", self.estimate, None),
            ("gain of the estimate over the base settings", self.gain, self.p),
        ]
        return PrintedTable.of(
            f"{self.surface.measure} over {len(self.topics)} topics",
            [
                "",
                *(Column(name, 4) for name in (self.surface.measure, "from", "to")),
                Column("p", 4, is_p=True),
            ],
            [[name, found.mean, found.low, found.high, p] for name, found, p in rows],
            notes=[
                f"from, to: {self.level:.0%} bootstrap intervals; p: randomisation test of the gain",
                f"best settings: {self.surface.grid.label(self.best)}",
            ],
        )


def _interval(interval: ConfidenceInterval) -> dict[str, float | None]:
    return {"value": rounded(interval.mean), "low": rounded(interval.low), "high": rounded(interval.high)}
