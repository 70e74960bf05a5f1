"""Random expressions, collections and parameters."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from engine.similarity.expression import Calculated, Fused, Propagated, Side
from engine.similarity.parameters import SMALLEST
from engine.similarity.registry import COMBINING, FREQUENCY, LENGTH, METHOD, PROPAGATION, TERM_WEIGHT, legal
from tests.reference.similarity import Node

WORDS = ("fog", "lamp", "reef", "sea", "tide")


@st.composite
def sides(draw: Any, context: str) -> Side:
    return Side(*(draw(st.sampled_from(sorted(legal(table, context)))) for table in (METHOD, FREQUENCY, LENGTH)))


@st.composite
def calculated_expressions(draw: Any, contexts: str = "DTE") -> Calculated:
    context = draw(st.sampled_from(contexts))
    unit = draw(sides(context).filter(lambda side: not (side.frequency == "E" and side.length in "BE")))
    letters = (draw(st.sampled_from(sorted(legal(table, context)))) for table in (COMBINING, TERM_WEIGHT))
    return Calculated(context, *letters, unit, draw(sides("Q")))


expressions = st.one_of(
    calculated_expressions(),
    st.builds(Propagated, st.sampled_from(sorted(legal(PROPAGATION, "E"))), calculated_expressions("T")),
    st.builds(Fused, calculated_expressions("D"), calculated_expressions("E")),
)

texts = st.lists(st.sampled_from(WORDS), max_size=4)


def trees_of(names: str) -> st.SearchStrategy[Node]:
    """Return trees of elements with these names, of one letter each."""
    name = st.sampled_from(names)
    return st.recursive(
        st.builds(Node, name, texts, st.just([])),
        lambda children: st.builds(Node, name, texts, st.lists(children, max_size=3)),
        max_leaves=5,
    )


trees = trees_of("ab")
collections = st.lists(trees, min_size=1, max_size=4)
queries = st.lists(st.sampled_from((*WORDS, "unknown")), min_size=1, max_size=5)


def numbers(low: float, high: float) -> st.SearchStrategy[float]:
    """Return the legal values of a parameter."""
    return st.floats(low, high).filter(lambda number: number == 0 or abs(number) >= SMALLEST)


parameters = st.fixed_dictionaries(
    {
        "s": numbers(0, 1),
        "k1": numbers(0, 5),
        "b": numbers(0, 1),
        "k3": numbers(0, 10) | st.just(float("inf")),
        "mu": numbers(1, 1000),
        "lambda": numbers(0, 0.9),
        "beta": numbers(-2, 2),
        "augment": numbers(0, 1),
        "floor": numbers(0, 20),
        "block": numbers(1, 20),
        "focus": numbers(0, 1),
        "boolean": st.sampled_from(("or", "and")),
        "gpx": numbers(1, 10),
        "alpha": numbers(0, 1),
        "pivot": numbers(0, 1),
    }
)
