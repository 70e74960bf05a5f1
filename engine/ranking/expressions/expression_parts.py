"""What the score of one element by a Q-expression consists of: its terms, or document and element; for explanations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from engine.arrays import Numbers
from engine.index.reader import IndexReader
from engine.ranking.expressions.expression_scores import score_elements
from engine.ranking.expressions.matching_units import combined_score, matching_units
from engine.records import NamedTuple
from engine.similarity.calculation import total
from engine.similarity.expression import Calculated, Fused
from engine.similarity.own_function import OwnFunction
from engine.similarity.parameters import Parameters, with_defaults

# combining functions with an addend that depends on the unit alone
WITH_ADDEND = "DH"


class Parts(NamedTuple):
    """The parts of a score: one for each term, and the addend if the formula has one; they sum to the score.

    unscaled, factor: the score is exactly the sum of these x factor + addend.
    """

    terms: Mapping[str, float]
    addend: float | None
    score: float
    unscaled: Mapping[str, float]
    factor: float


def expression_parts(
    index: IndexReader,
    expression: Calculated,
    query: Mapping[str, float],
    document: int,
    *,
    row: int | None = None,
    parameters: Parameters | None = None,
) -> Parts | None:
    """Return the parts of an element's score, by default the root's; None if it contains no query term."""
    documents = np.array([document])
    rows = index.elements.root(documents) if row is None else np.array([row])
    matching = matching_units(index, expression.context, query, documents, rows)
    if not len(matching.rows):
        return None
    combined, units = combined_score(index, expression, matching, parameters)
    at = units.pairs.unit == 0
    names, factor = [matching.terms[term] for term in units.pairs.term[at].tolist()], float(combined.factor[0])
    unscaled = dict(zip(names, combined.parts[at].tolist(), strict=True))
    terms = {name: part * factor for name, part in unscaled.items()}
    has_addend = expression.combining in WITH_ADDEND or isinstance(expression, OwnFunction)
    addend = float(combined.addend[0]) if has_addend else None
    return Parts(terms, addend, float(total(combined, units)[0]), unscaled, factor)


class Share(NamedTuple):
    """One of the two parts of a fused score: weight x score / best, where best is the maximum it is divided by."""

    weight: float
    score: float
    best: float

    @property
    def part(self) -> float:
        """Value of the part."""
        return self.weight * (self.score / self.best) if self.best else 0.0


def fused_shares(
    index: IndexReader,
    expression: Fused,
    query: Mapping[str, float],
    documents: Numbers,
    row: int,
    parameters: Parameters | None = None,
) -> tuple[Share, Share] | None:
    """Return the parts of document and element in a fused score; None if the element contains no query term.

    Args:
        documents: the documents that were scored together, ascending.
    """
    pivot = with_defaults(("pivot",), parameters)["pivot"]
    of_documents = score_elements(index, expression.document, query, documents, parameters=parameters)
    of_elements = score_elements(index, expression.element, query, documents, parameters=parameters)
    place = int(np.searchsorted(of_elements.rows, row))
    if place == len(of_elements.rows) or of_elements.rows[place] != row:
        return None
    names = index.elements.tag(of_elements.rows)
    document = int(np.searchsorted(of_documents.rows, row, side="right")) - 1
    return (
        Share(pivot, float(of_documents.scores[document]), float(np.abs(of_documents.scores).max())),
        Share(
            1 - pivot, float(of_elements.scores[place]), float(np.abs(of_elements.scores[names == names[place]]).max())
        ),
    )


class UnitParts(NamedTuple):
    """The score is (the sum of the terms x factor + addend) x coverage, computed in this order.

    terms: names, frequencies and parts, in the order in which they are added.
    """

    terms: Sequence[tuple[str, int, float]]
    factor: float = 1.0
    addend: float = 0.0
    coverage: float = 1.0
