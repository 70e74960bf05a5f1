"""Q-expressions as values; `str` returns the text that parses to the same value.

    D[BB-ABF-BAA]                          calculated, of documents; T of text nodes, E of element nodes
    C[FC]--T[EA-AHA-AAA]                   constructed: scores of text nodes propagated to the elements above them
    C[G-]--D[BB-ACC-BCC]--E[BD-ACC-BCC]    constructed: scores of elements fused with those of their documents

Source: thesis A.3, Tables A.6 and A.7.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from engine.records import dataclass
from engine.similarity.parameters import ParameterValue, defaults
from engine.similarity.registry import (
    COMBINING,
    DOCUMENTS,
    FREQUENCY,
    LENGTH,
    METHOD,
    PROPAGATION,
    QUERY,
    SYMBOLS,
    TABLES,
    TERM_WEIGHT,
    Component,
    Context,
    ScoredContext,
)
from engine.threads import cached_property


@dataclass(frozen=True)
class Side:
    """The letters of the unit, or of the query: method, relative term frequency, length."""

    method: str
    frequency: str
    length: str

    def __str__(self) -> str:
        return self.method + self.frequency + self.length


@dataclass(frozen=True)
class Calculated:
    """A score that is calculated from the terms of a unit."""

    context: ScoredContext
    combining: str
    term_weight: str
    unit: Side
    query: Side

    def __str__(self) -> str:
        return f"{self.context}[{self.combining}{self.term_weight}-{self.unit}-{self.query}]"

    @cached_property
    def components(self) -> tuple[tuple[str, Context, Component], ...]:
        """The eight components in order, each with its symbol and its context."""
        x, c = SYMBOLS[self.context], self.context
        return (
            (f"S_q,{x}", c, TABLES[COMBINING][self.combining]),
            ("w_t", c, TABLES[TERM_WEIGHT][self.term_weight]),
            (f"w_{x},t", c, TABLES[METHOD][self.unit.method]),
            (f"r_{x},t", c, TABLES[FREQUENCY][self.unit.frequency]),
            (f"W_{x}", c, TABLES[LENGTH][self.unit.length]),
            ("w_q,t", QUERY, TABLES[METHOD][self.query.method]),
            ("r_q,t", QUERY, TABLES[FREQUENCY][self.query.frequency]),
            ("W_q", QUERY, TABLES[LENGTH][self.query.length]),
        )

    @cached_property
    def parameters(self) -> frozenset[str]:
        """Names of the parameters of the formulas."""
        return frozenset(name for _, context, component in self.components for name in component.parameters_of(context))

    @property
    def defaults(self) -> Mapping[str, ParameterValue]:
        """The parameters with their defaults."""
        return defaults(self.parameters)

    @cached_property
    def is_monotone(self) -> bool:
        """Whether no unit of a document scores more than one short unit with all occurrences of the terms would.

        The query then has no length, which would depend on the terms that are found.
        """
        return self.query.length == "A" and all(component.is_monotone for _, _, component in self.components)


@dataclass(frozen=True)
class Propagated:
    """Scores of elements constructed from the scores of the text nodes in and below them."""

    function: str
    leaves: Calculated

    def __str__(self) -> str:
        return f"C[F{self.function}]--{self.leaves}"

    @property
    def component(self) -> Component:
        """The propagation function."""
        return TABLES[PROPAGATION][self.function]

    @property
    def parameters(self) -> frozenset[str]:
        """Names of the parameters of the formulas."""
        return self.leaves.parameters | set(self.component.parameters)

    @property
    def defaults(self) -> Mapping[str, ParameterValue]:
        """The parameters with their defaults."""
        return defaults(self.parameters)


@dataclass(frozen=True)
class Fused:
    """Scores of elements pivoted with those of their documents."""

    document: Calculated
    element: Calculated

    def __str__(self) -> str:
        return f"C[G-]--{self.document}--{self.element}"

    @property
    def parameters(self) -> frozenset[str]:
        """Names of the parameters of the formulas."""
        return self.document.parameters | self.element.parameters | {"pivot"}

    @property
    def defaults(self) -> Mapping[str, ParameterValue]:
        """The parameters with their defaults."""
        return defaults(self.parameters)


Expression: TypeAlias = Calculated | Propagated | Fused


def scores_documents(expression: Expression) -> bool:
    """Return whether an expression ranks articles: others score text nodes or elements."""
    return isinstance(expression, Calculated) and expression.context == DOCUMENTS
