"""Tables of letters: each component of a similarity is one small function with its letter, formula and source.

A Q-expression picks one letter from each table (thesis Appendix A, after Zobel and Moffat, Exploring the similarity
space, SIGIR Forum 32(1), 1998). A letter may be legal in some contexts only: D documents, T text nodes, E element
nodes, Q the query.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Final, Literal

from engine.records import dataclass

COMBINING, TERM_WEIGHT, METHOD = "combining function", "term weight", "use of the term weight"
FREQUENCY, LENGTH, PROPAGATION = "relative term frequency", "length", "propagation function"

# The contexts of letters: the units that an expression scores, and the query.
ScoredContext = Literal["D", "T", "E"]
Context = ScoredContext | Literal["Q"]
DOCUMENTS: Final = "D"
LEAVES: Final = "T"
ELEMENTS: Final = "E"
QUERY: Final = "Q"
SYMBOLS: Mapping[Context, str] = {DOCUMENTS: "d", LEAVES: "p", ELEMENTS: "e", QUERY: "q"}
CONTEXTS: Mapping[Context, str] = {
    DOCUMENTS: "documents",
    LEAVES: "text nodes",
    ELEMENTS: "element nodes",
    QUERY: "the query",
}
# What N and N_t of a term weight count, if it reads them: documents (D), text nodes (P), elements (E), those of the
# same name (N), text nodes of the same document (B), both these and all text nodes (M), words of the collection (C).
Counted = Literal["", "D", "P", "E", "N", "B", "M", "C"]
OF_TAG: Final = "N"
OF_DOCUMENT: Final = "B"
OF_DOCUMENT_AND_ALL: Final = "M"
WORDS: Final = "C"

GIVEN, REBUILT, OURS = "given", "rebuilt", "ours"


@dataclass(frozen=True)
class Component:
    """A letter of a table.

    formulas: its formula, by context where it is legal.
    function: computes the formula; others: by context, functions that replace it there.
    origin: given (in the thesis's text), rebuilt (its table is lost), or ours (an extension); source: citation.
    counted: of a term weight, what its N and N_t count.
    reads: the fields of its input that it uses, other than frequencies, words, weights, N and N_t; of a use of the term
        weight, whether it reads it.
    is_monotone: whether its value is never negative, does not fall as frequencies rise, and does not rise as units get
        longer (of a length: does not fall); of a term weight: falls with N_t, and is equal for all units of a document;
        of a use of the term weight: is a multiple of the frequency; of a combining function: is the product of w_q,t
        and w_d,t, summed, times what lengths decide. From such letters follows the most that a unit of a document can
        score (`engine.similarity.calculation.as_product`).
    """

    table: str
    letter: str
    line: str
    formulas: Mapping[Context, str]
    function: Callable[..., Any]
    origin: str
    source: str
    parameters: tuple[str, ...] = ()
    counted: Counted = ""
    reads: tuple[str, ...] = ()
    others: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    query_parameters: tuple[str, ...] = ()
    is_monotone: bool = False

    def function_of(self, context: Context) -> Callable[..., Any]:
        """Return the function in a context."""
        return self.others.get(context, self.function)

    def parameters_of(self, context: Context) -> tuple[str, ...]:
        """Return the names of its parameters in a context."""
        return self.query_parameters if context == QUERY and QUERY in self.others else self.parameters


TABLES: dict[str, dict[str, Component]] = {
    table: {} for table in (COMBINING, TERM_WEIGHT, METHOD, FREQUENCY, LENGTH, PROPAGATION)
}
NUMBERS = {COMBINING: "A.1", TERM_WEIGHT: "A.2", METHOD: "A.3", FREQUENCY: "A.4", LENGTH: "A.5", PROPAGATION: "A.8"}


def from_thesis(source: str) -> tuple[str, str]:
    """Return the origin and the source of a letter in the text of the thesis."""
    return GIVEN, source


def reconstructed(source: str) -> tuple[str, str]:
    """Return the origin and the source of a letter whose table is lost."""
    return REBUILT, source


def extension(source: str) -> tuple[str, str]:
    """Return the origin and the source of an extension."""
    return OURS, source


def component(
    table: str, letter: str, line: str, formulas: Mapping[str, str], source: tuple[str, str], **properties: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the decorator that enters a function into a table.

    Args:
        formulas: by the contexts where they are legal; `{x}` is the symbol of the context's unit.
        source: as `given`, `rebuilt` and `ours` return it. properties: the other attributes of `Component`.
    """
    of_contexts = {context: formula for contexts, formula in formulas.items() for context in contexts}
    written = {c: of_contexts[c].replace("{x}", symbol) for c, symbol in SYMBOLS.items() if c in of_contexts}

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        if letter in TABLES[table]:
            raise ValueError(f"{table} {letter} is registered twice")
        TABLES[table][letter] = Component(table, letter, line, written, function, *source, **properties)
        return function

    return decorate


def legal(table: str, context: Context) -> dict[str, Component]:
    """Return the letters of a table that are legal in a context."""
    return {letter: each for letter, each in TABLES[table].items() if context in each.formulas}
