"""An explanation: a value, what it is, and what it is computed from, as a tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Explanation:
    """A value and the values that it is computed from.

    name: what kind of value it is, for programs: "score", "article", "term", "context" ...
    value: the number, as the search computed it; None where there is none.
    description: the same in words, with how the details are combined.
    details: what the value is computed from. Where `sums` is true, their values, added from left to right, are the
        value: bit for bit, but for propagated leaves, articles and images, which add up to within 1e-12 of it.
    facts: further properties by name, such as tf, df, path or words. Where `factor` is among them, the value is exactly
        this factor times that of the only detail, if there is one.
    """

    name: str
    value: float | None
    description: str
    details: tuple[Explanation, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    sums: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as `--json` prints it."""
        return {
            "name": self.name,
            "value": self.value,
            "description": self.description,
            **self.facts,
            "details": [detail.to_dict() for detail in self.details],
        }

    def lines(self, depth: int = 0) -> Iterator[str]:
        """Yield the tree as indented lines."""
        value = " " * 10 if self.value is None else f"{self.value:10.6f}"
        yield f"{'  ' * depth}{value}  {self.description}"
        for detail in self.details:
            yield from detail.lines(depth + 1)

    def walk(self) -> Iterator[Explanation]:
        """Yield the tree itself and all its parts, from top to bottom."""
        yield self
        for detail in self.details:
            yield from detail.walk()

    def find(self, name: str) -> Iterator[Explanation]:
        """Yield the parts of a name, the tree itself included."""
        return (part for part in self.walk() if part.name == name)


def left_to_right(details: Iterable[Explanation]) -> float:
    """Return the sum of values, each added to that of those before it; `sum` would round less often than the search."""
    total = 0.0
    for detail in details:
        total += detail.value or 0.0
    return total


def scaled(whole: Explanation, factor: float, inner: Explanation) -> Explanation:
    """Return an explanation whose value is a factor times that of its only detail."""
    facts = {**whole.facts, "factor": factor}
    return replace(whole, value=factor * (inner.value or 0.0), details=(inner,), facts=facts, sums=False)
