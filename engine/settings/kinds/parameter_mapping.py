"""ParameterMapping of similarities as a value that compares, hashes and pickles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.similarity.parameters import ParameterValue


class ParameterMapping(Mapping[str, ParameterValue]):
    """An immutable mapping of parameter names to values, in the order in which they were given."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, ParameterValue] = {}) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> ParameterValue:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(frozenset(self._values.items()))

    def __repr__(self) -> str:
        return f"ParameterMapping({self._values!r})"
