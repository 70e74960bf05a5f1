"""What `calculate` reads, counted from a collection of the slow reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from engine.similarity.expression import Calculated
from engine.similarity.values import Counts, FormulaStatistics, Pairs, Units
from tests.reference.similarity import Node, Scorer, Unit


def counted(
    expression: Calculated, collection: Sequence[Node], query: Sequence[str], parameters: Mapping[str, float | str]
) -> tuple[list[tuple[int, int]], Units, FormulaStatistics]:
    """Return the keys of the units that hold a term of the query, the units, and the statistics."""
    scorer = Scorer(str(expression), collection, query, parameters)
    terms = sorted(scorer.query)
    units = [unit for unit in scorer.units if any(term in unit.terms for term in terms)]
    triples = [
        (t, u, unit.terms[term]) for t, term in enumerate(terms) for u, unit in enumerate(units) if term in unit.terms
    ]
    pairs = Pairs(*np.array(triples, np.int64).reshape(-1, 3).T)

    def vector(of: Sequence[Unit]) -> np.ndarray:
        return np.array([scorer.vector(unit) for unit in of])

    def counts(counted: str) -> Counts:
        if counted == "M":
            return counts("B")._replace(wider=counts("P"))
        if counted in "NB":
            members = [scorer.counted_with(unit) for unit in units]
            containing = [[sum(term in each.terms for each in of) for of in members] for term in terms]
            return Counts(
                np.array([len(of) for of in members], float), np.array(containing, float), group=np.arange(len(units))
            )
        if counted == "C":
            occurring = [[scorer.collection_words[term]] for term in terms]
            return Counts(float(sum(scorer.collection_words.values())), np.array(occurring, float))
        of = {"D": scorer.documents, "P": scorer.texts, "E": scorer.elements}[counted]
        containing = [[sum(term in each.terms for each in of)] for term in terms]
        return Counts(float(len(of)), np.array(containing, float), float(sum(len(each.terms) for each in of)))

    return (
        [unit.key for unit in units],
        Units(
            pairs=pairs,
            query_tf=np.array([scorer.query[term] for term in terms], np.float64),
            words=np.array([unit.words for unit in units], float),
            distinct=lambda: np.array([len(unit.terms) for unit in units], float),
            largest=lambda: np.array([max(unit.terms.values()) for unit in units], float),
            vector=lambda _expression, _parameters: vector(units),
        ),
        FormulaStatistics(
            counts=counts,
            occurrences=lambda: np.array([scorer.collection_words[term] for term in terms], np.int64),
            mean_words=scorer.mean_words,
            mean_distinct=lambda: float(np.mean([len(unit.terms) for unit in scorer.units])),
            mean_vector=lambda _expression, _parameters: float(vector(scorer.units).mean()),
        ),
    )
