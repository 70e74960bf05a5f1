"""Tables of letters: each component of a similarity is one small function with its letter, formula and source.

A Q-expression picks one letter from each table (thesis Appendix A, after Zobel and Moffat, Exploring the similarity
space, SIGIR Forum 32(1), 1998). A letter may be legal in some contexts only: D documents, T text nodes, E element
nodes, Q the query.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

COMBINING, TERM_WEIGHT, METHOD = "combining function", "term weight", "use of the term weight"
FREQUENCY, LENGTH, PROPAGATION = "relative term frequency", "length", "propagation function"

SYMBOLS = {"D": "d", "T": "p", "E": "e", "Q": "q"}
CONTEXTS = {"D": "documents", "T": "text nodes", "E": "element nodes", "Q": "the query"}

GIVEN, REBUILT, OURS = "given", "rebuilt", "ours"


@dataclass(frozen=True)
class Component:
    """A letter of a table.

    formulas: its formula, by context where it is legal.
    function: computes the formula; others: by context, functions that replace it there.
    origin: given (in the thesis's text), rebuilt (its table is lost), or ours (an extension); source: citation.
    counted: of a term weight, what its N and N_t count, see `engine.similarity.values`.
    reads: of a length, a frequency or a way of combining, the fields of its input that it uses, other than frequencies,
        words and weights.
    is_monotone: whether its value is never negative, does not fall as frequencies rise, and does not rise as units get
        longer (of a length: does not fall); of a term weight: falls with N_t, and is equal for all units of a document;
        of a use of the term weight: is a multiple of the frequency; of a combining function: is the product of w_q,t
        and w_d,t, summed, times what lengths decide. From such letters follows the most that a unit of a document can
        score (`engine.similarity.calculation.as_product`).
    """

    table: str
    letter: str
    line: str
    formulas: Mapping[str, str]
    function: Callable[..., Any]
    origin: str
    source: str
    parameters: tuple[str, ...] = ()
    counted: str = ""
    reads: tuple[str, ...] = ()
    others: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    query_parameters: tuple[str, ...] = ()
    is_monotone: bool = False

    def function_of(self, context: str) -> Callable[..., Any]:
        """Return the function in a context."""
        return self.others.get(context, self.function)

    def parameters_of(self, context: str) -> tuple[str, ...]:
        """Return the names of its parameters in a context."""
        return self.query_parameters if context == "Q" and "Q" in self.others else self.parameters


TABLES: dict[str, dict[str, Component]] = {
    table: {} for table in (COMBINING, TERM_WEIGHT, METHOD, FREQUENCY, LENGTH, PROPAGATION)
}
NUMBERS = {
    COMBINING: "A.1",
    TERM_WEIGHT: "A.2",
    METHOD: "A.3",
    FREQUENCY: "A.4",
    LENGTH: "A.5",
    PROPAGATION: "A.8",
}


def enter(component: Component) -> None:
    """Enter a component into its table."""
    if component.letter in TABLES[component.table]:
        raise ValueError(f"{component.table} {component.letter} is registered twice")
    TABLES[component.table][component.letter] = component


def component(
    table: str,
    letter: str,
    line: str,
    *,
    contexts: str = "",
    formula: str = "",
    formulas: Mapping[str, str] | None = None,
    origin: str,
    source: str,
    parameters: tuple[str, ...] = (),
    counted: str = "",
    reads: tuple[str, ...] = (),
    others: Mapping[str, Callable[..., Any]] | None = None,
    query_parameters: tuple[str, ...] = (),
    is_monotone: bool = False,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the decorator that enters a function; in `formula`, `{x}` is the symbol of the context's unit."""
    written = {context: formula.replace("{x}", SYMBOLS[context]) for context in contexts} | dict(formulas or {})

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        enter(
            Component(
                table,
                letter,
                line,
                written,
                function,
                origin,
                source,
                parameters,
                counted,
                reads,
                others or {},
                query_parameters,
                is_monotone,
            )
        )
        return function

    return decorate


def legal(table: str, context: str) -> dict[str, Component]:
    """Return the letters of a table that are legal in a context."""
    return {letter: each for letter, each in TABLES[table].items() if context in each.formulas}
