"""The score of elements, and of windows of sentences, by a Q-expression over the query terms, before context."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.arrays import FloatArray, Mask, Rows
from engine.errors import SettingsError
from engine.index.postings.leaf_postings import Occurrences
from engine.index.reader import IndexReader
from engine.kernels.table import compiled, native
from engine.planning.plan import ByScore
from engine.query.query import Query
from engine.ranking.expressions.expression_parts import UnitParts
from engine.ranking.expressions.expression_scores import score_elements
from engine.ranking.expressions.expression_statistics import statistics_of
from engine.ranking.expressions.own_scores import as_combined, own_scores
from engine.ranking.expressions.term_units import TermUnits, measured, needs_all_terms
from engine.ranking.matches import Matches
from engine.ranking.parts.coverage import coverage_factors, times_coverage
from engine.ranking.scoring.term_counts import TermCounts
from engine.ranking.scoring.term_weights import DocumentWeights, TermWeights, covered_share, term_weights
from engine.records import NamedTuple
from engine.similarity.calculation import combine, total
from engine.similarity.expression import Calculated, Expression
from engine.similarity.own_function import OwnFunction
from engine.similarity.parameters import with_defaults
from engine.similarity.registry import ELEMENTS, OF_DOCUMENT, OF_DOCUMENT_AND_ALL, TABLES, TERM_WEIGHT
from engine.similarity.values import Combined, Pairs
from engine.structure.inline_elements import InlineElements, own_words

# What letters count in the document of a unit: weights depend on documents alone, which are groups.
OF_DOCUMENTS = (OF_DOCUMENT, OF_DOCUMENT_AND_ALL)


def scores_intervals(expression: Expression) -> bool:
    """Return whether the score of a text by an expression depends only on the query terms in it and its length."""
    return isinstance(expression, Calculated) and expression.context == ELEMENTS and not needs_all_terms(expression)


class Similarities(NamedTuple):
    """The scores of texts by an expression, and the factor of each for coverage, None where that does not count.

    units: the texts with the terms in them, from which they are scored; None where the expression scores otherwise.
    """

    values: FloatArray
    factors: FloatArray | None
    units: TermUnits | None = None

    @property
    def covered(self) -> FloatArray:
        """The scores times coverage."""
        return times_coverage(self.values, self.factors)


class ElementScorer:
    """Scores elements and windows of some documents for the terms of a query.

    A phrase is one term where term weights are computed inside the article; where they are computed from the whole
    collection, which has no statistics of phrases, it counts as its words.

    Args:
        known_weights: of the terms in these documents and others, where they are known.
    """

    def __init__(
        self,
        index: IndexReader,
        query: Query,
        order: ByScore,
        documents: Rows,
        matches: Matches,
        known_weights: DocumentWeights | None = None,
    ) -> None:
        self._index, self._query, self._documents = index, query, documents
        self._expression = order.expression
        self._parameters = order.resolved_parameters(index.statistics.least_block_words)
        # Whether the score of an element depends only on the query terms in it and its number of words.
        self._scores_intervals = scores_intervals(self._expression)
        with_phrases = not any(term.is_phrase for term in query.wanted) or self._weighs_inside_articles()
        self._counts = TermCounts(index, query, matches, with_phrases=with_phrases)
        self.terms = self._counts.names
        self._coverage = order.coverage
        if (order.coverage or order.heading_weight) and not self._scores_intervals:
            raise SettingsError(
                f"element_similarity = '{self._expression}': coverage and heading_weight need a calculated score of "
                "elements (E[...]) whose length counts words: set both to 0."
            )
        self._weights: TermWeights | None = None
        self._weighed: TermUnits | None = None  # whose weights these are, unless they depend on documents alone
        if known_weights is not None and self._counted in OF_DOCUMENTS and known_weights.terms == self._counts.known:
            self._weights = known_weights.within(self._counts.documents, self.terms)
        self._weights_in_documents: FloatArray | None = None  # of the same terms, 0 where a document lacks one

    def _weighs_inside_articles(self) -> bool:
        return isinstance(self._expression, Calculated) and self._counted in ("", OF_DOCUMENT)

    @property
    def _counted(self) -> str:
        return TABLES[TERM_WEIGHT][self._calculated.term_weight].counted

    def elements(
        self, rows: Rows, ends: Rows, document: Rows, words: Rows, inline: InlineElements, pairs: Pairs | None = None
    ) -> Similarities:
        """Return the scores of rows, ascending; 0 of elements that the expression does not score.

        Args:
            ends: one past the last row of each subtree; words: the number of words in it.
            document: place of the document of each element among the documents of the matches.
            inline: the inline elements among the rows, whose own words count.
            pairs: the terms in the elements, where they were counted.
        """
        if self._scores_intervals:
            counts = self._counts
            units = (
                counts.in_elements(rows, ends, document, inline)
                if pairs is None
                else counts.units(rows, document, pairs)
            )
            return self._scored(units, words)
        scores = np.zeros(len(rows))
        if (not len(rows) and self._index.exchange.n_shards == 1) or not self._query.word_counts:
            return Similarities(scores, None)
        found = score_elements(
            self._index, self._expression, self._query.word_counts, self._documents, parameters=self._parameters
        )
        if len(rows):
            place = np.minimum(np.searchsorted(rows, found.rows), len(rows) - 1)
            is_scored = rows[place] == found.rows
            scores[place[is_scored]] = found.scores[is_scored]
        return Similarities(scores, None)

    def windows(self, leaves: Rows, first: Rows, last: Rows) -> Similarities:
        """Return the scores of intervals of words inside leaves, 0 for those without a term.

        Args:
            leaves: the leaf of each interval; first, last: numbers of its first word, and of the word after the last.
        Raises: SettingsError for an expression that does not score intervals of words.
        """
        if not self._scores_intervals:
            raise SettingsError(
                f"element_similarity = '{self._expression}': passages need a calculated score of elements (E[...]) "
                "whose length counts words; vectors, distinct terms and propagated scores are of whole elements only."
            )
        return self._scored(self._counts.in_windows(leaves, first, last), last - first)

    def have_terms(self, leaves: Rows, first: Rows, last: Rows) -> Mask:
        """Return which intervals of words inside leaves contain a term of the query."""
        found = np.zeros(len(leaves), np.bool_)
        found[self._counts.in_windows(leaves, first, last).pairs.unit] = True
        return found

    def parts(self, row: int) -> UnitParts | None:
        """Return the parts of the score of an element; None where the expression has none."""
        if not self._scores_intervals:
            return None
        rows, elements = np.array([row]), self._index.elements
        inline = own_words(self._index, rows.compress(elements.is_inline(rows)))
        words = elements.n_words(rows) + (inline.last - inline.first).sum()
        return self._parts(self._counts.in_element(row), words)

    def window_parts(self, leaf: int, first: int, last: int) -> UnitParts:
        """Return the parts of the score of an interval of words of a leaf."""
        begin, end = np.array([first]), np.array([last])
        return self._parts(self._counts.in_windows(np.array([leaf]), begin, end), end - begin)

    def _parts(self, units: TermUnits, words: Rows) -> UnitParts:
        """Return the parts of the score of one unit."""
        if not len(units.pairs.unit):
            return UnitParts(())
        combined = self._combined(units, words)
        names = [self.terms[term] for term in units.pairs.term.tolist()]
        terms = zip(names, units.pairs.tf.tolist(), combined.parts.tolist(), strict=True)
        factor, addend = np.broadcast_to(combined.factor, 1)[0], np.broadcast_to(combined.addend, 1)[0]
        return UnitParts(tuple(terms), float(factor), float(addend), float(self._covered(units)[0]))

    def _scored(self, units: TermUnits, words: Rows) -> Similarities:
        if not len(units.pairs.unit):
            return Similarities(np.zeros(len(units.rows)), None, units)
        return self._scored_by_blocks(units, words) if self.is_by_blocks else self._scored_by_letters(units, words)

    def _scored_by_letters(self, units: TermUnits, words: Rows) -> Similarities:
        scores = total(self._combined(units, words), measured(units, words))
        scores[np.bincount(units.pairs.unit, minlength=len(scores)) == 0] = 0.0  # without a term
        factors = coverage_factors(self.shares(units), self._coverage) if self._coverage else None
        return Similarities(scores, factors, units)

    @property
    def is_by_blocks(self) -> bool:
        """Whether the expression is the one that kernels compute: Σ w_t · r_e,t, with r_e,t by letter K."""
        expression = self._expression
        if isinstance(expression, OwnFunction) or not isinstance(expression, Calculated):
            return False
        if not self._scores_intervals:
            return False
        of_unit = expression.unit.method, expression.unit.frequency
        of_query = expression.query.method, expression.query.frequency
        is_sum = (expression.combining, of_unit, of_query) == ("C", ("A", "K"), ("B", "A"))
        return is_sum and self._counted in OF_DOCUMENTS

    @compiled(_scored_by_letters)
    def _scored_by_blocks(self, units: TermUnits, words: Rows) -> Similarities:
        weights = self.term_weights(units)
        of_weights = weights.of_terms, weights.of_query, weights.group
        found, shares, which = native.block_scores(*units.pairs, words.astype(np.float64), *of_weights, *self.of_blocks)
        sums = np.frombuffer(found, np.float64)
        factors = coverage_factors(np.frombuffer(shares, np.float64), self._coverage)
        return Similarities(sums, None if factors is None else factors.take(np.frombuffer(which, np.int64)), units)

    @property
    def of_blocks(self) -> tuple[float, float, float]:
        """The parameters k1, b and block of letter K."""
        given = with_defaults(self._calculated.parameters, self._parameters)
        return float(given["k1"]), float(given["b"]), float(given["block"])

    @property
    def documents(self) -> Rows:
        """The documents of the matches, ascending."""
        return self._counts.documents

    @property
    def occurrences(self) -> Sequence[Occurrences]:
        """Where each of the terms occurs, in their order."""
        return self._counts.occurrences

    def highest(self, units: TermUnits, words: Rows, fewest: float) -> FloatArray:
        """Return the most that an interval of `fewest` words or more scores in each of some elements.

        Only where all letters of the expression are monotone (`element_bounds.has_bounds`).

        Args:
            words: of the elements.
        """
        return self._scored(units, np.minimum(words, fewest)).covered

    def shares(self, units: TermUnits) -> FloatArray:
        """Return the share of the query's weight that each unit contains, which is its coverage without exponent."""
        return covered_share(self.term_weights(units), units.pairs, len(units.rows))

    def shares_of_windows(self, leaves: Rows, first: Rows, last: Rows) -> FloatArray:
        """Return the share of the query's weight that each interval of words contains."""
        return self.shares(self._counts.in_windows(leaves, first, last))

    def _covered(self, units: TermUnits) -> FloatArray:
        """Return the share of the query's weight that each unit contains, to the power coverage."""
        if not len(units.pairs.unit):
            return np.ones(len(units.rows))
        factors = coverage_factors(self.shares(units), self._coverage)
        return np.ones(len(units.rows)) if factors is None else factors

    def term_weights(self, units: TermUnits) -> TermWeights:
        """Return the weights of the terms in the units, and of the others that the collection contains.

        Where they depend on the documents of the units alone, they are computed once for all units.
        """
        is_of_documents = self._counted in OF_DOCUMENTS
        if self._weights is None or (self._weighed is not units and not is_of_documents):
            known = self._counts.with_known_terms(units)
            shares = self._counts.shares_of_known
            self._weights = term_weights(self._index, self._calculated, known, shares, self._parameters, self.terms)
            self._weighed = units
        return self._weights._replace(group=units.document) if is_of_documents else self._weights

    def _combined(self, units: TermUnits, words: Rows) -> Combined:
        expression = self._calculated
        if isinstance(expression, OwnFunction):
            counts = self._query.word_counts
            terms = {term: counts.get(term, 1) for term in self._counts.known}
            lengths, query, parameters = words.astype(np.float64), self._query.text, self._parameters
            return as_combined(
                units.pairs, own_scores(self._index, expression, units, lengths, query, terms, parameters)
            )
        statistics = statistics_of(self._index, expression, units)
        weights = None
        are_whole = units.query_tf.min(initial=1.0) >= 1
        if self._counted in OF_DOCUMENTS and (are_whole or self.is_by_blocks):
            of_terms, _, group = self.term_weights(units)
            if self._weights_in_documents is None:
                self._weights_in_documents = np.where(np.stack(units.n_leaves) > 0, of_terms, 0.0)
            weights = self._weights_in_documents, group
        return combine(expression, measured(units, words), statistics, self._parameters, weights)

    @property
    def _calculated(self) -> Calculated:
        if not isinstance(self._expression, Calculated):
            raise TypeError(f"{self._expression} is not calculated")
        return self._expression
