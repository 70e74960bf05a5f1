"""Q-expressions over an index: documents, text nodes or element nodes scored for the words of a query."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from engine.distinct import distinct
from engine.regions import is_member
from engine.similarity.calculation import combine, total
from engine.similarity.construction import fuse, propagate
from engine.similarity.counting import frequencies, pairs_of
from engine.similarity.expression import Calculated, Expression, Fused, Propagated
from engine.similarity.parameters import Parameters, defaults
from engine.similarity.population import Population, elements_around, population_of
from engine.similarity.values import Combined, Counts, FloatArray, Numbers, Pairs, Statistics, Units

if TYPE_CHECKING:
    from engine.index.index import Index


class Scored(NamedTuple):
    """Rows of the element store, ascending, and their scores, float64."""

    rows: Numbers
    scores: FloatArray


class Holding(Protocol):
    """Units that hold terms: what statistics are counted from."""

    @property
    def rows(self) -> Numbers:
        """The row of each unit, or of the element it lies in."""

    @property
    def documents(self) -> Numbers:
        """The documents at hand, ascending, those of all units among them."""

    @property
    def document(self) -> Numbers:
        """The place of each unit's document among those at hand."""

    @property
    def terms(self) -> Sequence[str]:
        """The sorted terms."""

    @property
    def n_leaves(self) -> Sequence[Numbers]:
        """How many leaves of each document at hand hold each term; nothing is read of it for whole documents."""


class _Holding(NamedTuple):
    """Units that hold a term, as rows, ascending; a document is the row of its root."""

    rows: Numbers
    documents: Numbers
    document: Numbers
    pairs: Pairs
    terms: Sequence[str]
    query_tf: Numbers
    n_leaves: Sequence[Numbers]

    @property
    def of_units(self) -> Numbers:
        """The document of each unit."""
        return self.documents[self.document]


def score_elements(
    index: Index,
    expression: Expression,
    query: Mapping[str, int],
    documents: Numbers,
    *,
    rows: Numbers | None = None,
    parameters: Parameters | None = None,
) -> Scored:
    """Return the elements of some documents that hold a word of the query, and their scores.

    A T expression scores leaves; E and C expressions score element nodes, as a D expression does roots. Statistics are
    of the whole collection (of local term weights, of the document). Words the collection does not hold are skipped.

    Args:
        query: terms, and how often each is asked for.
        documents: numbers, ascending, live.
        rows: score only these (ascending); those that are no units of the context or hold no word are left out.
        parameters: those not given have their defaults.
    """
    if isinstance(expression, Propagated):
        return _propagated(index, expression, query, documents, rows, parameters)
    if isinstance(expression, Fused):
        return _fused(index, expression, query, documents, rows, parameters)
    return Scored(*_calculated(index, expression, query, documents, rows, parameters)[1:])


def score_documents(
    index: Index, expression: Calculated, query: Mapping[str, int], parameters: Parameters | None = None
) -> tuple[Numbers, FloatArray]:
    """Return the documents that hold a word of the query, ascending, and their scores by a D expression."""
    found = [index.postings(term).documents for term in query]
    documents = distinct(np.concatenate([np.empty(0, np.int64), *found]))
    held, _, scores = _calculated(index, expression, query, documents, None, parameters)
    return held, scores


def _calculated(
    index: Index,
    expression: Calculated,
    query: Mapping[str, int],
    documents: Numbers,
    rows: Numbers | None,
    parameters: Parameters | None,
) -> tuple[Numbers, Numbers, FloatArray]:
    """Return documents, rows and scores of the units."""
    holding = _holding(index, expression.context, query, documents, rows)
    if not len(holding.rows):
        return holding.of_units, holding.rows, np.empty(0)
    combined, units = _combined(index, expression, holding, parameters)
    return holding.of_units, holding.rows, total(combined, units)


WITH_ADDEND = "DH"  # combining functions that add something of the unit's own


class Parts(NamedTuple):
    """A score taken apart: it is the sum of the terms' parts, and of the addend where the formula has one."""

    terms: Mapping[str, float]
    addend: float | None
    score: float


def score_parts(
    index: Index,
    expression: Calculated,
    query: Mapping[str, int],
    document: int,
    *,
    row: int | None = None,
    parameters: Parameters | None = None,
) -> Parts | None:
    """Return the parts of an element's score, by default the root's; None where it holds no word of the query."""
    documents = np.array([document])
    rows = index.elements.root(documents) if row is None else np.array([row])
    holding = _holding(index, expression.context, query, documents, rows)
    if not len(holding.rows):
        return None
    combined, units = _combined(index, expression, holding, parameters)
    at = units.pairs.unit == 0
    parts = (combined.parts[at] * combined.factor[0]).tolist()
    terms = dict(zip([holding.terms[term] for term in units.pairs.term[at].tolist()], parts, strict=True))
    addend = float(combined.addend[0]) if expression.combining in WITH_ADDEND else None
    return Parts(terms, addend, float(total(combined, units)[0]))


class Share(NamedTuple):
    """What one of two scores adds to the score they are fused to: weight x score / best."""

    weight: float
    score: float
    best: float

    @property
    def part(self) -> float:
        """What it adds."""
        return self.weight * self.score / self.best if self.best else 0.0


def fused_shares(
    index: Index,
    expression: Fused,
    query: Mapping[str, int],
    documents: Numbers,
    row: int,
    parameters: Parameters | None = None,
) -> tuple[Share, Share] | None:
    """Return what its document and its own score add to an element's; None where it holds no word of the query.

    Args:
        documents: those that were scored together, ascending.
    """
    pivot = float({**defaults(("pivot",)), **(parameters or {})}["pivot"])
    around = score_elements(index, expression.document, query, documents, parameters=parameters)
    own = score_elements(index, expression.element, query, documents, parameters=parameters)
    place = int(np.searchsorted(own.rows, row))
    if place == len(own.rows) or own.rows[place] != row:
        return None
    names = index.elements.tag(own.rows)
    document = int(np.searchsorted(around.rows, row, side="right")) - 1
    return (
        Share(pivot, float(around.scores[document]), float(np.abs(around.scores).max())),
        Share(1 - pivot, float(own.scores[place]), float(np.abs(own.scores[names == names[place]]).max())),
    )


def _propagated(
    index: Index,
    expression: Propagated,
    query: Mapping[str, int],
    documents: Numbers,
    rows: Numbers | None,
    parameters: Parameters | None,
) -> Scored:
    population = population_of(index)
    leaves = score_elements(index, expression.leaves, query, documents, parameters=parameters)
    units = _units_holding(index, "E", leaves.rows, rows)
    n_leaves = population.leaves_below(units)
    scores = propagate(expression.function, leaves.rows, leaves.scores, units, n_leaves, population.parent, parameters)
    return Scored(units, scores)


def _fused(
    index: Index,
    expression: Fused,
    query: Mapping[str, int],
    documents: Numbers,
    rows: Numbers | None,
    parameters: Parameters | None,
) -> Scored:
    around = score_elements(index, expression.document, query, documents, parameters=parameters)
    own = score_elements(index, expression.element, query, documents, parameters=parameters)
    place = np.searchsorted(around.rows, own.rows, side="right") - 1
    scores = fuse(own.scores, index.elements.tag(own.rows), around.scores, place, parameters)
    chosen = slice(None) if rows is None else is_member(own.rows, rows)
    return Scored(own.rows[chosen], scores[chosen])


def _combined(
    index: Index, expression: Calculated, holding: _Holding, parameters: Parameters | None
) -> tuple[Combined, Units]:
    given = {**defaults(expression.parameters), **(parameters or {})}
    population = population_of(index)
    units = _units(index, population, expression, holding)
    return combine(expression, units, statistics_of(index, population, expression, holding), given), units


def _holding(
    index: Index, context: str, query: Mapping[str, int], documents: Numbers, rows: Numbers | None
) -> _Holding:
    """Return the units of a context in some documents that hold a word of the query."""
    elements = index.elements
    terms = sorted(term for term in query if len(index.postings(term).documents))
    query_tf = np.array([query[term] for term in terms], np.int64)
    found: list[tuple[Numbers, Numbers]] = []
    n_leaves: list[Numbers] = []
    if context == "D":
        for term in terms:
            postings = index.postings(term)
            at = np.flatnonzero(is_member(postings.documents, documents))
            found.append((elements.root(postings.documents[at]), postings.tf[at]))
    else:
        leaves = [elements.occurrences(term, documents) for term in terms]
        found = [(each.rows, each.tf) for each in leaves]
        n_leaves = [each.n_leaves for each in leaves]
    held = distinct(np.concatenate([np.empty(0, np.int64), *(each for each, _ in found)]))
    units = _units_holding(index, context, held, rows)
    ends = elements.end(units) if context == "E" else units + 1
    pairs = pairs_of(frequencies(found, units, ends))
    document = np.searchsorted(documents, elements.document(units))
    return _Holding(units, documents, document, pairs, terms, query_tf, n_leaves)


def _units_holding(index: Index, context: str, held: Numbers, rows: Numbers | None) -> Numbers:
    """Return the units of a context, of all or of some rows, that hold some of what is held: leaves, or roots."""
    if context != "E":
        return held if rows is None else held[is_member(held, rows)]
    if rows is None:
        return elements_around(index.elements, held)
    units = rows[index.elements.lift(rows) == rows]
    found: Numbers = units[np.searchsorted(held, index.elements.end(units)) > np.searchsorted(held, units)]
    return found


def _units(index: Index, population: Population, expression: Calculated, holding: _Holding) -> Units:
    context, rows, census = expression.context, holding.rows, population.census

    def vector(of: Calculated, parameters: Parameters) -> FloatArray:
        if _is_stored(of):
            return index.weights[holding.of_units]
        return census.vectors(of, parameters)[rows]

    if context == "D":
        words = index.lengths[holding.of_units]
    else:
        words = population.own_words[rows].astype(np.float64) if context == "T" else population.words_below(rows)
    return Units(
        pairs=holding.pairs,
        query_tf=holding.query_tf,
        words=words,
        distinct=lambda: census.distinct(context)[rows],
        largest=lambda: census.largest(context)[rows],
        vector=vector,
    )


def statistics_of(index: Index, population: Population, expression: Calculated, holding: Holding) -> Statistics:
    """Return what an expression needs to know of the collection to score some units."""
    context, census = expression.context, population.census
    terms = [population.term(term, index.postings(term)) for term in holding.terms]

    def counts(which: str) -> Counts:
        if which == "N":
            n_t = np.stack([term.n_elements_of_name for term in terms])
            return Counts(population.n_of_name, n_t, group=index.elements.tag(holding.rows))
        if which == "B":
            n_t = np.stack(holding.n_leaves).astype(np.float64)
            return Counts(population.n_leaves_of_document[holding.documents], n_t, group=holding.document)
        if which == "P":
            n_t = np.array([[index.leaf_frequency(term)] for term in holding.terms], np.float64)
        else:
            n_t = np.array([[term.n_t(which)] for term in terms])
        total = census.total(which) if expression.term_weight in "KLM" else math.nan
        return Counts(population.n(which), n_t, total)

    def mean_vector(of: Calculated, parameters: Parameters) -> float:
        if _is_stored(of):
            return index.manifest.statistics.mean_weight
        return float(census.vectors(of, parameters).sum() / population.n(UNITS[context]))

    return Statistics(
        counts=counts,
        occurrences=np.array([term.occurrences for term in terms], np.int64),
        mean_words=lambda: population.mean_words(context),
        mean_distinct=lambda: float(census.distinct(context).sum() / population.n(UNITS[context])),
        mean_vector=mean_vector,
    )


UNITS = {"D": "D", "T": "P", "E": "E"}  # contexts, and the populations that are their units


def _is_stored(expression: Calculated) -> bool:
    """Return whether W_d, of w_d,t = 1 + ln f_d,t, is in the index."""
    return (expression.context, expression.unit.method, expression.unit.frequency) == ("D", "A", "B")
