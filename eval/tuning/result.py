"""What tuning returns: the surface, what the folds chose, the honest estimate."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eval.measures import Value as OptionValue
from eval.sheets import Column, Result, Sheet, rounded
from eval.statistics.interval import Interval
from eval.tuning.grid import Point
from eval.tuning.selection import Method, Rung
from eval.tuning.surface import Surface
from eval.tuning.surface_sheets import surface_sheets


@dataclass(frozen=True)
class Fold:
    """One fold: its topics, the point that the other folds chose, its mean on those and on the topics held out."""

    topics: tuple[str, ...]
    point: Point
    trained: float
    held_out: float


@dataclass(frozen=True)
class Tuning(Result):
    """The best settings, and what they can be trusted for.

    ``estimate`` is the mean of every topic under the settings that the folds without it chose: what settings chosen in
    this way score on topics they were not chosen by. ``gain`` is its difference to ``base``, the settings that are
    tuned from, ``p`` that of a randomisation test on it.
    """

    measure: str
    options: Mapping[str, OptionValue]
    method: Method
    seed: int
    level: float
    topics: tuple[str, ...]
    surface: Surface
    rungs: tuple[Rung, ...]
    folds: tuple[Fold, ...]
    chosen: Interval
    base: Interval
    estimate: Interval
    gain: Interval
    p: float
    notices: tuple[str, ...] = ()

    @property
    def best(self) -> Point:
        """The settings that are best over all topics."""
        return self.surface.best_point

    @property
    def is_within_noise(self) -> bool:
        """Whether the interval of the gain holds 0, or lies below."""
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

    def sheets(self) -> tuple[Sheet, ...]:
        """Return the surface, the rounds of halving, the folds, and what the settings can be trusted for."""
        rounds = (self._rounds(),) if self.method == "halving" else ()
        return (*surface_sheets(self.surface), *rounds, self._folds(), self._verdict())

    def _rounds(self) -> Sheet:
        return Sheet.of(
            "Rounds of successive halving",
            ["round", Column("settings", 0), Column("topics", 0)],
            [[str(number), rung.n_points, rung.n_topics] for number, rung in enumerate(self.rungs, 1)],
        )

    def _folds(self) -> Sheet:
        label = self.surface.grid.label
        return Sheet.of(
            f"{len(self.folds)} folds, each scored by the settings that the others choose",
            ["fold", Column("topics", 0), "chosen by the others", Column("on the others", 4), Column("held out", 4)],
            [
                [str(number), len(fold.topics), label(fold.point), fold.trained, fold.held_out]
                for number, fold in enumerate(self.folds, 1)
            ],
        )

    def _verdict(self) -> Sheet:
        rows: list[tuple[str, Interval, float | None]] = [
            ("settings tuned from", self.base, None),
            ("best, on the topics it was chosen by", self.chosen, None),
            ("honest estimate, on topics held out", self.estimate, None),
            ("gain of the honest estimate", self.gain, self.p),
        ]
        return Sheet.of(
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


def _interval(interval: Interval) -> dict[str, float | None]:
    return {"value": rounded(interval.mean), "low": rounded(interval.low), "high": rounded(interval.high)}
