"""The score of elements, and of windows of sentences, by a Q-expression over the query terms, before context."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import distinct, places_of
from engine.errors import SettingsError
from engine.index.containment import is_member
from engine.index.leaf_postings import Occurrences
from engine.index.reader import IndexReader
from engine.query.limits import check_time, reserve
from engine.query.query import Query
from engine.query.query_terms import QueryTerm
from engine.retrieval.inline_elements import InlineElements, frequencies, own_words
from engine.retrieval.matches import Matches, term_numbers_of_each
from engine.retrieval.plan import ByScore
from engine.retrieval.scoring.exact_titles import exact_title_scores
from engine.retrieval.scoring.expression_scores import score_elements
from engine.retrieval.scoring.expression_statistics import statistics_of
from engine.retrieval.scoring.term_units import TermUnits, measured, needs_all_terms
from engine.retrieval.scoring.term_weights import TermWeights, covered_share, term_weights
from engine.retrieval.shard_merging import any_of
from engine.similarity.calculation import combine, total
from engine.similarity.expression import Calculated
from engine.similarity.registry import ELEMENTS, OF_DOCUMENT, OF_DOCUMENT_AND_ALL, TABLES, TERM_WEIGHT
from engine.similarity.term_frequencies import joined, pairs_in, pairs_of
from engine.similarity.values import Combined, FloatArray, Pairs

Rows = NDArray[np.int64]


# What letters count in the document of a unit: weights depend on documents alone, which are groups.
OF_DOCUMENTS = (OF_DOCUMENT, OF_DOCUMENT_AND_ALL)


class ElementScorer:
    """Scores elements and windows of some documents for the terms of a query.

    A phrase is one term where term weights are computed inside the article; where they are computed from the whole
    collection, which has no statistics of phrases, it counts as its words.
    """

    def __init__(self, index: IndexReader, query: Query, order: ByScore, documents: Rows, matches: Matches) -> None:
        self._index, self._query, self._documents, self._matched_documents = index, query, documents, matches.documents
        self._expression = order.expression
        self._parameters = order.resolved_parameters(index.statistics.block_words)
        query_tf: dict[str, int] = {}
        for term in query.terms:
            if term.sign != "-":
                query_tf[str(term)] = query_tf.get(str(term), 0) + 1
        found_terms = {str(term): (term, found) for term, found in zip(query.wanted, matches.occurrences, strict=True)}
        if any(term.is_phrase for term, _ in found_terms.values()) and not self._weighs_inside_articles():
            query_tf = dict(query.word_counts)
            found_terms = {
                word: (QueryTerm((word,)), index.elements.occurrences(word, self._matched_documents))
                for word in query.word_counts
            }
        is_found = np.array([len(found.rows) > 0 for _, found in found_terms.values()], np.bool_)
        if index.exchange is not None:
            is_found = index.exchange.combine(any_of, is_found)
        self.terms = sorted(name for name, is_one in zip(found_terms, is_found.tolist(), strict=True) if is_one)
        self._query_terms = [found_terms[name][0] for name in self.terms]
        self._coverage, self._weighs_terms = order.coverage, bool(order.coverage or order.heading_weight)
        if self._weighs_terms and not self._scores_intervals():
            raise SettingsError(
                f"element_similarity = '{self._expression}': coverage and heading_weight need a calculated score of "
                "elements (E[...]) whose length counts words: set both to 0."
            )
        self._known = sorted(
            name
            for name, (term, _) in found_terms.items()
            if term.is_phrase or index.statistics.term(name).document_frequency
        )
        self._leaves_of_known = [found_terms[name][1].n_leaves for name in self._known]
        self._leaves_of_words = {
            term.words[0]: found.rows for term, found in found_terms.values() if not term.is_phrase
        }
        self._last: TermUnits | None = None
        self._last_words: Rows | None = None
        self._weights: tuple[TermUnits, TermWeights] | None = None  # of the units that were weighed last
        self._weights_in_documents: FloatArray | None = None  # of the same terms, 0 where a document lacks one
        self._occurrences: list[Occurrences] = [found_terms[name][1] for name in self.terms]
        self._query_tf = np.array([query_tf[name] for name in self.terms], np.int64)

    def _weighs_inside_articles(self) -> bool:
        return isinstance(self._expression, Calculated) and self._counted in ("", OF_DOCUMENT)

    @property
    def _counted(self) -> str:
        return TABLES[TERM_WEIGHT][self._calculated.term_weight].counted

    def elements(self, rows: Rows, ends: Rows, document: Rows, words: Rows, inline: InlineElements) -> FloatArray:
        """Return the element scores of rows, ascending; 0 of elements that the expression does not score.

        Args:
            ends: one past the last row of each subtree; words: the number of words in it.
            document: place of the document of each element among the documents of the matches.
            inline: the inline elements among the rows, whose own words count.
        """
        if self._scores_intervals():
            self._last, self._last_words = self._units_of_elements(rows, ends, document, inline), words
            return self._scored(self._last, words)
        scores = np.zeros(len(rows))
        if (not len(rows) and self._index.exchange is None) or not self.terms:
            return scores
        found = score_elements(
            self._index, self._expression, self._query.word_counts, self._documents, parameters=self._parameters
        )
        if len(rows):
            place = np.minimum(np.searchsorted(rows, found.rows), len(rows) - 1)
            is_scored = rows[place] == found.rows
            scores[place[is_scored]] = found.scores[is_scored]
        return scores

    def windows(self, leaves: Rows, first: Rows, last: Rows) -> FloatArray:
        """Return the scores of intervals of words inside leaves, 0 for those without a term.

        Args:
            leaves: the leaf of each interval; first, last: numbers of its first word, and of the word after the last.
        Raises: SettingsError for an expression that does not score intervals of words.
        """
        if not self._scores_intervals():
            raise SettingsError(
                f"element_similarity = '{self._expression}': passages need a calculated score of elements (E[...]) "
                "whose length counts words; vectors, distinct terms and propagated scores are of whole elements only."
            )
        return self._scored(self._units_of_windows(leaves, first, last), last - first)

    def parts(self, row: int) -> dict[str, float] | None:
        """Return what each term adds to the score of an element; None where the expression has no such parts."""
        if not self._scores_intervals():
            return None
        rows, elements = np.array([row]), self._index.elements
        inline = own_words(self._index, rows.compress(elements.is_inline(rows)))
        units = self._units_of_elements(rows, elements.end(rows), self._place_of_document(rows), inline)
        words = elements.n_words(rows) + (inline.last - inline.first).sum()
        return {name: part for name, _, part in self._parts(units, words)}

    def window_parts(self, leaf: int, first: int, last: int) -> list[tuple[str, int, float]]:
        """Return the terms in an interval of words of a leaf, their frequencies, and what each adds to its score."""
        begin, end = np.array([first]), np.array([last])
        return self._parts(self._units_of_windows(np.array([leaf]), begin, end), end - begin)

    def _parts(self, units: TermUnits, words: Rows) -> list[tuple[str, int, float]]:
        """Return the terms of one unit, their frequencies, and what each adds to its score."""
        if not len(units.pairs.unit):
            return []
        combined = self._combined(units, words)
        values = (combined.parts * (combined.factor * self._covered(units))[units.pairs.unit]).tolist()
        names = [self.terms[term] for term in units.pairs.term.tolist()]
        return list(zip(names, units.pairs.tf.tolist(), values, strict=True))

    def _scores_intervals(self) -> bool:
        """Return whether the score of an element depends only on the query terms in it and its number of words."""
        expression = self._expression
        return isinstance(expression, Calculated) and expression.context == ELEMENTS and not needs_all_terms(expression)

    def _units_of_elements(self, rows: Rows, ends: Rows, document: Rows, inline: InlineElements) -> TermUnits:
        pairs = pairs_in([(found.rows, found.tf) for found in self._occurrences], rows, ends)
        if len(inline.rows):
            pairs = self._with_inline(pairs, rows, inline)
        return self._term_units(rows, document, pairs)

    def _with_inline(self, pairs: Pairs, rows: Rows, inline: InlineElements) -> Pairs:
        """Return the pairs with the own words of inline elements counted, too."""
        units = rows.searchsorted(inline.rows)
        tf = frequencies(self._index, inline, self._query_terms, self._matched_documents)
        is_inline = is_member(pairs.unit, units)
        np.add.at(tf, (pairs.term[is_inline], units.searchsorted(pairs.unit[is_inline])), pairs.tf[is_inline])
        counted = pairs_of(tf)
        others = Pairs(*(column[~is_inline] for column in pairs))
        found = joined([others, counted._replace(unit=units[counted.unit])])
        order = np.lexsort((found.unit, found.term))
        return Pairs(*(column[order] for column in found))

    def _units_of_windows(self, leaves: Rows, first: Rows, last: Rows) -> TermUnits:
        found: list[Pairs] = []
        document = self._place_of_document(leaves)
        documents = self._matched_documents.take(distinct(document))
        numbers = term_numbers_of_each(self._index.elements, self._query_terms, documents)
        for number, words in enumerate(numbers):
            check_time()
            tf = np.searchsorted(words, last) - np.searchsorted(words, first)
            units = places_of(tf)
            reserve(len(Pairs._fields) * len(units))
            found.append(Pairs(np.full(len(units), number), units, tf.take(units)))
        return self._term_units(leaves, document, joined(found))

    def _term_units(self, rows: Rows, document: Rows, pairs: Pairs) -> TermUnits:
        """Return units with the terms in them."""
        n_leaves = [found.n_leaves for found in self._occurrences]
        return TermUnits(rows, self._matched_documents, document, pairs, self.terms, self._query_tf, n_leaves)

    def _place_of_document(self, rows: Rows) -> Rows:
        """Return the place of each row's document among the documents of the matches."""
        return np.searchsorted(self._matched_documents, self._index.elements.document(rows))

    def _scored(self, units: TermUnits, words: Rows) -> FloatArray:
        if not len(units.pairs.unit):
            return np.zeros(len(units.rows))
        scores = total(self._combined(units, words), measured(units, words))
        scores *= self._covered(units)
        scores[np.bincount(units.pairs.unit, minlength=len(scores)) == 0] = 0.0  # without a term
        return scores

    def coverage_of(self, row: int) -> float:
        """Return the factor of an element's score for the share of the query that it contains; 1 without coverage."""
        return float(self._covered(self._unit_of(row))[0])

    def _unit_of(self, row: int) -> TermUnits:
        """Return one element."""
        rows, elements = np.array([row]), self._index.elements
        inline = own_words(self._index, rows.compress(elements.is_inline(rows)))
        return self._units_of_elements(rows, elements.end(rows), self._place_of_document(rows), inline)

    def exact_titles(self) -> FloatArray:
        """Return the weight of the query for each document of the matches that it is a title of, 0 for others."""
        return exact_title_scores(self._index, self._query, self._matched_documents, self._leaves_of_words)

    def last_terms(self) -> tuple[Pairs, TermWeights]:
        """Return the terms in the elements that were scored last, and the weights of all terms."""
        if self._last is None:
            raise TypeError("no elements were scored")
        return self._last.pairs, self._term_weights(self._last)

    def covered_by_elements(self) -> FloatArray:
        """Return the share of the query's weight that each of the elements scored last contains, without exponent."""
        if self._last is None:
            raise TypeError("no elements were scored")
        return self._share(self._last)

    def highest_in_elements(self, places: Rows, fewest: float) -> FloatArray:
        """Return the most that an interval of `fewest` words or more scores in some of the elements scored last.

        Only where all letters of the expression are monotone (`element_bounds.has_bounds`).

        Args:
            places: of different ones among them.
        """
        if self._last is None or self._last_words is None:
            raise TypeError("no elements were scored")
        return self._scored(self._last.at(places), np.minimum(self._last_words.take(places), fewest))

    def covered_by_windows(self, leaves: Rows, first: Rows, last: Rows) -> FloatArray:
        """Return the share of the query's weight that each interval of words contains, without exponent."""
        return self._share(self._units_of_windows(leaves, first, last))

    def _covered(self, units: TermUnits) -> FloatArray:
        """Return the share of the query's weight that each unit contains, to the power coverage."""
        if not self._coverage or not len(units.pairs.unit):
            return np.ones(len(units.rows))
        return self._share(units) ** self._coverage

    def _share(self, units: TermUnits) -> FloatArray:
        return covered_share(self._term_weights(units), units.pairs, len(units.rows))

    def _term_weights(self, units: TermUnits) -> TermWeights:
        """Return the weights of the terms in the units, and of the others that the collection contains.

        Where they depend on the documents of the units alone, they are computed once for all units.
        """
        if self._weights is None or (self._weights[0] is not units and self._counted not in OF_DOCUMENTS):
            known = units._replace(terms=self._known, n_leaves=self._leaves_of_known)
            weights = term_weights(self._index, self._calculated, known, self._parameters, self.terms)
            self._weights = units, weights
        found = self._weights[1]
        return found._replace(group=units.document) if self._counted in OF_DOCUMENTS else found

    def _combined(self, units: TermUnits, words: Rows) -> Combined:
        expression = self._calculated
        statistics = statistics_of(self._index, expression, units)
        weights = None
        if self._weighs_terms and self._counted in OF_DOCUMENTS:
            of_terms, _, group = self._term_weights(units)
            if self._weights_in_documents is None:
                self._weights_in_documents = np.where(np.stack(units.n_leaves) > 0, of_terms, 0.0)
            weights = self._weights_in_documents, group
        return combine(expression, measured(units, words), statistics, self._parameters, weights)

    @property
    def _calculated(self) -> Calculated:
        if not isinstance(self._expression, Calculated):
            raise TypeError(f"{self._expression} is not calculated")
        return self._expression
