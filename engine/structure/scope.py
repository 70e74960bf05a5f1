"""Lookups in documents for the parts of a path query: elements by name, matches, attributes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field

import numpy as np

from engine.arrays import Rows, is_among, ranges
from engine.index.elements.containment import ancestors_or_self, contains_any, parents
from engine.index.elements.element_store import Elements
from engine.index.postings.leaf_postings import Occurrences
from engine.index.reader import IndexReader
from engine.planning.plan import Matching
from engine.query.nexi.tree import Reference, Term
from engine.query.query import Query
from engine.query.query_terms import QueryTerm, analyse
from engine.query_limits import reserve
from engine.ranking.matches import Matches, rows_with, rows_without, term_occurrences, union
from engine.records import dataclass
from engine.structure.inline_elements import contain_any, frequencies, inline_near, own_words

# What an attribute value takes in memory, in numbers, with its element.
NUMBERS_PER_VALUE = 16

# alternative local names; empty for any element
Names = tuple[str, ...]


@dataclass(frozen=True)
class Scope:
    """The documents in which a path query is read, and the rules of comparison; sets of rows are ascending.

    rules: whether tags of one class are equal, and whether an about() needs any of its terms, or all.
    image_rows: elements that refer to images; None where the query has no example image.
    """

    index: IndexReader
    documents: Rows  # ascending
    rules: Matching
    function_words: frozenset[str] = frozenset()
    image_rows: Rows | None = None
    _known: dict[QueryTerm, Occurrences] = field(default_factory=dict)
    _named: dict[Names, Rows] = field(default_factory=dict)

    @classmethod
    def of(cls, index: IndexReader, query: Query, matches: Matches, matching: Matching) -> Scope:
        """Return the scope of the documents of matches, with their term occurrences."""
        known = {_unsigned(term): found for term, found in zip(query.wanted, matches.occurrences, strict=True)}
        return cls(index, matches.documents, matching, query.function_words, matches.image_rows, known)

    @property
    def elements(self) -> Elements:
        """The element store."""
        return self.index.elements

    def named(self, names: Names) -> Rows:
        """Return all elements with one of the names; all elements if there are no names."""
        found = self._named.get(names)
        if found is None:
            rows = self.elements.with_tags(self.tag_numbers(names), self.documents) if names else self._all_elements()
            reserve(6 * len(rows))  # with what is computed of them
            found = self._named[names] = rows
        return found

    def filter(self, rows: Rows, names: Names) -> Rows:
        """Return the rows that have one of the names."""
        return rows[np.isin(self.elements.tag(rows), self.tag_numbers(names))] if names else rows

    def containing(self, names: Names, inner: Rows, *, properly: bool = False) -> Rows:
        """Return the elements with one of the names that are or contain an inner element; `properly`: the latter."""
        if not names:
            return ancestors_or_self(self.elements, parents(self.elements, inner) if properly else inner)
        rows = self.named(names)
        return rows.compress(contains_any(self.elements, rows, inner, properly=properly))

    def about(self, names: Names, terms: tuple[Term, ...]) -> Rows:
        """Return the elements with one of the names that are or contain a match of the terms of an about().

        An inline element that is named is about them if its own words are: those around it are not counted. An example
        image is a term that every element with an image contains.
        """
        found = self.containing(names, self.matching(terms))
        if self.name_inline(names):
            found = union([found, self._inline_about(names, terms)])
        if self.image_rows is None or not any(isinstance(term, Reference) for term in terms):
            return found
        analysed = analyse(terms, self.index.analyser, self.function_words)
        with_images = self.containing(names, self._with_required(self.image_rows, analysed))
        if self.rules.needs_all and any(term.sign != "-" for term in analysed):
            return found[is_among(found, with_images)]
        return union([found, with_images])

    def name_inline(self, names: Names) -> bool:
        """Return whether elements of one of the names may be inline."""
        return not self.elements.inline_tags.isdisjoint(self.tag_numbers(names))

    def inline_with_any(self, rows: Rows, terms: Sequence[QueryTerm]) -> Rows:
        """Return the inline elements among rows (ascending) that contain one of the terms."""
        inline = inline_near(self.index, rows, union([self._occurrences(term).rows for term in terms]))
        return inline.rows.compress(contain_any(self.index, inline, terms, self.documents))

    def _inline_about(self, names: Names, terms: tuple[Term, ...]) -> Rows:
        analysed = tuple(dict.fromkeys(analyse(terms, self.index.analyser, self.function_words)))
        wanted = [term for term in analysed if term.sign != "-"]
        unwanted = [term for term in analysed if term.sign == "-"]
        inline = inline_near(self.index, self.named(names), union([self._occurrences(term).rows for term in wanted]))
        is_in = frequencies(self.index, inline, wanted, self.documents) > 0
        fits = is_in.all(axis=0) if self.rules.needs_all else is_in.any(axis=0)
        if unwanted:
            fits &= ~contain_any(self.index, inline, unwanted, self.documents)
        return self._with_required(inline.rows.compress(fits), analysed)

    def matching(self, terms: tuple[Term, ...]) -> Rows:
        """Return the elements that match the terms of an about(), by the rules of `find_matches`."""
        analysed = dict.fromkeys(analyse(terms, self.index.analyser, self.function_words))
        wanted = [self._occurrences(term) for term in analysed if term.sign != "-"]
        rows = rows_with(self.elements, wanted, needs_all=self.rules.needs_all)
        for term in analysed:
            if term.sign == "-":
                rows = rows_without(rows, self._occurrences(term).rows)
        return self._with_required(rows, analysed)

    def _with_required(self, rows: Rows, terms: Iterable[QueryTerm]) -> Rows:
        """Return the rows in documents that contain all required terms."""
        required = [self._occurrences(term) for term in terms if term.sign == "+"]
        if required:
            contains_all = np.all([found.n_leaves > 0 for found in required], axis=0)
            rows = rows.compress(is_among(self.elements.document(rows), self.documents.compress(contains_all)))
        return rows

    def without_unwanted(self, rows: Rows, terms: tuple[Term, ...]) -> Rows:
        """Return the rows whose own text contains no unwanted term of an about()."""
        unwanted = [term for term in dict.fromkeys(analyse(terms, self.index.analyser)) if term.sign == "-"]
        for term in unwanted:
            rows = rows[~is_among(rows, self._occurrences(term).rows)]
        if unwanted and self.elements.inline_tags:
            inline = own_words(self.index, rows[self.elements.is_inline(rows)])
            rows = rows[~is_among(rows, inline.where(contain_any(self.index, inline, unwanted, self.documents)).rows)]
        return rows

    def attributes(self, names: Names) -> tuple[Rows, Sequence[str]]:
        """Return the attributes of one of the names: the elements that have them, and their values."""
        rows, values = self.elements.attributes(sorted(map(_local, names)), self.documents)
        reserve(NUMBERS_PER_VALUE * len(values))
        return rows, values

    def _occurrences(self, term: QueryTerm) -> Occurrences:
        key = _unsigned(term)
        if key not in self._known:
            self._known[key] = term_occurrences(self.elements, term, self.documents)
        return self._known[key]

    def _all_elements(self) -> Rows:
        first = self.elements.root(self.documents)
        return ranges(first, self.elements.document_end(self.documents) - first)

    def tag_numbers(self, names: Names) -> list[int]:
        """Return the numbers of the tags of the index that are one of the names, or of the class of one."""
        wanted = {_local(name) for name in names}
        if self.rules.by_class:
            class_of = self.index.profile.representative
            classes = {class_of(name) for name in wanted}
            wanted = {tag for tag in self.elements.tags if class_of(tag) in classes}
        numbers = self.elements.tag_numbers
        return sorted(numbers[name] for name in wanted if name in numbers)


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _unsigned(term: QueryTerm) -> QueryTerm:
    return QueryTerm(term.words, term.places, uncounted=term.uncounted, slop=term.slop)
