"""What only all postings of a collection tell: lengths of units in distinct terms, in vectors, and the like.

An index stores none of this for elements, so it is counted from all postings: exact, once for an open index. Only
letters ask for it that need all terms of a unit: W B and E (but of documents weighted 1 + ln f, whose W_d is stored), W
C and G, r C and D, and the term weight M.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.cre import lowest_common_ancestors
from engine.index.mostly_small import MostlySmall
from engine.similarity.calculation import unit_weights
from engine.similarity.expression import Calculated
from engine.similarity.registry import FREQUENCY, TABLES, TERM_WEIGHT
from engine.similarity.values import Counts, FloatArray, Numbers, Occurring

T = TypeVar("T")

if TYPE_CHECKING:
    from engine.index.segment import Segment
    from engine.similarity.population import Population

SLICE = 500_000  # leaf postings that are looked at in one go


@dataclass(frozen=True)
class Held:
    """Which units hold which terms: one entry a pair, by term, then by row; all int64."""

    term: Numbers
    row: Numbers
    tf: Numbers

    def n_t(self, n_terms: int) -> Numbers:
        """Return, a term, how many units hold it."""
        return np.bincount(self.term, minlength=n_terms)


def _kept(count: Callable[[Census], T]) -> property:
    """Return a property that is counted once for a population."""

    def get(census: Census) -> T:
        name = count.__name__
        if name not in census.population.counted:
            census.population.counted[name] = count(census)
        found: T = census.population.counted[name]
        return found

    return property(get, doc=count.__doc__)


class Census:
    """Row by row of the element store, 0 where a row is no unit of the context."""

    def __init__(self, population: Population) -> None:
        self.population, self._known = population, population.counted

    def distinct(self, context: str) -> FloatArray:
        """Return |T| of the units of a context."""
        key = ("distinct", context)
        if key not in self._known:
            held = self.documents if context == "D" else self.leaves
            counts = np.bincount(held.row, minlength=self.population.n_rows)
            self._known[key] = (counts if context != "E" else self._distinct_below(counts)).astype(np.float64)
        found: FloatArray = self._known[key]
        return found

    def _distinct_below(self, held: Numbers) -> Numbers:
        """Return |T| of element nodes, from how many terms each row itself holds.

        All pairs of a term and a leaf below an element, less those that repeat a term: of the leaves that hold a term,
        each but the first repeats it in the elements around it and the leaf before, which are those around their LCA.
        Source: Hui, Color set size problem, CPM 1992.
        """
        population, leaves = self.population, self.leaves
        for begin in range(0, len(leaves.row) - 1, SLICE):
            term, row = (each[begin : begin + SLICE + 1] for each in (leaves.term, leaves.row))
            document = population.documents[row]
            pairs = np.flatnonzero((term[1:] == term[:-1]) & (document[1:] == document[:-1]))
            common = lowest_common_ancestors(population.elements, row[pairs], row[pairs + 1])
            held = held - np.bincount(common, minlength=population.n_rows)
        before = np.concatenate([[0], np.cumsum(held)])
        rows = np.flatnonzero(population.is_element)
        distinct = np.zeros(population.n_rows, np.int64)
        distinct[rows] = before[population.elements.end(rows)] - before[rows]
        return distinct

    def largest(self, context: str) -> FloatArray:
        """Return f^m of the units of a context."""
        key = ("largest", context)
        if key not in self._known:
            largest = np.zeros(self.population.n_rows)
            for piece in self._pieces(context):
                held = piece.units(context)
                np.maximum.at(largest, held.row, held.tf.astype(np.float64))
            self._known[key] = largest
        found: FloatArray = self._known[key]
        return found

    def total(self, population: str) -> float:
        """Return the sum of N_t over all terms: of documents (D), text nodes (P) or elements (E)."""
        if population == "E":
            return float(self.distinct("E").sum())
        return float(len((self.documents if population == "D" else self.leaves).term))

    def vectors(self, expression: Calculated, parameters: Mapping[str, Any]) -> FloatArray:
        """Return √(Σ w_d,t²), over all terms, of the units of the expression's context."""
        context, letters = expression.context, expression.term_weight + expression.unit.method
        frequency = TABLES[FREQUENCY][expression.unit.frequency]
        chosen = tuple((name, parameters[name]) for name in frequency.parameters)
        key = ("vectors", context, letters, frequency.letter, chosen)
        if key not in self._known:
            squares = np.zeros(self.population.n_rows)
            for piece in self._pieces(context):
                held = piece.units(context)
                weights = unit_weights(
                    expression, self._occurring(held, piece, expression), piece.weights(expression, held), parameters
                )
                squares += np.bincount(held.row, weights**2, self.population.n_rows)
            self._known[key] = np.sqrt(squares)
        found: FloatArray = self._known[key]
        return found

    def _occurring(self, held: Held, piece: _Piece, expression: Calculated) -> Occurring:
        context, reads = expression.context, TABLES[FREQUENCY][expression.unit.frequency].reads
        words = self.population.words(context)[held.row]
        columns: dict[str, Callable[[], FloatArray]] = {
            "mean_words": lambda: np.full(len(words), self.population.mean_words(context)),
            "distinct": lambda: self.distinct(context)[held.row],
            "largest": lambda: self.largest(context)[held.row],
        }
        values = {name: columns[name]() if name in reads else words for name in Occurring._fields[3:-1]}
        return Occurring(
            f=held.tf.astype(np.float64),
            occurrences=piece.occurrences[held.term],
            words=words,
            length=words,
            **values,
        )

    def _pieces(self, context: str) -> Iterator[_Piece]:
        held = self.documents if context == "D" else self.leaves
        last = np.cumsum(held.n_t(self.n_terms))
        borders = np.searchsorted(last, np.arange(SLICE, len(held.term), SLICE)) + 1
        for begin, end in pairwise(np.unique(np.concatenate([[0], borders, [self.n_terms]])).tolist()):
            yield _Piece(self, self.population, begin, end)

    @property
    def n_terms(self) -> int:
        """Terms of all segments together."""
        n_terms: int = self._numbered[0]
        return n_terms

    @_kept
    def _numbered(self) -> tuple[int, list[Numbers]]:
        """The number of terms, and of each segment the numbers of its terms, in their order through all segments."""
        segments = self.population.segments
        if len(segments) == 1:
            n_terms = segments[0].n_terms
            return n_terms, [np.arange(n_terms)]
        vocabularies = [segment.articles.strings("terms").all() for segment in segments]
        numbers = {term: number for number, term in enumerate(sorted(set().union(*vocabularies)))}
        return len(numbers), [np.array([numbers[term] for term in each], np.int64) for each in vocabularies]

    @_kept
    def documents(self) -> Held:
        """Which documents hold which terms; rows are those of the roots."""
        found = []
        for number, segment, document, live in self._segments():
            term = number[_term_of(segment.articles.column("postings_of_term").all())]
            tf = MostlySmall(segment.articles, "tf").all().astype(np.int64)
            found.append(np.stack([term[live], document[live], tf[live]]))
        return _by_term(found)

    @_kept
    def leaves(self) -> Held:
        """Which leaves hold which terms."""
        found = []
        for number, segment, document, live in self._segments():
            n_leaves = MostlySmall(segment.elements, "n_leaves").all()
            row = np.repeat(document, n_leaves) + segment.elements.column("leaf").all()
            term = number[_term_of(segment.elements.column("leaves_of_term").all())]
            tf = MostlySmall(segment.elements, "leaf_tf").all().astype(np.int64)
            lives = np.repeat(live, n_leaves)
            found.append(np.stack([term[lives], row[lives], tf[lives]]))
        return _by_term(found)

    def _segments(self) -> Iterator[tuple[Numbers, Segment, Numbers, NDArray[np.bool_]]]:
        """Yield each segment: the numbers of its terms, itself, and of each posting the root's row and whether live."""
        elements, segments, all_live = self.population.elements, self.population.segments, self.population.live
        bases = zip(elements.document_base.tolist(), elements.row_base.tolist(), strict=True)
        for number, segment, (document_base, row_base) in zip(self._numbered[1], segments, bases, strict=False):
            document = segment.articles.column("document").all().astype(np.int64)
            live = np.ones(len(document), np.bool_) if all_live is None else all_live[document + document_base]
            yield number, segment, segment.first_row[document] + row_base, live


def _term_of(pointers: NDArray[Any]) -> Numbers:
    """Return the term of each entry that pointers divide."""
    ends = pointers.astype(np.int64)
    return np.repeat(np.arange(len(ends) - 1), ends[1:] - ends[:-1])


def _by_term(columns: list[NDArray[np.int64]]) -> Held:
    joined = np.concatenate([np.empty((3, 0), np.int64), *columns], axis=1)
    if len(columns) > 1:
        joined = joined[:, np.lexsort((joined[1], joined[0]))]
    return Held(*joined)


class _Piece:
    """Some terms, with all their postings."""

    def __init__(self, census: Census, population: Population, first: int, last: int) -> None:
        self._census, self._population = census, population
        self._first, self._last, self.n_terms = first, last, last - first

    def units(self, context: str) -> Held:
        """Return which units of a context hold the terms."""
        return {"D": lambda: self.documents, "T": lambda: self.leaves, "E": lambda: self.elements}[context]()

    @cached_property
    def documents(self) -> Held:
        """Which documents hold the terms."""
        return _slice(self._census.documents, self._first, self._last)

    @cached_property
    def leaves(self) -> Held:
        """Which leaves hold the terms."""
        return _slice(self._census.leaves, self._first, self._last)

    @cached_property
    def elements(self) -> Held:
        """Which elements hold the terms, in or below them."""
        term, row, tf = around(self._population, self.leaves.term, self.leaves.row, self.leaves.tf)
        return Held(term, row, tf)

    @cached_property
    def occurrences(self) -> FloatArray:
        """F_t."""
        return np.bincount(self.documents.term, self.documents.tf, self.n_terms).astype(np.float64)

    def weights(self, expression: Calculated, held: Held) -> FloatArray:
        """Return w_t of pairs."""
        component = TABLES[TERM_WEIGHT][expression.term_weight]
        if not component.population or expression.unit.method == "A":
            return np.ones(len(held.term))
        weights: FloatArray = component.function(self._counts(component.population, held), {})
        return weights

    def _counts(self, population: str, held: Held) -> Counts:
        known = self._population
        if population == "C":
            return Counts(known.n("C"), self.occurrences[held.term])
        if population in "DPE":
            units = self.units({"D": "D", "P": "T", "E": "E"}[population])
            n_t = units.n_t(self.n_terms).astype(np.float64)
            return Counts(known.n(population), n_t[held.term], self._census.total(population))
        group = known.names if population == "N" else known.documents
        units_of = self.elements if population == "N" else self.leaves
        size = known.n_of_name if population == "N" else known.n_leaves_of_document
        keys, n = np.unique(units_of.term * len(size) + group[units_of.row], return_counts=True)
        own = held.term * len(size) + group[held.row]
        place = np.minimum(np.searchsorted(keys, own), len(keys) - 1)
        n_t = np.where(keys[place] == own, n[place], 0).astype(np.float64)
        return Counts(size[group[held.row]], n_t)


def _slice(held: Held, first: int, last: int) -> Held:
    begin, stop = np.searchsorted(held.term, [first, last])
    return Held(held.term[begin:stop] - first, held.row[begin:stop], held.tf[begin:stop])


def around(population: Population, term: Numbers, row: Numbers, tf: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return which elements hold terms in or below them, and how often: columns by term, then by row.

    Args:
        term, row, tf: the leaves that hold them.
    """
    n_rows = population.n_rows
    keys, counts = [], []
    while row.size:
        units = np.flatnonzero(population.is_element[row])
        key = term[units] * n_rows + row[units]
        keys.append(key)
        counts.append(tf[units])
        above = population.parents[row]
        goes_on = above != row
        term, row, tf = term[goes_on], above[goes_on], tf[goes_on]
    joined = np.concatenate([np.empty(0, np.int64), *keys])
    found, place = np.unique(joined, return_inverse=True)
    total = np.bincount(place, np.concatenate([np.empty(0, np.int64), *counts]), len(found)).astype(np.int64)
    return found // n_rows, found % n_rows, total
