"""The own score of elements and of windows of sentences: a Q-expression over the terms of a query."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from engine.errors import SettingsError
from engine.index.index import Index
from engine.index.occurrences import Occurrences
from engine.matches import Matches, term_numbers
from engine.query import Query, QueryTerm
from engine.scoring_settings import Scoring
from engine.similarity.calculation import combine, total
from engine.similarity.counting import frequencies, pairs_of
from engine.similarity.expression import Calculated
from engine.similarity.population import population_of
from engine.similarity.registry import TABLES, TERM_WEIGHT
from engine.similarity.scoring import score_elements, statistics_of
from engine.similarity.values import Combined, FloatArray, Pairs, Units

if TYPE_CHECKING:
    from engine.scoring.elements import Surroundings

Rows = NDArray[np.int64]


class Held(NamedTuple):
    """Units that hold terms of the query, and where the terms are: what statistics are counted from."""

    rows: Rows  # the element that each unit is, or lies in
    documents: Rows  # at hand, ascending
    document: Rows  # place of each unit's among them
    pairs: Pairs
    terms: Sequence[str]
    query_tf: Rows
    n_leaves: Sequence[Rows]  # that hold each term, in each document at hand


class OwnScorer:
    """An expression, its parameters, and the terms of a query in some documents.

    A phrase is a term like any other where terms are weighed inside the article; where their weights are of the whole
    collection, it counts as its words.
    """

    def __init__(self, index: Index, query: Query, scoring: Scoring, documents: Rows, matches: Matches) -> None:
        self._index, self._query, self._documents, self._at_hand = index, query, documents, matches.documents
        self._expression = scoring.expression
        self._parameters = scoring.element_parameters(index.block_words)
        asked: dict[str, int] = {}
        for term in query.terms:
            if term.sign != "-":
                asked[str(term)] = asked.get(str(term), 0) + 1
        held = {str(term): (term, found) for term, found in zip(query.wanted, matches.occurrences, strict=True)}
        if any(term.is_phrase for term, _ in held.values()) and not self._weighs_inside_articles():
            asked = dict(query.word_counts)
            held = {
                word: (QueryTerm((word,)), index.elements.occurrences(word, self._at_hand))
                for word in query.word_counts
            }
        self.terms = sorted(name for name, (_, found) in held.items() if len(found.rows))
        self._query_terms = [held[name][0] for name in self.terms]
        self._occurrences: list[Occurrences] = [held[name][1] for name in self.terms]
        self._query_tf = np.array([asked[name] for name in self.terms], np.int64)

    def _weighs_inside_articles(self) -> bool:
        expression = self._expression
        return isinstance(expression, Calculated) and (
            TABLES[TERM_WEIGHT][expression.term_weight].population in ("", "B")
        )

    def elements(self, around: Surroundings) -> FloatArray:
        """Return the own scores of some elements, 0 of those that the expression does not score."""
        if self._scores_intervals():
            return self._scored(self._held_by_elements(around.rows, around.ends, around.document), around.words)
        rows, scores = around.rows, np.zeros(len(around.rows))
        if not len(rows) or not self.terms:
            return scores
        found = score_elements(
            self._index, self._expression, self._query.word_counts, self._documents, parameters=self._parameters
        )
        place = np.minimum(np.searchsorted(rows, found.rows), len(rows) - 1)
        is_asked = rows[place] == found.rows
        scores[place[is_asked]] = found.scores[is_asked]
        return scores

    def windows(self, leaves: Rows, first: Rows, last: Rows) -> FloatArray:
        """Return the own scores of intervals of words inside leaves, 0 of those that hold no term.

        Args:
            leaves: the leaf of each interval; first, last: numbers of its first word, and of the one behind it.
        Raises: SettingsError for an expression that does not score intervals of words.
        """
        if not self._scores_intervals():
            raise SettingsError(
                f"scoring = '{self._expression}': passages need a calculated score of elements (E[...]) whose length "
                "counts words; vectors, distinct terms and propagated scores are of whole elements only."
            )
        return self._scored(self._held_by_windows(leaves, first, last), last - first)

    def parts(self, row: int) -> dict[str, float] | None:
        """Return what each term adds to the own score of an element; None where the expression has no such parts."""
        if not self._scores_intervals():
            return None
        rows, elements = np.array([row]), self._index.elements
        held = self._held_by_elements(rows, elements.end(rows), self._place_of_document(rows))
        return {name: part for name, _, part in self._parts(held, elements.n_words(rows))}

    def window_parts(self, leaf: int, first: int, last: int) -> list[tuple[str, int, float]]:
        """Return the terms that an interval of words in a leaf holds, how often, and what each adds to its score."""
        begin, end = np.array([first]), np.array([last])
        return self._parts(self._held_by_windows(np.array([leaf]), begin, end), end - begin)

    def _parts(self, held: Held, words: Rows) -> list[tuple[str, int, float]]:
        """Return the terms of one unit, their frequencies, and what each adds to its score."""
        if not len(held.pairs.unit):
            return []
        combined = self._combined(held, words)
        values = (combined.parts * combined.factor[held.pairs.unit]).tolist()
        names = [self.terms[term] for term in held.pairs.term.tolist()]
        return list(zip(names, held.pairs.tf.tolist(), values, strict=True))

    def _scores_intervals(self) -> bool:
        """Return whether the expression scores element nodes by nothing but their terms and their number of words."""
        expression = self._expression
        return isinstance(expression, Calculated) and expression.context == "E" and not _needs_all_terms(expression)

    def _held_by_elements(self, rows: Rows, ends: Rows, document: Rows) -> Held:
        return self._held(
            rows, document, frequencies([(found.rows, found.tf) for found in self._occurrences], rows, ends)
        )

    def _held_by_windows(self, leaves: Rows, first: Rows, last: Rows) -> Held:
        tf = np.empty((len(self.terms), len(leaves)), np.int64)
        for number, term in enumerate(self._query_terms):
            words = term_numbers(self._index.elements, term, self._at_hand)
            np.subtract(np.searchsorted(words, last), np.searchsorted(words, first), out=tf[number])
        return self._held(leaves, self._place_of_document(leaves), tf)

    def _held(self, rows: Rows, document: Rows, tf: Rows) -> Held:
        """Return what units hold, given how often each term occurs in each of them."""
        n_leaves = [found.n_leaves for found in self._occurrences]
        return Held(rows, self._at_hand, document, pairs_of(tf), self.terms, self._query_tf, n_leaves)

    def _place_of_document(self, rows: Rows) -> Rows:
        """Return the place of each row's document among those at hand."""
        return np.searchsorted(self._at_hand, self._index.elements.document(rows))

    def _scored(self, held: Held, words: Rows) -> FloatArray:
        if not len(held.pairs.unit):
            return np.zeros(len(held.rows))
        units = self._units(held, words)
        scores = total(self._combined(held, words), units)
        holds = np.zeros(len(held.rows), np.bool_)
        holds[held.pairs.unit] = True
        return np.where(holds, scores, 0.0)

    def _combined(self, held: Held, words: Rows) -> Combined:
        expression = self._calculated
        statistics = statistics_of(self._index, population_of(self._index), expression, held)
        return combine(expression, self._units(held, words), statistics, self._parameters)

    @property
    def _calculated(self) -> Calculated:
        if not isinstance(self._expression, Calculated):
            raise TypeError(f"{self._expression} is not calculated")
        return self._expression

    def _units(self, held: Held, words: Rows) -> Units:
        return Units(
            pairs=held.pairs,
            query_tf=held.query_tf,
            words=words.astype(np.float64),
            distinct=_not_counted,
            largest=_not_counted,
            vector=lambda _expression, _parameters: _not_counted(),
        )


OF_ALL_TERMS = frozenset({"vector", "mean_vector", "distinct", "mean_distinct", "largest"})


@lru_cache(256)
def _needs_all_terms(expression: Calculated) -> bool:
    """Return whether a component of the units reads what only all terms of a unit tell."""
    return any(
        OF_ALL_TERMS.intersection(component.reads) for _, context, component in expression.components if context != "Q"
    )


def _not_counted() -> NoReturn:
    raise TypeError("an expression that needs all terms of a unit does not score intervals of words")
