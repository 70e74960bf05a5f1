"""Q-expressions over an index: scores of documents, text nodes or element nodes for a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from engine.arrays import FloatArray, Numbers, distinct, is_among
from engine.index.reader import IndexReader
from engine.ranking.expressions.matching_units import combined_score, matching_units, units_containing
from engine.records import NamedTuple
from engine.similarity.calculation import total
from engine.similarity.expression import Calculated, Expression, Fused, Propagated
from engine.similarity.parameters import Parameters
from engine.similarity.propagation_and_fusion import best_scores, fuse, propagate


class ScoredUnits(NamedTuple):
    """Rows of the element store, ascending, and their scores, float64."""

    rows: Numbers
    scores: FloatArray


def score_elements(
    index: IndexReader,
    expression: Expression,
    query: Mapping[str, float],
    documents: Numbers,
    *,
    rows: Numbers | None = None,
    parameters: Parameters | None = None,
) -> ScoredUnits:
    """Return the elements of some documents that contain a query term, and their scores.

    T expressions score leaves, E and C expressions element nodes, D expressions roots. Statistics are of the whole
    collection, for local term weights those of the document. Terms that the collection does not contain are skipped.

    Args:
        query: terms and their frequencies in the query.
        documents: numbers of live documents, ascending.
        rows: score only these (ascending); rows that are not units of the context or contain no term are skipped.
        parameters: the others have their defaults.
    """
    whole = partial(score_elements, index, query=query, documents=documents, parameters=parameters)
    if isinstance(expression, Propagated):
        return _propagated(index, expression.function, whole(expression.leaves), rows, parameters)
    if isinstance(expression, Fused):
        return _fused(index, whole(expression.document), whole(expression.element), rows, parameters)
    return ScoredUnits(*_calculated(index, expression, query, documents, rows, parameters)[1:])


def score_documents(
    index: IndexReader, expression: Calculated, query: Mapping[str, float], parameters: Parameters | None = None
) -> tuple[Numbers, FloatArray]:
    """Return the documents that contain a query term, ascending, and their scores by a D expression."""
    found = [index.postings(term).documents for term in query]
    documents = distinct(np.concatenate([np.empty(0, np.int64), *found]))
    numbers, _, scores = _calculated(index, expression, query, documents, None, parameters)
    return numbers, scores


def _calculated(
    index: IndexReader,
    expression: Calculated,
    query: Mapping[str, float],
    documents: Numbers,
    rows: Numbers | None,
    parameters: Parameters | None,
) -> tuple[Numbers, Numbers, FloatArray]:
    """Return document numbers, rows and scores of the units."""
    matching = matching_units(index, expression.context, query, documents, rows)
    if not len(matching.rows):
        return matching.document_numbers, matching.rows, np.empty(0)
    combined, units = combined_score(index, expression, matching, parameters)
    return matching.document_numbers, matching.rows, total(combined, units)


def _propagated(
    index: IndexReader, function: str, leaves: ScoredUnits, rows: Numbers | None, parameters: Parameters | None
) -> ScoredUnits:
    units = units_containing(index, "E", leaves.rows, rows)
    statistics = index.statistics.units
    n_leaves, parent = statistics.leaves_below(units), statistics.parent_element
    scores = propagate(function, leaves.rows, leaves.scores, units, n_leaves, parent, parameters)
    return ScoredUnits(units, scores)


def _fused(
    index: IndexReader,
    of_documents: ScoredUnits,
    of_elements: ScoredUnits,
    rows: Numbers | None,
    parameters: Parameters | None,
) -> ScoredUnits:
    place = np.searchsorted(of_documents.rows, of_elements.rows, side="right") - 1
    tags = index.elements.tag(of_elements.rows)
    best = best_scores(of_elements.scores, tags, len(index.elements.tags))
    best_document = float(np.abs(of_documents.scores).max(initial=0))
    by_tag = dict(zip(index.elements.tags, best.tolist(), strict=True))
    found = index.exchange.combine(best_of_all, {"": best_document, **by_tag})
    best, best_document = np.array([found[tag] for tag in index.elements.tags], np.float64), found[""]
    scores = fuse(of_elements.scores, best[tags], of_documents.scores, best_document, place, parameters)
    chosen = slice(None) if rows is None else is_among(of_elements.rows, rows)
    return ScoredUnits(of_elements.rows[chosen], scores[chosen])


def best_of_all(values: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the largest of the numbers of all shards by name."""
    names = {name for each in values for name in each}
    return {name: max(each[name] for each in values if name in each) for name in names}
