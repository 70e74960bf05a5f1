"""The terms of a query in some documents, counted in elements and in windows of sentences."""

from __future__ import annotations

from itertools import compress

import numpy as np

from engine.arrays import Rows, distinct, is_among, places_of, ranks_of
from engine.index.reader import IndexReader
from engine.query.query import Query
from engine.query.query_terms import QueryTerm
from engine.query_limits import check_time, reserve
from engine.ranking.expressions.term_units import TermUnits
from engine.ranking.matches import Matches, term_numbers_of_each
from engine.sharded_search.shard_merging import any_of
from engine.similarity.calculation import shares_of
from engine.similarity.term_frequencies import joined, pairs_in, pairs_of
from engine.similarity.values import Pairs
from engine.structure.inline_elements import InlineElements, frequencies, own_words


class TermCounts:
    """The terms of a query in the documents of its matches.

    Args:
        with_phrases: whether a phrase is one term; else all words of the query are terms.

    Attributes:
        names: the terms that occur, sorted. known: those that the collection contains.
        shares_of_known: of a word that each of these is. documents: the documents of the matches, ascending.
        occurrences: where each of the names occurs.
    """

    def __init__(self, index: IndexReader, query: Query, matches: Matches, *, with_phrases: bool) -> None:
        self._index, self.documents = index, matches.documents
        query_tf = query.term_counts
        found_terms = {str(term): (term, found) for term, found in zip(query.wanted, matches.occurrences, strict=True)}
        if not with_phrases:
            query_tf = query.word_counts
            found_terms = {
                word: (QueryTerm((word,)), index.elements.occurrences(word, self.documents))
                for word in query.word_counts
            }
        is_found = [len(found.rows) > 0 for _, found in found_terms.values()]
        if index.exchange.n_shards > 1:
            is_found = index.exchange.combine(any_of, np.array(is_found, np.bool_)).tolist()
        self.names = sorted(compress(found_terms, is_found))
        self._query_terms = [found_terms[name][0] for name in self.names]
        self.known = sorted(
            name
            for name, (term, _) in found_terms.items()
            if term.is_phrase or index.statistics.term(name).document_frequency
        )
        self._leaves_of_known = [found_terms[name][1].n_leaves for name in self.known]
        self.occurrences = [found_terms[name][1] for name in self.names]
        self._n_leaves = [found.n_leaves for found in self.occurrences]
        self._query_tf = np.array([query_tf[name] for name in self.names], np.float64)
        self.shares_of_known = shares_of(np.array([query_tf[name] for name in self.known], np.float64))

    def in_elements(self, rows: Rows, ends: Rows, document: Rows, inline: InlineElements) -> TermUnits:
        """Return elements, ascending, with the terms in them.

        Args:
            ends: one past the last row of each subtree. document: place of the document of each among `documents`.
            inline: the inline elements among the rows, whose own words count.
        """
        pairs = pairs_in([(found.rows, found.tf) for found in self.occurrences], rows, ends)
        if len(inline.rows):
            pairs = self._with_inline(pairs, rows, inline)
        return self.units(rows, document, pairs)

    def in_element(self, row: int) -> TermUnits:
        """Return one element with the terms in it."""
        rows, elements = np.array([row]), self._index.elements
        inline = own_words(self._index, rows.compress(elements.is_inline(rows)))
        return self.in_elements(rows, elements.end(rows), self._place_of_document(rows), inline)

    def in_windows(self, leaves: Rows, first: Rows, last: Rows) -> TermUnits:
        """Return intervals of words inside leaves, from first to last (exclusive), with the terms in them."""
        check_time()
        found: list[Pairs] = []
        document = self._place_of_document(leaves)
        if not len(leaves):
            return self.units(leaves, document, joined(found))
        documents = self.documents.take(distinct(document))
        numbers = term_numbers_of_each(self._index.elements, self._query_terms, documents)
        for number, words in enumerate(numbers):
            check_time()
            tf = ranks_of(words, last) - ranks_of(words, first)
            units = places_of(tf)
            reserve(len(Pairs._fields) * len(units))
            found.append(Pairs(np.full(len(units), number), units, tf.take(units)))
        return self.units(leaves, document, joined(found))

    def with_known_terms(self, units: TermUnits) -> TermUnits:
        """Return units with all terms of the query that the collection contains, for the statistics of these."""
        return units._replace(terms=self.known, n_leaves=self._leaves_of_known)

    def _with_inline(self, pairs: Pairs, rows: Rows, inline: InlineElements) -> Pairs:
        """Return the pairs with the own words of inline elements counted, too."""
        units = rows.searchsorted(inline.rows)
        tf = frequencies(self._index, inline, self._query_terms, self.documents)
        is_inline = is_among(pairs.unit, units)
        np.add.at(tf, (pairs.term[is_inline], units.searchsorted(pairs.unit[is_inline])), pairs.tf[is_inline])
        counted = pairs_of(tf)
        others = Pairs(*(column[~is_inline] for column in pairs))
        found = joined([others, counted._replace(unit=units[counted.unit])])
        order = np.lexsort((found.unit, found.term))
        return Pairs(*(column[order] for column in found))

    def units(self, rows: Rows, document: Rows, pairs: Pairs) -> TermUnits:
        """Return units with the terms in them."""
        return TermUnits(rows, self.documents, document, pairs, self.names, self._query_tf, self._n_leaves)

    def _place_of_document(self, rows: Rows) -> Rows:
        """Return the place of each row's document among the documents of the matches."""
        return np.searchsorted(self.documents, self._index.elements.document(rows))
