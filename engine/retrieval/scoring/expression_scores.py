"""Q-expressions over an index: scores of documents, text nodes or element nodes for a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from engine.arrays import distinct
from engine.index.containment import enclosing_elements, is_member
from engine.index.reader import IndexReader
from engine.query.limits import check_time, reserve
from engine.retrieval.scoring.expression_statistics import is_stored, statistics_of
from engine.similarity.calculation import combine, total
from engine.similarity.expression import Calculated, Expression, Fused, Propagated
from engine.similarity.parameters import Parameters, defaults
from engine.similarity.propagation_and_fusion import best_scores, fuse, propagate
from engine.similarity.term_frequencies import pairs_in
from engine.similarity.values import Combined, FloatArray, Numbers, Pairs, Units
from engine.similarity.vector_lengths import UNITS, vector_lengths


class ScoredUnits(NamedTuple):
    """Rows of the element store, ascending, and their scores, float64."""

    rows: Numbers
    scores: FloatArray


class _QueryUnits(NamedTuple):
    """Units that contain a query term, ascending by row; the row of a document is that of its root."""

    rows: Numbers
    documents: Numbers
    document: Numbers
    pairs: Pairs
    terms: Sequence[str]
    query_tf: Numbers
    n_leaves: Sequence[Numbers]

    @property
    def document_numbers(self) -> Numbers:
        """Document number of each unit."""
        return self.documents[self.document]


def score_elements(
    index: IndexReader,
    expression: Expression,
    query: Mapping[str, int],
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
    if isinstance(expression, Propagated):
        return _propagated(index, expression, query, documents, rows, parameters)
    if isinstance(expression, Fused):
        return _fused(index, expression, query, documents, rows, parameters)
    return ScoredUnits(*_calculated(index, expression, query, documents, rows, parameters)[1:])


def score_documents(
    index: IndexReader, expression: Calculated, query: Mapping[str, int], parameters: Parameters | None = None
) -> tuple[Numbers, FloatArray]:
    """Return the documents that contain a query term, ascending, and their scores by a D expression."""
    found = [index.postings(term).documents for term in query]
    documents = distinct(np.concatenate([np.empty(0, np.int64), *found]))
    numbers, _, scores = _calculated(index, expression, query, documents, None, parameters)
    return numbers, scores


def _calculated(
    index: IndexReader,
    expression: Calculated,
    query: Mapping[str, int],
    documents: Numbers,
    rows: Numbers | None,
    parameters: Parameters | None,
) -> tuple[Numbers, Numbers, FloatArray]:
    """Return document numbers, rows and scores of the units."""
    matching = _query_units(index, expression.context, query, documents, rows)
    if not len(matching.rows):
        return matching.document_numbers, matching.rows, np.empty(0)
    combined, units = _combined(index, expression, matching, parameters)
    return matching.document_numbers, matching.rows, total(combined, units)


# combining functions with an addend that depends on the unit alone
WITH_ADDEND = "DH"


class Parts(NamedTuple):
    """The parts of a score: one for each term, and the addend if the formula has one; they sum to the score."""

    terms: Mapping[str, float]
    addend: float | None
    score: float


def score_parts(
    index: IndexReader,
    expression: Calculated,
    query: Mapping[str, int],
    document: int,
    *,
    row: int | None = None,
    parameters: Parameters | None = None,
) -> Parts | None:
    """Return the parts of an element's score, by default the root's; None if it contains no query term."""
    documents = np.array([document])
    rows = index.elements.root(documents) if row is None else np.array([row])
    matching = _query_units(index, expression.context, query, documents, rows)
    if not len(matching.rows):
        return None
    combined, units = _combined(index, expression, matching, parameters)
    at = units.pairs.unit == 0
    parts = (combined.parts[at] * combined.factor[0]).tolist()
    terms = dict(zip([matching.terms[term] for term in units.pairs.term[at].tolist()], parts, strict=True))
    addend = float(combined.addend[0]) if expression.combining in WITH_ADDEND else None
    return Parts(terms, addend, float(total(combined, units)[0]))


class Share(NamedTuple):
    """One of the two parts of a fused score: weight x score / best, where best is the maximum it is divided by."""

    weight: float
    score: float
    best: float

    @property
    def part(self) -> float:
        """Value of the part."""
        return self.weight * self.score / self.best if self.best else 0.0


def fused_shares(
    index: IndexReader,
    expression: Fused,
    query: Mapping[str, int],
    documents: Numbers,
    row: int,
    parameters: Parameters | None = None,
) -> tuple[Share, Share] | None:
    """Return the parts of document and element in a fused score; None if the element contains no query term.

    Args:
        documents: the documents that were scored together, ascending.
    """
    pivot = float({**defaults(("pivot",)), **(parameters or {})}["pivot"])
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
            1 - pivot,
            float(of_elements.scores[place]),
            float(np.abs(of_elements.scores[names == names[place]]).max()),
        ),
    )


def _propagated(
    index: IndexReader,
    expression: Propagated,
    query: Mapping[str, int],
    documents: Numbers,
    rows: Numbers | None,
    parameters: Parameters | None,
) -> ScoredUnits:
    leaves = score_elements(index, expression.leaves, query, documents, parameters=parameters)
    units = _units_containing(index, "E", leaves.rows, rows)
    statistics = index.statistics.units
    n_leaves, parent = statistics.leaves_below(units), statistics.parent_element
    scores = propagate(expression.function, leaves.rows, leaves.scores, units, n_leaves, parent, parameters)
    return ScoredUnits(units, scores)


def _fused(
    index: IndexReader,
    expression: Fused,
    query: Mapping[str, int],
    documents: Numbers,
    rows: Numbers | None,
    parameters: Parameters | None,
) -> ScoredUnits:
    of_documents = score_elements(index, expression.document, query, documents, parameters=parameters)
    of_elements = score_elements(index, expression.element, query, documents, parameters=parameters)
    place = np.searchsorted(of_documents.rows, of_elements.rows, side="right") - 1
    tags = index.elements.tag(of_elements.rows)
    best = best_scores(of_elements.scores, tags, len(index.elements.tags))
    best_document = float(np.abs(of_documents.scores).max(initial=0))
    if index.exchange is not None:
        by_tag = dict(zip(index.elements.tags, best.tolist(), strict=True))
        found = index.exchange.combine(best_of_all, {"": best_document, **by_tag})
        best, best_document = np.array([found[tag] for tag in index.elements.tags], np.float64), found[""]
    scores = fuse(of_elements.scores, best[tags], of_documents.scores, best_document, place, parameters)
    chosen = slice(None) if rows is None else is_member(of_elements.rows, rows)
    return ScoredUnits(of_elements.rows[chosen], scores[chosen])


def best_of_all(values: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the largest of the numbers of all shards by name."""
    names = {name for each in values for name in each}
    return {name: max(each[name] for each in values if name in each) for name in names}


def _combined(
    index: IndexReader, expression: Calculated, matching: _QueryUnits, parameters: Parameters | None
) -> tuple[Combined, Units]:
    given = {**defaults(expression.parameters), **(parameters or {})}
    units = _units(index, expression, matching)
    return combine(expression, units, statistics_of(index, expression, matching), given), units


def _query_units(
    index: IndexReader, context: str, query: Mapping[str, int], documents: Numbers, rows: Numbers | None
) -> _QueryUnits:
    """Return the units of a context in some documents that contain a query term."""
    elements = index.elements
    index.statistics.prepare(list(query))
    terms = sorted(term for term in query if index.statistics.term(term).document_frequency)
    query_tf = np.array([query[term] for term in terms], np.int64)
    found: list[tuple[Numbers, Numbers]] = []
    n_leaves: list[Numbers] = []
    if context == "D":
        for term in terms:
            postings = index.postings(term)
            at = np.flatnonzero(is_member(postings.documents, documents))
            found.append((elements.root(postings.documents[at]), postings.tf[at]))
    else:
        leaves = []
        for term in terms:
            check_time()
            leaves.append(elements.occurrences(term, documents))
            reserve(2 * len(leaves[-1].rows) + len(documents))
        found = [(each.rows, each.tf) for each in leaves]
        n_leaves = [each.n_leaves for each in leaves]
    with_terms = distinct(np.concatenate([np.empty(0, np.int64), *(each for each, _ in found)]))
    units = _units_containing(index, context, with_terms, rows)
    ends = elements.end(units) if context == "E" else units + 1
    pairs = pairs_in(found, units, ends)
    document = np.searchsorted(documents, elements.document(units))
    return _QueryUnits(units, documents, document, pairs, terms, query_tf, n_leaves)


def _units_containing(index: IndexReader, context: str, inner: Numbers, rows: Numbers | None) -> Numbers:
    """Return the units of a context, of all or of some rows, that are or contain one of the inner rows."""
    if context != "E":
        return inner if rows is None else inner[is_member(inner, rows)]
    if rows is None:
        return enclosing_elements(index.elements, inner)
    units = rows[index.elements.nearest_non_inline(rows) == rows]
    found: Numbers = units[np.searchsorted(inner, index.elements.end(units)) > np.searchsorted(inner, units)]
    return found


def _units(index: IndexReader, expression: Calculated, matching: _QueryUnits) -> Units:
    context, rows, statistics = expression.context, matching.rows, index.statistics

    def vector(of: Calculated, parameters: Parameters) -> FloatArray:
        if is_stored(of):
            return statistics.weights[matching.document_numbers]
        return vector_lengths(of, statistics, parameters)[rows]

    if context == "D":
        words = statistics.lengths[matching.document_numbers]
    elif context == "T":
        words = statistics.units.own_words[rows].astype(np.float64)
    else:
        words = statistics.units.words_below(rows)
    return Units(
        pairs=matching.pairs,
        query_tf=matching.query_tf,
        words=words,
        distinct=lambda: statistics.vectors.distinct(UNITS[context])[rows],
        largest=lambda: statistics.vectors.largest(UNITS[context])[rows],
        vector=vector,
    )
