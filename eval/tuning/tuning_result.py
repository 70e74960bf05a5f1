"""The result of a grid search: the surface, the selection of each fold, the cross-validated estimate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eval.output.tables import Column, PrintedTable, rounded
from eval.tuning.cross_validated import CrossValidated
from eval.tuning.grid import Point
from eval.tuning.selection import HalvingRound, Method
from eval.tuning.surface import Surface
from eval.tuning.surface_tables import surface_tables


@dataclass(frozen=True, repr=False, kw_only=True)
class Tuning(CrossValidated):
    """The best settings of a grid, with an estimate of their score on other topics.

    ``surface``: the mean of every point; ``rungs``: the rounds of successive halving.
    """

    method: Method
    surface: Surface
    rungs: tuple[HalvingRound, ...]

    @property
    def best(self) -> Mapping[str, Any]:
        """The best settings over all topics."""
        return self.surface.best_point

    def _label(self, point: Point) -> str:
        """Return the settings of a point that vary, as text."""
        return self.surface.grid.label(point)

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"measure", "options", "search", "seed", "best", "base", "estimate", "gain", "folds", ...}``."""
        surface, common = self.surface, self.common_values()
        return {
            **{name: common.pop(name) for name in ("measure", "options")},
            "search": self.method,
            **common,
            "rounds": [{"settings": rung.n_points, "topics": rung.n_topics} for rung in self.rungs],
            "surface": [
                {"settings": dict(point), "value": rounded(mean)}
                for point, mean in zip(surface.grid.points, surface.means, strict=True)
            ],
        }

    def tables(self) -> tuple[PrintedTable, ...]:
        """Return the surface, the rounds of halving, the folds, and the estimate."""
        rounds = (self._rounds(),) if self.method == "halving" else ()
        return (*surface_tables(self.surface), *rounds, self.fold_table(), self.estimate_table())

    def _rounds(self) -> PrintedTable:
        return PrintedTable.of(
            "Rounds of successive halving",
            ["round", Column("settings", 0), Column("topics", 0)],
            [[str(number), rung.n_points, rung.n_topics] for number, rung in enumerate(self.rungs, 1)],
        )
