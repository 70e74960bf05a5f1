"""Mean scores over a grid: a curve over one setting, a surface over two, marginals for more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from eval.tuning.grid import Grid, Point, numeric
from eval.tuning.grid_values import SettingValue


@dataclass(frozen=True)
class Surface:
    """The mean of every point over all topics, None for points that successive halving eliminated."""

    measure: str
    grid: Grid
    means: tuple[float | None, ...]
    best: int

    @property
    def parameters(self) -> Mapping[str, tuple[SettingValue, ...]]:
        """The varying settings, with their values."""
        return self.grid.parameters

    @property
    def best_point(self) -> Point:
        """The best settings over all topics."""
        return self.grid.points[self.best]

    @property
    def is_plane(self) -> bool:
        """Whether exactly two settings vary, both at every point."""
        return len(self.parameters) == 2 and all(self.parameters.keys() <= point.keys() for point in self.grid.points)

    def at(self, **values: SettingValue) -> int | None:
        """Return the best point with the given values, None if none was scored on all topics."""
        return self._best_of(
            [i for i, point in enumerate(self.grid.points) if all(point.get(n) == v for n, v in values.items())]
        )

    def marginal(self, name: str) -> list[tuple[SettingValue, int | None]]:
        """Return the best point for each value of a setting."""
        return [(value, self._best_of(self._numbers[name, value])) for value in self.parameters[name]]

    def ranked(self) -> list[int]:
        """Return the points scored on all topics, best first, equal ones in grid order."""
        scored = [i for i, mean in enumerate(self.means) if mean is not None]
        return sorted(scored, key=lambda i: (i != self.best, -(self.means[i] or 0.0)))

    def borders(self) -> list[tuple[str, SettingValue, str]]:
        """Return the numeric settings whose best value is on the border of the grid: setting, value, highest or lowest.

        Settings with two values are skipped, as both are on a border; so are those for which an inner value has the
        same mean, since nothing suggests that better values lie beyond.
        """
        found = []
        for name, values in self.parameters.items():
            value = self.best_point.get(name)
            if value is not None and numeric(values) and len(values) > 2 and value in (values[0], values[-1]):
                if any(self._mean_of(name, inner) == self.means[self.best] for inner in values[1:-1]):
                    continue
                found.append((name, value, "lowest" if value == values[0] else "highest"))
        return found

    def _mean_of(self, name: str, value: SettingValue) -> float | None:
        """Return the highest mean with a value of a setting."""
        return max((mean for i in self._numbers[name, value] if (mean := self.means[i]) is not None), default=None)

    @cached_property
    def _numbers(self) -> Mapping[tuple[str, SettingValue], list[int]]:
        numbers: dict[tuple[str, SettingValue], list[int]] = {}
        for i, point in enumerate(self.grid.points):
            for name, value in point.items():
                numbers.setdefault((name, value), []).append(i)
        return numbers

    def _best_of(self, numbers: Sequence[int]) -> int | None:
        scored = [(mean, i) for i in numbers if (mean := self.means[i]) is not None]
        if any(i == self.best for _, i in scored):
            return self.best
        return max(scored, key=lambda pair: (pair[0], -pair[1]))[1] if scored else None
