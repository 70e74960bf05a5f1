"""The vectorised framework equals the slow reference on random collections, for all legal letters."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from engine.similarity.calculation import calculate
from engine.similarity.expression import Calculated
from engine.similarity.parser import parse_expression
from engine.similarity.registry import COMBINING, FREQUENCY, LENGTH, METHOD, TERM_WEIGHT, legal
from tests.engine.similarity.from_counts import counted
from tests.engine.similarity.random_input import calculated_expressions, collections, parameters, queries
from tests.reference.similarity import Node, calculated
from tests.trust.soak import effort

NEAR = {"rel": 1e-9, "abs": 1e-9}


def compare(expression: Calculated, collection: list[Node], query: list[str], given_parameters: dict) -> None:
    keys, units, statistics = counted(expression, collection, query, given_parameters)
    found = calculate(expression, units, statistics, given_parameters).tolist() if keys else []

    expected = calculated(str(expression), collection, query, given_parameters)
    assert dict(zip(keys, found, strict=True)) == pytest.approx(expected, **NEAR)


@given(calculated_expressions(), collections, queries, parameters)
@settings(max_examples=effort(16, 5000, thorough=400), deadline=None)
def test_calculated_scores_equal_the_reference(expression, collection, query, given_parameters):
    compare(expression, collection, query, given_parameters)


PLAIN = {"D": "D[CB-ABA-BIA]", "T": "T[CC-ABA-BIA]", "E": "E[CD-ABA-BIA]"}
PLACES = {COMBINING: (2, ""), TERM_WEIGHT: (3, ""), METHOD: (5, 9), FREQUENCY: (6, 10), LENGTH: (7, 11)}
COLLECTION = [
    Node("a", ["sea", "sea"], [Node("b", ["tide"]), Node("b", ["lamp", "sea"], [Node("a", ["reef", "reef"])])]),
    Node("a", [], [Node("b", ["tide", "lamp", "lamp", "fog"])]),
    Node("b", ["reef"], [Node("b", ["fog", "fog", "fog"])]),
]
PARAMETERS = {
    **{"s": 0.3, "k1": 1.5, "b": 0.6, "k3": 7.0, "mu": 50.0, "lambda": 0.3, "beta": 0.7, "augment": 0.4},
    **{"floor": 3.0, "block": 3.0, "boolean": "or", "gpx": 5.0, "alpha": 0.6, "pivot": 0.5, "focus": 0.4},
}


def every_letter() -> list[str]:
    """Return expressions in which each legal letter of each table and context occurs once, in cosine and product."""
    found = []
    for context, plain in PLAIN.items():
        for table, places in PLACES.items():
            for side, place in zip((context, "Q"), places, strict=True):
                if place == "":
                    continue
                for letter in legal(table, side):
                    written = plain[:place] + letter + plain[place + 1 :]
                    found += [written, f"{written[:2]}B{written[3:]}" if table != COMBINING else written]
    return sorted(set(found))


@pytest.mark.parametrize("text", every_letter())
def test_every_letter_equals_the_reference(text):
    compare(parse_expression(text), COLLECTION, ["sea", "sea", "tide", "reef", "unknown"], PARAMETERS)
